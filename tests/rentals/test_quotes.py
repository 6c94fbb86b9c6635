"""Quotes: drafted, sent at frozen prices, accepted into Bookings at those prices whatever the catalog says by then."""

from datetime import timedelta
from decimal import Decimal

import pytest

from billing.models import Agreement, Price
from portal.accounts.models import AuditEntry, Notification
from portal.accounts.services import staff
from portal.kernel.errors import InvalidInput, NotAllowed, NotFound
from portal.kernel.period import Period
from portal.kernel.transitions import IllegalMove
from rentals.models import Booking, Quote
from rentals.queries import quotes as read
from rentals.services import bookings, offers, quotes
from tests import world
from tests.rentals.desk import KEY


@pytest.fixture
def drafted(cast, racks, now) -> Quote:
    """Mei's draft for Lovelace Labs, valid for a week: one A100 server for 100 hours from tomorrow, 10 % off."""
    quote = quotes.draft(by=cast.mei, organisation=cast.lab, title="Training week", valid_until=now + timedelta(days=7), now=now)
    add(quote, cast, racks, now, discount_percent=Decimal(10))
    return quote


@pytest.fixture
def sent(drafted, cast, now) -> Quote:
    quotes.send(quote=drafted, by=cast.mei, now=now)
    return again(drafted)


def add(quote, cast, racks, now, **wish):
    facts = {
        "configuration": racks.a100x8, "quantity": 1, "during": Period.starting(now + timedelta(days=1), timedelta(hours=100)), "image": racks.image,
    }  # fmt: skip
    return quotes.add_line(quote=quote, by=cast.mei, now=now, **{**facts, **wish})


def accept(quote, cast, now):
    return offers.accept(quote=quote, by=cast.ada, name="Ada", role="CTO", ssh_keys=[KEY], address="192.0.2.4", now=now)


def again(quote) -> Quote:
    return Quote.objects.select_related("organisation", "manager", "supersedes").get(pk=quote.pk)


def test_a_draft_is_priced_with_the_discount_and_the_customers_tax(drafted, now):
    offer = read.offer(drafted, now=now)

    # 100 h × 15.12 USD × 0.90 = 1,360.80 net; 19 % German VAT on it is 258.552, rounded to 258.55
    assert (str(offer.net), str(offer.tax), str(offer.gross)) == ("1360.80 USD", "258.55 USD", "1619.35 USD")


def test_sending_freezes_the_price_and_tells_the_customer(sent, now):
    Price.objects.update(rate=Decimal("99"))

    assert str(read.offer(sent, now=now).gross) == "1619.35 USD"
    assert {told.user.name for told in Notification.objects.filter(kind="quote_sent")} == {"Ada", "Ben"}


def test_accepting_books_every_line_at_the_quoted_price(sent, cast, now):
    Price.objects.update(rate=Decimal("99"))

    (booking,) = accept(sent, cast, now + timedelta(days=1) - timedelta(hours=2))

    agreement = Agreement.objects.by_number(booking.agreement).get()
    assert (booking.state, agreement.gross_minor) == ("held", 161935)
    assert again(sent).state == "accepted"
    assert AuditEntry.objects.filter(verb="quote.accepted", actor=cast.ada).exists()
    assert Notification.objects.filter(kind="quote_accepted", user=cast.mei).count() == 1


def test_accepting_twice_gives_one_set_of_bookings(sent, cast, now):
    first = accept(sent, cast, now)
    second = accept(again(sent), cast, now)

    assert [booking.pk for booking in first] == [booking.pk for booking in second]
    assert Booking.objects.count() == 1


def test_the_time_to_pay_ends_at_the_start_at_the_latest(sent, cast, now):
    (booking,) = accept(sent, cast, now + timedelta(hours=20))

    assert booking.hold_expires_at == now + timedelta(days=1)


def test_all_lines_or_none(drafted, cast, racks, now):
    add(drafted, cast, racks, now, quantity=2)
    quotes.send(quote=drafted, by=cast.mei, now=now)

    with pytest.raises(bookings.NotFree):
        accept(again(drafted), cast, now)

    assert not Booking.objects.exists()
    assert again(drafted).state == "sent"


def test_an_offer_accepted_on_its_last_day_counts_and_on_the_next_is_refused(sent, cast, now):
    """Case 29."""
    with pytest.raises(offers.QuoteExpired):
        accept(sent, cast, sent.valid_until)

    assert again(sent).state == "sent"


def test_the_sweep_expires_what_is_over_and_tells_the_manager_once(sent, cast, now):
    assert quotes.expire_due(now=sent.valid_until) == 1
    assert quotes.expire_due(now=sent.valid_until) == 0

    assert again(sent).state == "expired"
    assert Notification.objects.filter(kind="quote_expired", user=cast.mei).count() == 1


def test_a_new_version_supersedes_the_old_once_it_is_sent(sent, cast, now):
    new = quotes.revise(quote=sent, by=cast.mei, now=now)
    assert (again(sent).state, new.version, new.lines.count()) == ("sent", 2, 1)

    quotes.send(quote=again(new), by=cast.mei, now=now)

    assert again(sent).state == "superseded"
    with pytest.raises(offers.OfferClosed):
        accept(sent, cast, now)
    assert read.letter(again(sent), cast.ada, now=now).successor_path == read.path_of(new)


