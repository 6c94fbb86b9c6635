"""The first page after a log-in: what runs, what wants something from you, and where to go. Each app is asked by its queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from billing import queries as billing
from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.money import Money
from rentals.queries import bookings, fleet, quotes

SHOWN = 5


@dataclass(frozen=True)
class Todo:
    """Something that waits for the reader: a sentence, the page that settles it, an icon."""

    text: str | Promise
    path: str
    icon: str


@dataclass(frozen=True)
class Tile:
    """One number and the list behind it."""

    label: str | Promise
    value: int | Money
    path: str
    hint: str | Promise = ""

    @property
    def is_money(self) -> bool:
        return isinstance(self.value, Money)


@dataclass(frozen=True)
class Customer:
    """What a member sees of the Organisation that he works in."""

    organisation: Any
    todos: list[Todo]
    current: list[Any]
    held: list[Any]
    may_book: bool


@dataclass(frozen=True)
class Home:
    customer: Customer | None
    tiles: list[Tile]
    told: list[Any]


def home_of(user: Any, shell: accounts.Shell, *, now: datetime) -> Home:
    """The page of `user`, whose frame (`shell`) is known already."""
    customer = _customer(user, shell.organisation, now) if shell.organisation else None
    tiles = [tile for role, tiles_of in TILES.items() if role in shell.staff_roles for tile in tiles_of(user, now)]
    told = accounts.notifications_of(user, unread_only=True, most=SHOWN).items if shell.unread else []
    return Home(customer, tiles, told)


def _customer(user: Any, organisation: Any, now: datetime) -> Customer:
    sees_bookings = organisation.role != roles.BILLING
    current = bookings.listing(organisation=organisation, filters={"show": "current"}, size=SHOWN).page.items if sees_bookings else []
    held = bookings.listing(organisation=organisation, filters={"show": "held"}, size=SHOWN).page.items if sees_bookings else []
    return Customer(organisation, list(_todos(user, organisation, held, now)), current, held, organisation.role in roles.BOOKERS)


def _todos(user: Any, organisation: Any, held: list[Any], now: datetime) -> Iterator[Todo]:
    for booking in held:
        yield Todo(_("Pay for %(number)s before its hold ends") % {"number": booking.number}, reverse("rentals:booking", args=[booking.number]), "hourglass")
    if organisation.role in roles.MANAGERS:
        missing = accounts.missing_for_checkout(organisation, user)
        if missing:
            named = ", ".join(str(each) for each in missing)
            yield Todo(_("Complete before the first checkout: %(what)s") % {"what": named}, missing[0].path, "building")
    if organisation.role in roles.BOOKERS:
        if not accounts.has_accepted_terms(organisation, now):
            yield Todo(_("Read and accept the terms of service"), reverse("accounts:terms"), "file-text")
        if not accounts.ssh_keys_of(user):
            yield Todo(_("Add the SSH key with which you reach your servers"), reverse("accounts:ssh-keys"), "key")


def _sales(user: Any, now: datetime) -> Iterator[Tile]:
    words = {"draft": _("Quotes being written"), "sent": _("Quotes with the customer"), "accepted": _("Quotes accepted")}
    for state, count in quotes.pipeline(user).items():
        yield Tile(words[state], count, f"{reverse('rentals:quotes')}?state={state}")


def _finance(user: Any, now: datetime) -> Iterator[Tile]:
    try:
        month = billing.month_at_a_glance(now=now)
    except billing.NoSeller:
        return
    for glance in month.glances:
        yield Tile(_("Billed this month"), glance.billed, reverse("billing:finance"), glance.currency)
        yield Tile(_("Open"), glance.open, f"{reverse('billing:finance')}?state=open", glance.currency)


def _racks(user: Any, now: datetime) -> Iterator[Tile]:
    wall = fleet.wall(now)
    deployments = reverse("rentals:operate-deployments")
    yield Tile(_("Servers"), sum(len(rack.tiles) for rack in wall.racks), reverse("rentals:operate"))
    yield Tile(_("Deployments under way"), wall.waiting, f"{deployments}?show=waiting")
    yield Tile(_("Late for their tenant"), wall.late, f"{deployments}?show=late")
    yield Tile(_("Overdue on the way out"), wall.overdue, f"{deployments}?show=overdue")
    yield Tile(_("Failed this week"), wall.failed, f"{deployments}?show=failed")


TILES = {roles.ACCOUNT_MANAGER: _sales, roles.FINANCE: _finance, roles.OPERATOR: _racks}
