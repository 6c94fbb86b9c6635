"""Who: people, their roles among our staff, their keys."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.utils.translation import gettext_lazy as _


class Users(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields) -> User:
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person. Logs in by e-mail; `time_zone` is the zone that pages show him."""

    username = None  # type: ignore[assignment]  # this column of AbstractUser, like the next two, we do not have
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField(_("e-mail"), unique=True)
    name = models.CharField(_("name"), max_length=120, blank=True)
    language = models.CharField(_("language"), max_length=10, default="en")
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    current_organisation = models.ForeignKey("accounts.Organisation", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[Users] = Users()  # type: ignore[assignment]  # the stubs know only managers that ask for a user name

    # Of the person of one request, no columns: from where he acts, by which token for whom, his staff roles once they are read.
    acting_address: str | None
    acting_token_id: int
    acting_organisation_id: int
    held_staff_roles: frozenset[str]

    class Meta:
        db_table = "accounts_user"

    def __str__(self) -> str:
        return self.name or self.email


class StaffRole(models.Model):
    """What one of our own people may do. An administrator (is_superuser) may do all of it."""

    class Role(models.TextChoices):
        ACCOUNT_MANAGER = "account_manager", _("account manager")
        FINANCE = "finance", _("finance")
        OPERATOR = "operator", _("operator")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="staff_roles")
    role = models.CharField(max_length=20, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "role"], name="accounts_staff_role_once")]


class SshKey(models.Model):
    """A person's public key, put onto the Servers of the Bookings that name it."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="ssh_keys")
    name = models.CharField(_("name"), max_length=60)
    public_key = models.TextField(_("public key"))
    fingerprint = models.CharField(max_length=60)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "fingerprint"], name="accounts_ssh_key_once_a_person")]
        ordering = ["name", "id"]


class TermsVersion(models.Model):
    """A published version of the terms of service. The newest published one must be accepted before a Booking."""

    version = models.CharField(max_length=20, unique=True)
    published_at = models.DateTimeField()
    text_en = models.TextField()
    text_zh = models.TextField()

    class Meta:
        ordering = ["-published_at", "-id"]


class TermsAcceptance(models.Model):
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="terms_acceptances")
    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.PROTECT, related_name="terms_acceptances")
    terms = models.ForeignKey(TermsVersion, on_delete=models.PROTECT, related_name="acceptances")
    accepted_at = models.DateTimeField()
    address = models.GenericIPAddressField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organisation", "terms", "user"], name="accounts_terms_accepted_once")]
