"""Lines to totals to tax, credit notes, the canonical form."""

import json
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.domain import document, snapshot
from billing.domain.document import ExceedsInvoice, Taxed
from billing.domain.tax import Decision
from portal.kernel.money import Money

NORMAL = Decision("domestic", "S", Decimal(20), "", "", "tests")
REDUCED = Decision("domestic", "S", Decimal(7), "", "", "tests")


def taxed(*nets: str, decision: Decision = NORMAL, currency: str = "EUR") -> list[Taxed]:
    return [Taxed(Money(Decimal(net), currency), decision) for net in nets]


def figures(sums: document.Totals) -> tuple[str, str, str]:
    return tuple(str(money.amount) for money in (sums.net, sums.tax, sums.gross))


def test_tax_is_on_the_sum_of_the_nets_and_not_on_each_line():
    """Five lines of 84.03 at 19 %: by line 79.85, on the sum 79.83."""
    sums = document.totals(taxed(*["84.03"] * 5, decision=Decision("domestic", "S", Decimal(19), "", "", "")), "EUR")

    assert figures(sums) == ("420.15", "79.83", "499.98")


def test_yen_have_no_cents():
    sums = document.totals(taxed(*["8402"] * 5, decision=Decision("domestic", "S", Decimal(19), "", "", ""), currency="JPY"), "JPY")

    assert figures(sums) == ("42010", "7982", "49992")


def test_each_category_and_rate_has_its_own_tax_line():
    sums = document.totals([*taxed("100.00"), *taxed("50.00", "1.00", decision=REDUCED)], "EUR")

    assert [(str(tax.rate), str(tax.base.amount), str(tax.tax.amount)) for tax in sums.taxes] == [("20", "100.00", "20.00"), ("7", "51.00", "3.57")]
    assert figures(sums) == ("151.00", "23.57", "174.57")


def test_no_lines_are_nothing():
    assert figures(document.totals([], "EUR")) == ("0.00", "0.00", "0.00")


def credit_all(lines: list[str], order: list[int]) -> list[document.Totals]:
    invoice = document.totals(taxed(*lines), "EUR")
    notes: list[document.Totals] = []
    for place in order:
        notes.append(document.credit_totals(taxed(f"-{lines[place]}"), invoice=invoice, earlier=notes))
    return notes


def test_four_credit_notes_give_the_invoice_back_to_the_cent_and_a_fifth_is_refused():
    """M9."""
    lines = ["68.33", "68.33", "57.50", "85.00"]
    invoice = document.totals(taxed(*lines), "EUR")
    notes = credit_all(lines, [0, 2, 3, 1])

    assert invoice.gross.amount == Decimal("334.99")
    assert [str(-note.gross.amount) for note in notes] == ["82.00", "69.00", "102.00", "81.99"]
    with pytest.raises(ExceedsInvoice):
        document.credit_totals(taxed("-0.01"), invoice=invoice, earlier=notes)


def test_every_order_of_credit_notes_adds_up_to_the_invoice():
    lines = ["68.33", "68.33", "57.50", "85.00"]

    assert {sum(note.gross.minor for note in credit_all(lines, list(order))) for order in permutations(range(4))} == {-33499}


@given(cents=st.lists(st.integers(1, 100_000), min_size=1, max_size=6), cut=st.integers(1, 99), rate=st.sampled_from(["7", "19", "20", "25.5"]))
def test_credit_notes_in_any_cut_never_exceed_the_invoice_and_end_exactly(cents, cut, rate):
    decision = Decision("domestic", "S", Decimal(rate), "", "", "")

    def line(minor: int) -> list[Taxed]:
        return [Taxed(Money.from_minor(minor, "EUR"), decision)]

    invoice = document.totals([item for minor in cents for item in line(minor)], "EUR")
    notes: list[document.Totals] = []
    for minor in cents:
        first = minor * cut // 100
        for part in filter(None, (first, minor - first)):
            notes.append(document.credit_totals(line(-part), invoice=invoice, earlier=notes))
            assert notes[-1].tax.minor <= 0
            assert -sum(note.tax.minor for note in notes) <= invoice.tax.minor

    assert sum(note.gross.minor for note in notes) == -invoice.gross.minor


@pytest.mark.parametrize("wrong", [taxed("-1.00", decision=REDUCED), taxed("1.00"), taxed("0.00"), taxed("-100.01")])
def test_a_credit_that_the_invoice_does_not_hold_is_refused(wrong):
    with pytest.raises(ExceedsInvoice):
        document.credit_totals(wrong, invoice=document.totals(taxed("100.00"), "EUR"), earlier=[])


@pytest.mark.parametrize(
    ("facts", "still_open"),
    [((0, 0, 0), 100), ((40, 0, 0), 60), ((100, 0, 0), 0), ((100, 30, 30), 0), ((100, 30, 0), -30), ((100, 100, 100), 0)],
)
def test_what_is_open_follows_from_what_was_paid_credited_and_refunded(facts, still_open):
    paid, credited, refunded = facts

    assert document.open_minor(gross=100, paid=paid, credited=credited, refunded=refunded) == still_open


def test_the_hash_does_not_depend_on_the_order_of_keys():
    assert document.sha256({"a": 1, "b": ["ü", None, True, {"c": "1.10"}]}) == document.sha256({"b": ["ü", None, True, {"c": "1.10"}], "a": 1})


def test_a_changed_digit_changes_the_hash():
    assert document.sha256({"net": 1}) != document.sha256({"net": 2})


@pytest.mark.parametrize("value", [1 / 2, Decimal("0.5"), object()])
def test_what_has_no_one_canonical_form_is_refused(value):
    with pytest.raises(TypeError):
        document.canonical({"lines": [{"net": value}]})


@pytest.mark.parametrize(("number", "text"), [("72.000000", "72"), ("15.120", "15.12"), ("7.2E+1", "72"), ("-0.00", "0"), ("100", "100")])
def test_numbers_are_printed_plainly(number, text):
    assert document.plain(Decimal(number)) == text


def build(lines=(), **changes) -> dict:
    from datetime import date

    sums = document.totals(taxed("10.00"), "EUR")
    facts = {
        "kind": "invoice", "number": "INV-2026-00001", "issued_on": date(2026, 12, 1), "due_on": date(2026, 12, 1), "seller": {"name": "S"},
        "customer": {"name": "C"}, "reference": {}, "lines": lines, "sums": sums, "corrects": None, "reason": "", "payment": None, "time_zone": "UTC",
        "simulated": False,
    }  # fmt: skip
    return snapshot.build(**{**facts, **changes})


def line(start=None, end=None) -> snapshot.Line:
    return snapshot.Line(1, "sku", "What", Decimal(1), "hour", Decimal(10), 0, 1000, "service", "S", Decimal(20), "", start, end)


def test_a_snapshot_is_json_and_states_its_totals():
    content = build([line()])

    assert json.loads(json.dumps(content)) == content
    assert figures(snapshot.totals_of(content)) == ("10.00", "2.00", "12.00")
    assert content["supply"] is None and content["corrects"] is None and content["payment"] is None


def test_the_supply_of_a_snapshot_spans_its_lines(now):
    from datetime import timedelta

    content = build([line(now, now + timedelta(hours=1)), line(now + timedelta(hours=2), now + timedelta(hours=3))], corrects={"number": "X"}, payment={"n": 1})

    assert content["supply"] == {"start": now.isoformat(), "end": (now + timedelta(hours=3)).isoformat()}
    assert (content["corrects"], content["payment"]) == ({"number": "X"}, {"n": 1})
