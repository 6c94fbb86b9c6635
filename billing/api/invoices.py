"""Invoices and credit notes of the organisation acted for."""

from __future__ import annotations

from django import http
from django.utils import timezone
from django.utils.translation import get_language
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import response, serializers, views

from billing import queries
from billing.services import files
from portal.accounts import queries as accounts
from portal.accounts.api.permissions import Scoped
from portal.accounts.domain import roles, scopes
from portal.kernel.errors import NotAllowed
from portal.toolkit import requests


class Amount(serializers.Serializer):
    amount = serializers.DecimalField(max_digits=20, decimal_places=None, help_text="A decimal as text. Negative on credit notes.")
    currency = serializers.CharField()


class Listed(serializers.Serializer):
    number = serializers.CharField()
    kind = serializers.ChoiceField(choices=["invoice", "credit_note"])
    issued_on = serializers.DateField()
    state = serializers.ChoiceField(choices=queries.STATES)
    reference = serializers.CharField(help_text="The booking.")
    net = Amount()
    tax = Amount()
    gross = Amount()
    open = Amount()


class InvoicePage(serializers.Serializer):
    count = serializers.IntegerField()
    next = serializers.CharField(help_text="Give it as `after` for the following page; empty at the end.")
    items = Listed(many=True)


class Document(Listed):
    sha256 = serializers.CharField(help_text="Over the canonical JSON of the frozen document.")
    document = serializers.DictField(help_text="The frozen document: parties, lines, taxes, totals in minor units.")


class Invoices(views.APIView):
    """Invoices and credit notes, newest first."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.BILLING_READ}

    @extend_schema(operation_id="invoices", parameters=[OpenApiParameter("after", str)], responses=InvoicePage, tags=["invoices"])
    def get(self, request: requests.Call) -> response.Response:
        organisation = accounts.current_organisation(request.user)
        if organisation is None or organisation.role not in roles.PAYERS:
            raise NotAllowed()
        page = queries.documents_of(organisation=organisation, after=request.query_params.get("after", ""), today=timezone.now().date())
        return response.Response(InvoicePage(page).data)


class Invoice(views.APIView):
    """One invoice or credit note with its frozen content."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.BILLING_READ}

    @extend_schema(operation_id="invoice", responses=Document, tags=["invoices"])
    def get(self, request: requests.Call, number: str) -> response.Response:
        return response.Response(Document(queries.frozen_document_for(user=request.user, number=number, today=timezone.now().date())).data)


class InvoicePdf(views.APIView):
    """The PDF of an invoice or credit note."""

    permission_classes = (Scoped,)
    scopes = {"GET": scopes.BILLING_READ}

    @extend_schema(operation_id="invoice_pdf", responses={(200, "application/pdf"): OpenApiTypes.BINARY}, tags=["invoices"])
    def get(self, request: requests.Call, number: str) -> http.HttpResponse:
        made = files.rendering(document=number, form="pdf", language=get_language(), by=request.user, now=timezone.now())
        return http.HttpResponse(made.content, content_type=made.content_type, headers={"Content-Disposition": f'attachment; filename="{made.name}"'})
