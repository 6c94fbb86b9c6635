"""The live page in a real Chromium: it moves, says how old it is, breaks its lines at gaps, and can be used without a mouse and without seeing."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import pytest
import redis
from django.utils import timezone
from playwright.sync_api import expect

from monitoring.domain import wire
from monitoring.domain.samples import Sample, State
from monitoring.queries import streams as stream_queries
from portal.live import valkey
from rentals.models import Accelerator
from tests.monitoring import batches, rows
from tests.monitoring.conftest import streams, telemetry_valkey  # noqa: F401 - fixtures; one Valkey for as long as the one server runs

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SCRIPT = Path(__file__).resolve().parents[2] / "static" / "js" / "live-series.js"


@pytest.fixture
def booking(cast, racks, streams):  # noqa: F811
    return rows.running(cast, racks, timezone.now())


@pytest.fixture
def gpus(booking) -> list[str]:
    return list(Accelerator.objects.filter(server__serial="srv-a1").order_by("position").values_list("uuid", flat=True))


class Agent:
    """Sends by hand, and every half second when asked to."""

    def __init__(self, url: str, gpus: list[str]) -> None:
        self.client, self.gpus, self.seq = redis.Redis.from_url(url), gpus, 0
        self.stopped = threading.Event()

    def say(self, *samples: Sample, age: float = 0.0) -> None:
        self.seq += 1
        at = timezone.now().timestamp() - age
        samples = samples or tuple(batches.board(gpu, utilisation=self.seq % 100, clock=1410) for gpu in self.gpus)
        message = msgspec.json.encode(wire.pack(batches.batch("srv-a1", *samples, seq=self.seq, at=at), at))
        self.client.lpush(stream_queries.stream_key("srv-a1"), message)
        self.client.publish(valkey.channel(group=stream_queries.group("srv-a1")), message)

    def keep_saying(self) -> None:
        def run() -> None:
            while not self.stopped.wait(0.5):
                self.say()

        threading.Thread(target=run, daemon=True).start()


@pytest.fixture
def agent(telemetry_valkey, gpus):  # noqa: F811
    sending = Agent(telemetry_valkey.url, gpus)
    yield sending
    sending.stopped.set()


@pytest.fixture
def watch(page, portal_url, log_in, cast, booking):
    """Opens the live page as Ada; query is the part after it."""

    def open_page(query: str = "", user=None):
        log_in(user or cast.ada)
        page.goto(f"{portal_url}/live/{booking.number}/{query}")
        return page

    return open_page


def test_a_reading_reaches_the_open_page(watch, agent, gpus):
    agent.say(*(batches.board(gpu, utilisation=11.0) for gpu in gpus))
    page = watch()
    expect(page.locator("#live-link")).to_have_text("live")
    card = page.locator(f'[data-gpu="{gpus[2]}"]')
    expect(card.locator(".gpu-use")).to_contain_text("11")

    agent.say(*(batches.board(gpu, utilisation=77.0, power=None, throttle=0x80) for gpu in gpus[:7]), Sample(gpus[7], State.LOST))

    expect(card.locator(".gpu-use")).to_contain_text("77")
    expect(card.locator('[data-field="power"]')).to_have_class("reading is-missing")
    expect(card.locator('[data-field="power"] [data-value]')).to_have_text("n/a")
    expect(card.locator(".gpu-warnings")).to_have_text("slowed: power brake")
    expect(page.locator(f'[data-gpu="{gpus[7]}"] [data-field="state"]')).to_have_text("lost")
    expect(page.locator("#live-reporting")).to_have_text("7 of 8 reporting")


def test_silence_is_marked_within_three_seconds_and_then_no_figure_is_left(watch, agent, gpus):
    agent.say()
    page = watch()
    expect(page.locator("[data-stale]")).to_be_hidden()

    expect(page.locator("[data-stale]")).to_be_visible(timeout=4_500)
    expect(page.locator("[data-stale]")).to_contain_text("last reading")
    expect(page.locator(f'[data-gpu="{gpus[0]}"] .gpu-use')).to_contain_text("n/a", timeout=9_000)
    expect(page.locator("#live-reporting")).to_have_text("0 of 8 reporting")

    agent.say()
    expect(page.locator("[data-stale]")).to_be_hidden()
    expect(page.locator("#live-reporting")).to_have_text("8 of 8 reporting")


def test_four_charts_are_drawn_with_five_minutes_when_the_page_opens(watch, agent):
    for age in range(290, 0, -1):
        agent.say(age=age)

    page = watch()

    expect(page.locator(".chart canvas")).to_have_count(4)
    drawn = page.evaluate("""[...document.querySelectorAll('.chart canvas')].map((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let ink = 0;
        for (let at = 3; at < data.length; at += 4) if (data[at]) ink += 1;
        return ink / (canvas.width * canvas.height);
    })""")
    assert all(share > 0.01 for share in drawn), drawn


def test_a_page_that_lost_the_portal_says_so_comes_back_and_fills_its_hole(watch, agent, telemetry_valkey, gpus):  # noqa: F811
    agent.say()
    page = watch()
    expect(page.locator("#live-link")).to_have_text("live")

    telemetry_valkey.stop()
    expect(page.locator("#live-link")).to_have_text("reconnecting")
    telemetry_valkey.start()
    agent.client = redis.Redis.from_url(telemetry_valkey.url)

    expect(page.locator("#live-link")).to_have_text("live", timeout=15_000)
    agent.say(*(batches.board(gpu, utilisation=33.0) for gpu in gpus))
    expect(page.locator(f'[data-gpu="{gpus[0]}"] .gpu-use')).to_contain_text("33")


def test_a_hidden_page_listens_to_nothing_and_catches_up_when_it_is_seen(watch, agent, gpus):
    agent.say()
    page = watch()
    expect(page.locator("#live-link")).to_have_text("live")
    hide = """(hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""

    page.evaluate(hide, True)
    page.wait_for_timeout(300)
    agent.say(*(batches.board(gpu, utilisation=44.0) for gpu in gpus))
    page.wait_for_timeout(500)
    assert "44" not in page.locator(f'[data-gpu="{gpus[0]}"] .gpu-use').inner_text()

    with page.expect_request("**/history/**"):
        page.evaluate(hide, False)
    expect(page.locator(f'[data-gpu="{gpus[0]}"] .gpu-use')).to_contain_text("44")


def test_pause_and_the_table_are_one_key_away(watch, agent, gpus):
    agent.say(*(batches.board(gpu, utilisation=10.0) for gpu in gpus), age=1.0)  # another second than the next: readings of one second are one point
    page = watch()
    expect(page.locator("#live-link")).to_have_text("live")
    use = page.locator(f'[data-gpu="{gpus[0]}"] .gpu-use')

    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    agent.say(*(batches.board(gpu, utilisation=20.0) for gpu in gpus))
    page.wait_for_timeout(400)
    expect(use).to_contain_text("10")
    page.keyboard.press("p")
    expect(use).to_contain_text("20")

    page.keyboard.press("t")
    expect(page.get_by_role("table")).to_be_visible()
    expect(page.locator(f'[data-row="{gpus[0]}"] td').first).to_have_text("10 · 15 · 20")


def test_a_line_can_be_taken_out_of_the_charts_by_keyboard(watch, agent):
    agent.say()
    page = watch()
    key = page.get_by_role("button", name="GPU 0")

    key.focus()
    page.keyboard.press("Enter")

    expect(key).to_have_attribute("aria-pressed", "false")


def test_the_end_of_the_booking_reaches_the_open_page(watch, agent, booking):
    agent.say()
    page = watch()
    expect(page.locator("#live-link")).to_have_text("live")

    booking.assignments.update(handed_back_at=timezone.now())

    expect(page.locator("#live-link")).to_have_text("The booking has ended.", timeout=8_000)


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("query", ["", "?span=24h"])
def test_no_barriers_and_no_sideways_scroll(watch, agent, axe, fits, width, query, gpus):
    agent.say(batches.mig(gpus[0]), *(batches.board(gpu, throttle=0x8) for gpu in gpus[1:6]), Sample(gpus[6], State.LOST))
    agent.keep_saying()
    page = watch()
    page.set_viewport_size({"width": width, "height": 800})
    page = watch(query)
    expect(page.locator("#live-link")).to_have_text("live")
    page.locator("#live-table summary").click()

    fits(page)
    axe(page)


def test_without_a_script_the_figures_are_there(browser, portal_url, client, cast, agent, booking):
    agent.say()
    client.force_login(cast.ada)
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": portal_url}])
    page = context.new_page()

    page.goto(f"{portal_url}/live/{booking.number}/")

    expect(page.locator(".gpu-card")).to_have_count(8)
    expect(page.get_by_text("Charts need a script").first).to_be_visible()
    page.locator("#live-table summary").click()
    expect(page.get_by_role("table")).to_be_visible()
    context.close()


@pytest.fixture
def series(page):
    """series(steps, ...) runs the readings of one line through live-series.js and gives what uPlot would draw."""
    page.goto("about:blank")
    page.add_script_tag(path=str(SCRIPT))

    def run(times: list[float], values: list[float | None], *, seconds: int = 20, step: int = 1) -> list:
        script = """([times, values, seconds, step]) => {
            const made = new LiveSeries({ names: ['a'], measures: 1, seconds, step });
            times.forEach((at, place) => made.add('srv', at, [['a', [values[place]]]]));
            return made.data(0)[1].map((value) => (value === undefined ? 'nothing' : value));
        }"""
        return page.evaluate(script, [times, values, seconds, step])

    return run


def test_a_short_silence_is_bridged_and_a_longer_one_breaks_the_line(series):
    assert series([0.4, 1.4, 3.4], [1, 2, 3]) == [1, 2, "nothing", 3]
    assert series([0.4, 1.4, 4.4], [1, 2, 3]) == [1, 2, None, None, 3]


def test_a_missing_reading_breaks_the_line(series):
    assert series([0, 1, 2], [1, None, 3]) == [1, None, 3]


def test_jitter_costs_no_point(series):
    assert series([0.49, 1.52, 2.47, 3.51, 4.5], [1, 2, 3, 4, 5]) == [1, 2, 3, 4, 5]


def test_the_window_forgets_what_is_old_and_what_comes_too_late(series):
    assert series(list(range(30)), list(range(30)), seconds=5) == [24, 25, 26, 27, 28, 29]
    assert series([0, 100, 3], [1, 2, 3], seconds=5)[-1] == 2


def test_minutes_follow_the_same_rule(series):
    assert series([30, 90, 330], [1, 2, 3], seconds=3600, step=60) == [1, 2, None, None, None, 3]


def test_a_lone_reading_is_a_point(page, series):
    assert page.evaluate("LiveSeries.alone([1, null, 2, null, undefined, 3, undefined, 4, null])") == [0, 2]
