"""Who may open which address: the one table that tests/web/test_access_walk.py walks the whole URL configuration against.

HOW TO ADD AN ADDRESS: put one line into the dictionary of your app below, keyed by the full URL name ("rentals:booking-extend"), with one of

    public()                                  anyone, logged in or not
    own()                                     anyone logged in; shows only his own things, whoever he is
    current(roles)                            a page about the Organisation one works in (member_required / role_required); staff get 403
    customer(args, roles, staff)              a row of Lovelace Labs: members with one of `roles`, staff with one of `staff`, strangers 404
    staff_only(*roles, args=...)              our own people with one of `roles` (any staff when none is named); customers 404

`args` is a function of the Things below that gives the keyword arguments of the address: `args=lambda things: {"number": things.lab.number}`.
Need a Booking or a Document? Add a cached_property to Things that builds it through a service. `methods` are those that the view answers
(default GET, or POST for names that end in an act: say methods="POST"). `try_post=False` spares a permitted person's empty POST (it would reach an engine).

The walk then asks each address with GET and POST as a visitor, a stranger, every role of the Organisation and every staff role.
An address without a line fails by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from django.utils import timezone

from portal.accounts.domain.roles import ACCOUNT_MANAGER, BILLING, BOOKERS, EVERYONE, FINANCE, MANAGERS, OPERATOR, OWNER, PAYERS, READER, STAFF  # noqa: F401
from portal.accounts.models import Letter
from portal.accounts.services import invitations
from rentals.queries import quotes
from tests import world
from tests.monitoring import rows
from tests.rentals import leaving, offering
from tests.rentals.desk import Desk


class Things:
    """Rows of Lovelace Labs for the addresses that name one. Built on first use, in this test's transaction."""

    def __init__(self, cast: world.Cast, now) -> None:
        self.cast, self.now = cast, now
        self.lab = cast.lab

    @cached_property
    def invitation(self) -> str:
        """The secret in a link that invites to Lovelace Labs."""
        row = invitations.invite(organisation=self.lab, email="invited@example.com", role=BILLING, by=self.cast.ada, now=timezone.now())
        return Letter.objects.get(address=row.email).path.split("/")[2]

    @cached_property
    def racks(self) -> world.Racks:
        return world.racks(self.now)

    @cached_property
    def agreement(self) -> str:
        """A paid Agreement of the lab: 72 h of the A100 server."""
        return world.paid_agreement(self.cast, self.racks, self.now)

    @cached_property
    def invoice(self) -> str:
        return world.invoice_of(self.agreement)

    @cached_property
    def quote(self):
        """An offer that Mei sent to Lovelace Labs."""
        return offering.sent(self.cast, self.racks, self.now)

    @cached_property
    def held(self) -> str:
        """The number of a hold of Lovelace Labs."""
        return Desk(self.cast, self.racks, self.now).hold().number

    @cached_property
    def wiped(self):
        """A Booking whose Server was wiped after it."""
        return self.wiped_once.assignment.booking

    @cached_property
    def wiped_once(self):
        """The evidence of a wipe that counts."""
        return leaving.wiped(self.cast, self.racks, self.now)

    @cached_property
    def operation(self):
        return leaving.operation(self.cast, self.racks, self.now)

    @cached_property
    def unit(self) -> int:
        """A Unit that was taken off sale."""
        return leaving.unit_off_sale(self.racks, self.now)

    @cached_property
    def running(self):
        """A Booking whose Server is handed over."""
        return rows.running(self.cast, self.racks, self.now)

    @cached_property
    def payment(self) -> str:
        return world.payment_of(self.agreement)


Args = Callable[[Things], dict]


def nothing(things: Things) -> dict:
    return {}


@dataclass(frozen=True)
class Row:
    kind: str
    args: Args = nothing
    roles: tuple[str, ...] = ()
    staff: tuple[str, ...] = ()
    methods: tuple[str, ...] = ("GET",)
    try_post: bool = True
    may_lack: bool = False


def _methods(methods: str) -> tuple[str, ...]:
    return tuple(methods.split())


def public(*, args: Args = nothing, methods: str = "GET", try_post: bool = True) -> Row:
    return Row("public", args, methods=_methods(methods), try_post=try_post)


