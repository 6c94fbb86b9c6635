"""What is kept of telemetry. Newest values and the last five minutes live in memory and Valkey; the database holds agents, minutes and events."""

from __future__ import annotations

from django.db import models


class Agent(models.Model):
    """The credential of the agent on one Server. Only the SHA-256 of its token is stored."""

    server = models.CharField(max_length=60, unique=True)  # rentals' serial
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)


class MinuteRollup(models.Model):
    """One GPU's minute: minimum, average, maximum of each measure over the readings that were there. A missing reading counts nowhere.

    `gpu` names a series: the UUID of a board, or board and placement of a MIG instance (domain.series). Percent, MiB, watts, degrees Celsius. `samples` is
    the number of instants with any reading. A row belongs to the Server whose agent sent it, so that no agent can write into another's minutes.
    """

    server = models.CharField(max_length=60)
    gpu = models.CharField(max_length=60)
    minute = models.DateTimeField()
    samples = models.PositiveSmallIntegerField()
    utilisation_min = models.FloatField(null=True)
    utilisation_avg = models.FloatField(null=True)
    utilisation_max = models.FloatField(null=True)
    memory_used_avg = models.FloatField(null=True)
    memory_used_max = models.FloatField(null=True)
    power_avg = models.FloatField(null=True)
    power_max = models.FloatField(null=True)
    temperature_avg = models.FloatField(null=True)
    temperature_max = models.FloatField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "gpu", "minute"], name="monitoring_minute_once")]
        indexes = [
            models.Index(fields=["server", "minute"], name="monitoring_minute_by_server"),
            models.Index(fields=["minute"], name="monitoring_minute_by_age"),
        ]


class GpuEvent(models.Model):
    """An XID or ECC event, on the synchronous path: (server, gpu, code, at) is unique, so a repeat adds nothing."""

    server = models.CharField(max_length=60)
    gpu = models.CharField(max_length=60)
    code = models.CharField(max_length=20)
    at = models.DateTimeField()
    text = models.CharField(max_length=300, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "gpu", "code", "at"], name="monitoring_gpu_event_once")]
        ordering = ["-at", "-id"]
