"""What the catalog shows and how a visitor narrows it down: pure choosing over frozen offers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal

from portal.kernel.money import Money

NO_LINK = "none"  # a MIG slice has no way to another GPU
BUCKETS = ("slice", "1", "2-4", "8", "12+")
SORTS = ("recommended", "price", "gpu_price", "memory", "free")
LINK_ORDER = ("NVSwitch", "NVLink", "NVLink-C2C", "PCIe", NO_LINK)


@dataclass(frozen=True, slots=True)
class GpuGroup:
    """`count` accelerators of one model in an offer. `slices` of the 8 memory slices of one GPU when it is a MIG instance, else 0."""

    family: str
    name: str
    count: int
    memory_gb: int
    slices: int = 0
    role: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """One calendar day of the viewer: the fewest and the most free at any instant of it, of `total`."""

    on: date
    least: int
    most: int
    total: int

    @property
    def level(self) -> str:
        """none: full all day; part: full for a part of it; few: at most a third free; free."""
        if self.most == 0:
            return "none"
        if self.least == 0:
            return "part"
        return "few" if self.least * 3 <= self.total else "free"


@dataclass(frozen=True, slots=True)
class Offer:
    """One Configuration as the catalog shows it. Prices are net per hour; None when there is none in the currency."""

    sku: str
    name: str
    other_name: str  # in the other language, for the search
    summary: str
    template: str
    rank: int
    gpus: tuple[GpuGroup, ...]
    memory_gb: int
    link: str
    link_gbs: Decimal | None
    ram_gb: int
    nvme_tb: Decimal
    rate: Money | None
    total: int
    starts_at: datetime
    free_now: int
    next_free_at: datetime | None
    days: tuple[Day, ...] = ()
    free_during: int | None = None  # how many for the dates that were asked for

    @property
    def is_slice(self) -> bool:
        return any(group.slices for group in self.gpus)

    @property
    def gpu_count(self) -> int:
        return sum(group.count for group in self.gpus)

    @property
    def families(self) -> frozenset[str]:
        return frozenset(group.family for group in self.gpus)

    @property
    def gpu_rate(self) -> Money | None:
        """The price of one GPU for an hour; of a slice it would mean nothing."""
        if self.rate is None or self.is_slice:
            return None
        return Money(self.rate.amount / self.gpu_count, self.rate.currency)

    @property
    def bucket(self) -> str:
        """Which of BUCKETS its number of GPUs falls into."""
        if self.is_slice:
            return "slice"
        bounds = ((1, "1"), (4, "2-4"), (11, "8"))
        return next((name for most, name in bounds if self.gpu_count <= most), "12+")


@dataclass(frozen=True, slots=True)
class Filters:
    """What the visitor wants; empty means anything. Options within one facet widen, facets narrow."""

    words: str = ""
    gpu: frozenset[str] = frozenset()
    count: frozenset[str] = frozenset()
    link: frozenset[str] = frozenset()
    memory: int = 0  # at least so much in total, GB
    price: Decimal | None = None  # at most so much an hour
    needs_dates: bool = False
    sort: str = "recommended"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a facet and how many offers it would leave beside the other facets."""

    value: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """`offers` in order after all filters; the options of each facet."""

    offers: tuple[Offer, ...]
    gpu: tuple[Option, ...] = ()
    count: tuple[Option, ...] = ()
    link: tuple[Option, ...] = ()
    filters: Filters = field(default_factory=Filters)


def select(offers: Sequence[Offer], filters: Filters) -> Selection:
    """Filter, sort and count."""
    chosen = [offer for offer in offers if matches(offer, filters)]
    nothing: frozenset[str] = frozenset()
    without_gpu, without_count, without_link = replace(filters, gpu=nothing), replace(filters, count=nothing), replace(filters, link=nothing)
    return Selection(
        tuple(sorted(chosen, key=_sort_key(filters.sort))),
        gpu=_options(offers, without_gpu, sorted({family for offer in offers for family in offer.families}), filters.gpu, lambda offer: offer.families),
        count=_options(offers, without_count, BUCKETS, filters.count, lambda offer: (offer.bucket,)),
        link=_options(offers, without_link, LINK_ORDER, filters.link, lambda offer: (offer.link,)),
        filters=filters,
    )


def matches(offer: Offer, filters: Filters) -> bool:
    return all(
        (
            _reads(offer, filters.words),
            not filters.gpu or bool(offer.families & filters.gpu),
            not filters.count or offer.bucket in filters.count,
            not filters.link or offer.link in filters.link,
            offer.memory_gb >= filters.memory,
            filters.price is None or (offer.rate is not None and offer.rate.amount <= filters.price),
            not filters.needs_dates or bool(offer.free_during),
        )
    )


def page(offers: Sequence[Offer], after: str, size: int) -> tuple[list[Offer], str]:
    """The offers behind the one called `after` (from the start when it is not among them) and the cursor of the next page, "" at the end."""
    skus = [offer.sku for offer in offers]
    start = skus.index(after) + 1 if after in skus else 0
    items = list(offers[start : start + size])
    return items, items[-1].sku if start + size < len(offers) else ""


def _reads(offer: Offer, words: str) -> bool:
    """Every word stands somewhere in the offer's texts, in either language."""
    names = " ".join(group.name for group in offer.gpus)
    text = f"{offer.name} {offer.other_name} {offer.sku} {offer.summary} {names} {offer.link}".casefold()
    return all(word in text for word in words.casefold().split())


def _sort_key(sort: str) -> Callable[[Offer], tuple]:
    keys: dict[str, Callable[[Offer], tuple]] = {
        "price": lambda offer: (offer.rate is None, offer.rate.amount if offer.rate else 0),
        "gpu_price": lambda offer: (offer.gpu_rate is None, offer.gpu_rate.amount if offer.gpu_rate else 0),
        "memory": lambda offer: (-offer.memory_gb,),
        "free": lambda offer: (offer.next_free_at is None, offer.next_free_at or offer.starts_at),
    }
    first = keys.get(sort, lambda offer: ())
    return lambda offer: (*first(offer), offer.rank, offer.sku)


def _options(
    offers: Iterable[Offer], others: Filters, values: Iterable[str], chosen: frozenset[str], of: Callable[[Offer], Iterable[str]]
) -> tuple[Option, ...]:
    everywhere = {value for offer in offers for value in of(offer)}
    left = Counter(value for offer in offers if matches(offer, others) for value in of(offer))
    return tuple(Option(value, left[value], value in chosen) for value in values if value in everywhere)
