"""The live page as it is served: right without a script."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import msgspec
import pytest
from django.urls import reverse
from django.utils import timezone

from monitoring.domain import wire
from monitoring.domain.samples import Event, Sample, State
from monitoring.models import MinuteRollup
from monitoring.queries import streams as stream_queries
from monitoring.services import events
from rentals.models import Accelerator, Server
from tests.monitoring import batches, rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    """These pages show what is happening now; the world is built around the real clock."""
    return timezone.now()


@pytest.fixture
def booking(cast, racks, now, streams):
    return rows.running(cast, racks, now)


@pytest.fixture
def say(streams):
    """say(server, samples, age=seconds ago): one message in the stream."""

    def append(server: str, *samples: Sample, age: float = 0.5) -> None:
        at = timezone.now().timestamp() - age
        message = msgspec.json.encode(wire.pack(batches.batch(server, *samples, at=at), at))
        streams.lpush(stream_queries.stream_key(server), message)

    return append


def gpus(serial: str = "srv-a1") -> list[str]:
    return list(Accelerator.objects.filter(server__serial=serial).order_by("position").values_list("uuid", flat=True))


def live(client, user, booking, **query):
    client.force_login(user)
    return client.get(reverse("monitoring:live", args=[booking.number]), query)


def text(response) -> str:
    """The page's words without its tags and the number of its booking (which would now and then read like a figure), one blank between them."""
    body = re.sub(r"<script.*?</script>|<template.*?</template>|\bB-\d+", "", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body).replace("\u2009", " ").replace("&#x27;", "'"))


def drawing(response) -> dict:
    return json.loads(re.search(r'id="live-drawing" type="application/json">(.*?)</script>', response.content.decode(), re.DOTALL)[1])


def test_the_newest_readings_are_on_the_page_without_a_script(client, cast, booking, say):
    say("srv-a1", *(batches.board(gpu, utilisation=90 + place) for place, gpu in enumerate(gpus())))

    response = live(client, cast.ben, booking)

    words = text(response)
    assert response.status_code == 200
    assert "What are the GPUs doing?" in words and booking.number in response.content.decode()
    assert "8 of 8 reporting" in words and "simulated" in words
    assert "97 %" in words and "68.4 / 80 GiB" in words and "310 W" in words and "55 °C" in words
    assert words.count("working") == 8


def test_a_stranger_gets_404(client, cast, booking):
    assert live(client, cast.sid, booking).status_code == 404
    assert client.get(reverse("monitoring:live-history", args=[booking.number])).status_code == 404
    assert client.get(reverse("monitoring:live-strip", args=[booking.number])).status_code == 404


def test_the_wrong_role_gets_403(client, cast, booking):
    for user in (cast.bea, cast.fin):
        assert live(client, user, booking).status_code == 403


def test_a_visitor_is_sent_to_the_log_in(client, booking):
    response = client.get(reverse("monitoring:live", args=[booking.number]))

    assert response.status_code == 302 and "/account/login/" in response["Location"]


def test_a_missing_reading_is_na_and_never_0_and_a_lost_gpu_is_not_counted(client, cast, booking, say):
    first, *_, last = gpus()
    say("srv-a1", batches.board(first, utilisation=0.0, power=None), *(batches.board(gpu) for gpu in gpus()[1:7]), Sample(last, State.LOST))

    words = text(live(client, cast.ada, booking))

    assert "7 of 8 reporting" in words
    assert re.search(r"GPU 0 working A100-SXM4-80 0 % 68.4 / 80 GiB n/a W 55 °C", words)
    assert re.search(r"GPU 7 lost A100-SXM4-80 n/a % n/a / 80 GiB n/a W n/a °C n/a MHz", words)  # the units are hidden


