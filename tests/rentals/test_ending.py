from datetime import timedelta

import pytest

from billing.models import Agreement, Refund, UsageSegment
from portal.accounts.models import AuditEntry, Notification
from portal.kernel.transitions import IllegalMove
from rentals import signals
from rentals.models import Booking
from rentals.services import bookings
from tests.rentals.desk import HOUR

MINUTE = timedelta(minutes=1)


@pytest.fixture
def wound_down():
    """(number, at) of each time that Deployments were told that a Booking ends."""
    told = []
    signals.booking_winds_down.connect(lambda booking, at, **_: told.append((booking.number, at)), weak=False, dispatch_uid="test")
    yield told
    signals.booking_winds_down.disconnect(dispatch_uid="test")


def state(booking: Booking) -> str:
    return Booking.objects.get(pk=booking.pk).state


def agreement(booking: Booking) -> Agreement:
    return Agreement.objects.by_number(booking.agreement).get()


def served(booking: Booking) -> list[tuple[int, str, timedelta]]:
    rows = UsageSegment.objects.filter(line__agreement=agreement(booking)).order_by("line__position", "during")
    return [(row.line.position, row.kind, row.during.upper - row.during.lower) for row in rows]


def test_a_booking_is_active_once_every_server_is_ready(desk):
    booking = desk.book(quantity=2, start=1)
    one, other = desk.assignments(booking)

    bookings.observe_preparing(assignment=one, at=desk.now, now=desk.now)
    assert state(booking) == "preparing"
    bookings.observe_ready(assignment=one, at=desk.now + HOUR, now=desk.now + HOUR)
    assert state(booking) == "preparing"
    bookings.observe_preparing(assignment=other, at=desk.now, now=desk.now)
    bookings.observe_ready(assignment=other, at=desk.now + HOUR, now=desk.now + HOUR)
    bookings.observe_ready(assignment=other, at=desk.now + 2 * HOUR, now=desk.now + 2 * HOUR)

    assert state(booking) == "active"
    assert desk.assignments(booking)[1].ready_at == desk.now + HOUR
    assert Notification.objects.filter(kind="booking_ready", user=desk.cast.ada).count() == 1


def test_a_server_seen_ready_before_anyone_saw_it_being_prepared_counts(desk):
    booking = desk.book()

    bookings.observe_ready(assignment=desk.assignments(booking)[0], at=desk.now + HOUR, now=desk.now + HOUR)

    assert state(booking) == "active"


def test_an_end_by_time_settles_what_was_served(desk, wound_down):
    booking = desk.run(start=1, hours=24)
    end = booking.during.upper

    assert bookings.end_due(now=end - MINUTE) == 0
    assert bookings.end_due(now=end) == 1
    assert (state(booking), wound_down) == ("ending", [(booking.number, end)])
    desk.hand_back(booking, end + MINUTE)

    assert state(booking) == "ended"
    assert served(booking) == [(1, "served", 24 * HOUR)]
    assert (agreement(booking).state, Refund.objects.count()) == ("ended", 0)
    assert Notification.objects.filter(kind="booking_ended", user=desk.cast.ben).count() == 1


def test_deployments_that_end_by_themselves_need_no_sweep(desk):
    booking = desk.run(start=1, hours=24)

    desk.hand_back(booking, booking.during.upper)

    assert state(booking) == "ended"


def test_an_early_end_gives_money_and_capacity_back(desk, wound_down):
    booking = desk.run(start=1, hours=48, quantity=2)
    at = booking.during.lower + 5 * HOUR

    bookings.end_now(booking=booking, by=desk.cast.ada, now=at)
    bookings.end_now(booking=booking, by=desk.cast.ada, now=at + MINUTE)
    assert (state(booking), wound_down) == ("ending", [(booking.number, at)])
    desk.hand_back(booking, at + MINUTE)

    assert state(booking) == "ended"
    assert served(booking) == [(1, "served", 5 * HOUR + MINUTE)] * 2
    assert Refund.objects.get().amount_minor > 0
    assert AuditEntry.objects.filter(verb="booking.ending", actor=desk.cast.ada).count() == 1
    freed = desk.now + 7 * HOUR
    again = bookings.hold(
        by=desk.cast.sid, organisation=desk.cast.other, configuration=desk.racks.a100x8, quantity=2, during=desk.during(7.5, 5), image=desk.racks.image,
        ssh_keys=booking.ssh_keys, now=freed,
    )  # fmt: skip
    assert again.state == "held"


def test_the_wipe_after_an_early_end_is_still_guarded(desk):
    booking = desk.run(start=1, hours=48)
    at = booking.during.lower + 5 * HOUR

    bookings.end_now(booking=booking, by=desk.cast.ada, now=at)
    desk.hand_back(booking, at)

    assignment = booking.assignments.get()
    assert (assignment.live, assignment.handed_back_at, assignment.guarded.upper) == (True, at, at + 30 * MINUTE)


