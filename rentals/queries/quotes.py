"""Quotes: who may see which, and what an offer says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core import signing
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from portal.accounts import queries as accounts
from portal.accounts.domain import roles
from portal.kernel.errors import Conflict, NotAllowed, NotFound
from portal.kernel.money import Money, total
from portal.kernel.page import Page
from portal.kernel.period import Period
from rentals.exports import offer_pdf
from rentals.models import Booking, Configuration, Image, Quote, QuoteLine, StorageClass
from rentals.queries import prices

PAGE = 25
_signer = signing.Signer(salt="rentals.offer")


@dataclass(frozen=True, slots=True)
class Price:
    """One printed sum of an offer's line."""

    description: str
    rule: str
    net: Money


@dataclass(frozen=True, slots=True)
class Line:
    """`quantity` x Configuration during a Period, priced. `frozen` are the price lines as billing takes them; `names` by language."""

    configuration: str
    names: Mapping[str, str]
    quantity: int
    during: Period
    image: str
    storage: str
    discount_percent: Decimal
    prices: tuple[Price, ...]
    frozen: Sequence[Mapping[str, object]]
    net: Money
    tax: Money
    gross: Money


@dataclass(frozen=True, slots=True)
class Offer:
    """What the customer reads. `lines` in order; `taxes` are (percent, note) of what is added; `gross` is what he will pay."""

    lines: tuple[Line, ...]
    taxes: tuple[tuple[str, str], ...]
    net: Money
    tax: Money
    gross: Money


@dataclass(frozen=True, slots=True)
class Filter:
    """Of a manager's list: empty means any."""

    state: str = ""
    text: str = ""


def quote_for(user: Any, number: str) -> Quote:
    """The Quote for the manager whose it is, or an administrator. Raises NotFound for customers, NotAllowed for other staff."""
    accounts.require_staff(user, roles.ACCOUNT_MANAGER)
    quote = Quote.objects.by_number(number).select_related("organisation", "manager", "supersedes").first()
    if quote is None:
        raise NotFound()
    if quote.manager_id != user.pk and not user.is_superuser:
        raise NotAllowed(_("This quote belongs to another account manager."))
    return quote


def quotes_of(user: Any, wanted: Filter, *, after: str = "") -> Page[Quote]:
    """His Quotes, an administrator's are all; newest first."""
    rows = Quote.objects.select_related("organisation", "manager")
    if not user.is_superuser:
        rows = rows.filter(manager=user)
    if wanted.state:
        rows = rows.filter(state=wanted.state)
    if wanted.text:
        numbered = Quote.objects.by_number(wanted.text.strip().upper()).values("pk")
        rows = rows.filter(Q(title__icontains=wanted.text) | Q(organisation__name__icontains=wanted.text) | Q(pk__in=numbered))
    count = rows.count()
    if after.isascii() and after.isdigit():
        rows = rows.filter(pk__lt=int(after))
    items = list(rows.order_by("-pk")[: PAGE + 1])
    return Page(items[:PAGE], str(items[PAGE - 1].pk) if len(items) > PAGE else "", count)


def pipeline(user: Any) -> dict[str, int]:
    """How many of his Quotes are in each state that still wants something."""
    rows = Quote.objects.filter(state__in=(Quote.State.DRAFT, Quote.State.SENT, Quote.State.ACCEPTED))
    states = list((rows if user.is_superuser else rows.filter(manager=user)).values_list("state", flat=True))
    return {state: states.count(state) for state in (Quote.State.DRAFT, Quote.State.SENT, Quote.State.ACCEPTED)}


def secret_of(quote: Quote) -> str:
    """What the offer's link carries."""
    return _signer.sign(quote.number)


def path_of(quote: Quote) -> str:
    """The offer's address, readable without a log-in."""
    return reverse("rentals:offer", args=[secret_of(quote)])