def own(*, args: Args = nothing, methods: str = "GET", try_post: bool = True, may_lack: bool = False) -> Row:
    """`may_lack`: 404 for a person who has no such thing (no second factor, for instance) is right."""
    return Row("own", args, EVERYONE, STAFF, _methods(methods), try_post, may_lack)


def current(roles: tuple[str, ...] = EVERYONE, *, args: Args = nothing, methods: str = "GET", try_post: bool = True, may_lack: bool = False) -> Row:
    return Row("current", args, roles, (), _methods(methods), try_post, may_lack)


def closed() -> Row:
    """An address of a library that we have switched off: 403 for everyone who is logged in."""
    return Row("closed")


def customer(args: Args, roles: tuple[str, ...] = EVERYONE, staff: tuple[str, ...] = (), *, methods: str = "GET", try_post: bool = True) -> Row:
    return Row("customer", args, roles, staff, _methods(methods), try_post)


def staff_only(*roles: str, args: Args = nothing, methods: str = "GET", try_post: bool = True) -> Row:
    return Row("staff", args, (), roles or STAFF, _methods(methods), try_post)


def _lab(things: Things) -> dict:
    return {"number": things.lab.number}


def _quote(things: Things) -> dict:
    return {"number": things.quote.number}


def _secret(things: Things) -> dict:
    return {"secret": quotes.secret_of(things.quote)}


def _running(things: Things) -> dict:
    return {"number": things.running.number}


def _server(things: Things) -> dict:
    return {"serial": "srv-a1"} if things.racks else {}


WATCHERS = (*BOOKERS, READER)

WEB = {
    "web:home": own(),
    "web:healthz": public(),
    "web:metrics": public(),
    "web:theme": public(methods="POST"),
    "web:language": public(methods="POST"),
    "web:components": public(),
    "web:api-docs": public(),
    "web:demo-mails": public(),
    "web:demo-mail": public(args=lambda things: {"name": "unknown.eml"}),
}

ACCOUNTS = {
    "accounts:organisation-new": own(methods="GET POST"),
    "accounts:organisation": customer(_lab, staff=STAFF),
    "accounts:members": customer(_lab, staff=STAFF),
    "accounts:invite": customer(_lab, MANAGERS, methods="POST"),
    "accounts:leave": customer(_lab, methods="POST", try_post=False),
    "accounts:member-role": customer(lambda things: {"number": things.lab.number, "membership": 0}, MANAGERS, methods="POST"),
    "accounts:member-remove": customer(lambda things: {"number": things.lab.number, "membership": 0}, MANAGERS, methods="POST", try_post=False),
    "accounts:invitation-withdraw": customer(lambda things: {"number": things.lab.number, "invitation": 0}, MANAGERS, methods="POST", try_post=False),
    "accounts:projects": customer(_lab, staff=STAFF),
    "accounts:project-add": customer(_lab, MANAGERS, methods="POST"),
    "accounts:project-edit": customer(lambda things: {"number": things.lab.number, "project": 0}, MANAGERS, methods="POST"),
    "accounts:project-remove": customer(lambda things: {"number": things.lab.number, "project": 0}, MANAGERS, methods="POST", try_post=False),
    "accounts:limits": customer(_lab, staff=STAFF),
    "accounts:limits-change": customer(_lab, (), (ACCOUNT_MANAGER, FINANCE), methods="POST"),
    "accounts:audit": customer(_lab, PAYERS, (ACCOUNT_MANAGER, FINANCE)),
    "accounts:invitation": public(args=lambda things: {"secret": things.invitation}),
    "accounts:invitation-accept": own(args=lambda things: {"secret": things.invitation}, methods="POST", try_post=False),
    "accounts:terms": public(),
    "accounts:terms-version": public(args=lambda things: {"version": "2026-01"}),
    "accounts:terms-accept": current(BOOKERS, methods="POST"),
    "accounts:customers": staff_only(),
    "accounts:organisation-edit": customer(_lab, MANAGERS, methods="POST"),
    "accounts:organisation-switch": customer(_lab, methods="POST"),
    "accounts:profile": own(methods="GET POST"),
    "accounts:ssh-keys": own(methods="GET POST"),
    "accounts:ssh-key-remove": own(args=lambda things: {"key": 1}, methods="POST", may_lack=True),
    "accounts:tokens": current(methods="GET POST"),
    "accounts:token-revoke": current(args=lambda things: {"token": 1}, methods="POST", may_lack=True),
    "accounts:notifications": own(),
    "accounts:notification-open": own(args=lambda things: {"notification": 1}, methods="POST", may_lack=True),
    "accounts:notifications-read": own(methods="POST"),
    "accounts-api:me": own(),
    "accounts-api:organisations": own(),
    "api-schema": public(),
    # allauth's own addresses
    "account_login": public(methods="GET POST"),
    "account_logout": public(methods="GET POST"),
    "account_inactive": public(),
    "account_signup": public(methods="GET POST"),
    "account_reauthenticate": own(methods="GET POST"),
    "account_request_reauthentication_code": closed(),
    "account_confirm_reauthentication_code": closed(),
    "account_email": own(methods="GET POST"),
    "account_email_verification_sent": public(),
    "account_change_password": own(methods="GET POST"),
    "account_set_password": own(methods="GET POST"),
    "account_reset_password": public(methods="GET POST"),
    "account_confirm_login_code": own(methods="GET POST"),
    "account_confirm_email": public(args=lambda things: {"key": "unknown"}, methods="GET POST"),
    "account_reset_password_from_key_done": public(),
    "account_reset_password_from_key": public(args=lambda things: {"uidb36": "1", "key": "unknown"}, methods="GET POST"),
    "account_reset_password_done": public(),
    "mfa_authenticate": own(methods="GET POST"),
    "mfa_reauthenticate": own(methods="GET POST"),
    "mfa_index": own(),
    "mfa_activate_totp": own(methods="GET POST"),
    "mfa_deactivate_totp": own(methods="GET POST", may_lack=True),
    "mfa_view_recovery_codes": own(may_lack=True),
    "mfa_generate_recovery_codes": own(methods="GET POST"),
    "mfa_download_recovery_codes": own(may_lack=True),
}


