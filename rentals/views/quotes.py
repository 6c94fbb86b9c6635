"""The account manager's desk: quotes listed, drafted, sent."""

from __future__ import annotations

from typing import Any

from django import http
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.accounts.views.access import staff_required
from portal.kernel.errors import DomainError
from portal.toolkit import pages, requests
from rentals.domain import lifecycle
from rentals.forms import quotes as forms
from rentals.queries import quotes as read
from rentals.services import quotes

manager_required = staff_required(roles.ACCOUNT_MANAGER)


@manager_required
def listing(request: http.HttpRequest) -> http.HttpResponse:
    wanted = read.Filter(state=request.GET.get("state", ""), text=request.GET.get("q", "").strip())
    page = read.quotes_of(request.user, wanted, after=request.GET.get("after", ""))
    context = {"page": page, "wanted": wanted, "states": sorted(lifecycle.QUOTE.states), "pipeline": read.pipeline(request.user)}
    return pages.render_page(request, "rentals/quotes.html", context, partial="quote-list")


@manager_required
def new(request: requests.SignedIn) -> http.HttpResponse:
    form = forms.Head(request.POST or None, customers=accounts.organisations_for_staff(request.user))
    if request.method == "POST" and form.is_valid():
        typed = dict(form.cleaned_data)
        organisation = accounts.organisation_for(request.user, typed.pop("organisation"), staff=[roles.ACCOUNT_MANAGER])
        try:
            quote = quotes.draft(by=request.user, organisation=organisation, now=timezone.now(), **typed)
            return redirect("rentals:quote", quote.number)
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    return pages.render_page(request, "rentals/quote_new.html", {"form": form}, status=422 if form.errors else 200)


@manager_required
def quote(request: http.HttpRequest, number: str) -> http.HttpResponse:
    return _page(request, read.quote_for(request.user, number))


@require_POST
@manager_required
def edit(request: http.HttpRequest, number: str) -> http.HttpResponse:
    shown, form = read.quote_for(request.user, number), forms.Head(request.POST)
    if form.is_valid():
        try:
            quotes.edit(quote=shown, by=request.user, now=timezone.now(), **form.cleaned_data)
            return redirect("rentals:quote", number)
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    return _page(request, shown, head=form)


@require_POST
@manager_required
def line_add(request: http.HttpRequest, number: str) -> http.HttpResponse:
    shown, form = read.quote_for(request.user, number), forms.Line(request.POST, choices=read.choices())
    if form.is_valid():
        try:
            quotes.add_line(quote=shown, by=request.user, now=timezone.now(), **form.wish())
            return redirect("rentals:quote", number)
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    return _page(request, shown, line=form)


@require_POST
@manager_required
def line_remove(request: http.HttpRequest, number: str, line: int) -> http.HttpResponse:
    quotes.remove_line(quote=read.quote_for(request.user, number), line_id=line, by=request.user)
    return redirect("rentals:quote", number)


@require_POST
@manager_required
def send(request: http.HttpRequest, number: str) -> http.HttpResponse:
    quotes.send(quote=read.quote_for(request.user, number), by=request.user, now=timezone.now())
    return redirect("rentals:quote", number)


@require_POST
@manager_required
def revise(request: http.HttpRequest, number: str) -> http.HttpResponse:
    new_version = quotes.revise(quote=read.quote_for(request.user, number), by=request.user, now=timezone.now())
    return redirect("rentals:quote", new_version.number)


@require_POST
@manager_required
def withdraw(request: http.HttpRequest, number: str) -> http.HttpResponse:
    quotes.withdraw(quote=read.quote_for(request.user, number), by=request.user, now=timezone.now())
    return redirect("rentals:quote", number)


@manager_required
def pdf(request: http.HttpRequest, number: str) -> http.HttpResponse:
    shown = read.quote_for(request.user, number)
    return pages.file_answer(read.paper(shown, language=request.LANGUAGE_CODE, now=timezone.now()), name=f"{shown.number}.pdf", kind="application/pdf")


def _page(request: http.HttpRequest, shown: Any, **typed: Any) -> http.HttpResponse:
    desk = read.desk(shown, now=timezone.now())
    head = typed.get("head") or forms.Head(initial={name: getattr(shown, name) for name in ("title", "valid_until", "message", "internal_note")})
    line = typed.get("line") or forms.Line(choices=read.choices())
    return pages.render_page(request, "rentals/quote.html", {"desk": desk, "head": head, "line": line}, status=422 if typed else 200)
