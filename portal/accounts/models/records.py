"""What happened and what people were told."""

from __future__ import annotations

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models


class AuditEntry(models.Model):
    """One act that moved money, access or capacity. Append-only (a trigger refuses UPDATE and DELETE)."""

    at = models.DateTimeField(db_index=True)
    actor = models.ForeignKey("accounts.User", null=True, on_delete=models.PROTECT, related_name="+")
    token = models.ForeignKey("accounts.ApiToken", null=True, on_delete=models.PROTECT, related_name="+")
    organisation = models.ForeignKey("accounts.Organisation", null=True, on_delete=models.PROTECT, related_name="+")
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=60, db_index=True)
    facts = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    address = models.GenericIPAddressField(null=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["organisation", "-at"], name="accounts_audit_by_org")]


class Notification(models.Model):
    """Something one person should know, on the page and, by its Letter, by mail.

    `key` makes it exactly once: a second notification with the same key for the same person is refused by the database and ignored by the service.
    """

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="notifications")
    organisation = models.ForeignKey("accounts.Organisation", null=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=160)
    subject = models.CharField(max_length=60)
    path = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="accounts_notification_once")]
        indexes = [models.Index(fields=["user"], condition=models.Q(read_at__isnull=True), name="accounts_unread")]
        ordering = ["-created_at", "-id"]


class Letter(models.Model):
    """One mail to one address: the outbox. Written in the transaction of the act that it tells of; a sweeper sends what a lost ring left behind.

    Text comes from templates/mail/<kind>.txt when it is sent, in the language of `user`, else in `language`. A letter that is not a Notification's may
    carry a secret link, so its facts are emptied once it is sent or given up.
    """

    notification = models.OneToOneField(Notification, null=True, on_delete=models.CASCADE, related_name="letter")
    user = models.ForeignKey("accounts.User", null=True, on_delete=models.CASCADE, related_name="+")
    organisation = models.ForeignKey("accounts.Organisation", null=True, on_delete=models.CASCADE, related_name="+")
    address = models.EmailField()
    language = models.CharField(max_length=10, default="en")
    kind = models.CharField(max_length=60)
    subject = models.CharField(max_length=60, blank=True)
    path = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    fault = models.CharField(max_length=200, blank=True)

    class Meta:
        indexes = [models.Index(fields=["next_attempt_at"], condition=models.Q(next_attempt_at__isnull=False), name="accounts_letter_due")]
        ordering = ["id"]


class IdempotencyKey(models.Model):
    """The first answer to a keyed API request, given again to every repeat. `scope` is the person or token that sent it."""

    scope = models.CharField(max_length=80)
    key = models.CharField(max_length=120)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "key"], name="accounts_idempotency_key_once")]
