"""Readings through NVML (nvidia-ml-py). A call into a sick driver may hang for ever, so each GPU is read in a thread of its own and left behind when it does
not answer in time: one bad handle never costs the others. A function that this driver does not have is one missing reading, not an error.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from monitoring.agent.base import SourceMissing
from monitoring.domain import faults, samples
from monitoring.domain.readings import Reading
from monitoring.domain.samples import MIB, Event, Instance, Sample, State

WITHIN = 0.8  # seconds for all calls of one GPU
COUNT_EVERY = 30.0
NO_INSTANCE = 0xFFFFFFFF


class _Worker(threading.Thread):
    """Does one thing at a time; whoever asks waits no longer than he wants to."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._asked: queue.SimpleQueue[tuple[int, Callable[[], object]]] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[int, object]] = queue.SimpleQueue()
        self._turn, self._busy = 0, False
        self.start()

    def run(self) -> None:
        while True:
            turn, act = self._asked.get()
            try:
                self._answers.put((turn, act()))
            except Exception as error:  # handed to whoever asked
                self._answers.put((turn, error))

    def ask(self, act: Callable[[], object]) -> None:
        """Begin `act`, unless an earlier one still hangs."""
        if not self._busy:
            self._turn, self._busy = self._turn + 1, True
            self._asked.put((self._turn, act))

    def answer(self, deadline: float) -> object:
        """The result of the last `ask`; raises TimeoutError, or what the act raised."""
        try:
            turn, result = self._answers.get(timeout=max(0.001, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        self._busy = False
        if isinstance(result, Exception):
            raise result
        return result


class Nvml:
    """All GPUs of this node."""

    name = "nvml"

    def __init__(self, *, within: float = WITHIN) -> None:
        """Raises SourceMissing without nvidia-ml-py, without the driver's library, or when the driver does not answer."""
        self._nvml = _load()
        self._within = within
        self._clerk = _Worker("nvml-count")
        self._workers: dict[int, _Worker] = {}
        self._cards: dict[int, _Card] = {}
        self._count, self._count_due = 0, 0.0
        self._watch: _EventQueue | None = None
        try:
            self._nvml.nvmlInit()
            self._recount()
        except (self._nvml.NVMLError, TimeoutError) as error:
            raise SourceMissing(f"NVML: {error or 'no answer from the driver'}") from error
        self._watch = _EventQueue(self._nvml, self._count)

    def _recount(self) -> None:
        """Raises TimeoutError or NVMLError; the old count stands then."""
        self._clerk.ask(self._nvml.nvmlDeviceGetCount)
        self._count = min(samples.MOST_GPUS, int(self._clerk.answer(time.monotonic() + self._within)))  # type: ignore[call-overload]
        self._count_due = time.monotonic() + COUNT_EVERY

    def read(self, *, at: float) -> Reading:
        reading = Reading()
        if time.monotonic() >= self._count_due:
            try:
                self._recount()
            except (self._nvml.NVMLError, TimeoutError) as error:
                reading.warnings.append(f"could not count the GPUs: {error or 'no answer'}")
                self._count_due = time.monotonic() + COUNT_EVERY
        for index in range(self._count):
            card = self._cards.setdefault(index, _Card(self._nvml, index))
            self._workers.setdefault(index, _Worker(f"nvml-{index}")).ask(card.read)
        deadline = time.monotonic() + self._within
        for index in range(self._count):
            self._collect(reading, index, deadline, at)
        if self._watch:
            reading.events += self._watch.drain(at, {card.key: card.uuid for card in self._cards.values()})
        return reading

    def _collect(self, reading: Reading, index: int, deadline: float, at: float) -> None:
        card = self._cards[index]
        try:
            sample = self._workers[index].answer(deadline)
        except TimeoutError:
            sample = Sample(card.uuid, State.ERROR)
            reading.warnings.append(f"GPU {index} does not answer")
        except self._nvml.NVMLError as error:
            sample = Sample(card.uuid, _state(self._nvml, error))
            reading.warnings.append(f"GPU {index}: {error}")
        if not card.uuid:
            reading.without_name += 1
            return
        reading.samples.append(sample)  # type: ignore[arg-type]
        if new := card.new_errors():
            reading.events.append(Event(card.uuid, faults.ECC, at, f"{new} uncorrected"))

    def close(self) -> None:
        self._clerk.ask(self._nvml.nvmlShutdown)


def _load() -> ModuleType:
    try:
        import pynvml
    except ImportError as error:
        raise SourceMissing("nvidia-ml-py is not installed") from error
    return pynvml


def _state(nvml: ModuleType, error: Exception) -> State:
    code = getattr(error, "value", None)
    if code == nvml.NVML_ERROR_GPU_IS_LOST:
        return State.LOST
    return State.NEEDS_RESET if code == nvml.NVML_ERROR_RESET_REQUIRED else State.ERROR


class _Card:
    """One index and who was last found there. Used by its own thread only, apart from `uuid`, `key` and `new_errors`."""

    def __init__(self, nvml: ModuleType, index: int) -> None:
        self._nvml, self._index = nvml, index
        self.uuid, self.key = "", 0
        self._counters, self._errors = faults.Counters(), 0

    def new_errors(self) -> int:
        new, self._errors = self._errors, 0
        return new

    def read(self) -> Sample:
        """Every reading of this GPU. Raises NVMLError when the GPU as a whole does not answer."""
        nvml = self._nvml
        handle = nvml.nvmlDeviceGetHandleByIndex(self._index)
        uuid = nvml.nvmlDeviceGetUUID(handle)
        self.uuid, self.key = uuid, _address(handle)
        use = self._maybe(nvml.nvmlDeviceGetUtilizationRates, handle)
        used, reserved, whole = self._memory(handle)
        mig = (self._maybe(nvml.nvmlDeviceGetMigMode, handle) or [0])[0] == 1
        self._errors += self._counters.increase(uuid, self._maybe(nvml.nvmlDeviceGetTotalEccErrors, handle, 1, 1))  # uncorrected, lifetime
        return Sample(
            gpu=uuid,
            utilisation=samples.percent(getattr(use, "gpu", None)) if not mig else None,
            memory_activity=samples.percent(getattr(use, "memory", None)) if not mig else None,
            memory_used=used,
            memory_reserved=reserved,
            memory_total=whole,
            power=samples.watts(_scaled(self._maybe(nvml.nvmlDeviceGetPowerUsage, handle), 1000)),
            power_limit=samples.watts(_scaled(self._maybe(nvml.nvmlDeviceGetEnforcedPowerLimit, handle), 1000)),
            temperature=samples.celsius(self._maybe(nvml.nvmlDeviceGetTemperature, handle, nvml.NVML_TEMPERATURE_GPU)),
            clock=samples.megahertz(self._maybe(nvml.nvmlDeviceGetClockInfo, handle, nvml.NVML_CLOCK_SM)),
            throttle=self._throttle(handle),
            mig=mig,
            instances=self._instances(handle) if mig else (),
        )

    def _maybe(self, call: Callable[..., Any], *arguments: object) -> Any:
        """The answer, or None when this GPU or this driver has none to give. A lost GPU raises."""
        try:
            return call(*arguments)
        except self._nvml.NVMLError as error:
            if _state(self._nvml, error) is not State.ERROR:
                raise
            return None

    def _memory(self, handle: object) -> tuple[float | None, float | None, float | None]:
        """Used, reserved, total in MiB. The first version of the call counts what the driver reserves as used, so it is the last resort."""
        memory = self._maybe(self._nvml.nvmlDeviceGetMemoryInfo, handle, self._nvml.nvmlMemory_v2) or self._maybe(self._nvml.nvmlDeviceGetMemoryInfo, handle)
        used, reserved, whole = (samples.mebibytes(_scaled(getattr(memory, name, None), MIB)) for name in ("used", "reserved", "total"))
        return used, reserved, whole

    def _throttle(self, handle: object) -> int | None:
        reasons = self._maybe(self._nvml.nvmlDeviceGetCurrentClocksEventReasons, handle)
        return self._maybe(self._nvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle) if reasons is None else reasons

    def _instances(self, handle: object) -> tuple[Instance, ...]:
        nvml, found = self._nvml, dict[int, Instance]()
        for place in range(self._maybe(nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
            device = self._maybe(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, place)
            gi = self._maybe(nvml.nvmlDeviceGetGpuInstanceId, device) if device is not None else None
            if gi not in (None, NO_INSTANCE):
                found.setdefault(gi, self._instance(handle, device, gi))  # several compute instances share one GPU instance
        return tuple(found.values())[: samples.MOST_INSTANCES]

    def _instance(self, handle: object, device: object, gi: int) -> Instance:
        """NVML has no utilisation of an instance before Hopper's GPM: it stays absent, and an exporter may fill it."""
        nvml = self._nvml
        owner = self._maybe(nvml.nvmlDeviceGetGpuInstanceById, handle, gi)
        placed = self._maybe(nvml.nvmlGpuInstanceGetInfo, owner) if owner is not None else None
        cut = self._maybe(nvml.nvmlDeviceGetAttributes_v2, device)
        used, _, whole = self._memory(device)
        return Instance(
            gi=gi,
            profile=f"{cut.gpuInstanceSliceCount}g.{round(cut.memorySizeMB / 1024)}gb" if cut else "",
            start=placed.placement.start if placed else None,
            size=placed.placement.size if placed else None,
            memory_used=used,
            memory_total=whole,
        )


def _scaled(value: float | None, by: int) -> float | None:
    if value is None or samples.is_blank(value):
        return None
    return round(value / by, 1)


def _address(handle: Any) -> int:
    """Two handles of one GPU point to one place; events name their GPU by handle."""
    import ctypes

    return ctypes.cast(handle, ctypes.c_void_p).value or 0


class _EventQueue:
    """The driver's own queue of XIDs, which counts each one. Where it does not exist, nothing is said."""

    def __init__(self, nvml: ModuleType, count: int) -> None:
        self._nvml = nvml
        self._worker = _Worker("nvml-events")
        self._worker.ask(lambda: self._register(count))

    def _register(self, count: int) -> list[tuple[int, int]]:
        self._set = self._nvml.nvmlEventSetCreate()
        for index in range(count):
            try:
                self._nvml.nvmlDeviceRegisterEvents(self._nvml.nvmlDeviceGetHandleByIndex(index), self._nvml.nvmlEventTypeXidCriticalError, self._set)
            except self._nvml.NVMLError:
                continue  # this GPU has no events, or is lost already
        return []

    def _take(self) -> list[tuple[int, int]]:
        taken: list[tuple[int, int]] = []
        while len(taken) < samples.MOST_EVENTS:
            try:
                event = self._nvml.nvmlEventSetWait_v2(self._set, 0)
            except self._nvml.NVMLError:
                break
            taken.append((_address(event.device), int(event.eventData)))
        return taken

    def drain(self, at: float, names: dict[int, str]) -> list[Event]:
        """What has happened since the last time."""
        try:
            taken: Any = self._worker.answer(time.monotonic() + 0.01)
        except TimeoutError:
            return []
        except self._nvml.NVMLError:
            return []  # no event queue on this driver: the worker stays idle
        self._worker.ask(self._take)
        return [Event(names[key], faults.xid_code(xid), at) for key, xid in taken if names.get(key)]
