"""Cutting a Server into Units."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rentals.domain import layouts, mig
from rentals.services import reference

PROFILES = reference.mig_profiles(gpu_model="a100-sxm4-40")
CLASSIC = ("1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb")
WHOLE = layouts.Kind("x8", 8)
HALF = layouts.Kind("x4", 4)
ONE = layouts.Kind("x1", 1)


def slice_(profile: str) -> layouts.Kind:
    return layouts.Kind(profile, 1, profile)


def fits(*placed: tuple[str, int]) -> bool:
    try:
        mig.check([mig.Placed(*one) for one in placed], PROFILES)
    except mig.MigRefused:
        return False
    return True


@pytest.mark.parametrize(
    ("placed", "valid"),
    [
        ([("7g.40gb", 0)], True),
        ([("4g.20gb", 0), ("2g.10gb", 4), ("1g.5gb", 6)], True),
        ([("1g.5gb", start) for start in range(4)] + [("3g.20gb", 4)], True),
        ([("2g.10gb", 0), ("1g.5gb", 2), ("1g.5gb", 3), ("3g.20gb", 4)], True),
        ([("3g.20gb", 0), ("3g.20gb", 4)], True),
        ([("3g.20gb", 0), ("3g.20gb", 4), ("1g.5gb", 7)], False),
        ([("3g.20gb", 2)], False),
        ([("4g.20gb", 4)], False),
        ([("3g.20gb", 0), ("1g.5gb", 3)], False),
        ([("4g.20gb", 0), ("3g.20gb", 4)], True),
        ([("1g.5gb+me", 0), ("1g.5gb+me", 1)], False),
        ([("1g.10gb", start) for start in (0, 2, 4, 6)], True),
        ([("1g.10gb", 1)], False),
        ([("9g.90gb", 0)], False),
    ],
)
def test_placements_are_judged_as_hardware_judges_them(placed, valid):
    assert fits(*placed) is valid


def test_there_are_nineteen_maximal_layouts_of_the_classic_profiles():
    places = [(name, start) for name in CLASSIC for start in PROFILES[name].starts]
    valid = {frozenset(some) for size in range(1, 8) for some in itertools.combinations(places, size) if fits(*some)}
    maximal = [layout for layout in valid if not any(layout | {place} in valid for place in places if place not in layout)]

    assert len(maximal) == 19


def test_more_instances_than_a_profile_permits_are_refused():
    few = {"1g": mig.Profile("1g", 1, 1, tuple(range(7)), 2)}

    with pytest.raises(mig.MigRefused, match="At most 2"):
        mig.check([mig.Placed("1g", start) for start in range(3)], few)


def test_two_media_engines_are_refused_even_where_the_profile_table_forgot():
    forgot = {"1g+me": mig.Profile("1g+me", 1, 1, tuple(range(7)), 7)}

    with pytest.raises(mig.MigRefused, match="media"):
        mig.check([mig.Placed("1g+me", 0), mig.Placed("1g+me", 1)], forgot)


def test_more_compute_than_a_gpu_has_is_refused():
    greedy = {"4g": mig.Profile("4g", 4, 4, (0, 4), 2)}

    with pytest.raises(mig.MigRefused, match="8 compute slices"):
        mig.check([mig.Placed("4g", 0), mig.Placed("4g", 4)], greedy)


def test_a_whole_server_is_one_unit_of_all_its_slots():
    assert layouts.pieces([layouts.Cut(WHOLE, 0)], gpus=8, profiles={}) == [layouts.Piece("x8", 0, 64, "gpu0-7")]


def test_halves_share_the_slots():
    found = layouts.pieces([layouts.Cut(HALF, 0), layouts.Cut(HALF, 4)], gpus=8, profiles={})

    assert [(piece.first, piece.after, piece.label) for piece in found] == [(0, 32, "gpu0-3"), (32, 64, "gpu4-7")]


def test_a_slice_takes_its_memory_slices_of_its_gpu():
    found = layouts.pieces([layouts.Cut(slice_("2g.10gb"), 3, 4), layouts.Cut(ONE, 2)], gpus=4, profiles=PROFILES)

    assert [(piece.first, piece.after, piece.label) for piece in found] == [(28, 30, "gpu3-2g.10gb@4"), (16, 24, "gpu2")]


@pytest.mark.parametrize(
    ("cuts", "reason"),
    [
        ([], "at least one"),
        ([layouts.Cut(HALF, 6)], "would reach to GPU 9"),
        ([layouts.Cut(HALF, 0), layouts.Cut(HALF, 3)], "overlap"),
        ([layouts.Cut(HALF, 0, 2)], "cannot start inside"),
        ([layouts.Cut(ONE, 0), layouts.Cut(slice_("1g.5gb"), 0, 6)], "overlap"),
        ([layouts.Cut(slice_("1g.5gb"), 9, 6)], "would reach to GPU 9"),
    ],
)
def test_an_impossible_layout_is_refused(cuts, reason):
    with pytest.raises(layouts.LayoutRefused, match=reason):
        layouts.pieces(cuts, gpus=8, profiles=PROFILES)


@given(st.lists(st.tuples(st.sampled_from(CLASSIC), st.integers(0, 7)), max_size=8))
def test_accepted_placements_never_share_a_slice(placed):
    if fits(*placed):
        taken = [slot for name, start in placed for slot in range(start, start + PROFILES[name].size)]
        assert len(taken) == len(set(taken)) and max(taken, default=0) < 8
        assert sum(PROFILES[name].compute for name, _ in placed) <= 7


def test_every_layout_of_the_files_can_be_cut():
    for server_model in {row.server_model for row in reference.tables()["layouts"]}:
        parts = [row for row in reference.tables()["server_model_gpus"] if row.server_model == server_model]
        for layout in reference.layouts_for(server_model=server_model):
            profiles = {name: profile for part in parts for name, profile in reference.mig_profiles(gpu_model=part.gpu_model).items()}
            assert layouts.pieces(reference.cuts_of(layout=layout, server_model=server_model), gpus=sum(part.count for part in parts), profiles=profiles)


def test_an_unknown_layout_is_refused():
    with pytest.raises(reference.UnknownLayout):
        reference.cuts_of(layout="in-thirds", server_model="dgx-a100-80")