def test_a_decided_offer_is_not_revised(sent, cast, now):
    accept(sent, cast, now)

    with pytest.raises(quotes.Conflict):
        quotes.revise(quote=again(sent), by=cast.mei, now=now)


def test_declining_needs_no_log_in_and_keeps_the_reason(sent, cast, now):
    offers.decline(quote=sent, name="Ada", reason="Too late for us", address="192.0.2.4", now=now)

    assert (again(sent).state, again(sent).decline_reason) == ("declined", "Too late for us")
    with pytest.raises(offers.OfferClosed):
        accept(sent, cast, now)


def test_a_withdrawn_offer_is_closed_and_stays_so(sent, cast, now):
    quotes.withdraw(quote=sent, by=cast.mei, now=now)

    with pytest.raises(offers.OfferClosed):
        accept(sent, cast, now)
    with pytest.raises(IllegalMove):
        quotes.withdraw(quote=sent, by=cast.mei, now=now)


def test_only_who_may_book_for_the_customer_accepts(sent, cast, now):
    for person, refusal in ((cast.chen, NotAllowed), (cast.sid, NotFound)):
        with pytest.raises(refusal):
            offers.accept(quote=sent, by=person, name="x", role="y", ssh_keys=[], address=None, now=now)


def test_a_discount_above_the_band_is_refused(drafted, cast, racks, now):
    with pytest.raises(quotes.DiscountTooHigh):
        add(drafted, cast, racks, now, discount_percent=Decimal("15.01"))


def test_what_was_sent_does_not_change(sent, cast, racks, now):
    with pytest.raises(quotes.NotADraft):
        add(sent, cast, racks, now)
    with pytest.raises(quotes.NotADraft):
        quotes.edit(quote=sent, by=cast.mei, title="Other", valid_until=now + timedelta(days=9), now=now)
    with pytest.raises(quotes.NotADraft):
        quotes.remove_line(quote=sent, line_id=sent.lines.get().pk, by=cast.mei)


def test_an_empty_or_outdated_draft_is_not_sent(cast, drafted, racks, now):
    empty = quotes.draft(by=cast.mei, organisation=cast.lab, title="Empty", valid_until=now + timedelta(days=7), now=now)
    with pytest.raises(quotes.NothingOffered):
        quotes.send(quote=again(empty), by=cast.mei, now=now)

    with pytest.raises(InvalidInput):
        quotes.send(quote=drafted, by=cast.mei, now=now + timedelta(days=2))
    with pytest.raises(InvalidInput):
        quotes.draft(by=cast.mei, organisation=cast.lab, title="Past", valid_until=now, now=now)
    with pytest.raises(InvalidInput):
        add(drafted, cast, racks, now, during=Period.starting(now, timedelta(hours=5)))


def test_a_line_can_be_taken_out_of_a_draft(drafted, cast):
    quotes.remove_line(quote=drafted, line_id=drafted.lines.get().pk, by=cast.mei)

    assert not drafted.lines.exists()
    with pytest.raises(NotFound):
        quotes.remove_line(quote=drafted, line_id=1, by=cast.mei)


def test_the_link_of_a_draft_or_a_forged_one_leads_nowhere(drafted):
    for secret in (read.secret_of(drafted), f"{drafted.number}:forged", "nonsense"):
        with pytest.raises(NotFound):
            read.quote_behind(secret)


def test_a_manager_sees_his_own_quotes_and_an_administrator_all(sent, cast, now):
    other = world.person("Max")
    staff.grant(user=other, role="account_manager", by=None, now=now)
    boss = world.person("Bo", is_superuser=True)

    assert [quote.number for quote in read.quotes_of(cast.mei, read.Filter()).items] == [sent.number]
    assert read.quotes_of(other, read.Filter()).count == 0
    assert read.quote_for(boss, sent.number) == sent
    with pytest.raises(NotAllowed):
        read.quote_for(other, sent.number)
    with pytest.raises(NotFound):
        read.quote_for(cast.ada, sent.number)


def test_the_list_filters_by_state_and_text_and_turns_pages(cast, racks, now):
    for index in range(read.PAGE + 2):
        quotes.draft(by=cast.mei, organisation=cast.lab, title=f"Offer {index}", valid_until=now + timedelta(days=7), now=now)

    first = read.quotes_of(cast.mei, read.Filter())
    second = read.quotes_of(cast.mei, read.Filter(), after=first.next)

    assert (len(first.items), len(second.items), second.next, first.count) == (read.PAGE, 2, "", read.PAGE + 2)
    assert read.quotes_of(cast.mei, read.Filter(state="sent")).count == 0
    assert [quote.title for quote in read.quotes_of(cast.mei, read.Filter(text="offer 3")).items] == ["Offer 3"]
    assert read.quotes_of(cast.mei, read.Filter(text=first.items[0].number.lower())).count == 1
