"""Cases that went wrong in other systems and must come out right here, by their numbers in the list of booking cases.

The time zones of case 18 are in test_local_time.py; the race for number 14 is billing's, in tests/races.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from billing.models import Agreement, Document, Payment, Price, Refund, UsageSegment
from billing.services import gateway, payments
from portal.accounts.models import Letter, Notification
from portal.accounts.services import letters
from portal.kernel.period import Period
from rentals.domain.availability import Admission, Refusal
from rentals.models import Assignment, Booking, Component, Configuration, Operation, Server, Unit, UnitClass, UnitKind
from rentals.queries import audits, availability
from rentals.services import bookings
from tests.billing.vendor import Vendor
from tests.rentals.desk import HOUR, Desk

MINUTE = timedelta(minutes=1)


def without_buffers(desk: Desk, *, turn_over: timedelta = timedelta(0)) -> None:
    UnitClass.objects.update(prepare_lead=timedelta(0), turn_over=turn_over)


def one_unit(desk: Desk) -> None:
    """Of the two A100 servers one is taken out of the fleet."""
    Server.objects.filter(serial="srv-a2").update(state="retired")


def span(desk: Desk, start: float, end: float) -> Period:
    """Clock times of the day after, as the cases write them."""
    midnight = (desk.now + timedelta(days=1)).replace(hour=0, minute=0)
    return Period(midnight + start * HOUR, midnight + end * HOUR)


def offered(desk: Desk, start: float, end: float, quantity: int = 1) -> bool:
    decision = availability.decision(configuration=desk.racks.a100x8, during=span(desk, start, end), quantity=quantity, now=desk.now)
    return isinstance(decision, Admission)


def accepted(desk: Desk, start: float, end: float, **wish) -> bool:
    try:
        desk.hold(during=span(desk, start, end), **wish)
    except bookings.NotFree:
        return False
    return True


@pytest.fixture
def vendor(monkeypatch) -> Vendor:
    """The payment service, in memory."""
    vendor = Vendor()
    monkeypatch.setattr(gateway, "current", lambda: vendor)
    return vendor


def go_to_the_checkout(desk: Desk, booking: Booking) -> None:
    payments.start_checkout(agreement=booking.agreement, by=desk.cast.ada, success_url="http://portal/", cancel_url="http://portal/", now=desk.now)


def pay_by_card(desk: Desk, booking: Booking, vendor: Vendor, *, now) -> None:
    """At the checkout, and back to the page that asks how it went."""
    vendor.card(f"cs_{len(vendor.checkouts)}")
    payments.refresh(agreement=booking.agreement, now=now)


def test_case_1_partial_overlaps_are_refused_and_touching_bookings_accepted(desk):
    without_buffers(desk)
    one_unit(desk)
    desk.hold(during=span(desk, 11, 12))

    assert [accepted(desk, *wanted) for wanted in ((10, 14), (10, 12), (11, 13), (11, 12))] == [False] * 4
    assert [accepted(desk, *wanted) for wanted in ((10, 11), (12, 13))] == [True] * 2


def test_case_2_requests_in_one_pass_share_no_node(desk):
    outcome = [accepted(desk, 10, 12, quantity=quantity) for quantity in (2, 1, 1)]

    assert outcome == [True, False, False]
    assert Assignment.objects.filter(live=True).count() == 2


def test_case_4_what_the_buffer_forbids_is_neither_offered_nor_accepted(desk):
    without_buffers(desk, turn_over=30 * MINUTE)
    one_unit(desk)
    desk.racks.a100x8.minimum_hours = 0
    desk.racks.a100x8.save()
    desk.hold(during=span(desk, 9, 9.25))

    assert (offered(desk, 9.5, 10.5), accepted(desk, 9.5, 10.5)) == (False, False)
    curve = availability.availability(configuration=desk.racks.a100x8, span=span(desk, 9 + 20 / 60, 12), now=desk.now)
    assert [(step.end, step.free) for step in curve.steps] == [(span(desk, 0, 9.75).end, 0), (span(desk, 0, 12).end, 1)]
    assert (offered(desk, 9.75, 10.75), accepted(desk, 9.75, 10.75)) == (True, True)


@pytest.fixture
def slices(desk) -> Configuration:
    """srv-a1 sold whole and as four slices of two accelerators each; nothing else is in service."""
    without_buffers(desk)
    one_unit(desk)
    whole = Unit.objects.get(server__serial="srv-a1")
    kind = UnitKind.objects.create(
        sku="a100-slice", name="slice", name_zh="slice", shape="partition", server_model=whole.server.model, gpu_model=whole.unit_class.kind.gpu_model,
        gpu_count=2, memory_gb=160,
    )  # fmt: skip
    unit_class = UnitClass.objects.create(kind=kind, site=whole.server.site, fabric=whole.server.fabric, prepare_lead=timedelta(0), turn_over=timedelta(0))
    for number in range(4):
        Unit.objects.create(
            server=whole.server, unit_class=unit_class, slots=(number * 16, number * 16 + 16), label=f"slice {number}", in_service_from=desk.now
        )
    Price.objects.create(sku=kind.sku, currency="USD", unit="hour", rate="4", valid_from=desk.now - HOUR, source="tests")
    configuration = Configuration.objects.create(sku="a100-slice", name="s", name_zh="s", summary="s", summary_zh="s", template="mig", source="tests")
    Component.objects.create(configuration=configuration, unit_kind=kind, count=1)
    return configuration


def test_case_5_a_rented_slice_refuses_the_whole(desk, slices):
    desk.hold(during=span(desk, 10, 12), configuration=slices)

    refusal = availability.decision(configuration=desk.racks.a100x8, during=span(desk, 11, 13), quantity=1, now=desk.now)
    assert isinstance(refusal, Refusal) and refusal.reason == "layout"
    assert accepted(desk, 11, 13) is False
    assert accepted(desk, 12, 13) is True


def test_case_5_a_rented_whole_refuses_every_slice(desk, slices):
    desk.hold(during=span(desk, 10, 12))

    for quantity in (1, 4):
        assert accepted(desk, 10, 12, configuration=slices, quantity=quantity) is False
    assert accepted(desk, 12, 13, configuration=slices, quantity=4) is True


@pytest.mark.parametrize("quantity", [0, -1])
def test_case_6_a_count_below_one_names_the_field_and_stores_nothing(desk, quantity):
    with pytest.raises(bookings.OutsideTheRules) as refusal:
        desk.hold(quantity=quantity)

    assert (refusal.value.status, refusal.value.field) == (400, "quantity")
    assert not Booking.objects.exists() and not Agreement.objects.exists()


def test_case_7_a_bundle_that_cannot_be_had_whole_takes_nothing(desk, floor):
    desk.hold(configuration=desk.racks.mixed, organisation=desk.cast.other, by=desk.cast.sid)

    with pytest.raises(bookings.NotFree) as refusal:
        desk.hold(configuration=desk.racks.mixed)

    assert refusal.value.facts["limiting"] == "t4-x4"
    free = availability.availability(configuration=desk.racks.a100x8, span=desk.during(), now=desk.now)
    assert free.least(desk.during()) == 1
    floor.play(minutes=2)
    assert (floor.asked, Operation.objects.count(), Booking.objects.count()) == ([], 0, 1)


def test_case_12_a_failing_side_effect_undoes_no_payment_and_is_made_good_once(desk, vendor, monkeypatch, django_capture_on_commit_callbacks):
    booking = desk.hold()
    go_to_the_checkout(desk, booking)
    with monkeypatch.context() as broken:
        broken.setattr(bookings.holding.moves, "tell", lambda **_: 1 / 0)
        with django_capture_on_commit_callbacks(execute=True):
            pay_by_card(desk, booking, vendor, now=desk.now)
    assert (Payment.objects.get().state, Agreement.objects.get().state, desk.again(booking).state) == ("succeeded", "open", "held")

    for _ in range(2):
        bookings.read_announcements(now=desk.now)

    assert desk.again(booking).state == "confirmed"
    assert Notification.objects.filter(kind="booking_confirmed", user=desk.cast.ada).count() == 1
    monkeypatch.setattr(letters, "_hand_over", lambda letter: 1 / 0)
    assert letters.send(letter_id=Letter.objects.filter(kind="booking_confirmed").first().pk, now=desk.now) is False
    assert (Payment.objects.get().state, desk.again(booking).state) == ("succeeded", "confirmed")


def test_case_13_a_booking_is_billed_in_the_currency_that_it_was_held_in(desk):
    for currency, rate in (("EUR", "3.99"), ("SEK", "39.00")):
        Price.objects.create(sku="a100-sxm4-80-x8", currency=currency, unit="hour", rate=rate, valid_from=desk.now - HOUR, source="tests")
    desk.cast.lab.currency = "EUR"
    desk.cast.lab.save()
    booking = desk.hold(hours=1)
    desk.cast.lab.currency = "USD"
    desk.cast.lab.save()

    desk.pay(booking)

    invoice = Document.objects.get()
    assert (invoice.currency, invoice.net_minor) == ("EUR", 399)


def test_case_13_without_a_price_in_the_currency_nothing_is_sold_for_nothing(desk):
    from billing import queries as billing

    desk.cast.lab.currency = "CNY"
    desk.cast.lab.save()

    with pytest.raises(billing.NoPrice):
        desk.hold()

    assert not Booking.objects.exists() and not Assignment.objects.exists()


def test_case_16_a_deployment_that_fails_costs_nothing(desk):
    booking = desk.book()
    (assignment,) = desk.assignments(booking)
    bookings.observe_preparing(assignment=assignment, at=desk.now, now=desk.now)

    bookings.observe_failed(assignment=assignment, reason="no spare", at=desk.now + HOUR, now=desk.now + HOUR)

    assert desk.again(booking).state == "failed"
    assert not UsageSegment.objects.exists()
    assert Refund.objects.get().amount_minor == Agreement.objects.get().gross_minor


def test_case_16_a_node_that_vanished_is_billed_until_then_and_the_booking_is_flagged(desk):
    without_buffers(desk)
    booking = desk.run(during=span(desk, 10, 12))
    (assignment,) = desk.assignments(booking)
    vanished = booking.during.lower + 20 * MINUTE

    bookings.observe_lost(assignment=assignment, at=vanished, now=vanished + 2 * MINUTE)
    assert desk.again(booking).degraded
    desk.hand_back(booking, booking.during.upper)

    served = UsageSegment.objects.filter(kind="served").get()
    assert served.during.upper - served.during.lower == 20 * MINUTE
    assert UsageSegment.objects.exclude(kind="served").get().during.upper == booking.during.upper


def test_case_19_a_start_left_out_is_the_earliest_that_can_be_prepared(desk):
    start = availability.earliest_now(configuration=desk.racks.a100x8, now=desk.now)

    booking = desk.hold(during=Period.starting(start, 24 * HOUR))

    assert booking.during.lower == desk.now + 10 * MINUTE


def test_case_20_of_two_bookings_back_to_back_the_first_is_wiped_before_the_second_starts(desk, floor):
    one_unit(desk)
    first = desk.book(start=1, hours=2)
    second = desk.book(during=Period.starting(first.during.upper + 40 * MINUTE, 2 * HOUR), organisation=desk.cast.other, by=desk.cast.sid)

    floor.play_to(first, "done", within=400)
    wiped = floor.server("srv-a1").wiped_at
    floor.play_to(second, "ready", within=400)

    ready = second.assignments.get().ready_at
    assert desk.again(first).state == "ended"
    assert first.during.upper <= wiped <= ready
    assert desk.again(second).state == "active"
    assert audits.audit(now=floor.now) == []


def test_case_24_a_cancellation_right_after_the_order_leaves_no_server_busy(desk, floor):
    booking = desk.book(start=0.2)
    floor.play(minutes=3)
    assert desk.again(booking).state == "preparing"

    bookings.cancel(booking=booking, by=desk.cast.ada, now=floor.now)
    floor.rest()

    assert desk.again(booking).state == "cancelled"
    assert {server.state for server in Server.objects.filter(serial__startswith="srv-a")} == {"available"}
    later = bookings.hold(
        by=desk.cast.ada, organisation=desk.cast.lab, configuration=desk.racks.a100x8, quantity=2,
        during=Period.starting(floor.now + HOUR, 5 * HOUR), image=desk.racks.image, ssh_keys=booking.ssh_keys, now=floor.now,
    )  # fmt: skip
    assert later.state == "held"


def test_case_27_an_activation_that_runs_twice_on_a_stale_row_asks_the_engine_once(desk, floor, vendor):
    booking = desk.hold(start=0.2)
    stale = Booking.objects.get(pk=booking.pk)
    go_to_the_checkout(desk, booking)
    pay_by_card(desk, booking, vendor, now=desk.now)

    bookings.read_announcements(now=desk.now)
    bookings.confirm(agreement=stale.agreement, now=desk.now)
    bookings.expire_holds(now=stale.hold_expires_at)
    bookings.read_announcements(now=desk.now)
    floor.play_to(booking, "ready", within=60)

    assert floor.asked_for("prepare") == [booking.assignments.get().server.serial]
    assert Document.objects.count() == 1


def test_case_28_a_payment_after_the_hold_books_nothing_and_goes_back_with_one_clear_message(desk, vendor, django_capture_on_commit_callbacks):
    one_unit(desk)
    booking = desk.hold()
    go_to_the_checkout(desk, booking)
    sixteen, seventeen = desk.now + 16 * MINUTE, desk.now + 17 * MINUTE
    bookings.expire_holds(now=sixteen)
    other = bookings.hold(
        by=desk.cast.sid, organisation=desk.cast.other, configuration=desk.racks.a100x8, quantity=1, during=desk.during(), image=desk.racks.image,
        ssh_keys=booking.ssh_keys, now=sixteen,
    )  # fmt: skip

    with django_capture_on_commit_callbacks(execute=True):
        pay_by_card(desk, booking, vendor, now=seventeen)
    for _ in range(2):
        bookings.read_announcements(now=seventeen)

    assert (desk.again(booking).state, desk.again(other).state) == ("expired", "held")
    assert Refund.objects.get().amount_minor == Payment.objects.get().captured_minor > 0
    assert not Document.objects.exists()
    assert [row.kind for row in Notification.objects.filter(user=desk.cast.ada)] == ["booking_late_payment"]
