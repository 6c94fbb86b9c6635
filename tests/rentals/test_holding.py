from datetime import timedelta

import pytest

from billing.models import Agreement
from billing.services import agreements
from portal.accounts.models import AuditEntry, Notification, TermsAcceptance
from portal.kernel.errors import NotAllowed, NotFound
from rentals import signals
from rentals.domain.stock import Reason
from rentals.models import Announcement, Assignment, Booking, StorageClass
from rentals.services import bookings
from tests.rentals.desk import HOUR


@pytest.fixture
def storage(racks, now) -> StorageClass:
    from billing.models import Price

    Price.objects.create(sku="nvme", currency="USD", unit="tb_hour", rate="0.05", valid_from=now - timedelta(days=9), source="tests")
    return StorageClass.objects.create(sku="nvme", name="NVMe", name_zh="NVMe", capacity_tb=30, step_tb=5, maximum_tb=20)


def test_a_hold_takes_a_unit_with_its_guard_and_opens_the_agreement_pending(desk):
    booking = desk.hold()

    assignment = booking.assignments.get()
    assert (booking.state, booking.payment_pending, booking.hold_expires_at) == ("held", True, desk.now + timedelta(minutes=15))
    assert (assignment.guarded.lower, assignment.guarded.upper) == (desk.now + HOUR - timedelta(minutes=10), desk.now + 25 * HOUR + timedelta(minutes=30))
    agreement = Agreement.objects.by_number(booking.agreement).get()
    assert (agreement.state, agreement.reference, agreement.path) == ("pending", booking.number, f"/bookings/{booking.number}/")
    assert AuditEntry.objects.filter(verb="booking.held", subject=booking.number, actor=desk.cast.ada).exists()
    assert [event.kind for event in booking.events.all()] == ["held"]


def test_a_quantity_takes_as_many_units(desk):
    booking = desk.hold(quantity=2)

    assert booking.assignments.values("server").distinct().count() == 2


def test_a_mixed_bundle_takes_one_unit_of_each_part_and_knows_its_price_line(desk):
    booking = desk.hold(configuration=desk.racks.mixed)

    assert [(row.unit.server.serial[:5], row.line) for row in desk.assignments(booking)] == [("srv-a", 1), ("srv-t", 2)]


def test_what_is_taken_is_refused_with_what_can_be_had_instead(desk):
    desk.hold(quantity=1, hours=5)

    with pytest.raises(bookings.NotFree) as refusal:
        desk.hold(start=2, hours=5, quantity=2, organisation=desk.cast.other, by=desk.cast.sid)

    facts = refusal.value.facts
    assert (facts["reason"], facts["limiting"], facts["needed"], facts["free"]) == ("taken", "a100-sxm4-80-x8", 2, 1)
    assert facts["largest_quantity"] == 1
    assert facts["earliest_start"] == (desk.now + 6 * HOUR + timedelta(minutes=40)).isoformat()
    assert "2 needed, 1 free" in refusal.value.message


def test_a_refusal_leaves_nothing_behind(desk):
    with pytest.raises(bookings.NotFree):
        desk.hold(quantity=3)

    assert not Booking.objects.exists() and not Assignment.objects.exists() and not Agreement.objects.exists()


def test_a_repeat_with_the_same_key_returns_the_first_booking(desk):
    first = desk.hold(idempotency_key="k1")

    assert desk.hold(idempotency_key="k1", start=3) == first
    assert desk.hold(idempotency_key="k2", start=3) != first
    assert Booking.objects.count() == 2


def test_two_customers_may_use_the_same_key(desk):
    one = desk.hold(idempotency_key="k")
    other = desk.hold(idempotency_key="k", organisation=desk.cast.other, by=desk.cast.sid)

    assert one != other


