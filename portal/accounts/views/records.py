"""What an Organisation may do at most, what it has agreed to and what was done in it."""

from __future__ import annotations

from django import http
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from portal.accounts import forms, queries
from portal.accounts.domain import roles
from portal.accounts.services import limits as limiting
from portal.accounts.services import terms as agreeing
from portal.accounts.views.access import role_required
from portal.kernel.money import Money
from portal.toolkit import pages, requests

SALES_AND_BOOKS = (roles.ACCOUNT_MANAGER, roles.FINANCE)


@login_required
def limits(request: requests.SignedIn, number: str) -> http.HttpResponse:
    """The limits, and for sales and finance the form that changes them."""
    organisation = queries.organisation_for(request.user, number, staff=roles.STAFF)
    cap = Money.from_minor(organisation.spend_cap_minor, organisation.currency)
    may_change = queries.has_staff_role(request.user, *SALES_AND_BOOKS)
    asked = {"spend_cap": cap.amount, "quantity_cap": organisation.quantity_cap, "payment_attempts_cap": organisation.payment_attempts_cap}
    context = {"organisation": organisation, "spend_cap": cap, "form": forms.Limits(initial=asked) if may_change else None}
    return pages.render_page(request, "accounts/limits.html", context)


@require_POST
@login_required
def limits_change(request: requests.SignedIn, number: str) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=(), staff=SALES_AND_BOOKS)
    form = forms.Limits(request.POST)
    if not form.is_valid():
        cap = Money.from_minor(organisation.spend_cap_minor, organisation.currency)
        return pages.render_page(request, "accounts/limits.html", {"organisation": organisation, "spend_cap": cap, "form": form}, status=422)
    wanted = dict(form.cleaned_data)
    cap = Money(wanted.pop("spend_cap"), organisation.currency).rounded()
    limiting.change(organisation=organisation, spend_cap_minor=cap.minor, by=request.user, now=timezone.now(), **wanted)
    messages.success(request, _("Saved."))
    return redirect("accounts:limits", number)


@login_required
def audit(request: requests.SignedIn, number: str) -> http.HttpResponse:
    """Who did what: for owners, admins and the books of the Organisation, and for our sales and finance."""
    organisation = queries.organisation_for(request.user, number, roles=roles.PAYERS, staff=SALES_AND_BOOKS)
    form = forms.AuditFilter(request.GET)
    wanted = queries.Filter(**form.cleaned_data) if form.is_valid() else queries.Filter()
    page = queries.audit_of(organisation, wanted, after=request.GET.get("after", ""))
    context = {"organisation": organisation, "page": page, "form": form, "nouns": queries.verbs_of(organisation)}
    return pages.render_page(request, "accounts/audit.html", context, partial="audit-entries")


def terms(request: http.HttpRequest, version: str = "") -> http.HttpResponse:
    """The terms of service, the present ones or an older version; for a member also whether his Organisation has accepted them."""
    now = timezone.now()
    present = queries.current_terms(now)
    shown = queries.terms_version(version, now) if version else present
    organisation = queries.current_organisation(request.user)
    acceptance = queries.acceptance_of(organisation, shown) if organisation and shown else None
    may_accept = organisation is not None and organisation.role in roles.BOOKERS
    context = {"terms": shown, "is_present": shown == present, "versions": queries.terms_versions(now), "next": pages.safe_next(request, default="")}
    return pages.render_page(request, "accounts/terms.html", {**context, "organisation": organisation, "acceptance": acceptance, "may_accept": may_accept})


@require_POST
@role_required(*roles.BOOKERS)
def terms_accept(request: requests.SignedIn) -> http.HttpResponse:
    address = pages.client_address(request)
    version = request.POST.get("version", "")
    agreeing.accept(by=request.user, organisation=request.organisation, address=address, now=timezone.now(), version=version)
    return redirect(pages.safe_next(request, default="accounts:terms"))
