"""Agreements: frozen, paid, used, ended."""

from datetime import timedelta
from decimal import Decimal

import pytest

from billing import queries
from billing.domain.pricing import Wanted
from billing.models import Agreement, Announcement, Document, Entry, Price, RatedItem, Refund, TermDiscount, UsageSegment
from billing.services import agreements
from portal.accounts.models import AuditEntry
from portal.kernel.errors import InvalidInput, NotFound
from portal.kernel.money import Money
from portal.kernel.period import Period
from tests.billing.conftest import A100, T4


def usd(text: str) -> Money:
    return Money(Decimal(text), "USD")


def hours(number: float) -> timedelta:
    return timedelta(hours=number)


def balance(code: str) -> int:
    from billing.models import Posting

    return sum(Posting.objects.filter(account__code=code).values_list("amount_minor", flat=True))


def test_the_price_is_frozen_when_the_booking_is_held(till, now):
    number = till.order(hours=10)
    Price.objects.create(sku=A100, currency="USD", unit="hour", rate=Decimal("99"), valid_from=now, source="tests")

    agreement = Agreement.objects.by_number(number).get()

    assert (agreement.net_minor, agreement.tax_minor, agreement.gross_minor) == (15120, 2873, 17993)
    assert agreement.tax["customer"]["name"] == "Lovelace Labs GmbH"


def test_the_preview_equals_the_agreement_line_by_line(till, cast, now):
    TermDiscount.objects.create(from_hours=72, percent=Decimal("5"))
    during = Period.starting(now, hours(72))
    wanted = [Wanted(A100, "A", Decimal(1)), Wanted(T4, "T", Decimal(2))]

    price = queries.preview(organisation=cast.lab, wanted=wanted, during=during, currency="USD", now=now)
    agreement = Agreement.objects.by_number(till.order(wanted=wanted, during=during)).get()

    assert [line.net.minor for line in price.lines] == [line.net_minor for line in agreement.lines.all()] == [103421, 21888]
    assert price.gross.minor == agreement.gross_minor


def test_a_visitor_sees_net_prices_only(racks, now):
    price = queries.preview(
        organisation=None, wanted=[Wanted(T4, "T", Decimal(1))], during=Period.starting(now, hours(1)), currency="USD", now=now
    )  # fmt: skip

    assert (price.net, price.tax_known) == (usd("1.60"), False)


def test_no_price_in_a_currency_is_refused_and_never_zero(cast, racks, now):
    with pytest.raises(queries.NoPrice):
        queries.preview(
            organisation=cast.lab, wanted=[Wanted(T4, "T", Decimal(1))], during=Period.starting(now, hours(1)), currency="EUR", now=now
        )  # fmt: skip


@pytest.mark.parametrize("quantity", ["0", "-1"])
def test_a_quantity_that_is_no_quantity_is_refused_by_name(cast, racks, now, quantity):
    with pytest.raises(InvalidInput) as refusal:
        queries.preview(
            organisation=cast.lab, wanted=[Wanted(T4, "T", Decimal(quantity))], during=Period.starting(now, hours(1)), currency="USD", now=now
        )  # fmt: skip

    assert refusal.value.field == "quantity"


def test_a_payment_opens_the_agreement_issues_the_invoice_as_paid_and_announces_it(till):
    number = till.order()

    invoice = till.pay(number)

    document = Document.objects.get(number=invoice)
    assert Agreement.objects.by_number(number).get().state == "open"
    assert (document.gross_minor, document.status.paid_minor) == (129548, 129548)
    assert set(Announcement.objects.values_list("kind", flat=True)) == {"agreement_opened", "document_issued"}
    assert balance("receivables") == 0
    assert balance("gateway_clearing") == 129548
    assert balance("deferred_revenue") == -document.net_minor


def test_a_second_payment_of_one_agreement_is_refused_but_in_the_books(till):
    number = till.buy()
    second = till.payment(number)

    with pytest.raises(agreements.AgreementIsOpen):
        agreements.open_on_payment(agreement=number, payment=second, now=till.now)

    assert Entry.objects.filter(kind="payment_settled").count() == 2
    assert Document.objects.count() == 1


def test_a_payment_after_the_hold_is_the_customers_money_and_opens_nothing(till):
    number = till.order()
    agreements.lapse(number=number, now=till.now)

    with pytest.raises(agreements.AgreementHasLapsed):
        till.pay(number)

    assert not Document.objects.exists()
    assert balance("receivables") == -129548


def test_a_payment_below_the_price_opens_nothing(till):
    number = till.order()

    with pytest.raises(agreements.PaidTooLittle):
        agreements.open_on_payment(agreement=number, payment=till.payment(number, 100), now=till.now)

    assert Agreement.objects.by_number(number).get().state == "pending"


def test_a_hold_does_not_lapse_when_the_payment_was_faster(till):
    number = till.buy()

    with pytest.raises(agreements.AgreementIsOpen):
        agreements.lapse(number=number, now=till.now)


def test_lapsing_twice_is_lapsing_once(till):
    number = till.order()

    agreements.lapse(number=number, now=till.now)
    agreements.lapse(number=number, now=till.now)

    assert AuditEntry.objects.filter(verb="agreement.lapsed").count() == 1