def quote_behind(secret: str) -> Quote:
    """The Quote that an offer's link names. A draft has no readable link. Raises NotFound."""
    try:
        number = _signer.unsign(secret)
    except signing.BadSignature:
        raise NotFound() from None
    quote = Quote.objects.by_number(number).exclude(state=Quote.State.DRAFT).select_related("organisation", "manager").first()
    if quote is None:
        raise NotFound()
    return quote


def quote_to_accept(user: Any, secret: str) -> Quote:
    """As quote_behind, for one who may book for its Organisation. Raises NotFound for an outsider, NotAllowed for another role."""
    quote = quote_behind(secret)
    accounts.check_role(user, quote.organisation, roles=roles.BOOKERS)
    return quote


def lines_of(quote: Quote) -> list[QuoteLine]:
    return list(quote.lines.select_related("configuration", "image", "storage_class").order_by("position", "pk"))


def offer(quote: Quote, *, now: datetime) -> Offer:
    """What the Quote offers: as frozen when it was sent, else at today's prices. Raises what billing.queries.preview raises."""
    return read(quote.snapshot if quote.snapshot is not None else snapshot_of(quote, now=now), quote.currency)


def snapshot_of(quote: Quote, *, now: datetime) -> dict[str, Any]:
    """Price every line now, JSON-ready. Descriptions are English: Documents print them so, and pages show names by language beside them."""
    with override("en"):
        return {"lines": [_priced(quote, line, now) for line in lines_of(quote)]}


def read(snapshot: Mapping[str, Any], currency: str) -> Offer:
    """A snapshot as an Offer."""
    lines = tuple(_line(data, currency) for data in snapshot["lines"])
    taxes = dict.fromkeys((tax["rate"], tax["note"]) for data in snapshot["lines"] for tax in data["taxes"])
    return Offer(
        lines=lines,
        taxes=tuple(taxes),
        net=total([line.net for line in lines], currency),
        tax=total([line.tax for line in lines], currency),
        gross=total([line.gross for line in lines], currency),
    )


def _priced(quote: Quote, line: QuoteLine, now: datetime) -> dict[str, Any]:
    during = Period(line.during.lower, line.during.upper)
    price = prices.preview(
        configuration=line.configuration,
        quantity=line.quantity,
        during=during,
        now=now,
        organisation=quote.organisation,
        currency=quote.currency,
        storage_class=line.storage_class,
        storage_tb=line.storage_tb,
        discount_percent=line.discount_percent or None,
    )
    return {
        "configuration": line.configuration.sku,
        "names": {"en": line.configuration.name, "zh-hans": line.configuration.name_zh},
        "quantity": line.quantity,
        "start": during.start.isoformat(),
        "end": during.end.isoformat(),
        "image": line.image.name,
        "storage": f"{line.storage_tb} TB {line.storage_class.name}" if line.storage_class and line.storage_tb else "",
        "discount_percent": str(line.discount_percent),
        "prices": [item.as_data() for item in price.lines],
        "taxes": [{"rate": str(tax.rate), "note": tax.note} for tax in price.taxes],
        "net_minor": price.net.minor,
        "tax_minor": price.tax.minor,
        "gross_minor": price.gross.minor,
    }


def _line(data: Mapping[str, Any], currency: str) -> Line:
    return Line(
        configuration=data["configuration"],
        names=data["names"],
        quantity=data["quantity"],
        during=Period(datetime.fromisoformat(data["start"]), datetime.fromisoformat(data["end"])),
        image=data["image"],
        storage=data["storage"],
        discount_percent=Decimal(data["discount_percent"]),
        prices=tuple(Price(item["description"], item["rule"], Money.from_minor(item["net_minor"], currency)) for item in data["prices"]),
        frozen=data["prices"],
        net=Money.from_minor(data["net_minor"], currency),
        tax=Money.from_minor(data["tax_minor"], currency),
        gross=Money.from_minor(data["gross_minor"], currency),
    )


@dataclass(frozen=True, slots=True)
class Choices:
    """What a line may be made of."""

    configurations: dict[str, Configuration]
    images: dict[str, Image]
    storage: StorageClass | None


