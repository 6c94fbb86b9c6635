"""Who belongs to an Organisation: members and invitations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import http
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from portal.accounts import forms, queries
from portal.accounts.domain import roles
from portal.accounts.services import invitations, memberships
from portal.accounts.views.access import invited
from portal.kernel.errors import DomainError
from portal.toolkit import pages, requests

if TYPE_CHECKING:
    from portal.accounts.models import Organisation


@login_required
def members(request: requests.SignedIn, number: str) -> http.HttpResponse:
    """The list of members and open invitations; for owners and admins also the form that invites."""
    organisation = queries.organisation_for(request.user, number, staff=roles.STAFF)
    return _page(request, organisation, forms.Invitation())


@require_POST
@login_required
def invite(request: requests.SignedIn, number: str) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    form = forms.Invitation(request.POST)
    if form.is_valid():
        try:
            invitations.invite(organisation=organisation, by=request.user, now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("An invitation to %(email)s is on its way.") % form.cleaned_data)
            return redirect("accounts:members", number)
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    return _page(request, organisation, form, status=422)


def _page(request: http.HttpRequest, organisation: Organisation, form: forms.Invitation, status: int = 200) -> http.HttpResponse:
    context = {
        "organisation": organisation,
        "form": form,
        "memberships": queries.memberships_of(organisation),
        "invitations": queries.invitations_of(organisation),
        "role_names": forms.ROLE_NAMES,
        "may_manage": organisation.role in roles.MANAGERS,
    }
    return pages.render_page(request, "accounts/members.html", context, status=status)


@require_POST
@login_required
def member_role(request: requests.SignedIn, number: str, membership: int) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    form = forms.Role(request.POST)
    if not form.is_valid():
        return _page(request, organisation, forms.Invitation(), status=422)
    memberships.change_role(organisation=organisation, membership_id=membership, role=form.cleaned_data["role"], by=request.user, now=timezone.now())
    return redirect("accounts:members", number)


@require_POST
@login_required
def member_remove(request: requests.SignedIn, number: str, membership: int) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    memberships.remove(organisation=organisation, membership_id=membership, by=request.user, now=timezone.now())
    return redirect("accounts:members", number)


@require_POST
@login_required
def leave(request: requests.SignedIn, number: str) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number)
    memberships.leave(organisation=organisation, by=request.user, now=timezone.now())
    return redirect("web:home")


@require_POST
@login_required
def invitation_withdraw(request: requests.SignedIn, number: str, invitation: int) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    invitations.withdraw(organisation=organisation, invitation_id=invitation, by=request.user, now=timezone.now())
    return redirect("accounts:members", number)


@never_cache
def invitation(request: http.HttpRequest, secret: str) -> http.HttpResponse:
    """What one is invited to. Whoever came by the mailed link has shown that the address is his, so signing up with it needs no second mail."""
    found = queries.open_invitation(secret, timezone.now())
    if found is not None and not request.user.is_authenticated:
        invited(request, email=found.email)
    return pages.render_page(request, "accounts/invitation.html", {"invitation": found}, status=200 if found else 404)


@require_POST
@login_required
def invitation_accept(request: requests.SignedIn, secret: str) -> http.HttpResponse:
    organisation = invitations.accept(secret=secret, by=request.user, now=timezone.now())
    messages.success(request, _("You belong to %(name)s now.") % {"name": organisation.name})
    return redirect("web:home")
