"""Readings through what a node has anyway: the nvidia-smi tool, or a DCGM exporter on loopback. For nodes where nvidia-ml-py cannot be installed."""

from __future__ import annotations

import http.client
import shutil
import subprocess
from urllib.parse import urlsplit

from monitoring.agent.base import SourceMissing
from monitoring.domain import dcgm, faults, nvidia_smi
from monitoring.domain.readings import Reading

SECONDS = 5.0
MOST_BYTES = 4 << 20


class NvidiaSmi:
    """One call of `nvidia-smi -q -x` for each reading: heavier than NVML, so it is read less often on busy nodes."""

    name = "nvidia-smi"

    def __init__(self, *, program: str = "nvidia-smi") -> None:
        """Raises SourceMissing when there is no such program."""
        found = shutil.which(program)
        if not found:
            raise SourceMissing(f"{program} is not on PATH")
        self._command = [found, "-q", "-x"]

    def read(self, *, at: float) -> Reading:
        try:
            done = subprocess.run(self._command, capture_output=True, text=True, timeout=SECONDS, errors="replace")
            return nvidia_smi.read_xml(done.stdout)
        except subprocess.TimeoutExpired:
            return Reading(warnings=["nvidia-smi does not answer"])
        except nvidia_smi.Unreadable as error:
            return Reading(unparsed=1, warnings=[f"nvidia-smi: {error}"])

    def close(self) -> None:
        """There is nothing to let go of."""


class Exporter:
    """One scrape of a dcgm-exporter for each reading."""

    name = "dcgm"

    def __init__(self, *, url: str) -> None:
        """Raises SourceMissing for an address that is none."""
        split = urlsplit(url)
        if split.scheme != "http" or not split.hostname:
            raise SourceMissing(f"not an http address: {url}")
        self._host, self._port, self._path = split.hostname, split.port or 9400, split.path or "/metrics"
        self._edges = faults.Edges()

    def read(self, *, at: float) -> Reading:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=SECONDS)
        try:
            connection.request("GET", self._path)
            text = connection.getresponse().read(MOST_BYTES).decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            return Reading(warnings=[f"the exporter does not answer: {type(error).__name__}"])
        finally:
            connection.close()
        return dcgm.read(text, at, self._edges)

    def close(self) -> None:
        """There is nothing to let go of."""
