"""The agent of one Server: python -m monitoring.agent --url https://portal.example --server srv-a1 --token-file token --source nvml"""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import threading
from pathlib import Path

from monitoring.agent.base import Source, SourceMissing
from monitoring.agent.delivery import Courier, Portal, Waiting
from monitoring.agent.loop import Agent, keep_ticking
from monitoring.agent.nvml import Nvml
from monitoring.agent.simulated import Board, Simulated
from monitoring.agent.tools import Exporter, NvidiaSmi
from monitoring.domain import samples, wire

SOURCES = ("nvml", "nvidia-smi", "dcgm", "simulated")
SIMULATED_BOARDS = [Board(f"GPU-00000000-0000-4000-8000-{i:012x}", "A100-SXM4-80GB", 81920, 400) for i in range(8)]


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m monitoring.agent", description="Reads the GPUs of this node and sends their readings to the portal.")
    parser.add_argument("--url", help="address of the portal", default="")
    parser.add_argument("--server", help="the server's serial, as the portal knows it", default="this-node")
    parser.add_argument("--token-file", type=Path, help="file that holds the server's agent token")
    parser.add_argument("--source", choices=SOURCES, default="nvml")
    parser.add_argument("--exporter-url", default="http://127.0.0.1:9400/metrics", help="for --source dcgm")
    parser.add_argument("--interval", type=float, default=samples.INTERVAL, help="seconds between readings (default %(default)s)")
    parser.add_argument("--once", action="store_true", help="print one reading as JSON and end; needs neither portal nor token")
    chosen = parser.parse_args(argv)
    if not chosen.once and not (chosen.url and chosen.token_file):
        parser.error("--url and --token-file are needed")
    return chosen


def source(chosen: argparse.Namespace) -> Source:
    """The chosen source; raises SourceMissing."""
    if chosen.source == "nvml":
        return Nvml()
    if chosen.source == "nvidia-smi":
        return NvidiaSmi()
    if chosen.source == "dcgm":
        return Exporter(url=chosen.exporter_url)
    return Simulated(seed=chosen.server, boards=SIMULATED_BOARDS)


def main(argv: list[str] | None = None) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    chosen = arguments(argv)
    try:
        gpus = source(chosen)
    except SourceMissing as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    waiting = Waiting()
    agent = Agent(server=chosen.server, source=gpus, waiting=waiting)
    if chosen.once:
        sys.stdout.write(json.dumps(wire.to_wire(agent.tick()), allow_nan=False) + "\n")
        return 0
    courier = Courier(portal=Portal(url=chosen.url, token=chosen.token_file.read_text().strip()), waiting=waiting)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    courier.start()
    keep_ticking(tick=agent.tick, stop=stop, interval=chosen.interval)
    courier.stop()
    gpus.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