def test_h2_under_mig_the_board_has_no_utilisation_and_each_instance_its_own(client, cast, booking, say):
    say("srv-a1", batches.mig(gpus()[0]))

    response = live(client, cast.ada, booking)

    card = re.search(r'<article class="gpu-card" data-gpu="GPU.*?</article>', response.content.decode(), re.DOTALL)[0]
    assert "gpu-use" not in card
    assert re.findall(r'data-value>(\d+)</span><span class="unit">\u2009%', card) == ["42", "0"]
    assert "3g.40gb" in card and "100" in re.findall(r"data-value>(\d+)<", card)
    names = [line["name"] for line in drawing(response)["lines"]]
    assert f"{gpus()[0]}/0" in names and f"{gpus()[0]}/4" in names


def test_without_any_reading_the_page_says_so(client, cast, booking):
    words = text(live(client, cast.ada, booking))

    assert "no reading yet" in words and "0 of 8 reporting" in words and words.count("not reporting") == 8
    assert "simulated" not in words


def test_old_readings_are_marked_and_very_old_ones_are_not_shown(client, cast, booking, say):
    say("srv-a1", batches.board(gpus()[0], power=123.0), age=4)
    words = text(live(client, cast.ada, booking))
    assert "last reading 4 s ago" in words and "123 W" in words

    say("srv-a1", batches.board(gpus()[0], power=123.0), age=30)
    words = text(live(client, cast.ada, booking))
    assert "last reading 30 s ago" in words and "123 W" not in words


def test_five_minutes_are_there_when_the_page_opens(client, cast, booking, say):
    for age in range(299, 0, -1):
        say("srv-a1", batches.board(gpus()[0], utilisation=age % 100), age=age)

    told = drawing(live(client, cast.ada, booking))

    chart = told["servers"]["srv-a1"]
    assert len(chart["t"]) == 299 and chart["t"] == sorted(chart["t"])
    assert chart["v"][gpus()[0]][0][-1] == 1 and chart["v"][gpus()[1]][0][-1] is None
    assert told["live"] is True and told["tops"] == [100, 80, 400, 100]


def test_readings_from_before_the_hand_over_are_not_shown(client, cast, booking, say, now):
    booking.assignments.update(ready_at=now - timedelta(seconds=100))
    for age in (200, 150, 50):
        say("srv-a1", batches.board(gpus()[0]), age=age)

    assert len(drawing(live(client, cast.ada, booking))["servers"]["srv-a1"]["t"]) == 1


def test_the_history_is_what_the_page_drew(client, cast, booking, say):
    say("srv-a1", batches.board(gpus()[0]))
    page = drawing(live(client, cast.ada, booking))

    response = client.get(reverse("monitoring:live-history", args=[booking.number]))

    again = response.json()
    assert response["Cache-Control"] == "no-store"
    assert {**again, "now": 0, "ages": 0} == {**page, "now": 0, "ages": 0}


def test_longer_spans_come_from_the_minutes_and_only_from_ones_own_time(client, cast, booking, now):
    for minutes_ago, utilisation in ((90, 5.0), (50, 40.0), (49, 60.0)):  # the booking began an hour ago
        at = (now - timedelta(minutes=minutes_ago)).replace(second=0, microsecond=0)
        MinuteRollup.objects.create(server="srv-a1", gpu=gpus()[0], minute=at, samples=60, utilisation_min=1, utilisation_avg=utilisation, utilisation_max=99)

    hour = live(client, cast.ada, booking, span="1h")
    day = drawing(live(client, cast.ada, booking, span="24h"))

    column = drawing(hour)["servers"]["srv-a1"]["v"][gpus()[0]][0]
    assert column == [40, 60] and drawing(hour)["step"] == 60 and drawing(hour)["live"] is False
    assert "1 · 50 · 99" in text(hour)
    assert day["step"] == 300 and 5 not in day["servers"]["srv-a1"]["v"][gpus()[0]][0]


def test_an_unknown_span_or_server_is_the_usual_page(client, cast, booking):
    assert drawing(live(client, cast.ada, booking, span="1y", server="srv-x"))["seconds"] == 300


