"""Entries, numbers, months and settlements."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.domain import ledger, months, numbering, settlement
from billing.domain.pricing import Step
from billing.domain.proration import Segment
from portal.kernel.money import Money
from portal.kernel.period import Period


def usd(minor: int) -> Money:
    return Money.from_minor(minor, "USD")


def legs(booked: ledger.Booked) -> dict[str, int]:
    return {leg.account: leg.amount.minor for leg in booked.legs}


def test_an_invoice_defers_its_net_until_it_is_served():
    booked = ledger.document_issued(number="INV-1", kind="invoice", net=usd(100), tax=usd(19))

    assert (booked.key, legs(booked)) == ("document:INV-1", {"receivables": 119, "deferred_revenue": -100, "tax_payable": -19})


def test_a_credit_note_of_time_never_served_takes_back_what_was_deferred():
    assert legs(ledger.document_issued(number="CN-1", kind="credit_note", net=usd(-40), tax=usd(-8))) == {
        "receivables": -48, "deferred_revenue": 40, "tax_payable": 8,
    }  # fmt: skip


def test_a_credit_note_of_served_time_takes_back_revenue():
    booked = ledger.document_issued(number="CN-1", kind="credit_note", net=usd(-40), tax=usd(-8), unserved=usd(-10))

    assert legs(booked) == {"receivables": -48, "deferred_revenue": 10, "revenue": 30, "tax_payable": 8}


def test_money_goes_round_through_payment_and_refund():
    facts = [
        ledger.document_issued(number="INV-1", kind="invoice", net=usd(100), tax=usd(19)),
        ledger.payment_settled(payment="P-1", amount=usd(119)),
        ledger.document_issued(number="CN-1", kind="credit_note", net=usd(-40), tax=usd(-8)),
        ledger.refund_wanted(refund="R-1", amount=usd(48)),
        ledger.refund_settled(refund="R-1", amount=usd(48)),
        ledger.revenue_served(agreement="A-1", net=usd(60)),
    ]
    balance: dict[str, int] = {}
    for booked in facts:
        for account, minor in legs(booked).items():
            balance[account] = balance.get(account, 0) + minor

    assert balance == {
        "receivables": 0, "deferred_revenue": 0, "tax_payable": -11, "gateway_clearing": 71, "refunds_payable": 0, "revenue": -60,
    }  # fmt: skip


@pytest.mark.parametrize(("was_settled", "undone"), [(False, []), (True, [ledger.refund_settled(refund="R-1", amount=usd(48))])])
def test_a_refund_that_failed_leaves_the_books_as_if_it_had_not_been(was_settled, undone):
    wanted = ledger.refund_wanted(refund="R-1", amount=usd(48))
    failed = ledger.refund_failed(refund="R-1", amount=usd(48), was_settled=was_settled)
    balance: dict[str, int] = {}
    for booked in [wanted, *undone, failed]:
        for account, minor in legs(booked).items():
            balance[account] = balance.get(account, 0) + minor

    assert set(balance.values()) == {0}


def test_what_moves_nothing_has_no_legs():
    assert ledger.revenue_served(agreement="A-1", net=usd(0)).legs == ()


def test_two_currencies_do_not_meet_in_an_entry():
    with pytest.raises(ledger.Unbalanced):
        ledger.Booked("k", "test", (ledger.Leg("a", usd(1)), ledger.Leg("b", Money.from_minor(-1, "EUR"))))


def test_numbers_sort_as_text_and_name_a_further_seller():
    assert numbering.number(prefix=numbering.prefix(kind="invoice", year=2026), sequence=41) == "INV-2026-00041"
    assert numbering.number(prefix=numbering.prefix(kind="credit_note", year=2026, seller="asia"), sequence=123456) == "CN-ASIA-2026-123456"


def test_the_day_is_that_of_the_sellers_zone():
    midnight = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)

    assert (numbering.day(now=midnight, zone="UTC"), numbering.day(now=midnight, zone="Europe/Berlin")) == (date(2026, 12, 31), date(2027, 1, 1))


@pytest.mark.parametrize("created", [datetime(2024, 1, 10, tzinfo=UTC), datetime(2024, 4, 10, tzinfo=UTC)])
def test_an_instant_falls_into_one_month_whenever_the_account_was_made(created):
    """M4: an offset fixed in January would put it into March."""
    april = months.month_of(instant=datetime(2024, 4, 1, 4, tzinfo=UTC), zone="America/New_York")

    assert april == months.month(year=2024, number=4, zone="America/New_York")
    assert april.start == datetime(2024, 4, 1, 4, tzinfo=UTC)
    assert months.month_of(instant=created, zone="America/New_York").contains(created)


@given(st.integers(2000, 2090), st.integers(1, 12), st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe"]))
def test_months_cover_every_instant_once(year, number, zone):
    month = months.month(year=year, number=number, zone=zone)

    assert months.month_of(instant=month.end, zone=zone).start == month.end
    assert months.month_of(instant=month.end - timedelta(microseconds=1), zone=zone) == month


START = datetime(2026, 12, 1, tzinfo=UTC)
BOOKED = Period.starting(START, timedelta(hours=100))
STEPS = [Step(50, Decimal(10)), Step(100, Decimal(20))]


def sold(**changes) -> settlement.Sold:
    plain = {
        "position": 1, "rate": Money(Decimal(10), "USD"), "percent": Decimal(20), "percent_from_terms": True, "granule_seconds": 60, "minimum_seconds": 3600,
        "net": usd(80000), "billed_hours": Decimal(100), "credited": usd(0),
    }  # fmt: skip
    return settlement.Sold(**{**plain, **changes})


def settle(hours: Decimal | int, *, kind: str = "served", steps=STEPS, **changes) -> settlement.Settled:
    segments = [Segment("unit", Period(START, START + timedelta(seconds=int(hours * 3600))), Decimal(1), kind)] if hours else []
    return settlement.settle(sold=sold(**changes), segments=segments, booked=BOOKED, steps=steps)


def test_a_rental_served_in_full_keeps_its_price_even_if_the_steps_have_changed_since():
    settled = settle(100, steps=[])

    assert (settled.served.minor, settled.credit.minor, settled.credit_hours) == (80000, 0, 0)


@pytest.mark.parametrize(("hours", "percent", "served"), [(99, 10, 80000), (60, 10, 54000), (49, 0, 49000), (1, 0, 1000), (0, 0, 0)])
def test_a_shorter_rental_is_re_rated_at_the_step_it_reached_and_never_costs_more(hours, percent, served):
    settled = settle(hours)

    assert (settled.percent, settled.served.minor, settled.credit.minor) == (percent, served, served - 80000)


def test_a_quoted_discount_stays():
    assert settle(49, percent_from_terms=False).served.minor == 39200


def test_our_fault_never_costs_the_customer_his_discount():
    segments = [Segment("unit", BOOKED, Decimal(1)), Segment("unit", Period(START, START + timedelta(hours=60)), Decimal(1), "interrupted")]

    settled = settlement.settle(sold=sold(), segments=segments, booked=BOOKED, steps=STEPS)

    assert (settled.percent, settled.served.minor) == (20, 32000)


def test_what_was_credited_before_is_not_credited_again():
    assert settle(49, credited=usd(31000)).credit.minor == 0
    assert settle(49, credited=usd(30000)).credit.minor == -1000
    assert settle(49, credited=usd(50000)).credit.minor == 0


@given(st.integers(0, 100 * 3600))
def test_served_and_credit_are_the_invoice(seconds):
    settled = settle(Decimal(seconds) / 3600)

    assert settled.served.minor - settled.credit.minor == 80000
    assert 0 <= settled.served.minor <= 80000
