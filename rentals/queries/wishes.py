"""What can be chosen for a Configuration, and what a choice would cost and meet with: before anything is held."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from billing import queries as billing
from billing.domain import pricing
from portal.accounts import queries as accounts
from portal.accounts.domain import roles, ssh_keys
from portal.kernel.errors import InvalidInput, NotFound
from portal.kernel.period import Period
from rentals.domain import availability as arithmetic
from rentals.domain import limits
from rentals.models import Configuration, Image, StorageClass
from rentals.queries import availability, bookings, prices, refusals

UNLIMITED = 10_000  # what a visitor, whom we do not know yet, is told about his own limits: nothing


class UnknownChoice(InvalidInput):
    """There is no such choice."""

    code = "unknown_choice"


@dataclass(frozen=True, slots=True)
class Choices:
    """What this person may choose from. `organisation` is None for a visitor; `missing` is what stands between him and a booking."""

    configuration: Configuration
    name: str
    summary: str
    hold_minutes: int
    images: tuple[Image, ...]
    storage_classes: tuple[StorageClass, ...]
    starts_at: datetime
    currency: str
    organisation: Any = None
    keys: tuple[Any, ...] = ()
    projects: tuple[Any, ...] = ()
    missing: tuple[Any, ...] = ()
    terms: str = ""  # the text to be accepted; "" when it is, or there is none
    terms_version: str = ""
    may_book: bool = False


@dataclass(frozen=True, slots=True)
class Outlook:
    """A wish, priced and looked up. `problem` says in a sentence why it cannot be booked like this ("" when it can); `field` which input is at fault."""

    during: Period
    price: pricing.Preview | None
    problem: str = ""
    field: str = ""
    earliest_start: datetime | None = None
    largest_quantity: int = 0

    @property
    def is_bookable(self) -> bool:
        return not self.problem


def configuration_for(sku: str) -> Configuration:
    """The Configuration on offer under this sku; raises NotFound."""
    found = Configuration.objects.filter(sku=sku, is_offered=True).first()
    if found is None:
        raise NotFound()
    return found


def choices(*, configuration: Configuration, user: Any, now: datetime) -> Choices:
    """What `user` may choose for this Configuration."""
    organisation = accounts.current_organisation(user) if user.is_authenticated else None
    common: dict[str, Any] = {
        "configuration": configuration,
        "name": bookings.name_of(configuration),
        "summary": configuration.summary_zh if bookings.in_chinese() else configuration.summary,
        "hold_minutes": settings.HOLD_MINUTES,
        "images": tuple(Image.objects.filter(is_offered=True)),
        "storage_classes": tuple(StorageClass.objects.filter(is_offered=True)),
        "starts_at": availability.earliest_now(configuration=configuration, now=now),
    }
    if organisation is None:
        return Choices(**common, currency=settings.CURRENCIES[0])
    may_book = organisation.role in roles.BOOKERS
    return Choices(
        **common,
        currency=organisation.currency,
        organisation=organisation,
        keys=tuple(accounts.ssh_keys_of(user)),
        missing=tuple(accounts.missing_for_checkout(organisation, user)),
        projects=tuple(accounts.projects_of(organisation)) if may_book else (),
        may_book=may_book,
        **_terms(organisation, now),
    )


def _terms(organisation: Any, now: datetime) -> dict[str, Any]:
    terms = None if accounts.has_accepted_terms(organisation, now) else accounts.current_terms(now)
    if terms is None:
        return {}
    return {"terms": terms.text_zh if bookings.in_chinese() else terms.text_en, "terms_version": terms.version}


def outlook(
    *,
    configuration: Configuration,
    quantity: int,
    during: Period,
    now: datetime,
    organisation: Any = None,
    currency: str = "",
    storage_class: StorageClass | None = None,
    storage_tb: int = 0,
) -> Outlook:
    """Price the wish, hold it against the rules and look whether it is free: what services.bookings.hold would say now."""
    rules = limits_of(configuration=configuration, organisation=organisation, storage_class=storage_class)
    broken = limits.broken(rules, during=during, quantity=quantity, storage_tb=storage_tb, now=now)
    if broken is not None and broken.rule in (limits.Rule.NONE_WANTED, limits.Rule.STORAGE_STEP):
        return Outlook(during, None, refusals.broken_rule(broken), broken.field)
    try:
        price = prices.preview(
            configuration=configuration, quantity=quantity, during=during, now=now, organisation=organisation, currency=currency,
            storage_class=storage_class, storage_tb=storage_tb,
        )  # fmt: skip
    except (billing.NoPrice, billing.CannotBeTaxed) as error:
        return Outlook(during, None, error.message)
    if broken is not None:
        return Outlook(during, price, refusals.broken_rule(broken), broken.field)
    decision = availability.decision(configuration=configuration, during=during, quantity=quantity, now=now)
    if isinstance(decision, arithmetic.Refusal):
        return Outlook(during, price, refusals.why_not(decision), "start", decision.earliest_start, decision.largest_quantity)
    return Outlook(during, price)


def limits_of(*, configuration: Configuration, organisation: Any, storage_class: StorageClass | None) -> limits.Limits:
    """The rules for this Configuration and customer."""
    return limits.Limits(
        shortest=timedelta(hours=configuration.minimum_hours),
        longest=timedelta(hours=configuration.maximum_hours),
        horizon=timedelta(days=configuration.horizon_days),
        most_at_once=organisation.quantity_cap if organisation is not None else UNLIMITED,
        storage_step=storage_class.step_tb if storage_class else 0,
        storage_most=storage_class.maximum_tb if storage_class else 0,
    )


def order_of(*, order: Mapping[str, Any], during_from: Callable[[datetime], Period], user: Any, organisation: Any, now: datetime) -> dict[str, Any]:
    """What services.bookings.order takes, from an order that names things by sku, slug, fingerprint and name. `during_from` makes the Period from the earliest
    start. Raises NotFound (Configuration), UnknownChoice and NoSuchProject."""
    configuration = configuration_for(order["configuration"])
    known = {key.fingerprint: key for key in accounts.ssh_keys_of(user)}
    return {
        "wish": wish_of(configuration=configuration, order=order, during=during_from(availability.earliest_now(configuration=configuration, now=now))),
        "image": _named(Image.objects.filter(is_offered=True, slug=order["image"]).first(), "image"),
        "ssh_keys": [_key(written, known) for written in order["ssh_keys"]],
        "purchase_order": order["purchase_order"],
        "project_id": accounts.project_named(organisation, order["project"]).pk if order["project"] else None,
        "accept_terms": order["accept_terms"],
    }


def wish_of(*, configuration: Configuration, order: Mapping[str, Any], during: Period) -> dict[str, Any]:
    """What `outlook` and the hold take of a wish that names its storage by sku. TB without a class mean the first. Raises UnknownChoice."""
    storage = StorageClass.objects.filter(is_offered=True, **({"sku": order["storage_class"]} if order["storage_class"] else {})).first()
    wants_storage = bool(order["storage_tb"])
    return {
        "configuration": configuration,
        "quantity": order["quantity"],
        "during": during,
        "storage_class": _named(storage, "storage_class") if wants_storage else None,
        "storage_tb": order["storage_tb"],
    }


def _named(found: Any, field: str) -> Any:
    if found is None:
        raise UnknownChoice(_("There is no such choice."), field=field)
    return found


def _key(written: str, known: Mapping[str, Any]) -> dict[str, str]:
    """A key of the account by its fingerprint, or a public key as it was written."""
    if written in known:
        key = known[written]
        return {"name": key.name, "public_key": key.public_key, "fingerprint": key.fingerprint}
    try:
        read = ssh_keys.read(written)
    except ssh_keys.NotAKey as error:
        raise UnknownChoice(_("This is neither the fingerprint of one of your keys nor a public key."), field="ssh_keys") from error
    return {"name": read.comment or read.kind, "public_key": read.line, "fingerprint": read.fingerprint}
