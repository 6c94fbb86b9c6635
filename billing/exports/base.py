"""What every renderer of a frozen Document shares: the words and texts of the paper, and the columns of tables. Nobody here computes money: each amount is
an integer of the snapshot, printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from babel import Locale
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from portal.kernel.money import Money
from portal.toolkit import formats

Snapshot = Mapping

TITLES = {"invoice": _("Invoice"), "credit_note": _("Credit note")}
REASONS = {"not_used": _("Booked time that was not used")}
UNITS = {"hour": _("h"), "tb_hour": _("TB·h")}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the paper, as text."""

    position: str
    description: str
    period: str
    rule: str
    quantity: str
    price: str
    discount: str
    net: str
    tax: str


@dataclass(frozen=True, slots=True)
class Paper:
    """A Document in one language, ready to be laid out: the page and the PDF show these texts and no others."""

    language: str
    kind: str
    title: str
    number: str
    currency: str
    seller: tuple[str, ...]
    customer_label: str
    customer: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    taxes: tuple[tuple[str, str, str], ...]
    tax_columns: tuple[str, ...]
    totals: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    footer: str
    page: str
    simulated: str


class Words:
    """Texts in one language, or in Chinese and English side by side."""

    def __init__(self, language: str, *, bilingual: bool) -> None:
        self.language, self.bilingual = language, bilingual and language != "en"

    def __call__(self, word: str | Promise, **names: object) -> str:
        own = self._in(self.language, word, names)
        if not self.bilingual:
            return own
        english = self._in("en", word, names)
        return own if own == english else f"{own} {english}"

    def _in(self, language: str, word: str | Promise, names: Mapping[str, object]) -> str:
        with translation.override(language):
            return str(word) % names if names else str(word)


def paper(snapshot: Snapshot, *, language: str, bilingual: bool = False) -> Paper:
    """The texts of a Document in `language`; `bilingual` puts English beside the Chinese words, as PDFs do."""
    words = Words(language, bilingual=bilingual)
    with translation.override(language):
        return Paper(
            language=language,
            kind=snapshot["kind"],
            title=words(TITLES[snapshot["kind"]]),
            number=snapshot["number"],
            currency=snapshot["currency"],
            seller=_seller(snapshot["seller"], words),
            customer_label=words(_("Bill to")),
            customer=_party(snapshot["customer"], words),
            facts=tuple(_facts(snapshot, words)),
            columns=tuple(
                words(word)
                for word in (pgettext_lazy("line", "No."), _("Description"), _("Quantity"), _("Price"), _("Discount"), _("Net"), pgettext_lazy("column", "Tax"))
            ),
            rows=tuple(_row(line, snapshot) for line in snapshot["lines"]),
            taxes=tuple(_tax(tax, snapshot, words) for tax in snapshot["taxes"]),
            tax_columns=tuple(words(word) for word in (pgettext_lazy("column", "Tax"), _("On"), _("Amount"))),
            totals=_totals(snapshot, words),
            notes=tuple(_notes(snapshot, words)),
            footer=", ".join(filter(None, (snapshot["seller"]["name"], _place(snapshot["seller"]), snapshot["seller"]["tax_id"]))),
            page=words(_("Page")),
            simulated=words(_("Demo: no real money")) if snapshot.get("simulated") else "",
        )


def amount(minor: int, currency: str) -> str:
    """Whole minor units as text of the active language, without the currency."""
    return formats.money_text(Money.from_minor(minor, currency))


def _country(code: str, words: Words) -> str:
    names = [Locale.parse(name).territories.get(code, code) for name in (["zh_Hans"] if words.language != "en" else []) + ["en"]]
    return " ".join(dict.fromkeys(names if words.bilingual else names[:1]))


def _party(party: Mapping, words: Words) -> tuple[str, ...]:
    region = f"{party['city']}, {party['region']}" if party["region"] else party["city"]
    place = f"{party['postal_code']} {region}".strip()
    colon = ": " if words.language == "en" else "："
    tax_id = f"{words(_('Tax id'))}{colon}{party['tax_id']}" if party["tax_id"] else ""
    return tuple(filter(None, (party["name"], party["street"], place, _country(party["country"], words), tax_id)))


def _seller(seller: Mapping, words: Words) -> tuple[str, ...]:
    return (*_party(seller, words), seller["email"])


def _place(party: Mapping) -> str:
    return ", ".join(filter(None, (party["street"], f"{party['postal_code']} {party['city']}".strip(), party["country"])))