def _invoice(things: Things) -> dict:
    return {"number": things.invoice}


PAYERS_AND_BOOKERS = tuple({*PAYERS, *BOOKERS})
BILLING_APP: dict[str, Row] = {
    "billing:documents": current(PAYERS),
    "billing:document": customer(_invoice, PAYERS, (FINANCE,)),
    "billing:document-file": customer(lambda things: {"number": things.invoice, "form": "csv"}, PAYERS, (FINANCE,)),
    "billing:agreement-documents": customer(lambda things: {"number": things.agreement}, PAYERS, (FINANCE,)),
    "billing:finance": staff_only(FINANCE),
    "billing:finance-document": staff_only(FINANCE, args=_invoice),
    "billing:finance-credit": staff_only(FINANCE, args=_invoice, methods="GET POST"),
    "billing:finance-table": staff_only(FINANCE, args=lambda things: {"shape": "documents", "form": "csv"}),
    "billing:agreement-pay": customer(lambda things: {"number": things.agreement}, PAYERS_AND_BOOKERS, methods="POST", try_post=False),
    "billing:agreement-return": customer(lambda things: {"number": things.agreement}, PAYERS_AND_BOOKERS, (FINANCE,)),
    "billing:document-payments": customer(_invoice, PAYERS, (FINANCE,)),
    "billing:gateway-events": public(methods="POST"),
    "billing:payment": staff_only(FINANCE, args=lambda things: {"number": things.payment}),
    "billing:payment-refund": staff_only(FINANCE, args=lambda things: {"number": things.payment}, methods="GET POST"),
    "billing-api:invoices": current(PAYERS),
    "billing-api:invoice": customer(_invoice, PAYERS, (FINANCE,)),
    "billing-api:invoice-pdf": customer(_invoice, PAYERS, (FINANCE,)),
}


def _sku(things: Things) -> dict:
    return {"sku": things.racks.a100x8.sku}


def _held(things: Things) -> dict:
    return {"number": things.held}


