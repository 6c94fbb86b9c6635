"""The places that the shell links to, for whom. A page that belongs into the navigation adds its row here; the address must exist (a test reverses all)."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

EVERYONE, CUSTOMER, ACCOUNT_MANAGER, FINANCE, OPERATOR, STAFF, PERSON = "everyone", "customer", "account_manager", "finance", "operator", "staff", "person"


@dataclass(frozen=True, slots=True)
class Place:
    """`bar` says where it stands: places (main navigation), tools (icons at the right), own (the person's menu), foot (footer)."""

    name: str
    label: str | Promise
    icon: str
    audience: str = EVERYONE
    bar: str = "places"


PLACES = (
    Place("web:home", _("Home"), "home", PERSON),
    Place("rentals:catalog", _("Catalog"), "layout-grid"),
    Place("rentals:bookings", _("Bookings"), "calendar-event", CUSTOMER),
    Place("billing:documents", _("Invoices"), "file-invoice", CUSTOMER),
    Place("rentals:quotes", _("Quotes"), "file-text", ACCOUNT_MANAGER),
    Place("billing:finance", _("Finance"), "report-money", FINANCE),
    Place("rentals:operate", _("Racks"), "server-2", OPERATOR),
    Place("accounts:profile", _("Your account"), "user", PERSON, "own"),
    Place("accounts:customers", _("Customers"), "users", STAFF),
    Place("accounts:terms", _("Terms of service"), "file-text", EVERYONE, "foot"),
    Place("web:api-docs", _("API"), "api", EVERYONE, "foot"),
)


def places_for(audiences: set[str], bar: str) -> list[Place]:
    """The rows of `bar` that one of `audiences` sees, in the order of the table."""
    return [place for place in PLACES if place.bar == bar and place.audience in audiences]