def choices() -> Choices:
    """Everything on offer, in the catalog's order."""
    return Choices(
        configurations={row.sku: row for row in Configuration.objects.filter(is_offered=True).order_by("rank", "sku")},
        images={row.slug: row for row in Image.objects.filter(is_offered=True).order_by("rank", "slug")},
        storage=StorageClass.objects.filter(is_offered=True).order_by("sku").first(),
    )


@dataclass(frozen=True, slots=True)
class Desk:
    """What its manager's page shows of a Quote. `trouble` says why a draft cannot be priced; then there is no offer. `link` once it was sent."""

    quote: Quote
    offer: Offer | None
    trouble: str
    line_ids: tuple[int, ...]
    link: str
    successor: Quote | None
    bookings: tuple[Booking, ...]

    @property
    def may_edit(self) -> bool:
        return self.quote.state == Quote.State.DRAFT

    @property
    def may_revise(self) -> bool:
        return self.successor is None and self.quote.state in (Quote.State.SENT, Quote.State.EXPIRED, Quote.State.DECLINED)

    @property
    def rows(self) -> list[tuple[int, Line]]:
        """Each line with the id that takes it out."""
        return list(zip(self.line_ids, self.offer.lines, strict=True)) if self.offer else []


def desk(quote: Quote, *, now: datetime) -> Desk:
    trouble, priced = "", None
    try:
        priced = offer(quote, now=now)
    except Conflict as refusal:
        trouble = refusal.message
    ids = tuple(quote.lines.order_by("position", "pk").values_list("pk", flat=True))
    link = settings.BASE_URL + path_of(quote) if quote.sent_at else ""
    return Desk(quote, priced, trouble, ids, link, _successor(quote), _bookings(quote))


@dataclass(frozen=True, slots=True)
class Letter:
    """What the customer's page shows. `may_accept` for one who may book for the Organisation; others read, and may decline."""

    offer: Offer
    is_open: bool
    is_over: bool
    may_accept: bool
    ssh_keys: list
    terms: Any
    missing: list
    successor_path: str
    bookings: tuple[Booking, ...]


def letter(quote: Quote, user: Any, *, now: datetime) -> Letter:
    role = accounts.role_of(user, quote.organisation)
    may_accept = role in roles.BOOKERS
    successor = _successor(quote)
    over = quote.state == Quote.State.EXPIRED or (quote.state == Quote.State.SENT and now >= quote.valid_until)
    return Letter(
        offer=offer(quote, now=now),
        is_open=quote.state == Quote.State.SENT and not over,
        is_over=over,
        may_accept=may_accept,
        ssh_keys=accounts.ssh_keys_of(user) if may_accept else [],
        terms=accounts.current_terms(now),
        missing=accounts.missing_for_checkout(quote.organisation, user) if may_accept else [],
        successor_path=path_of(successor) if successor else "",
        bookings=_bookings(quote) if role else (),
    )


def _successor(quote: Quote) -> Quote | None:
    return Quote.objects.filter(supersedes=quote).exclude(state__in=(Quote.State.DRAFT, Quote.State.WITHDRAWN)).order_by("-pk").first()


def _bookings(quote: Quote) -> tuple[Booking, ...]:
    return tuple(quote.bookings.select_related("configuration").order_by("pk"))


def paper(quote: Quote, *, language: str, now: datetime) -> bytes:
    """The offer as a PDF. Raises what `offer` raises."""
    organisation, manager = quote.organisation, quote.manager
    head = offer_pdf.Head(
        number=quote.number,
        title=quote.title,
        message=quote.message,
        customer=(
            organisation.legal_name or organisation.name,
            organisation.street,
            f"{organisation.postal_code} {organisation.city}".strip(),
            organisation.country,
        ),
        manager=(manager.name, manager.email),
        sent_at=quote.sent_at,
        valid_until=quote.valid_until,
        zone=quote.seller_zone,
    )
    return offer_pdf.render(head=head, offer=offer(quote, now=now), language=language)
