"""Finance's desk."""

from __future__ import annotations

import uuid

from django import http
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from billing import forms, queries
from billing.services import corrections, tables
from portal.accounts.domain import roles
from portal.accounts.views import access
from portal.kernel.errors import DomainError
from portal.toolkit import pages, streams


@require_safe
@access.staff_required(roles.FINANCE)
def finance(request: http.HttpRequest) -> http.HttpResponse:
    form, now = forms.DocumentFilter(request.GET), timezone.now()
    page = queries.finance_documents(filters=form.filters(), after=request.GET.get("after", ""), now=now)
    context = {"form": form, "page": page, "month": queries.month_at_a_glance(now=now)}
    return pages.render_page(request, "billing/finance.html", context, partial="finance-documents")


@require_safe
@access.staff_required(roles.FINANCE)
def finance_document(request: http.HttpRequest, number: str) -> http.HttpResponse:
    shown = queries.document_for(user=request.user, number=number, language=get_language(), today=timezone.now().date())
    context = {"document": shown, "paper": shown.paper, "books": queries.books_of(user=request.user, number=number)}
    return pages.render_page(request, "billing/finance_document.html", context)


@require_safe
@access.staff_required(roles.FINANCE)
def finance_table(request: http.HttpRequest, shape: str, form: str) -> http.HttpResponseBase:
    filters = forms.DocumentFilter(request.GET).filters()
    made = tables.table(shape=shape, form=form, filters=filters, by=request.user, now=timezone.now())
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
    if made.text is not None:
        return streams.streamed(request, made.text, content_type=made.content_type, headers=headers)
    return http.HttpResponse(made.content, content_type=made.content_type, headers=headers)


@access.staff_required(roles.FINANCE)
def finance_credit(request: http.HttpRequest, number: str) -> http.HttpResponse:
    lines = queries.creditable_lines(user=request.user, number=number)
    form = forms.CreditByHand(request.POST or None, lines=lines, initial={"token": uuid.uuid4().hex})
    preview = None
    if form.is_valid():
        try:
            if form.is_confirmed:
                return redirect("billing:finance-document", _credited(request, number, form))
            preview = corrections.preview(invoice=number, amounts=form.amounts())
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    context = {"number": number, "lines": lines, "form": form, "preview": preview}
    return pages.render_page(request, "billing/finance_credit.html", context, status=422 if form.errors else 200)


def _credited(request: http.HttpRequest, number: str, form: forms.CreditByHand) -> str:
    reason, token = form.cleaned_data["reason"], form.cleaned_data["token"]
    return corrections.credit_by_hand(invoice=number, amounts=form.amounts(), reason=reason, token=token, by=request.user, now=timezone.now())
