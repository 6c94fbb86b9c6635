"""The account manager's desk and the customer's letter."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from portal.accounts.models import SshKey
from rentals.models import Booking, Quote
from rentals.queries import quotes as read
from tests.rentals import offering

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGh6a6cAXDXcYNs5C2YkJTlYzK0E6T9kUqzJ3b6bB4aN ada@laptop"


@pytest.fixture
def now():
    """Pages look at the real clock."""
    return timezone.now()


@pytest.fixture
def sent(cast, racks, now) -> Quote:
    return offering.sent(cast, racks, now)


def test_a_manager_writes_sends_and_lists_a_quote(client, cast, racks, now):
    client.force_login(cast.mei)
    local = (now + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    new = client.post(reverse("rentals:quote-new"), {"organisation": cast.lab.number, "title": "Pilot", "valid_until": local})
    quote = Quote.objects.get()
    assert new["Location"] == reverse("rentals:quote", args=[quote.number])

    line = {"configuration": racks.a100x8.sku, "quantity": 1, "start": local, "hours": 48, "image": racks.image.slug, "discount_percent": "5"}
    client.post(reverse("rentals:quote-line-add", args=[quote.number]), line)
    client.post(reverse("rentals:quote-send", args=[quote.number]))

    page = client.get(reverse("rentals:quote", args=[quote.number]))
    assert read.path_of(quote) in page.content.decode()
    assert "Pilot" in client.get(reverse("rentals:quotes")).content.decode()


def test_what_was_typed_stays_and_the_field_says_what_is_wrong(client, cast, racks, now):
    quote = offering.drafted(cast, racks, now)
    client.force_login(cast.mei)
    local = (now + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    line = {"configuration": racks.a100x8.sku, "quantity": 1, "start": local, "hours": 48, "image": racks.image.slug, "discount_percent": "50"}

    answer = client.post(reverse("rentals:quote-line-add", args=[quote.number]), line)

    assert answer.status_code == 422
    assert answer.context["line"].errors["discount_percent"] == ["A discount lies between 0 and 15 percent."]
    assert 'value="50"' in answer.content.decode()
    assert quote.lines.count() == 1


def test_anyone_with_the_link_reads_the_letter_and_its_pdf(client, sent):
    letter = client.get(read.path_of(sent))
    paper = client.get(reverse("rentals:offer-pdf", args=[read.secret_of(sent)]))

    assert "1,512.00" in letter.content.decode()  # 100 h × 15.12
    assert "Log in to accept" in letter.content.decode()
    assert paper["Content-Type"] == "application/pdf" and paper.content.startswith(b"%PDF")
    assert Quote.objects.get().viewed_at is not None


def test_the_internal_note_is_not_in_the_letter(client, cast, sent):
    Quote.objects.update(internal_note="They pay late")

    assert "They pay late" not in client.get(read.path_of(sent)).content.decode()


def test_a_customer_accepts_with_his_key_and_finds_the_booking_to_pay(client, cast, sent, now):
    key = SshKey.objects.create(user=cast.ada, name="laptop", public_key=ED25519, fingerprint="SHA256:abc", created_at=now)
    client.force_login(cast.ada)

    answer = client.post(reverse("rentals:offer-accept", args=[read.secret_of(sent)]), {"name": "Ada", "role": "CTO", "ssh_keys": [key.pk], "terms": "on"})

    booking = Booking.objects.get()
    assert answer.status_code == 302
    assert (booking.state, [each["name"] for each in booking.ssh_keys]) == ("held", ["laptop"])
    assert booking.number in client.get(read.path_of(sent)).content.decode()


def test_without_the_tick_nothing_is_booked(client, cast, sent):
    client.force_login(cast.ada)

    answer = client.post(reverse("rentals:offer-accept", args=[read.secret_of(sent)]), {"name": "Ada", "role": "CTO"})

    assert answer.status_code == 422
    assert not Booking.objects.exists()


def test_declining_asks_for_a_name_only(client, sent):
    client.post(reverse("rentals:offer-decline", args=[read.secret_of(sent)]), {"name": "Ada", "reason": "Too dear"})

    assert Quote.objects.get().state == "declined"
    assert "was declined" in client.get(read.path_of(sent)).content.decode()


def test_no_page_asks_the_database_more_often_than_it_must(client, cast, sent, django_assert_max_num_queries):
    client.force_login(cast.mei)
    for address, most in ((reverse("rentals:quotes"), 12), (reverse("rentals:quote", args=[sent.number]), 22), (read.path_of(sent), 18)):
        with django_assert_max_num_queries(most):
            assert client.get(address).status_code == 200
