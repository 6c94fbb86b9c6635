"""Projects of an Organisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import http
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from portal.accounts import forms, queries
from portal.accounts.domain import roles
from portal.accounts.services import projects as keeping
from portal.kernel.errors import DomainError
from portal.toolkit import pages, requests

if TYPE_CHECKING:
    from portal.accounts.models import Organisation


@login_required
def projects(request: requests.SignedIn, number: str) -> http.HttpResponse:
    return _page(request, queries.organisation_for(request.user, number, staff=roles.STAFF), forms.Project())


@require_POST
@login_required
def project_add(request: requests.SignedIn, number: str) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    form = forms.Project(request.POST)
    if form.is_valid():
        try:
            keeping.add(organisation=organisation, by=request.user, now=timezone.now(), **form.cleaned_data)
            return redirect("accounts:projects", number)
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    return _page(request, organisation, form, status=422)


@require_POST
@login_required
def project_edit(request: requests.SignedIn, number: str, project: int) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    form = forms.Project(request.POST)
    if not form.is_valid():
        return _page(request, organisation, forms.Project(), status=422)
    keeping.edit(organisation=organisation, project_id=project, by=request.user, now=timezone.now(), **form.cleaned_data)
    return redirect("accounts:projects", number)


@require_POST
@login_required
def project_remove(request: requests.SignedIn, number: str, project: int) -> http.HttpResponse:
    organisation = queries.organisation_for(request.user, number, roles=roles.MANAGERS)
    keeping.remove(organisation=organisation, project_id=project, by=request.user, now=timezone.now())
    return redirect("accounts:projects", number)


def _page(request: http.HttpRequest, organisation: Organisation, form: forms.Project, status: int = 200) -> http.HttpResponse:
    context = {"organisation": organisation, "form": form, "projects": queries.projects_of(organisation), "may_manage": organisation.role in roles.MANAGERS}
    return pages.render_page(request, "accounts/projects.html", context, status=status)
