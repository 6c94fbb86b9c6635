"""Pages about an Organisation itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import http
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from portal.accounts import forms, queries
from portal.accounts.domain import roles
from portal.accounts.services import organisations
from portal.kernel.errors import InvalidInput
from portal.toolkit import pages, requests

if TYPE_CHECKING:
    from portal.accounts.models import Organisation


@login_required
def organisation_new(request: requests.SignedIn) -> http.HttpResponse:
    form = forms.Organisation(request.POST or None, initial={"time_zone": request.user.time_zone, "billing_email": request.user.email})
    if request.method == "POST" and form.is_valid():
        try:
            organisations.found(by=request.user, now=timezone.now(), **form.cleaned_data)
            return redirect(pages.safe_next(request, default="web:home"))
        except InvalidInput as refusal:
            pages.put_on_form(form, refusal)
    context = {"form": form, "next": pages.safe_next(request, default="")}
    return pages.render_page(request, "accounts/organisation_new.html", context, status=422 if form.errors else 200)


@login_required
def organisation(request: requests.SignedIn, number: str) -> http.HttpResponse:
    shown = queries.organisation_for(request.user, number, staff=roles.STAFF)
    context = {"organisation": shown, "form": forms.Organisation(initial=forms.initial(shown)), "may_edit": shown.role in roles.MANAGERS}
    return pages.render_page(request, "accounts/organisation.html", {**context, "missing": queries.missing_for_checkout(shown)})


@require_POST
@login_required
def organisation_edit(request: requests.SignedIn, number: str) -> http.HttpResponse:
    shown = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    form = forms.Organisation(request.POST)
    if form.is_valid() and _edited(form, shown, request):
        return redirect(pages.safe_next(request, default=shown.path))
    return pages.render_page(request, "accounts/organisation.html", {"organisation": shown, "form": form, "may_edit": True}, status=422)


def _edited(form: Form, organisation: Organisation, request: requests.SignedIn) -> bool:
    try:
        organisations.edit(organisation=organisation, by=request.user, now=timezone.now(), **form.cleaned_data)
    except InvalidInput as refusal:
        pages.put_on_form(form, refusal)
        return False
    return True


@require_POST
@login_required
def organisation_switch(request: requests.SignedIn, number: str) -> http.HttpResponse:
    organisations.switch(user=request.user, organisation=queries.organisation_for(request.user, number))
    return redirect(pages.safe_next(request, default="web:home"))