def test_a_booking_that_nothing_has_touched_is_cancelled_at_once_and_paid_back_in_full(desk, wound_down):
    booking = desk.book(quantity=2, start=48)

    bookings.cancel(booking=booking, by=desk.cast.ada, now=desk.now + HOUR)

    assert (state(booking), wound_down) == ("cancelled", [(booking.number, desk.now + HOUR)])
    assert not booking.assignments.filter(live=True).exists()
    assert Refund.objects.get().amount_minor == agreement(booking).gross_minor
    assert desk.hold(quantity=2, start=48).state == "held"


def test_a_deployment_that_reports_after_a_cancellation_changes_nothing(desk):
    booking = desk.book(start=48)
    assignment = booking.assignments.get()
    bookings.cancel(booking=booking, by=desk.cast.ada, now=desk.now)

    bookings.observe_handed_back(assignment=assignment, at=desk.now, now=desk.now)

    assert state(booking) == "cancelled"
    with pytest.raises(IllegalMove):
        bookings.observe_preparing(assignment=assignment, at=desk.now, now=desk.now)


def test_a_cancellation_during_preparation_ends_when_the_servers_are_back(desk):
    booking = desk.book(start=1)
    (assignment,) = desk.assignments(booking)
    bookings.observe_preparing(assignment=assignment, at=desk.now + 50 * MINUTE, now=desk.now + 50 * MINUTE)

    bookings.cancel(booking=booking, by=desk.cast.ada, now=desk.now + 52 * MINUTE)
    assert state(booking) == "ending"
    bookings.observe_handed_back(assignment=assignment, at=desk.now + 54 * MINUTE, now=desk.now + 54 * MINUTE)

    assert state(booking) == "cancelled"
    assert Refund.objects.get().amount_minor == agreement(booking).gross_minor
    row = booking.assignments.get()
    assert (row.during, row.guarded.upper) == (assignment.during, desk.now + 84 * MINUTE)
    assert desk.hold(start=2, quantity=2).state == "held"


def test_what_is_in_use_is_ended_not_cancelled(desk):
    booking = desk.run()

    with pytest.raises(IllegalMove):
        bookings.cancel(booking=booking, by=desk.cast.ada, now=desk.now + 2 * HOUR)


def test_a_hold_is_let_go_of_by_ending_it(desk):
    booking = desk.hold()

    bookings.end_now(booking=booking, by=desk.cast.ada, now=desk.now)

    assert state(booking) == "cancelled"


def test_what_is_over_cannot_be_ended(desk):
    booking = desk.run()
    desk.hand_back(booking, booking.during.upper)

    with pytest.raises(bookings.AlreadyOver):
        bookings.end_now(booking=booking, by=desk.cast.ada, now=booking.during.upper)


def test_a_start_that_fails_costs_nothing_and_ends_the_whole_bundle(desk, wound_down):
    booking = desk.book(configuration=desk.racks.mixed, start=1)
    a100, t4 = desk.assignments(booking)
    bookings.observe_preparing(assignment=a100, at=desk.now, now=desk.now)
    bookings.observe_ready(assignment=a100, at=desk.now + HOUR, now=desk.now + HOUR)

    bookings.observe_failed(assignment=t4, reason="clean failed", at=desk.now + 2 * HOUR, now=desk.now + 2 * HOUR)
    assert state(booking) == "ending"
    bookings.end_due(now=desk.now + 2 * HOUR)
    assert wound_down == [(booking.number, desk.now + 2 * HOUR)]
    bookings.observe_handed_back(assignment=a100, at=desk.now + 2 * HOUR, now=desk.now + 2 * HOUR)

    assert (state(booking), served(booking)) == ("failed", [])
    assert Refund.objects.get().amount_minor == agreement(booking).gross_minor
    assert Notification.objects.filter(kind="booking_failed", user=desk.cast.ada).exists()


def test_a_booking_that_no_engine_ever_began_fails_and_costs_nothing(desk):
    booking = desk.book(start=1, hours=2)

    desk.hand_back(booking, booking.during.upper)

    assert (state(booking), Refund.objects.get().amount_minor) == ("failed", agreement(booking).gross_minor)


def test_the_failure_of_one_server_keeps_the_others_running(desk):
    booking = desk.run(quantity=2)
    one, other = desk.assignments(booking)

    bookings.observe_failed(assignment=one, reason="gone", at=desk.now + 3 * HOUR, now=desk.now + 3 * HOUR)
    bookings.observe_failed(assignment=one, reason="gone", at=desk.now + 4 * HOUR, now=desk.now + 4 * HOUR)

    booking = desk.again(booking)
    assert (booking.state, booking.degraded) == ("active", True)
    assert served(booking) == [(1, "served", 2 * HOUR)]
    bookings.observe_handed_back(assignment=other, at=booking.during.upper, now=booking.during.upper)
    assert state(booking) == "ended"


