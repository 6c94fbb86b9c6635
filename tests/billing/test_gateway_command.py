"""manage.py gateway, and the worker that does not start for another version of the gateway's interface."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from billing import tasks
from billing.models import GatewayEvent
from billing.queries import payments as found
from tests.billing.counter import Counter


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("gateway", *arguments, stdout=out)
    return out.getvalue().strip()


def test_check_says_in_which_version_events_come(counter: Counter):
    assert run("check") == "events come in version 2026-10-28.endive"


def test_check_fails_and_a_worker_does_not_start_when_the_versions_differ(counter: Counter):
    counter.vendor.endpoint_version = lambda *, url: "2019-01-01"

    with pytest.raises(CommandError, match="2019-01-01"):
        run("check")
    with pytest.raises(SystemExit, match="2019-01-01"):
        tasks.refuse_to_start_for_another_version()


def test_a_worker_starts_while_the_gateway_is_away(counter: Counter):
    counter.vendor.away = True

    tasks.refuse_to_start_for_another_version()


def test_fetch_stores_what_never_arrived(counter: Counter):
    number = counter.order()
    counter.start(number)
    counter.vendor.card("cs_1")

    assert run("fetch", "--since", "2026-12-01T00:00") == "2 new events"
    assert run("fetch", "--since", "2026-12-01T00:00") == "0 new events"


def test_an_event_can_be_worked_on_again(counter: Counter):
    number = counter.buy()
    event = GatewayEvent.objects.order_by("pk").first()

    assert run("again", event.pk) == "done"
    assert found.progress(agreement=number).stage == "paid"
    with pytest.raises(CommandError):
        run("again", "evt_unknown")
