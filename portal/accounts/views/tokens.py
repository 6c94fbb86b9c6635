"""API tokens of a person in the Organisation he works in."""

from __future__ import annotations

from django import http
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from portal.accounts import forms, queries
from portal.accounts.services import tokens as making
from portal.accounts.views.access import member_required
from portal.kernel.errors import DomainError
from portal.toolkit import pages, requests


@never_cache
@member_required
def tokens(request: requests.SignedIn) -> http.HttpResponse:
    """The list, and the form that makes one. The secret stands on the answer to the POST and nowhere else, so there is no redirect."""
    form = forms.Token(request.POST or None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        secret = _made(request, form)
        form = forms.Token() if secret else form
    context = {"form": form, "secret": secret, "tokens": queries.tokens_of(request.user, request.organisation), "organisation": request.organisation}
    return pages.render_page(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


def _made(request: requests.SignedIn, form: forms.Token) -> str:
    """The new token's secret, "" when it was refused (and the form says why)."""
    now, user = timezone.now(), request.user
    name, scopes = form.cleaned_data["name"], form.cleaned_data["scopes"]
    try:
        return making.create(user=user, organisation=request.organisation, name=name, scopes=scopes, expires_at=form.expires_at(now), by=user, now=now)[1]
    except DomainError as refusal:
        pages.put_on_form(form, refusal)
        return ""


@require_POST
@member_required
def token_revoke(request: requests.SignedIn, token: int) -> http.HttpResponse:
    making.revoke(user=request.user, organisation=request.organisation, token_id=token, by=request.user, now=timezone.now())
    return redirect("accounts:tokens")
