"""Paying, the way back from the checkout, the gateway's messages, and finance's look at a payment."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django import http
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from billing import forms
from billing.queries import payments as found
from billing.services import gateway_events, payments, refunds
from portal.accounts import queries as people
from portal.accounts.domain import roles
from portal.accounts.views import access
from portal.kernel.errors import DomainError
from portal.toolkit import pages, requests

POLITE = timedelta(seconds=3)  # how often at most a page that asks by itself makes us ask the gateway


@require_POST
@login_required
def pay(request: http.HttpRequest, number: str) -> http.HttpResponse:
    agreement = found.agreement_to_pay(user=request.user, number=number)
    back = settings.BASE_URL + reverse("billing:agreement-return", args=[agreement])
    try:
        address = payments.start_checkout(agreement=agreement, by=request.user, success_url=back, cancel_url=back, now=timezone.now())
    except DomainError as refusal:
        context = {"progress": found.progress(agreement=agreement), "refusal": refusal}
        return pages.render_page(request, "billing/payment_return.html", context, status=refusal.status)
    return http.HttpResponse(status=303, headers={"Location": address})


@require_safe
@login_required
def come_back(request: requests.Request, number: str) -> http.HttpResponse:
    agreement = found.agreement_to_follow(user=request.user, number=number)
    progress = payments.refresh(agreement=agreement, now=timezone.now(), unless_within=POLITE if request.htmx else timedelta(0))
    return pages.render_page(request, "billing/payment_return.html", {"progress": progress}, partial="payment-progress")


@csrf_exempt
@require_POST
def receive(request: http.HttpRequest) -> http.HttpResponse:
    if request.content_type != "application/json":
        return http.HttpResponse("application/json only", status=415)
    try:
        gateway_events.receive(body=request.body, signature=request.headers.get("Stripe-Signature", ""), now=timezone.now())
    except gateway_events.NotSigned as refusal:
        return http.HttpResponseBadRequest(refusal.code)
    return http.HttpResponse("taken")


@require_safe
@login_required
def of_document(request: requests.SignedIn, number: str) -> http.HttpResponse:
    lines = found.payments_of_document(user=request.user, number=number)
    context = {"document": number, "payments": lines, "is_finance": people.has_staff_role(request.user, roles.FINANCE)}
    return pages.render_page(request, "billing/payments.html", context, partial="document-payments")


@require_safe
@access.staff_required(roles.FINANCE)
def payment(request: http.HttpRequest, number: str) -> http.HttpResponse:
    line = found.payment_for(user=request.user, number=number)
    return pages.render_page(request, "billing/payment.html", {"payment": line})


@access.staff_required(roles.FINANCE)
def refund(request: http.HttpRequest, number: str) -> http.HttpResponse:
    line = found.payment_for(user=request.user, number=number)
    form = forms.RefundByHand(request.POST or None, left=line.left, initial={"token": uuid.uuid4().hex})
    preview = None
    if form.is_valid():
        try:
            if form.is_confirmed:
                refunds.want_by_hand(payment=line.number, **form.wish(), by=request.user, now=timezone.now())
                return http.HttpResponseRedirect(reverse("billing:payment", args=[line.number]))
            preview = refunds.preview_by_hand(payment=line.number, amount=form.wish()["amount"])
        except DomainError as refusal:
            pages.put_on_form(form, refusal)
    return pages.render_page(request, "billing/refund.html", {"payment": line, "form": form, "preview": preview}, status=422 if form.errors else 200)
