"""Drafts, Documents and their series. An issued Document never changes: a trigger refuses UPDATE and DELETE (see the third migration)."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Series(models.Model):
    """The counter row of one number series per seller, kind and fiscal year. `UPDATE ... RETURNING` in the issuing transaction: no gap, no duplicate."""

    seller = models.ForeignKey("billing.LegalEntity", on_delete=models.PROTECT, related_name="series")
    kind = models.CharField(max_length=12)
    year = models.PositiveSmallIntegerField()
    prefix = models.CharField(max_length=20)
    last_number = models.PositiveIntegerField(default=0)
    last_issued_on = models.DateField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["seller", "kind", "year"], name="billing_series_once")]
        ordering = ["kind", "year"]


class Draft(models.Model):
    """A Document not yet issued: changeable, voidable, without a number."""

    class State(models.TextChoices):
        OPEN = "open"
        ISSUED = "issued"
        VOID = "void"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=12)
    account = models.ForeignKey("billing.BillingAccount", on_delete=models.PROTECT, related_name="+")
    agreement = models.ForeignKey("billing.Agreement", null=True, on_delete=models.PROTECT, related_name="drafts")
    corrects = models.ForeignKey("billing.Document", null=True, on_delete=models.PROTECT, related_name="+")
    currency = models.CharField(max_length=3)
    tax = models.JSONField()
    reason = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField()


class DraftLine(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="lines")
    position = models.PositiveSmallIntegerField()
    sku = models.CharField(max_length=60, blank=True)
    description = models.CharField(max_length=300)
    quantity = models.DecimalField(max_digits=20, decimal_places=6)
    unit = models.CharField(max_length=10)
    unit_price = models.DecimalField(max_digits=20, decimal_places=6)
    product_class = models.CharField(max_length=30, default="service")
    rule = models.CharField(max_length=200, blank=True)
    discount_minor = models.BigIntegerField(default=0)
    net_minor = models.BigIntegerField()
    period_start = models.DateTimeField(null=True)
    period_end = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position"]


class Document(models.Model):
    """An issued invoice or credit note: frozen, numbered, hashed. `snapshot` holds all that any renderer shows; `sha256` is over its canonical JSON.
    The amounts of a credit note are negative, so that columns add up."""

    class Kind(models.TextChoices):
        INVOICE = "invoice", _("invoice")
        CREDIT_NOTE = "credit_note", _("credit note")

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="documents")
    sequence = models.PositiveIntegerField()
    number = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    account = models.ForeignKey("billing.BillingAccount", on_delete=models.PROTECT, related_name="documents")
    agreement = models.ForeignKey("billing.Agreement", null=True, on_delete=models.PROTECT, related_name="documents")
    corrects = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="credit_notes")
    currency = models.CharField(max_length=3)
    net_minor = models.BigIntegerField()
    tax_minor = models.BigIntegerField()
    gross_minor = models.BigIntegerField()
    issued_on = models.DateField()
    due_on = models.DateField()
    issued_at = models.DateTimeField()
    customer_name = models.CharField(max_length=200)
    snapshot = models.JSONField()
    sha256 = models.CharField(max_length=64)

    state: str  # no column: its payment state, where queries.documents.stated read the row

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["series", "sequence"], name="billing_document_sequence_once"),
            models.CheckConstraint(condition=models.Q(gross_minor=models.F("net_minor") + models.F("tax_minor")), name="billing_document_sum"),
            models.CheckConstraint(
                condition=models.Q(kind="invoice", corrects__isnull=True, gross_minor__gte=0)
                | models.Q(kind="credit_note", corrects__isnull=False, net_minor__lte=0, tax_minor__lte=0),
                name="billing_document_sign",
            ),
        ]
        ordering = ["-issued_at", "-id"]
        indexes = [
            models.Index(fields=["account", "-id"], name="billing_document_by_account"),
            models.Index(fields=["-issued_on", "-id"], name="billing_document_by_day"),
        ]


class DocumentStatus(models.Model):
    """The payment state of an invoice, kept apart because the Document itself never changes. Amounts in minor units, all positive; `refunded_minor` counts
    refunds from the moment they are wanted. A credit note has no row: what became of it stands at its invoice."""

    document = models.OneToOneField(Document, on_delete=models.PROTECT, related_name="status", primary_key=True)
    paid_minor = models.BigIntegerField(default=0)
    credited_minor = models.BigIntegerField(default=0)
    refunded_minor = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(paid_minor__gte=0, credited_minor__gte=0, refunded_minor__gte=0), name="billing_status_not_negative"),
            models.CheckConstraint(condition=models.Q(refunded_minor__lte=models.F("paid_minor")), name="billing_refunded_within_paid"),
        ]


class DocumentFile(models.Model):
    """A rendering kept for ever: made after commit from the snapshot; a failed one is retried by the sweeper."""

    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="files")
    kind = models.CharField(max_length=10)
    language = models.CharField(max_length=10)
    content = models.BinaryField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)
    made_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "kind", "language"], name="billing_file_once")]