def test_faults_are_listed_with_what_they_call_for_and_only_ones_own(client, cast, booking, now):
    at = now.timestamp()
    events.record(server="srv-a1", events=[Event(gpus()[3], "xid-79", at - 60, "fallen off the bus")], now=now)
    events.record(server="srv-a1", events=[Event(gpus()[3], "xid-13", at - 7200, "before the booking")], now=now)
    events.record(server="srv-a2", events=[Event("GPU-x", "xid-31", at - 60)], now=now)

    response = live(client, cast.ada, booking)

    words = text(response)
    assert "XID 79 fallen off the bus srv-a1 · GPU 3" in words and "The server must be restarted." in words
    assert "XID 13" not in words and "XID 31" not in words
    assert [fault["code"] for fault in drawing(response)["faults"]] == ["XID 79"]


def test_after_the_end_nothing_of_the_next_customer_is_shown(client, cast, booking, say, now):
    booking.assignments.update(handed_back_at=now - timedelta(minutes=5))
    say("srv-a1", batches.board(gpus()[0], power=321.0))
    MinuteRollup.objects.create(server="srv-a1", gpu=gpus()[0], minute=now - timedelta(minutes=3), samples=60, utilisation_avg=77)
    MinuteRollup.objects.create(server="srv-a1", gpu=gpus()[0], minute=now - timedelta(minutes=8), samples=60, utilisation_avg=33)

    response = live(client, cast.ada, booking)
    hour = drawing(live(client, cast.ada, booking, span="1h"))

    assert "321" not in text(response) and "Nothing of this booking is running now." in text(response)
    assert 'data-socket=""' in response.content.decode()
    assert drawing(response)["servers"] == {}
    assert hour["servers"]["srv-a1"]["v"][gpus()[0]][0] == [33]


def test_before_the_hand_over_the_page_says_when_it_begins(client, cast, booking):
    booking.assignments.update(ready_at=None)

    assert "Readings begin when the servers are handed over to you." in text(live(client, cast.ada, booking))


def test_a_partition_shows_its_own_gpus_only(client, cast, racks, booking, say, now):
    booking.assignments.all().delete()
    rows.assign(booking, rows.part(Server.objects.get(serial="srv-a2"), 8, 24, now), now)
    say("srv-a2", *(batches.board(gpu, power=100.0 + place) for place, gpu in enumerate(gpus("srv-a2"))))

    response = live(client, cast.ada, booking)

    assert "2 of 2 reporting" in text(response)
    assert "101 W" in text(response) and "102 W" in text(response) and "100 W" not in text(response)
    assert {line["name"] for line in drawing(response)["lines"]} == set(gpus("srv-a2")[1:3])


def test_a_slice_shows_its_instance_and_nothing_of_the_board(client, cast, booking, say, now):
    booking.assignments.all().delete()
    rows.assign(booking, rows.part(Server.objects.get(serial="srv-a2"), 4, 8, now, shape="mig", profile="3g.40gb"), now)
    say("srv-a2", batches.mig(gpus("srv-a2")[0]))

    words = text(live(client, cast.ada, booking))

    assert "your part of a shared GPU" in words
    assert "MIG 2 3g.40gb 0 % 0.0 / 39.5 GiB" in words
    assert "MIG 1" not in words and "99.5" not in words and "99 W" not in words and "42 %" not in words


def test_many_servers_are_shown_one_at_a_time(client, cast, racks, say, now, streams):
    booking = rows.running(cast, racks, now, "srv-a1", "srv-a2", "srv-t1")

    first = live(client, cast.ada, booking)
    other = live(client, cast.ada, booking, server="srv-t1")

    assert set(drawing(first)["servers"]) == {"srv-a1"} and "First server" in text(first)
    assert set(drawing(other)["servers"]) == {"srv-t1"}
    assert "history/?server=srv-t1" in other.content.decode()


