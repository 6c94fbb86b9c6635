"""Addresses of billing."""

from django.urls import path

from billing.views import documents, finance, payments

app_name = "billing"
urlpatterns = [
    path("billing/", documents.documents, name="documents"),
    path("billing/documents/<str:number>/", documents.document, name="document"),
    path("billing/documents/<str:number>/<slug:form>/", documents.document_file, name="document-file"),
    path("billing/agreements/<str:number>/documents/", documents.agreement_documents, name="agreement-documents"),
    path("finance/", finance.finance, name="finance"),
    path("finance/documents/<str:number>/", finance.finance_document, name="finance-document"),
    path("finance/documents/<str:number>/credit/", finance.finance_credit, name="finance-credit"),
    path("finance/tables/<slug:shape>/<slug:form>/", finance.finance_table, name="finance-table"),
    path("billing/agreements/<str:number>/pay/", payments.pay, name="agreement-pay"),
    path("billing/agreements/<str:number>/return/", payments.come_back, name="agreement-return"),
    path("billing/payments/of/<str:number>/", payments.of_document, name="document-payments"),
    path("billing/gateway/stripe/events/", payments.receive, name="gateway-events"),
    path("finance/payments/<str:number>/", payments.payment, name="payment"),
    path("finance/payments/<str:number>/refund/", payments.refund, name="payment-refund"),
]
