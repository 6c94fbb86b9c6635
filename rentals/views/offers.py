"""The offer as its customer sees it: a letter behind a secret link, no log-in to read it."""

from __future__ import annotations

from typing import Any

from django import http
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from portal.accounts import queries as accounts
from portal.kernel.errors import DomainError
from portal.toolkit import pages, requests
from rentals.forms import quotes as forms
from rentals.queries import quotes as read
from rentals.services import offers


def offer(request: http.HttpRequest, secret: str) -> http.HttpResponse:
    quote = read.quote_behind(secret)
    offers.note_viewed(quote=quote, now=timezone.now())
    return _page(request, quote, secret)


def pdf(request: http.HttpRequest, secret: str) -> http.HttpResponse:
    quote = read.quote_behind(secret)
    return pages.file_answer(read.paper(quote, language=request.LANGUAGE_CODE, now=timezone.now()), name=f"{quote.number}.pdf", kind="application/pdf")


@login_required
def accept(request: requests.SignedIn, secret: str) -> http.HttpResponse:
    """GET is where the log-in leads back to."""
    quote = read.quote_to_accept(request.user, secret)
    if request.method != "POST":
        return redirect("rentals:offer", secret)
    form = forms.Accept(request.POST, keys=accounts.ssh_keys_of(request.user))
    if form.is_valid() and _accepted(form, quote, request):
        return redirect("rentals:offer", secret)
    return _page(request, quote, secret, accept=form)


@require_POST
def decline(request: http.HttpRequest, secret: str) -> http.HttpResponse:
    quote, form = read.quote_behind(secret), forms.Decline(request.POST)
    if form.is_valid():
        offers.decline(quote=quote, address=pages.client_address(request), now=timezone.now(), **form.cleaned_data)
        return redirect("rentals:offer", secret)
    return _page(request, quote, secret, decline=form)


def _accepted(form: forms.Accept, quote: Any, request: http.HttpRequest) -> bool:
    try:
        offers.accept(
            quote=quote,
            by=request.user,
            name=form.cleaned_data["name"],
            role=form.cleaned_data["role"],
            ssh_keys=form.chosen_keys(),
            address=pages.client_address(request),
            now=timezone.now(),
        )
    except DomainError as refusal:
        pages.put_on_form(form, refusal)
        return False
    return True


def _page(request: http.HttpRequest, quote: Any, secret: str, **typed: Any) -> http.HttpResponse:
    letter = read.letter(quote, request.user, now=timezone.now())
    accept_form = typed.get("accept") or forms.Accept(keys=letter.ssh_keys, initial={"name": getattr(request.user, "name", "")})
    decline_form = typed.get("decline") or forms.Decline()
    context = {"letter": letter, "quote": quote, "secret": secret, "accept": accept_form, "decline": decline_form}
    return pages.render_page(request, "rentals/offer.html", context, status=422 if typed else 200)
