"""What a page shows of a Server."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from monitoring.domain import display, wire
from monitoring.domain.display import Expected
from monitoring.domain.samples import Batch, Instance, Sample, State

NOW = 1_796_115_600.0
EIGHT = [Expected(f"GPU-{i}", i, "A100", 81920, 400) for i in range(8)]
MIG = Sample("GPU-0", power=99.5, mig=True, instances=(Instance(1, "3g.40gb", 0, 4, 42, 12011, 40448), Instance(2, "3g.40gb", 4, 4, 0, 37, 40448)))


def newest(*samples: Sample, age: float = 0.5, at: float | None = None) -> wire.Packed:
    received = NOW - age
    return wire.unpack(wire.pack(Batch("srv", "simulated", "b", 1, received if at is None else at, samples), received))


def face(expected, packed, first_colour: int = 0) -> display.Face:
    return display.face("srv", expected, packed, NOW, first_colour)


def test_every_expected_gpu_has_a_card_whether_it_reports_or_not():
    shown = face(EIGHT, newest(Sample("GPU-3", utilisation=0.0, memory_used=40960.0)))

    assert [card.line.label for card in shown.cards] == [f"GPU {i}" for i in range(8)]
    assert [card.state for card in shown.cards].count(display.SILENT) == 7
    assert (shown.totals.reporting, shown.totals.expected) == (1, 8)
    assert shown.cards[3].sample.utilisation == 0 and shown.cards[2].sample.utilisation is None
    assert shown.cards[3].memory_percent == 50 and shown.cards[2].memory_percent is None


def test_a_server_that_was_never_heard_is_stale_and_shows_nothing():
    shown = face(EIGHT, None)

    assert (shown.is_stale, shown.age, shown.moment, shown.source, shown.clock_off) == (True, None, None, "", 0.0)
    assert all(card.sample == Sample(card.line.name) for card in shown.cards)


def test_figures_grow_stale_after_3_s_and_are_none_after_10():
    fresh, stale, gone = (face(EIGHT[:1], newest(Sample("GPU-0", power=5.0), age=age)) for age in (2.9, 3.1, 10.1))

    assert [shown.is_stale for shown in (fresh, stale, gone)] == [False, True, True]
    assert [shown.cards[0].sample.power for shown in (fresh, stale, gone)] == [5, 5, None]
    assert gone.cards[0].state == display.SILENT


def test_a_lost_gpu_is_told_from_one_that_is_silent():
    shown = face(EIGHT[:2], newest(Sample("GPU-0", State.LOST)))

    assert [card.state for card in shown.cards] == ["lost", "silent"]
    assert shown.totals.reporting == 0


def test_h9_a_replaced_card_is_shown_behind_the_expected_ones():
    shown = face(EIGHT[:1], newest(Sample("GPU-new", power=1.0)))

    assert [(card.line.label, card.state) for card in shown.cards] == [("GPU 0", "silent"), ("GPU-new", "ok")]


def test_h2_a_mig_board_shows_its_instances_and_no_utilisation_of_its_own():
    (card,) = face(EIGHT[:1], newest(MIG)).cards

    assert card.sample.utilisation is None
    assert [(part.label, part.utilisation, part.memory_used) for part in card.parts] == [("MIG 1", 42, 12011), ("MIG 2", 0, 37)]
    assert card.memory_percent == round(100 * 12048 / 81920)


def test_of_a_shared_board_only_ones_own_slices_are_shown_also_when_they_are_silent():
    slices = [Expected("GPU-0", 0, "A100", 81920, 400, (4,)), Expected("GPU-0", 0, "A100", 81920, 400, (0,))]

    (card,) = face(slices, newest(Sample("GPU-0", mig=True, instances=MIG.instances[:1]))).cards

    assert card.shared
    assert [(part.line.name, part.utilisation) for part in card.parts] == [("GPU-0/0", 42), ("GPU-0/4", None)]
    assert [part.label for part in card.parts] == ["MIG 1", "MIG"]


def test_only_a_working_gpu_is_warned_about():
    hot, lost = (face(EIGHT[:1], newest(Sample("GPU-0", state, throttle=0x48))).cards[0] for state in (State.OK, State.LOST))

    assert hot.warnings == ("hardware slowdown", "hardware thermal")
    assert lost.warnings == ()


def test_totals_of_a_card_come_from_the_reading_or_else_from_the_inventory():
    told, untold = face(EIGHT[:2], newest(Sample("GPU-0", memory_total=81559.0, power_limit=350.0))).cards

    assert (told.memory_total, told.power_top) == (81559, 350)
    assert (untold.memory_total, untold.power_top) == (81920, 400)


def test_a_card_without_any_known_size_has_no_share():
    (card,) = face([], newest(Sample("GPU-new", memory_used=5.0))).cards

    assert card.memory_percent is None


def test_how_far_a_clock_is_off_is_told():
    shown = face(EIGHT[:1], newest(age=0, at=NOW - 42))

    assert shown.clock_off == 42
    assert shown.moment.timestamp() == NOW - 42


@given(st.integers(0, 40), st.integers(0, 20))
def test_no_two_gpus_of_a_page_look_the_same(first, count):
    cards = face([Expected(f"GPU-{i}", i, "", 1, 1) for i in range(count)], None, first).cards

    assert len({(card.line.colour, card.line.dash) for card in cards}) == count
    assert all(0 <= card.line.colour < display.COLOURS for card in cards)


def test_the_lines_are_the_boards_and_then_the_instances():
    shown = face(EIGHT[:2], newest(MIG, Sample("GPU-1")))

    assert [line.name for line in shown.lines] == ["GPU-0", "GPU-1", "GPU-0/0", "GPU-0/4"]
    assert shown.lines[2].colour == shown.lines[0].colour and shown.lines[2].dash != shown.lines[0].dash
