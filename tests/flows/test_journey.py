"""The whole stack as processes: every program dies once on the way, and the story holds."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.stack]
OWN = ("DATABASE_URL", "REDIS_URL", "PORTAL_TESTING", "PORTAL_REDIS_FIRST_DB", "PORTAL_VAR", "DJANGO_SETTINGS_MODULE")


def test_every_acknowledged_booking_payment_and_invoice_survives_kill_9_of_each_program(request):
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    command = [sys.executable, "-m", "portal.embedded", "run", "--stack", "--", sys.executable, "manage.py", "journey", "--accidents"]

    done = subprocess.run(command, env={**environment, "PORTAL_ENGINE_SPEED": "60"}, cwd=request.config.rootpath, capture_output=True, text=True, timeout=600)

    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    for program in ("web", "valkey", "worker", "engine", "beat", "postgres", "stripe"):
        assert f"{program}" in "".join(line for line in done.stdout.splitlines() if "after kill -9" in line)
    assert "Every step held" in done.stdout
