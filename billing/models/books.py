"""Double entry. Postings sum to zero per (entry, currency) by a deferred trigger; posted rows never change."""

from __future__ import annotations

from django.db import models


class LedgerAccount(models.Model):
    """A ledger account of one seller. Signed postings: debit positive, credit negative."""

    seller = models.ForeignKey("billing.LegalEntity", on_delete=models.PROTECT, related_name="+")
    code = models.CharField(max_length=40)  # receivables, deferred_revenue, revenue, tax_payable, gateway_clearing, refunds_payable ...
    name = models.CharField(max_length=120)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["seller", "code"], name="billing_ledger_account_once")]
        ordering = ["code"]


class Entry(models.Model):
    """One business fact in the books. `key` is unique, so a repeat posts nothing."""

    key = models.CharField(max_length=160, unique=True)
    kind = models.CharField(max_length=40)
    posted_at = models.DateTimeField()
    document = models.ForeignKey("billing.Document", null=True, on_delete=models.PROTECT, related_name="entries")
    payment = models.ForeignKey("billing.Payment", null=True, on_delete=models.PROTECT, related_name="entries")
    refund = models.ForeignKey("billing.Refund", null=True, on_delete=models.PROTECT, related_name="entries")

    class Meta:
        ordering = ["id"]


class Posting(models.Model):
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="postings")
    account = models.ForeignKey(LedgerAccount, on_delete=models.PROTECT, related_name="postings")
    customer = models.ForeignKey("billing.BillingAccount", null=True, on_delete=models.PROTECT, related_name="+")
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)

    class Meta:
        ordering = ["id"]
