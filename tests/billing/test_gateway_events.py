"""What the gateway tells: stored first, worked on after, once, in any order."""

from __future__ import annotations

import pytest

from billing.gateways import base
from billing.models import GatewayEvent
from billing.queries import payments as found
from billing.services import agreements, gateway, gateway_events
from portal.kernel.money import Money
from tests.billing.counter import Counter


def test_a_refused_signature_stores_nothing(counter: Counter):
    with pytest.raises(gateway_events.NotSigned):
        gateway_events.receive(body=b"{}", signature="t=1,v1=00", now=counter.now)

    assert not GatewayEvent.objects.exists()


def test_an_event_of_an_unknown_type_is_stored_and_done_with(counter: Counter):
    counter.vendor._tell("customer.updated", "customer", "cus_1", "")

    counter.deliver_all()

    row = GatewayEvent.objects.get()
    assert (row.type, row.error) == ("customer.updated", "nothing to do")
    assert row.processed_at is not None


def test_an_event_about_someone_elses_payment_is_done_with(counter: Counter):
    counter.vendor.intents["pi_other"] = base.IntentSeen("pi_other", "succeeded", Money.from_minor(5, "USD"), Money.from_minor(5, "USD"))
    counter.vendor._tell("payment_intent.succeeded", "payment_intent", "pi_other", "pi_other")
    counter.vendor._tell("payment_intent.succeeded", "payment_intent", "pi_gone", "pi_gone")

    counter.deliver_all()

    assert list(GatewayEvent.objects.order_by("pk").values_list("error", flat=True)) == ["not ours", "no such intent pi_gone"]


def test_an_event_that_cannot_be_worked_on_now_is_worked_on_later(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    counter.vendor.away = True
    counter.deliver_all()
    open_before = GatewayEvent.objects.filter(processed_at__isnull=True).count()
    counter.vendor.away = False

    counter.sweep(later=60)

    assert open_before == 2
    assert not GatewayEvent.objects.filter(processed_at__isnull=True).exists()
    assert found.progress(agreement=number).stage == "paid"


def test_a_fault_of_our_own_leaves_the_event_open_and_the_others_go_on(counter: Counter, monkeypatch):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")
    monkeypatch.setattr(agreements.invoices, "issue", lambda **_named: 1 / 0)
    counter.deliver_all()
    broken = found.progress(agreement=number).stage
    monkeypatch.undo()
    counter.take_the_till()

    counter.sweep(later=600)

    assert broken == "unpaid"
    assert found.progress(agreement=number).stage == "paid"


def test_an_endpoint_written_to_in_another_version_is_a_reason_not_to_start(counter: Counter):
    assert gateway.check_endpoint(url="http://portal/events/") == "events come in version 2026-10-28.endive"

    counter.vendor.endpoint_version = lambda *, url: "2019-01-01"
    with pytest.raises(gateway.EndpointVersionDiffers, match="2019-01-01"):
        gateway.check_endpoint(url="http://portal/events/")

    counter.vendor.endpoint_version = lambda *, url: None
    assert "no endpoint" in gateway.check_endpoint(url="http://portal/events/")

    del counter.vendor.endpoint_version
    counter.vendor.away = True
    assert "could not be asked" in gateway.check_endpoint(url="http://portal/events/")