RENTALS: dict[str, Row] = {
    "rentals:catalog": public(),
    "rentals:configuration": public(args=_sku),
    "rentals:quotes": staff_only(ACCOUNT_MANAGER),
    "rentals:quote-new": staff_only(ACCOUNT_MANAGER, methods="GET POST"),
    "rentals:quote": staff_only(ACCOUNT_MANAGER, args=_quote),
    "rentals:quote-edit": staff_only(ACCOUNT_MANAGER, args=_quote, methods="POST"),
    "rentals:quote-line-add": staff_only(ACCOUNT_MANAGER, args=_quote, methods="POST"),
    "rentals:quote-line-remove": staff_only(ACCOUNT_MANAGER, args=lambda things: {**_quote(things), "line": 1}, methods="POST"),
    "rentals:quote-send": staff_only(ACCOUNT_MANAGER, args=_quote, methods="POST"),
    "rentals:quote-revise": staff_only(ACCOUNT_MANAGER, args=_quote, methods="POST"),
    "rentals:quote-withdraw": staff_only(ACCOUNT_MANAGER, args=_quote, methods="POST"),
    "rentals:quote-pdf": staff_only(ACCOUNT_MANAGER, args=_quote),
    "rentals:offer": public(args=_secret),
    "rentals:offer-pdf": public(args=_secret),
    "rentals:offer-accept": customer(_secret, BOOKERS, methods="GET POST"),
    "rentals:offer-decline": public(args=_secret, methods="POST"),
    "rentals:configure": public(args=_sku, methods="GET POST"),
    "rentals:hold": current(BOOKERS, args=_sku, methods="POST"),
    "rentals:operate": staff_only(OPERATOR),
    "rentals:operate-servers": staff_only(OPERATOR),
    "rentals:operate-server-new": staff_only(OPERATOR, methods="GET POST"),
    "rentals:operate-server": staff_only(OPERATOR, args=_server),
    "rentals:operate-take-out": staff_only(OPERATOR, args=_server, methods="POST"),
    "rentals:operate-retire": staff_only(OPERATOR, args=_server, methods="POST"),
    "rentals:operate-put-back": staff_only(OPERATOR, args=_server, methods="POST"),
    "rentals:operate-unit-back": staff_only(OPERATOR, args=lambda things: {**_server(things), "unit": things.unit}, methods="POST"),
    "rentals:operate-deployments": staff_only(OPERATOR),
    "rentals:operate-operation": staff_only(OPERATOR, args=lambda things: {"op_id": things.operation.op_id}),
    "rentals:operate-wipe": staff_only(OPERATOR, args=lambda things: {"wipe": things.wiped_once.pk}),
    "rentals:bookings": current(),
    "rentals:booking": customer(_held, EVERYONE, (OPERATOR, ACCOUNT_MANAGER)),
    "rentals:booking-part": customer(lambda things: {**_held(things), "name": "status"}, EVERYONE, (OPERATOR, ACCOUNT_MANAGER)),
    "rentals:booking-wipe": customer(lambda things: {"number": things.wiped.number}, EVERYONE, (OPERATOR, ACCOUNT_MANAGER)),
    "rentals:booking-release": customer(_held, BOOKERS, methods="POST"),
    "rentals:booking-end": customer(_held, BOOKERS, methods="POST"),
    "rentals-api:catalog": public(),
    "rentals-api:configuration": public(args=_sku),
    "rentals-api:availability": public(args=_sku),
    "rentals-api:price": public(args=_sku, methods="POST"),
    "rentals-api:bookings": current(),  # POST is for BOOKERS: tests/rentals/test_booking_api.py
    "rentals-api:booking": customer(_held, EVERYONE, (OPERATOR, ACCOUNT_MANAGER)),
    "rentals-api:booking-end": customer(_held, BOOKERS, methods="POST"),
    "rentals-api:booking-release": customer(_held, BOOKERS, methods="POST"),
}

MONITORING: dict[str, Row] = {
    "monitoring:live": customer(_running, WATCHERS, (OPERATOR,)),
    "monitoring:live-history": customer(_running, WATCHERS, (OPERATOR,)),
    "monitoring:live-strip": customer(_running, WATCHERS, (OPERATOR,)),
    "monitoring-api:telemetry": customer(_running, WATCHERS, (OPERATOR,)),
    "monitoring:server-live": staff_only(OPERATOR, args=_server),
    "monitoring:server-live-history": staff_only(OPERATOR, args=_server),
}

TABLE: dict[str, Row] = {**WEB, **ACCOUNTS, **BILLING_APP, **RENTALS, **MONITORING}

# Whole namespaces with one rule: only an administrator, and checked once at their door.
NAMESPACES_OF_ADMINISTRATORS = ("admin",)
