"""The drawing of a topology, from the facts of its parts alone: squares, bars, links and labels on a plane. Words in it are names and figures; sentences for
screen readers are written where it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

FAMILIES = ("A100", "V100", "H100", "T4", "L4", "L40S", "GH200")
SIDE, GAP, ROW, EDGE, TITLE, BAR, HOST, NIC = 48, 24, 8, 20, 34, 26, 44, 12
PITCH = SIDE + GAP
THICKNESS = 75  # GB/s, both directions, for each unit of line width
SLICE = 26  # width of one of the 8 memory slices in the drawing of a MIG instance


def series_of(family: str) -> int:
    """The colour of a GPU family, the same on every page; families without one of their own share the last."""
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)


@dataclass(frozen=True, slots=True)
class Wiring:
    """How the GPUs of a server reach one another; see the model Interconnect. `links` = (gpu, gpu, number)."""

    shape: str
    label: str
    links: tuple[tuple[int, int, int], ...] = ()
    gbs_per_link: Decimal = Decimal(0)
    gbs_per_gpu: Decimal = Decimal(0)
    host_gbs: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Node:
    """One server, or the part of it that is rented: GPUs `first .. first+count-1` of `gpus`; of a MIG instance `slices` (start, size) and `compute`."""

    title: str
    family: str
    gpus: int
    count: int
    wiring: Wiring
    host: str
    nics: int
    nic_label: str
    first: int = 0
    slices: tuple[int, int] | None = None
    compute: int = 0

    def holds(self, gpu: int) -> bool:
        return self.first <= gpu < self.first + self.count


@dataclass(frozen=True, slots=True)
class Box:
    """kind: node, gpu, other (somebody else's), switch, host, nic, fabric, slice, rest."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    series: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A line; `bend` moves its middle up or down (an arc). `width` grows with the bandwidth."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    kind: str = "link"
    bend: float = 0

    @property
    def path(self) -> str:
        if not self.bend:
            return f"M{self.x1:g} {self.y1:g}L{self.x2:g} {self.y2:g}"
        return f"M{self.x1:g} {self.y1:g}Q{(self.x1 + self.x2) / 2:g} {(self.y1 + self.y2) / 2 + self.bend:g} {self.x2:g} {self.y2:g}"


@dataclass(frozen=True, slots=True)
class Label:
    x: float
    y: float
    text: str
    kind: str = "note"
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Drawing:
    width: float
    height: float
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    labels: tuple[Label, ...]

    @property
    def is_wide(self) -> bool:
        """Too wide for a phone to be read when shrunk."""
        return self.width > 440


def width_of(gbs: Decimal) -> float:
    """Line width for a bandwidth in GB/s, both directions together."""
    return max(0.8, round(float(gbs) / THICKNESS, 1))


def draw(nodes: Sequence[Node], fabric: str = "") -> Drawing:
    """The nodes beside one another (two in a row), joined by a bar below when they share a `fabric`."""
    columns = 1 if len(nodes) == 1 else 2
    column_width = max(_node(node).width for node in nodes)
    parts: tuple[list[Box], list[Link], list[Label]] = ([], [], [])
    boxes, links, labels = parts
    top = 0.0
    for start in range(0, len(nodes), columns):
        line = nodes[start : start + columns]
        height = max(_node(node).height for node in line)
        for index, node in enumerate(line):
            _place(_node(node, column_width, height), index * (column_width + GAP), top, parts)
        top += height + GAP
    width = columns * column_width + (columns - 1) * GAP
    if fabric:
        links += [Link(box.x + box.width / 2, box.y + box.height, box.x + box.width / 2, top, 1.2, "rail") for box in boxes if box.kind == "nic"]
        boxes.append(Box(0, top, width, BAR, "fabric"))
        labels.append(Label(width / 2, top + BAR / 2, fabric, "bar", "middle"))
        top += BAR + GAP
    return Drawing(width + 2, top - GAP + 2, tuple(boxes), tuple(links), tuple(labels))


def _place(one: Drawing, x: float, y: float, into: tuple[list[Box], list[Link], list[Label]]) -> None:
    boxes, links, labels = into
    boxes += [Box(box.x + x, box.y + y, box.width, box.height, box.kind, box.series) for box in one.boxes]
    links += [Link(link.x1 + x, link.y1 + y, link.x2 + x, link.y2 + y, link.width, link.kind, link.bend) for link in one.links]
    labels += [Label(label.x + x, label.y + y, label.text, label.kind, label.anchor) for label in one.labels]


def _node(node: Node, width: float = 0, height: float = 0) -> Drawing:
    """One node, at least so wide and high, so that neighbours are alike."""
    if node.slices is not None:
        return _slice(node)
    shapes = {"switch": _switched, "mesh": _meshed, "pcie": _on_the_bus, "c2c": _on_one_module}
    boxes, links, labels, bottom = shapes[node.wiring.shape](node)
    wide = max(width, *(box.x + box.width + EDGE for box in boxes))
    tall = max(height, bottom + GAP + HOST + EDGE + NIC / 2)
    frame, notes = _frame(node, wide, tall)
    return Drawing(wide, tall, (*frame[:1], *boxes, *frame[1:]), tuple(links), (*labels, *notes))


def _frame(node: Node, width: float, height: float) -> tuple[list[Box], list[Label]]:
    """The frame with its title, the host's bar and the NICs on its lower edge."""
    edge = height - NIC / 2
    host = Box(EDGE, edge - EDGE - HOST, width - 2 * EDGE, HOST, "host")
    step = (width - 2 * EDGE) / max(node.nics, 1)
    nics = [Box(EDGE + step * (index + 0.5) - NIC, edge - NIC / 2, 2 * NIC, NIC, "nic") for index in range(node.nics)]
    labels = [
        Label(EDGE, TITLE - 12, node.title, "title"),
        Label(width / 2, host.y + HOST * 0.3, node.host, "bar", "middle"),
        Label(width / 2, host.y + HOST * 0.72, node.nic_label, "note", "middle"),
    ]
    return [Box(0, 0, width, edge, "node"), host, *nics], labels


def _squares(node: Node, per_row: int, rows_at: Sequence[float]) -> tuple[list[Box], list[Label]]:
    boxes, labels = [], []
    for gpu in range(node.gpus):
        x, y = EDGE + gpu % per_row * PITCH, rows_at[gpu // per_row]
        boxes.append(Box(x, y, SIDE, SIDE, "gpu" if node.holds(gpu) else "other", series_of(node.family)))
        labels.append(Label(x + SIDE / 2, y + SIDE / 2, str(gpu), "gpu" if node.holds(gpu) else "other", "middle"))
    return boxes, labels


Parts = tuple[list[Box], list[Link], list[Label], float]


def _switched(node: Node) -> Parts:
    """Every GPU to a bar of switches, half of them above it and half below; up to four all above."""
    per_row = 4 if node.gpus <= ROW else ROW
    bar_y = TITLE + SIDE + GAP
    below = bar_y + BAR + GAP
    boxes, labels = _squares(node, per_row, (TITLE, below))
    wide = min(node.gpus, per_row) * PITCH - GAP
    thick = width_of(node.wiring.gbs_per_gpu)
    links = []
    for gpu, box in enumerate(boxes):
        middle, kind = box.x + SIDE / 2, "link" if node.holds(gpu) else "faint"
        ends = (box.y + SIDE, bar_y) if gpu < per_row else (bar_y + BAR, box.y)
        links.append(Link(middle, ends[0], middle, ends[1], thick, kind))
    boxes.append(Box(EDGE, bar_y, wide, BAR, "switch"))
    labels.append(Label(EDGE + wide / 2, bar_y + BAR / 2, node.wiring.label, "switch", "middle"))
    return boxes, links, labels, below + SIDE if node.gpus > per_row else bar_y + BAR


def _meshed(node: Node) -> Parts:
    """Rows of four. Neighbours are joined by lines, others of a row by arcs on its outer side, rows by lines between them."""
    arcs = 34 if any(one // 4 == other // 4 and other - one > 1 for one, other, _ in node.wiring.links) else 0
    rows = (node.gpus + 3) // 4
    lift = TITLE + arcs + 18
    tops = [lift + row * (SIDE + 2 * GAP) for row in range(rows)]
    boxes, labels = _squares(node, 4, tops)
    links = [_mesh_link(node, boxes, one, other, count) for one, other, count in node.wiring.links]
    labels.append(Label(EDGE, TITLE + 8, node.wiring.label, "note"))
    return boxes, links, labels, tops[-1] + SIDE + (arcs if rows > 1 else 0)


def _mesh_link(node: Node, boxes: Sequence[Box], one: int, other: int, count: int) -> Link:
    a, b = boxes[one], boxes[other]
    thick = width_of(node.wiring.gbs_per_link * count * 2)
    kind = "link" if node.holds(one) and node.holds(other) else "faint"
    if one // 4 != other // 4:
        return Link(a.x + SIDE / 2, a.y + SIDE, b.x + SIDE / 2, b.y, thick, kind)
    if other - one == 1:
        return Link(a.x + SIDE, a.y + SIDE / 2, b.x, b.y + SIDE / 2, thick, kind)
    edge, bend = (a.y, -22.0 * (other - one)) if one < 4 else (a.y + SIDE, 22.0 * (other - one))
    return Link(a.x + SIDE / 2, edge, b.x + SIDE / 2, edge, thick, kind, bend)


def _on_the_bus(node: Node) -> Parts:
    """No links between GPUs: each goes to the host's bar, which the frame draws."""
    boxes, labels = _squares(node, min(node.gpus, ROW), (TITLE + 18,))
    bottom = TITLE + 18 + SIDE
    thick = width_of(node.wiring.host_gbs * 2)
    links = [Link(box.x + SIDE / 2, bottom, box.x + SIDE / 2, bottom + GAP, thick, "link" if node.holds(gpu) else "faint") for gpu, box in enumerate(boxes)]
    labels.append(Label(EDGE, TITLE + 6, node.wiring.label, "note"))
    return boxes, links, labels, bottom


def _on_one_module(node: Node) -> Parts:
    """CPU and GPU as neighbours with one thick link."""
    y = TITLE + 18
    away = EDGE + 3 * PITCH
    boxes = [Box(EDGE, y, SIDE, SIDE, "gpu", series_of(node.family)), Box(away, y, SIDE, SIDE, "host")]
    links = [Link(EDGE + SIDE, y + SIDE / 2, away, y + SIDE / 2, width_of(node.wiring.gbs_per_gpu))]
    labels = [
        Label(EDGE + SIDE / 2, y + SIDE / 2, "GPU", "gpu", "middle"),
        Label(away + SIDE / 2, y + SIDE / 2, "CPU", "bar", "middle"),
        Label(EDGE, TITLE + 6, node.wiring.label, "note"),
    ]
    return boxes, links, labels, y + SIDE


def _slice(node: Node) -> Drawing:
    """One GPU as its 8 memory slices above its 7 compute slices, the instance's own filled, to scale."""
    start, size = node.slices or (0, 0)
    y, wide, tall = TITLE + 18, 8 * SLICE, 40
    boxes = [Box(EDGE + index * SLICE, y, SLICE - 2, tall, "slice" if start <= index < start + size else "rest", series_of(node.family)) for index in range(8)]
    step = wide / 7
    boxes += [
        Box(EDGE + index * step, y + tall + 22, step - 2, tall, "slice" if start <= index < start + node.compute else "rest", series_of(node.family))
        for index in range(7)
    ]
    labels = [
        Label(EDGE, TITLE - 12, node.title, "title"),
        Label(EDGE, y - 8, f"{size} / 8", "note"),
        Label(EDGE, y + tall + 14, f"{node.compute} / 7", "note"),
    ]
    width, height = wide + 2 * EDGE, y + 2 * tall + 22 + EDGE
    return Drawing(width, height, (Box(0, 0, width, height, "node"), *boxes), (), tuple(labels))
