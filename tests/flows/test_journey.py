"""The whole stack as processes: every program dies once on the way, and the story holds."""

import subprocess
import sys

import pytest

from tests.embedded.running import clean_environment

pytestmark = [pytest.mark.stack]


def test_every_acknowledged_booking_payment_and_invoice_survives_kill_9_of_each_program(request):
    command = [sys.executable, "-m", "portal.embedded", "run", "--stack", "--", sys.executable, "manage.py", "journey", "--accidents"]
    environment = clean_environment(PORTAL_ENGINE_SPEED="60")

    done = subprocess.run(command, env=environment, cwd=request.config.rootpath, capture_output=True, text=True, timeout=600)

    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    for program in ("web", "valkey", "worker", "engine", "beat", "postgres", "stripe"):
        assert any(program in line for line in done.stdout.splitlines() if "after kill -9" in line), program
    assert "Every step held" in done.stdout
