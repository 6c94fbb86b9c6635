"""The defaults of an installation that is neither demo nor test are the safe ones."""

import os
import secrets
import subprocess
import sys

import pytest

from tests.house import tree

LOOSE = {"PORTAL_DEMO", "PORTAL_TESTING", "PORTAL_SECRET_KEY", "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}


def check(**environment) -> subprocess.CompletedProcess:
    kept = {name: value for name, value in os.environ.items() if name not in LOOSE}
    real = {"PORTAL_BASE_URL": "https://gpu.example.com", "PORTAL_HOSTS": "gpu.example.com", "PORTAL_SECRET_KEY": secrets.token_urlsafe(64)}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return subprocess.run(command, cwd=tree.ROOT, env={**kept, **real, **environment}, capture_output=True, text=True, timeout=120)


def test_the_deployment_check_finds_nothing():
    answer = check()

    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("secret", ["", "short"])
def test_it_does_not_start_without_a_real_secret_key(secret):
    answer = check(PORTAL_SECRET_KEY=secret)

    assert answer.returncode != 0
    assert "PORTAL_SECRET_KEY" in answer.stderr
