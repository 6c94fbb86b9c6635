"""Drawings: everything that is there is drawn, nothing overlaps, widths grow with bandwidth."""

from decimal import Decimal
from itertools import combinations

import pytest

from rentals.domain import topology
from rentals.domain.topology import Node, Wiring

SWITCH = Wiring("switch", "NVSwitch · 600 GB/s", gbs_per_gpu=Decimal(600))
CUBE = "01 02 03 03 04 04 12 12 13 15 15 23 23 26 37 45 46 47 47 56 56 57 67 67".split()
MESH = Wiring("mesh", "NVLink", links=tuple((int(a), int(b), 1) for a, b in CUBE), gbs_per_link=Decimal(25))
BUS = Wiring("pcie", "PCIe", host_gbs=Decimal("31.5"))
MODULE = Wiring("c2c", "NVLink-C2C", gbs_per_gpu=Decimal(900))


def node(wiring: Wiring = SWITCH, gpus: int = 8, **changes) -> Node:
    facts = {"title": "x", "family": "A100", "gpus": gpus, "count": gpus, "wiring": wiring, "host": "2 × CPU", "nics": 2, "nic_label": "2 × 200 Gbit/s"}
    return Node(**facts | changes)


EVERY = [
    [node()],
    [node(gpus=16)],
    [node(gpus=4)],
    [node(count=4, first=4)],
    [node(MESH)],
    [node(Wiring("mesh", "x", links=((0, 1, 12), (2, 3, 12)), gbs_per_link=Decimal(25)), gpus=4, count=2)],
    [node(BUS, gpus=4, nics=0)],
    [node(BUS, gpus=4, count=2)],
    [node(MODULE, gpus=1)],
    [node(), node()],
    [node(MESH), node(BUS, gpus=4), node()],
]


@pytest.mark.parametrize("nodes", EVERY)
def test_every_gpu_is_drawn_inside_the_drawing_and_none_covers_another(nodes):
    drawing = topology.draw(nodes)
    squares = [box for box in drawing.boxes if box.kind in ("gpu", "other")]

    assert len(squares) == sum(each.gpus for each in nodes)
    assert sum(box.kind == "gpu" for box in squares) == sum(each.count for each in nodes)
    for one, other in combinations(squares, 2):
        assert one.x + one.width <= other.x or other.x + other.width <= one.x or one.y + one.height <= other.y or other.y + other.height <= one.y
    assert all(0 <= box.x and box.x + box.width <= drawing.width and 0 <= box.y and box.y + box.height <= drawing.height for box in drawing.boxes)


def test_a_switch_joins_every_gpu_once():
    drawing = topology.draw([node(gpus=16)])

    assert len(drawing.links) == 16
    assert {link.width for link in drawing.links} == {8.0}


def test_a_mesh_draws_the_links_that_are_there():
    drawing = topology.draw([node(MESH)])

    assert len(drawing.links) == len(CUBE)
    assert any(link.bend for link in drawing.links) and any(not link.bend for link in drawing.links)
    assert all("Q" in link.path if link.bend else "L" in link.path for link in drawing.links)


def test_what_belongs_to_somebody_else_is_faint():
    drawing = topology.draw([node(count=4)])

    assert sorted(link.kind for link in drawing.links) == ["faint"] * 4 + ["link"] * 4


def test_a_slice_is_drawn_to_scale():
    drawing = topology.draw([node(slices=(0, 4), compute=3, count=1, gpus=1, nics=0)])

    assert sum(box.kind == "slice" for box in drawing.boxes) == 4 + 3
    assert sum(box.kind == "rest" for box in drawing.boxes) == 4 + 4
    assert ("4 / 8", "3 / 7") == tuple(label.text for label in drawing.labels if label.kind == "note")


def test_a_fabric_joins_every_nic():
    drawing = topology.draw([node(), node(MESH)], "InfiniBand")

    assert sum(link.kind == "rail" for link in drawing.links) == 4
    assert "InfiniBand" in [label.text for label in drawing.labels]
    assert not any(box.kind == "fabric" for box in topology.draw([node(), node()]).boxes)


def test_neighbours_are_equally_high():
    frames = [box for box in topology.draw([node(MESH), node(BUS, gpus=4)]).boxes if box.kind == "node"]

    assert len({(frame.width, frame.height) for frame in frames}) == 1


def test_more_bandwidth_is_a_wider_line_and_the_thinnest_is_seen():
    widths = [topology.width_of(Decimal(gbs)) for gbs in (0, 50, 100, 200, 300, 600, 900)]

    assert widths == sorted(widths) and widths[0] == 0.8 and widths[-1] == 12


def test_a_family_keeps_its_colour_and_the_unknown_share_one():
    assert topology.series_of("A100") == 0
    assert topology.series_of("B200") == topology.series_of("MI300X") == 7


def test_only_wide_drawings_scroll_on_a_phone():
    assert topology.draw([node(), node()]).is_wide
    assert not topology.draw([node()]).is_wide