def test_an_early_end_gives_back_what_was_not_served(till):
    number = till.buy(hours=72)
    till.serve(number, hours(0), hours(24))

    settlement = till.end(number)

    assert settlement.served == usd("362.88")
    assert (settlement.credit_net, settlement.credit_tax, settlement.credit) == (usd("725.76"), usd("137.89"), usd("863.65"))
    note = Document.objects.get(kind="credit_note")
    assert (note.net_minor, note.corrects.number) == (-72576, Document.objects.get(kind="invoice").number)
    assert Refund.objects.get().amount_minor == 86365
    assert {code: balance(code) for code in ("receivables", "deferred_revenue", "revenue", "refunds_payable")} == {
        "receivables": 0, "deferred_revenue": 0, "revenue": -36288, "refunds_payable": -86365,
    }  # fmt: skip


def test_ending_twice_gives_one_credit_note_and_the_same_settlement(till):
    number = till.buy()
    till.serve(number, hours(0), hours(24))

    first, second = till.end(number), till.end(number)

    assert first == second
    assert Document.objects.filter(kind="credit_note").count() == Refund.objects.count() == 1


def test_a_rental_served_to_the_end_gets_no_credit_note(till):
    number = till.buy(hours=72)
    till.serve(number, hours(0), hours(72))

    settlement = till.end(number)

    assert (settlement.credit, settlement.credit_note, settlement.refunds) == (usd("0.00"), "", ())
    assert RatedItem.objects.get().billed_seconds == 72 * 3600


def test_a_deployment_that_failed_costs_nothing(till):
    number = till.buy()

    settlement = till.end(number)

    assert settlement.served == usd("0")
    assert Refund.objects.get().amount_minor == 129548


def test_a_node_that_vanished_is_billed_until_its_last_evidence(till):
    number = till.buy(hours=2)
    till.serve(number, hours(0), timedelta(minutes=20))
    till.serve(number, timedelta(minutes=20), hours(2), kind="unknown")

    assert till.end(number).served == usd("5.04")


def test_an_early_end_never_pays_less_than_the_minimum_term(till):
    number = till.buy(hours=10)
    till.serve(number, hours(0), timedelta(minutes=5))

    assert till.end(number).served == usd("15.12")


def test_a_shorter_rental_loses_the_discount_for_length_but_never_pays_more_than_before(till):
    TermDiscount.objects.create(from_hours=72, percent=Decimal("5"))
    number = till.buy(hours=72)
    till.serve(number, hours(0), hours(71))

    settlement = till.end(number)

    assert settlement.credit == usd("0")


def test_a_quoted_discount_stays_when_the_rental_ends_early(till, cast, now):
    during = Period.starting(now, hours(10))
    price = queries.preview(
        organisation=cast.lab, wanted=[Wanted(A100, "A", Decimal(1))], during=during, currency="USD", now=now, discount_percent=Decimal("10")
    )  # fmt: skip
    number = till.buy(during=during, frozen=[line.as_data() for line in price.lines])
    till.serve(number, hours(0), hours(5))

    assert till.end(number).served == usd("68.04")


def test_usage_reported_again_adds_nothing(till):
    number = till.buy()

    assert till.serve(number, hours(0), hours(24)) is True
    assert till.serve(number, hours(0), hours(24)) is False
    assert UsageSegment.objects.count() == 1


def test_one_second_of_a_rental_is_never_served_twice(till):
    number = till.buy()
    till.serve(number, hours(0), hours(24))

    with pytest.raises(agreements.UsageOverlaps):
        till.serve(number, hours(23), hours(25))


def test_usage_needs_an_open_agreement_and_an_existing_line(till):
    pending = till.order()
    paid = till.buy()

    with pytest.raises(agreements.AgreementNotOpen):
        till.serve(pending, hours(0), hours(1))
    with pytest.raises(NotFound):
        till.serve(paid, hours(0), hours(1), position=9)


def test_an_agreement_that_was_never_paid_is_not_ended(till):
    number = till.order()

    with pytest.raises(agreements.AgreementNotOpen):
        till.end(number)
    with pytest.raises(NotFound):
        till.end("A-999999")


def test_the_spending_limit_counts_what_is_pending_and_what_was_billed_this_month(till, cast):
    cast.lab.spend_cap_minor = 300_000
    till.buy()
    till.order()

    with pytest.raises(agreements.SpendCapReached) as refusal:
        till.order()

    assert refusal.value.facts == {"cap_minor": 300_000, "left_minor": 300_000 - 2 * 129_548, "wanted_minor": 129_548}


def test_a_hold_that_lapsed_frees_the_spending_limit(till, cast):
    cast.lab.spend_cap_minor = 200_000
    agreements.lapse(number=till.order(), now=till.now)

    till.order()


def test_an_end_is_previewed_before_the_click(till):
    number = till.buy(hours=72)

    preview = queries.end_preview(agreement=number, at=till.now + hours(24))

    assert (preview.served, preview.credit) == (usd("362.88"), usd("863.65"))
    assert queries.end_preview(agreement=number, at=till.now).credit == usd("1295.48")