def test_a_server_that_was_gone_for_a_while_is_not_billed_for_it(desk):
    booking = desk.run(start=1, hours=4)
    (assignment,) = desk.assignments(booking)

    for _ in range(2):
        bookings.observe_lost(assignment=assignment, at=desk.now + 2 * HOUR, now=desk.now + 2 * HOUR + MINUTE)
    assert desk.again(booking).degraded
    for _ in range(2):
        bookings.observe_restored(assignment=assignment, at=desk.now + 3 * HOUR, now=desk.now + 3 * HOUR)
    assert not desk.again(booking).degraded
    desk.hand_back(booking, booking.during.upper)

    assert served(booking) == [(1, "served", HOUR), (1, "interrupted", HOUR), (1, "served", 2 * HOUR)]
    assert Notification.objects.filter(kind="booking_degraded", user=desk.cast.ada).count() == 1


def test_a_server_is_replaced_from_its_class_and_the_rental_goes_on(desk):
    booking = desk.run(start=1, hours=10)
    (old,) = desk.assignments(booking)
    bookings.observe_lost(assignment=old, at=desk.now + 3 * HOUR, now=desk.now + 3 * HOUR)

    new = bookings.reassign(assignment=old, now=desk.now + 3 * HOUR + MINUTE)
    bookings.observe_ready(assignment=new, at=desk.now + 4 * HOUR, now=desk.now + 4 * HOUR)
    bookings.observe_handed_back(assignment=old, at=desk.now + 5 * HOUR, now=desk.now + 5 * HOUR)
    desk.hand_back(booking, booking.during.upper)

    old.refresh_from_db()
    assert (old.live, old.handed_back_at, new.server == old.server, new.rental) == (False, desk.now + 3 * HOUR + MINUTE, False, old.rental)
    assert served(booking) == [(1, "served", 2 * HOUR), (1, "interrupted", MINUTE), (1, "served", 7 * HOUR)]
    assert state(booking) == "ended"


def test_no_spare_is_no_replacement(desk):
    booking = desk.run(quantity=2)
    (old, _) = desk.assignments(booking)

    assert bookings.reassign(assignment=old, now=desk.now + 2 * HOUR) is None
    assert bookings.reassign(assignment=old, now=booking.during.upper) is None
    old.refresh_from_db()
    assert old.live


def test_a_server_that_never_came_is_replaced_before_the_start(desk):
    booking = desk.book(start=5, hours=10)
    (old,) = desk.assignments(booking)

    new = bookings.reassign(assignment=old, now=desk.now)

    assert (new.during, new.guarded, new.server == old.server) == (old.during, old.guarded, False)
    assert bookings.reassign(assignment=old, now=desk.now) is None


def test_storage_is_billed_from_the_first_ready_server_to_the_last_hand_back(desk):
    from billing.models import Price
    from rentals.models import StorageClass

    Price.objects.create(sku="nvme", currency="USD", unit="tb_hour", rate="0.05", valid_from=desk.now - HOUR, source="tests")
    storage = StorageClass.objects.create(sku="nvme", name="NVMe", name_zh="NVMe", capacity_tb=30)
    booking = desk.run(start=1, hours=24, storage_class=storage, storage_tb=10)
    at = booking.during.lower + 6 * HOUR

    bookings.end_now(booking=booking, by=desk.cast.ada, now=at)
    desk.hand_back(booking, at)

    assert served(booking) == [(1, "served", 6 * HOUR), (2, "served", 6 * HOUR)]


def test_reminders_come_once_and_not_to_who_has_just_booked(desk):
    early, fresh = desk.book(start=3, hours=5), desk.book(start=0.5, hours=2)
    for minutes in (30, 125, 130):
        bookings.remind(now=desk.now + minutes * MINUTE)

    subjects = list(Notification.objects.filter(kind="booking_starts_soon", user=desk.cast.ada).values_list("subject", flat=True))
    assert (subjects, fresh.number in subjects) == ([early.number], False)


def test_an_end_within_the_hour_is_told_once(desk):
    booking = desk.run(start=1, hours=5)

    for minutes in (60, 310, 320):
        bookings.remind(now=desk.now + minutes * MINUTE)

    assert list(Notification.objects.filter(kind="booking_ends_soon", user=desk.cast.ada).values_list("subject", flat=True)) == [booking.number]


def test_one_sweep_does_all_that_is_due(desk):
    hold, running = desk.hold(), desk.run(start=1, hours=5)

    bookings.sweep(now=desk.now + 6 * HOUR)

    assert (state(hold), state(running)) == ("expired", "ending")


def test_a_sweep_that_fails_in_one_thing_does_the_others(desk, monkeypatch, caplog):
    from rentals.services.bookings import holding

    running = desk.run(start=1, hours=5)
    monkeypatch.setattr(holding, "expire_holds", lambda *, now: 1 / 0)

    bookings.sweep(now=desk.now + 6 * HOUR)

    assert state(running) == "ending"
    assert "the next sweep tries again" in caplog.text
