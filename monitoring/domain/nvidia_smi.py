"""What `nvidia-smi` prints: the XML of `-q -x` and the CSV of `--query-gpu`. Schemas move between driver versions, so each reading names every place it has
had, and an unknown version is read by the newest rules with one warning."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from monitoring.domain import samples
from monitoring.domain.readings import Reading, bare, bits, number, state_of
from monitoring.domain.samples import Instance, Sample

KNOWN_VERSIONS = range(9, 14)
VERSION = re.compile(r"<!DOCTYPE\s+\w+\s+SYSTEM\s+\"nvsmi_device_v(\d+)\.dtd\"\s*>")

# module_power_readings, beside them on Grace modules, is another thing and never the GPU's power.
POWER = (
    "gpu_power_readings/average_power_draw", "gpu_power_readings/power_draw", "gpu_power_readings/instant_power_draw", "power_readings/power_draw",
)  # fmt: skip
POWER_LIMIT = ("gpu_power_readings/current_power_limit", "power_readings/enforced_power_limit", "power_readings/power_limit")
THROTTLES = ("clocks_event_reasons", "clocks_throttle_reasons")
THROTTLE_BITS = {
    "gpu_idle": 0x1, "applications_clocks_setting": 0x2, "sw_power_cap": 0x4, "hw_slowdown": 0x8, "sync_boost": 0x10, "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40, "hw_power_brake_slowdown": 0x80, "display_clocks_setting": 0x100,
}  # fmt: skip


class Unreadable(ValueError):
    """This is not a document that may be read."""


def read_xml(text: str) -> Reading:
    """The GPUs of a `-q -x` document. Raises Unreadable for what is no such document, and for one that declares entities or points elsewhere."""
    found = VERSION.search(text)
    declared = text.count("<!")
    if "<!ENTITY" in text or declared - text.count("<!--") > (found is not None):
        raise Unreadable("a document type of its own")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - no entity and no foreign document type can be in it
    except ElementTree.ParseError as error:
        raise Unreadable(str(error)) from error
    reading = Reading()
    if found and int(found[1]) not in KNOWN_VERSIONS:
        reading.warnings.append(f"unknown version of nvidia-smi's XML: {found[1]}")
    for gpu in root.iter("gpu"):
        uuid = bare(gpu.findtext("uuid"))
        if uuid.startswith("GPU-"):
            reading.samples.append(_sample(uuid, gpu))
        else:
            reading.without_name += 1
    return reading


def _sample(uuid: str, gpu: ElementTree.Element) -> Sample:
    telling = ("utilization/gpu_util", "fb_memory_usage/used", "temperature/gpu_temp")
    return Sample(
        gpu=uuid,
        state=state_of([text for place in telling if (text := gpu.findtext(place)) is not None]),
        utilisation=samples.percent(_first(gpu, "utilization/gpu_util")),
        memory_activity=samples.percent(_first(gpu, "utilization/memory_util")),
        memory_used=samples.mebibytes(_first(gpu, "fb_memory_usage/used")),
        memory_reserved=samples.mebibytes(_first(gpu, "fb_memory_usage/reserved")),
        memory_total=samples.mebibytes(_first(gpu, "fb_memory_usage/total")),
        power=samples.watts(_first(gpu, *POWER)),
        power_limit=samples.watts(_first(gpu, *POWER_LIMIT)),
        temperature=samples.celsius(_first(gpu, "temperature/gpu_temp")),
        clock=samples.megahertz(_first(gpu, "clocks/sm_clock")),
        throttle=_throttle(gpu),
        mig=bare(gpu.findtext("mig_mode/current_mig")) == "Enabled",
        instances=tuple(_instance(one) for one in gpu.iterfind("mig_devices/mig_device")),
    )


def _first(element: ElementTree.Element, *places: str) -> float | None:
    """The number at the first of `places` that has one."""
    return next((value for place in places if (value := number(element.findtext(place))) is not None), None)


def _throttle(gpu: ElementTree.Element) -> int | None:
    for place in THROTTLES:
        reasons = gpu.find(place)
        if reasons is not None:
            active = {reason.tag.rpartition("reason_")[2]: (reason.text or "").strip() == "Active" for reason in reasons}
            return sum(bit for name, bit in THROTTLE_BITS.items() if active.get(name))
    return None


def _instance(device: ElementTree.Element) -> Instance:
    return Instance(
        gi=int(number(device.findtext("gpu_instance_id")) or 0),
        profile="",
        memory_used=samples.mebibytes(_first(device, "fb_memory_usage/used")),
        memory_total=samples.mebibytes(_first(device, "fb_memory_usage/total")),
    )


def read_csv(text: str) -> Reading:
    """The GPUs of a `--query-gpu` table. A line that is no row of it is counted, not fatal."""
    reading = Reading()
    lines = text.strip().splitlines()
    header = [column.split(" [")[0].strip() for column in lines[0].split(",")] if lines else []
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(header):
            reading.unparsed += 1
            reading.warnings.append(line.strip()[:200])
        else:
            _read_row(reading, dict(zip(header, cells, strict=True)))
    return reading


def _read_row(reading: Reading, row: dict[str, str]) -> None:
    uuid = bare(row.get("uuid"))
    if not uuid.startswith("GPU-"):
        reading.without_name += 1
        return
    reasons = row.get("clocks_event_reasons.active", row.get("clocks_throttle_reasons.active"))
    reading.samples.append(
        Sample(
            gpu=uuid,
            state=state_of([row[name] for name in ("utilization.gpu", "memory.used", "power.draw") if name in row]),
            utilisation=samples.percent(number(row.get("utilization.gpu"))),
            memory_activity=samples.percent(number(row.get("utilization.memory"))),
            memory_used=samples.mebibytes(number(row.get("memory.used"))),
            memory_reserved=samples.mebibytes(number(row.get("memory.reserved"))),
            memory_total=samples.mebibytes(number(row.get("memory.total"))),
            power=samples.watts(number(row.get("power.draw"))),
            power_limit=samples.watts(number(row.get("power.limit"))),
            temperature=samples.celsius(number(row.get("temperature.gpu"))),
            clock=samples.megahertz(number(row.get("clocks.current.sm", row.get("clocks.sm")))),
            throttle=bits(reasons),
            mig=bare(row.get("mig.mode.current")) == "Enabled",
        )
    )
