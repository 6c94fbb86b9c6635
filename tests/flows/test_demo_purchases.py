"""What the demo's customer buys goes the way of every purchase: hold, hosted checkout, settled payment, invoice."""

import pytest
from django.utils import timezone

from billing.models import Document, Payment
from portal.web.demo import loading
from rentals.models import Booking
from rentals.services import bookings
from tests.contracts.stand_in import KEY, StandIn


@pytest.fixture
def stand_in(tmp_path):
    stand_in = StandIn(tmp_path / "stripe").start()
    yield stand_in
    stand_in.stop()


@pytest.fixture
def shop(transactional_db, settings, tmp_path, stand_in):
    settings.DEMO, settings.VAR = True, tmp_path
    settings.STRIPE_API_BASE, settings.STRIPE_SECRET_KEY = stand_in.url, KEY
    return settings


def test_three_bookings_are_paid_and_invoiced_once(shop):
    loading.fill(now=timezone.now())
    loading.fill(now=timezone.now())
    bookings.read_announcements(now=timezone.now())

    assert set(Booking.objects.values_list("state", flat=True)) == {"confirmed"}
    assert list(Payment.objects.values_list("state", flat=True)) == ["succeeded"] * 3
    assert Document.objects.filter(kind="invoice").count() == 3


def test_nothing_is_bought_where_payments_go_elsewhere(shop, caplog):
    shop.STRIPE_API_BASE = "https://payments.example"

    loading.fill(now=timezone.now())

    assert not Booking.objects.exists()
    assert "no demo bookings" in caplog.text
