"""What an Organisation must have settled before it may book and pay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from portal.accounts.domain import addresses
from portal.accounts.models import Membership, Organisation, TermsAcceptance, TermsVersion, User
from portal.accounts.queries import access, people

ADDRESS_FIELDS = ("legal_name", "street", "city", "postal_code", "country", "billing_email")


@dataclass(frozen=True)
class Missing:
    """One thing to settle first: `code` names it, `label` says it to a person, `path` is the page that settles it."""

    code: str
    label: object
    path: str

    def __str__(self) -> str:
        return str(self.label)


def current_terms(now: datetime) -> TermsVersion | None:
    """The newest terms of service published by `now`."""
    return TermsVersion.objects.filter(published_at__lte=now).order_by("-published_at", "-pk").first()


def has_accepted_terms(organisation: Organisation, now: datetime) -> bool:
    """Whether someone of the Organisation has accepted the present terms. True while none are published: there is nothing to accept."""
    terms = current_terms(now)
    return terms is None or TermsAcceptance.objects.filter(organisation=organisation, terms=terms).exists()


def missing_for_checkout(organisation: Organisation, user: User | None = None) -> list[Missing]:
    """What is missing in the address for the tax decision and the invoice, and a confirmed e-mail address of `user` (of an owner when None).
    Terms are asked apart, by has_accepted_terms."""
    return [*_missing_address(organisation), *_missing_mail(organisation, user)]


def _missing_address(organisation: Organisation) -> Iterator[Missing]:
    wanted = ADDRESS_FIELDS + (("region",) if addresses.needs_region(organisation.country) else ())
    labels = {field.name: field.verbose_name for field in Organisation._meta.fields}
    for field in wanted:
        if not getattr(organisation, field):
            yield Missing(field, labels[field], reverse("accounts:organisation", args=[organisation.number]))


def _missing_mail(organisation: Organisation, user: User | None) -> Iterator[Missing]:
    people_asked = [user] if user is not None else access.members_of(organisation, [Membership.Role.OWNER])
    if not any(people.has_verified_mail(person) for person in people_asked):
        yield Missing("verified_mail", _("a confirmed e-mail address"), reverse("account_email"))
