from monitoring.models.telemetry import Agent, GpuEvent, MinuteRollup

__all__ = ["Agent", "GpuEvent", "MinuteRollup"]
