"""A customer's invoices and credit notes."""

from __future__ import annotations

from django import http
from django.contrib.auth.decorators import login_required
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from billing import queries
from billing.services import files
from portal.accounts.domain import roles
from portal.accounts.views import access
from portal.toolkit import pages, requests


@require_safe
@access.role_required(*roles.PAYERS)
def documents(request: requests.Request) -> http.HttpResponse:
    page = queries.documents_of(organisation=request.organisation, after=request.GET.get("after", ""), today=timezone.now().date())
    return pages.render_page(request, "billing/documents.html", {"page": page}, partial="billing-documents")


@require_safe
@login_required
def document(request: http.HttpRequest, number: str) -> http.HttpResponse:
    shown = queries.document_for(user=request.user, number=number, language=get_language(), today=timezone.now().date())
    return pages.render_page(request, "billing/document.html", {"document": shown, "paper": shown.paper})


@require_safe
@login_required
def document_file(request: http.HttpRequest, number: str, form: str) -> http.HttpResponse:
    made = files.rendering(document=number, form=form, language=request.GET.get("language", get_language()), by=request.user, now=timezone.now())
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
    return http.HttpResponse(made.content, content_type=made.content_type, headers=headers)


@require_safe
@login_required
def agreement_documents(request: http.HttpRequest, number: str) -> http.HttpResponse:
    found = queries.documents_of_agreement(user=request.user, agreement=number, today=timezone.now().date())
    return pages.render_page(request, "billing/_documents.html", {"documents": found})