def _facts(snapshot: Snapshot, words: Words):
    reference = snapshot["reference"]
    yield words(_("Number")), snapshot["number"]
    yield words(_("Date")), _day(snapshot["issued_on"])
    if snapshot["corrects"]:
        corrects = snapshot["corrects"]
        yield words(_("Corrects invoice")), f"{corrects['number']} ({_day(corrects['issued_on'])})"
    elif snapshot["payment"]:
        yield words(_("Paid on")), _day(snapshot["payment"]["paid_on"])
    else:
        yield words(_("Due on")), _day(snapshot["due_on"])
    if snapshot["supply"]:
        yield words(_("Service period")), _span(snapshot["supply"]["start"], snapshot["supply"]["end"], snapshot)
    for label, name in ((_("Booking"), "reference"), (_("Purchase order"), "purchase_order"), (_("Cost centre"), "cost_centre"), (_("Project"), "project")):
        if reference.get(name):
            yield words(label), reference[name]


def _row(line: Mapping, snapshot: Snapshot) -> Row:
    currency = snapshot["currency"]
    quantity = formats.decimal_text(Decimal(line["quantity"]), most=6)
    return Row(
        position=str(line["position"]),
        description=line["description"],
        period=_span(line["period_start"], line["period_end"], snapshot) if line["period_start"] else "",
        rule=line["rule"],
        quantity=f"{quantity}{formats.NO_BREAK}{UNITS.get(line['unit'], line['unit'])}",
        price=formats.money_text(Money(Decimal(line["unit_price"]), currency)),
        discount=amount(line["discount_minor"], currency),
        net=amount(line["net_minor"], currency),
        tax=f"{formats.decimal_text(Decimal(line['tax_rate']))}{formats.NO_BREAK}%",
    )


def _tax(tax: Mapping, snapshot: Snapshot, words: Words) -> tuple[str, str, str]:
    rate = f"{formats.decimal_text(Decimal(tax['rate']))}{formats.NO_BREAK}%"
    label = f"{words(pgettext_lazy('column', 'Tax'))} {rate} ({tax['category']})"
    return label, amount(tax["base_minor"], snapshot["currency"]), amount(tax["tax_minor"], snapshot["currency"])


def _totals(snapshot: Snapshot, words: Words) -> tuple[tuple[str, str], ...]:
    currency = snapshot["currency"]
    return (
        (words(_("Net total")), amount(snapshot["net_minor"], currency)),
        (words(_("Tax total")), amount(snapshot["tax_minor"], currency)),
        (words(_("Total")), amount(snapshot["gross_minor"], currency)),
    )


def _notes(snapshot: Snapshot, words: Words):
    for tax in snapshot["taxes"]:
        if tax["note"]:
            code = f" ({tax['reason_code']})" if tax["reason_code"] else ""
            yield f"{words(NOTES.get(tax['note'], tax['note']))}{code}"
    if snapshot["reason"]:
        yield words(_("Reason: %(reason)s"), reason=REASONS.get(snapshot["reason"], snapshot["reason"]))
    if snapshot["payment"]:
        paid = amount(snapshot["payment"]["paid_minor"], snapshot["currency"])
        yield words(_("%(amount)s %(currency)s paid in advance (payment %(number)s). Nothing is due."), amount=paid, currency=snapshot["currency"],
                    number=snapshot["payment"]["number"])  # fmt: skip
    if snapshot["kind"] == "invoice" and not snapshot["payment"] and snapshot["seller"].get("iban"):
        yield words(_("Please pay to %(iban)s (%(bank)s), reference %(number)s."), iban=snapshot["seller"]["iban"],
                    bank=snapshot["seller"]["bank_name"] or snapshot["seller"]["name"], number=snapshot["number"])  # fmt: skip
    if snapshot["corrects"]:
        yield words(_("The amount is refunded the way the invoice was paid."))


NOTES = {
    "Reverse charge": _("Reverse charge"),
    "Not subject to German VAT": _("Not subject to German VAT"),
    "Outside the scope of Chinese VAT": _("Outside the scope of Chinese VAT"),
    "No sales tax collected in this state": _("No sales tax collected in this state"),
    "Not subject to US sales tax": _("Not subject to US sales tax"),
}


def _day(text: str) -> str:
    return date.fromisoformat(text).isoformat()


def _span(start: str, end: str, snapshot: Snapshot) -> str:
    zone = ZoneInfo(snapshot["time_zone"])
    begins, ends = (datetime.fromisoformat(text).astimezone(zone) for text in (start, end))
    return gettext("%(start)s to %(end)s (%(zone)s)") % {"start": f"{begins:%Y-%m-%d %H:%M}", "end": f"{ends:%Y-%m-%d %H:%M}", "zone": formats.zone_text(ends)}
