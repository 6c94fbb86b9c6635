"""Addresses of the API of billing, below /api/v1/."""

from django.urls import path

from billing.api import invoices

app_name = "billing-api"
urlpatterns = [
    path("invoices/", invoices.Invoices.as_view(), name="invoices"),
    path("invoices/<str:number>/", invoices.Invoice.as_view(), name="invoice"),
    path("invoices/<str:number>/pdf/", invoices.InvoicePdf.as_view(), name="invoice-pdf"),
]
