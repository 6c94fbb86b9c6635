"""An offer on paper, by typst: English, or Chinese with English beside it. Knows the words of an offer, not where it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from billing.exports import pdf
from portal.kernel.money import Money
from portal.toolkit import formats

CONTENT_TYPE = pdf.CONTENT_TYPE
TEMPLATE = Path(__file__).with_name("offer.typ")


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above the lines."""

    number: str
    title: str
    message: str
    customer: Sequence[str]
    manager: Sequence[str]
    sent_at: datetime | None
    valid_until: datetime
    zone: str


def render(*, head: Head, offer: Any, language: str) -> bytes:
    """The PDF of `offer` (queries.quotes.Offer). Moments are in the seller's zone, which is named."""
    with override(language), timezone.override(head.zone):
        return pdf.compile_paper(template=TEMPLATE, texts=_texts(head, offer, language), language=language)


def _texts(head: Head, offer: Any, language: str) -> dict[str, Any]:
    return {
        "number": head.number,
        "title": head.title,
        "heading": _both(gettext_noop("Offer"), language),
        "customer_label": _both(gettext_noop("Offered to"), language),
        "customer": [line for line in head.customer if line],
        "manager": [line for line in head.manager if line],
        "message": head.message,
        "facts": [
            [_both(gettext_noop("Date"), language), _when(head.sent_at) if head.sent_at else _("draft, not sent yet")],
            [_both(gettext_noop("Valid until"), language), _when(head.valid_until)],
        ],
        "columns": [_both(gettext_noop("What"), language), _both(gettext_noop("Net"), language)],
        "lines": [_line(line, language) for line in offer.lines],
        "totals": [
            [_both(gettext_noop("Net"), language), _money(offer.net)],
            [_both(gettext_noop("Tax"), language), _money(offer.tax)],
            [_both(gettext_noop("Total"), language), _money(offer.gross)],
        ],
        "notes": [note for _rate, note in offer.taxes if note],
        "simulated": _("Demo: no real offer") if settings.DEMO else "",
        "page": _("Page"),
    }


def _line(line: Any, language: str) -> dict[str, Any]:
    name = line.names["zh-hans"] if language.startswith("zh") else line.names["en"]
    when = f"{_when(line.during.start)} – {_when(line.during.end)}"
    details = [when, line.image, line.storage, *(f"{price.description}: {price.rule}" for price in line.prices)]
    return {"name": f"{line.quantity} × {name}", "details": [detail for detail in details if detail], "net": _money(line.net)}


def _both(word: str, language: str) -> str:
    """The word in the reader's language, with the English beside it when that is another."""
    return _(word) if not language.startswith("zh") else f"{_(word)} {word}"


def _when(at: datetime) -> str:
    return formats.moment_text(at, now=at, form="full")


def _money(amount: Money) -> str:
    return f"{formats.money_text(amount)} {amount.currency}"