@pytest.mark.parametrize(
    ("wish", "rule", "field"),
    [
        ({"start": -1}, "in_the_past", "start"),
        ({"hours": 0.5}, "too_short", "length"),
        ({"hours": 24 * 91}, "too_long", "length"),
        ({"start": 24 * 200}, "too_far_ahead", "start"),
        ({"quantity": 0}, "none_wanted", "quantity"),
        ({"quantity": -1}, "none_wanted", "quantity"),
        ({"storage_tb": 5}, "storage_too_large", "storage_tb"),
    ],
)
def test_a_wish_outside_the_rules_is_refused_with_the_field(desk, wish, rule, field):
    with pytest.raises(bookings.OutsideTheRules) as refusal:
        desk.hold(**wish)

    assert (refusal.value.facts["rule"], refusal.value.field, refusal.value.status) == (rule, field, 400)
    assert not Booking.objects.exists()


def test_a_start_without_room_for_the_preparation_is_refused_with_the_first_that_has(desk):
    with pytest.raises(bookings.NotFree) as refusal:
        desk.hold(start=0.05)

    assert refusal.value.facts["reason"] == Reason.LIMIT
    assert refusal.value.facts["earliest_start"] == (desk.now + timedelta(minutes=10)).isoformat()


def test_a_customer_has_no_more_at_one_time_than_he_may(desk):
    desk.cast.lab.quantity_cap = 1
    desk.hold(start=1, hours=5)

    with pytest.raises(bookings.LimitReached):
        desk.hold(start=3, hours=5)

    assert desk.hold(start=7, hours=5).state == "held"
    assert Booking.objects.count() == 2


def test_a_customer_spends_no_more_than_he_may(desk):
    desk.cast.lab.spend_cap_minor = 100

    with pytest.raises(agreements.SpendCapReached):
        desk.hold()

    assert not Booking.objects.exists()


def test_an_incomplete_address_is_asked_for_before_anything_is_held(desk):
    desk.cast.lab.city = ""

    with pytest.raises(bookings.CheckoutIncomplete) as refusal:
        desk.hold()

    assert refusal.value.facts["missing"] == ["city"]


def test_an_unconfirmed_mail_address_is_asked_for(desk):
    from allauth.account.models import EmailAddress

    EmailAddress.objects.filter(user=desk.cast.ada).update(verified=False)

    with pytest.raises(bookings.CheckoutIncomplete) as refusal:
        desk.hold()

    assert refusal.value.facts["missing"] == ["verified_mail"]


def test_the_terms_must_be_accepted(desk):
    TermsAcceptance.objects.filter(organisation=desk.cast.lab).delete()

    with pytest.raises(bookings.TermsNotAccepted):
        desk.hold()


def test_a_key_is_needed_to_get_in(desk):
    with pytest.raises(bookings.OutsideTheRules) as refusal:
        desk.hold(ssh_keys=[])

    assert refusal.value.field == "ssh_keys"


def test_who_only_reads_may_not_book_and_a_stranger_sees_nothing(desk):
    with pytest.raises(NotAllowed):
        desk.hold(by=desk.cast.chen)
    with pytest.raises(NotFound):
        desk.hold(by=desk.cast.sid)


def test_storage_is_counted_like_servers(desk, storage):
    first = desk.hold(storage_class=storage, storage_tb=20)

    with pytest.raises(bookings.NotFree) as refusal:
        desk.hold(start=2, storage_class=storage, storage_tb=15)

    assert (refusal.value.field, refusal.value.facts["free"]) == ("storage_tb", 10)
    assert desk.hold(start=2, storage_class=storage, storage_tb=10).storage_tb == 10
    assert Agreement.objects.by_number(first.agreement).get().lines.get(position=2).quantity == 20


def test_storage_comes_in_steps(desk, storage):
    with pytest.raises(bookings.OutsideTheRules) as refusal:
        desk.hold(storage_class=storage, storage_tb=7)

    assert "5" in refusal.value.message


def test_a_payment_confirms_the_booking_and_asks_for_its_deployments_once(desk):
    asked = []
    signals.booking_confirmed.connect(lambda booking, **_: asked.append(booking.number), weak=False, dispatch_uid="test")
    booking = desk.hold()
    desk.pay(booking)

    for _ in range(3):
        bookings.read_announcements(now=desk.now)
        bookings.confirm(agreement=booking.agreement, now=desk.now)

    signals.booking_confirmed.disconnect(dispatch_uid="test")
    booking.refresh_from_db()
    assert (booking.state, booking.payment_pending, asked) == ("confirmed", False, [booking.number])
    assert set(Notification.objects.filter(kind="booking_confirmed").values_list("user__name", flat=True)) == {"Ada", "Ben"}
    assert [row.facts["state"] for row in Announcement.objects.filter(subject=booking.number)] == ["confirmed"]