def test_two_small_servers_share_a_page_and_no_two_lines_look_the_same(client, cast, racks, now, streams):
    booking = rows.running(cast, racks, now, "srv-a1", "srv-t1")

    told = drawing(live(client, cast.ada, booking))

    assert len({(line["colour"], line["dash"]) for line in told["lines"]}) == 12


def test_the_strip_has_two_bars_for_each_gpu_and_a_text_for_who_cannot_see_them(client, cast, booking, say):
    say("srv-a1", *(batches.board(gpu) for gpu in gpus()[:7]))
    client.force_login(cast.ada)

    response = client.get(reverse("monitoring:live-strip", args=[booking.number]))

    body = response.content.decode()
    assert body.count('class="bar-use"') == body.count('class="bar-memory"') == 8
    assert "GPU 0: 97 %, memory 85 %" in body and "GPU 7: n/a, memory n/a" in body
    assert "7 of 8 reporting" in body and 'hx-trigger="every 5s"' in body


def test_the_strip_of_a_booking_that_is_not_live_asks_no_more(client, cast, booking):
    booking.assignments.update(ready_at=None)
    client.force_login(cast.ada)

    body = client.get(reverse("monitoring:live-strip", args=[booking.number])).content.decode()

    assert "Nothing of this booking is live." in body and "hx-get" not in body


def test_the_strip_shows_the_mean_of_a_mig_boards_instances(client, cast, booking, say):
    say("srv-a1", batches.mig(gpus()[0]))
    client.force_login(cast.ada)

    assert "GPU 0: 21 %" in client.get(reverse("monitoring:live-strip", args=[booking.number])).content.decode()


def test_an_operator_sees_any_server(client, cast, racks, say, streams):
    say("srv-t1", *(batches.board(gpu) for gpu in gpus("srv-t1")))
    client.force_login(cast.olu)

    response = client.get(reverse("monitoring:server-live", args=["srv-t1"]))
    history = client.get(reverse("monitoring:server-live-history", args=["srv-t1"]))

    assert "4 of 4 reporting" in text(response) and "/ws/operate/servers/srv-t1/live/" in response.content.decode()
    assert len(history.json()["servers"]["srv-t1"]["t"]) == 1
    assert client.get(reverse("monitoring:server-live", args=["srv-x"])).status_code == 404


def test_nobody_else_sees_a_server(client, cast, racks, streams):
    for user, status in ((cast.fin, 403), (cast.ada, 404), (cast.sid, 404)):
        client.force_login(user)
        assert client.get(reverse("monitoring:server-live", args=["srv-t1"])).status_code == status


def test_the_page_speaks_chinese(client, cast, booking, say):
    cast.ada.language = "zh-hans"
    cast.ada.save()
    say("srv-a1", *(batches.board(gpu) for gpu in gpus()[:7]))

    words = text(live(client, cast.ada, booking))

    assert "8 块中有 7 块在上报" in words and "模拟" in words and "无数据" in words and "显存占用" in words


@pytest.mark.parametrize("serials", [("srv-a1",), ("srv-a1", "srv-t1")])
def test_the_page_costs_the_same_queries_for_any_number_of_gpus(client, cast, racks, now, streams, serials, django_assert_num_queries):
    booking = rows.running(cast, racks, now, *serials)
    client.force_login(cast.ada)
    client.get(reverse("monitoring:live", args=[booking.number]))

    with django_assert_num_queries(PAGE_QUERIES):
        client.get(reverse("monitoring:live", args=[booking.number]))


PAGE_QUERIES = 9


def test_the_page_is_small(client, cast, booking, say):
    for age in range(300, 0, -1):
        say("srv-a1", *(batches.board(gpu, utilisation=age % 100, power=300.0 + age % 50) for gpu in gpus()), age=age)

    assert len(live(client, cast.ada, booking).content) < 150_000
