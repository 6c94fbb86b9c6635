"""The shapes of the telemetry API. A reading that is missing is null. Percent, MiB, watts, degrees Celsius, MHz."""

from __future__ import annotations

from rest_framework import serializers


def _reading(source: str | None = None, help_text: str | None = None) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, source=source, help_text=help_text)


class InstanceReadings(serializers.Serializer):
    """One MIG instance that is yours."""

    series = serializers.CharField(source="line.name")
    profile = serializers.CharField()
    utilisation = _reading()
    memory_used = _reading()
    memory_total = _reading()


class GpuReadings(serializers.Serializer):
    """One GPU. Of a shared board only its state and your own instances are told."""

    uuid = serializers.CharField(source="line.name")
    label = serializers.CharField(source="line.label")  # type: ignore[assignment]
    model = serializers.CharField()
    state = serializers.ChoiceField(["ok", "error", "lost", "needs_reset", "silent"])
    shared = serializers.BooleanField()
    mig = serializers.BooleanField(source="sample.mig")
    utilisation = _reading("sample.utilisation", help_text="Null under MIG: each instance has its own.")
    memory_activity = _reading("sample.memory_activity", help_text="Share of the time in which memory was read or written; not memory in use.")
    memory_used = _reading("sample.used")
    memory_total = _reading()
    power = _reading("sample.power")
    power_limit = _reading("sample.power_limit")
    temperature = _reading("sample.temperature")
    sm_clock = _reading("sample.clock")
    warnings = serializers.ListField(child=serializers.CharField(), help_text="What slows the GPU down.")
    instances = InstanceReadings(many=True, source="parts")


class ServerReadings(serializers.Serializer):
    """The newest readings of one server. `age` in seconds; figures older than ten seconds are not told."""

    server = serializers.CharField(source="serial")
    source = serializers.CharField(  # type: ignore[assignment]
        help_text="nvml, nvidia-smi, dcgm or simulated; empty before the first reading."
    )
    at = serializers.DateTimeField(source="moment", allow_null=True, help_text="By the server's clock.")
    age = _reading()
    expected = serializers.IntegerField(source="totals.expected")
    reporting = serializers.IntegerField(source="totals.reporting")
    power = _reading("totals.power", help_text="Of all boards, each once.")
    gpus = GpuReadings(many=True, source="cards")


class MinuteReadings(serializers.Serializer):
    """One minute of one series (a board by its UUID, an instance by board and placement): least, mean, greatest of what was read."""

    server = serializers.CharField()
    series = serializers.CharField(source="gpu")
    minute = serializers.DateTimeField()
    samples = serializers.IntegerField()
    utilisation_min = _reading()
    utilisation_avg = _reading()
    utilisation_max = _reading()
    memory_used_avg = _reading()
    memory_used_max = _reading()
    power_avg = _reading()
    power_max = _reading()
    temperature_avg = _reading()
    temperature_max = _reading()


class Fault(serializers.Serializer):
    at = serializers.DateTimeField()
    server = serializers.CharField()
    gpu = serializers.CharField()
    code = serializers.CharField(help_text="xid-79, ecc, ...")
    text = serializers.CharField()
    outcome = serializers.ChoiceField(["note", "drain", "replace"])


class Telemetry(serializers.Serializer):
    booking = serializers.CharField()
    live = serializers.BooleanField()
    servers = ServerReadings(many=True)
    minutes = MinuteReadings(many=True)
    faults = Fault(many=True)


class Wish(serializers.Serializer):
    minutes = serializers.IntegerField(min_value=0, max_value=1440, default=15, help_text="How many minutes back; 0 for none.")