def test_the_documents_of_a_booking_are_on_its_timeline(desk):
    booking = desk.hold()
    invoice = desk.pay(booking)

    bookings.read_announcements(now=desk.now)

    assert booking.events.get(kind="document_issued").facts == {"document": invoice}


def test_letting_go_of_a_hold_frees_its_units_and_lets_the_agreement_lapse(desk):
    booking = desk.hold(quantity=2)

    bookings.release(booking=booking, by=desk.cast.ben, now=desk.now)

    assert desk.again(booking).state == "cancelled"
    assert Agreement.objects.by_number(booking.agreement).get().state == "lapsed"
    assert AuditEntry.objects.filter(verb="booking.cancelled", actor=desk.cast.ben).exists()
    assert desk.hold(quantity=2).state == "held"


def test_a_paid_hold_cannot_be_let_go_of(desk):
    booking = desk.hold()
    desk.pay(booking)

    with pytest.raises(bookings.AlreadyPaid):
        bookings.release(booking=booking, by=desk.cast.ada, now=desk.now)

    assert desk.again(booking).state == "held"


def test_a_hold_that_is_over_is_not_let_go_of_twice(desk):
    booking = desk.hold()
    bookings.release(booking=booking, by=desk.cast.ada, now=desk.now)

    with pytest.raises(bookings.HoldIsOver):
        bookings.release(booking=booking, by=desk.cast.ada, now=desk.now)


def test_a_hold_that_expires_frees_its_gpus(desk):
    booking = desk.hold(quantity=2)

    early = bookings.expire_holds(now=booking.hold_expires_at - timedelta(seconds=1))
    late = bookings.expire_holds(now=booking.hold_expires_at)

    assert (early, late, desk.again(booking).state) == (0, 1, "expired")
    assert desk.hold(quantity=2).state == "held"


def test_a_hold_whose_payment_was_faster_is_confirmed_instead_of_expired(desk):
    booking = desk.hold()
    desk.pay(booking)

    expired = bookings.expire_holds(now=booking.hold_expires_at)

    assert (expired, desk.again(booking).state) == (0, "confirmed")


def test_a_hold_that_ended_is_never_confirmed(desk):
    booking = desk.hold()
    bookings.expire_holds(now=booking.hold_expires_at)

    with pytest.raises(bookings.HoldIsOver):
        bookings.confirm(agreement=booking.agreement, now=desk.now)


def test_a_payment_after_the_hold_is_told_once(desk):
    booking = desk.hold()
    bookings.expire_holds(now=booking.hold_expires_at)

    for _ in range(2):
        bookings.tell_refunded(reference=booking.number, amount="431.83 USD", source="7", now=desk.now)

    assert Notification.objects.filter(kind="booking_late_payment", user=desk.cast.ada).count() == 1
    assert booking.events.filter(kind="late_payment_refunded").count() == 1


def test_a_second_payment_is_told_as_what_it_is(desk):
    booking = desk.book()

    bookings.tell_refunded(reference=booking.number, amount="431.83 USD", source="7", now=desk.now)
    bookings.tell_refunded(reference="Q-1001", amount="431.83 USD", source="8", now=desk.now)

    told = Notification.objects.filter(user=desk.cast.ada, kind__startswith="booking").values_list("kind", flat=True)
    assert sorted(told) == ["booking_confirmed", "booking_double_payment"]


def test_only_a_long_hold_is_worth_a_mail_before_it_ends(desk):
    desk.hold()
    long = desk.hold(hold_for=timedelta(days=3))

    for hours in (1, 49, 50):
        bookings.warn_of_expiry(now=desk.now + hours * HOUR)

    assert list(Notification.objects.filter(kind="booking_hold_expiring", user=desk.cast.ada).values_list("subject", flat=True)) == [long.number]
