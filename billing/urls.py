"""Addresses of billing."""

from django.urls import path

from billing.views import documents, finance

app_name = "billing"
urlpatterns = [
    path("billing/", documents.documents, name="documents"),
    path("billing/documents/<str:number>/", documents.document, name="document"),
    path("billing/documents/<str:number>/<slug:form>/", documents.document_file, name="document-file"),
    path("billing/agreements/<str:number>/documents/", documents.agreement_documents, name="agreement-documents"),
    path("finance/", finance.finance, name="finance"),
    path("finance/documents/<str:number>/", finance.finance_document, name="finance-document"),
    path("finance/tables/<slug:shape>/<slug:form>/", finance.finance_table, name="finance-table"),
]
