"""Before the supervisor: what the machine lacks, the virtual environment, the front-end packages."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from portal.embedded import assets, environment, launch, ports, preflight, state, supervisor

SPRITE = '<svg><defs><symbol id="tabler-x" a="1"><path d="M0" /></symbol><symbol id="tabler-x-ray"><path d="M1" /></symbol></defs></svg>'


@pytest.fixture
def bare_machine(monkeypatch):
    """Nothing is installed and nothing can be."""
    monkeypatch.setattr(preflight.shutil, "which", lambda name: None)
    monkeypatch.setattr(preflight.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(preflight.platform, "libc_ver", lambda: ("", ""))
    monkeypatch.setattr(preflight, "PYTHONS_OF_THE_SYSTEM", ())
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)


def test_everything_that_is_missing_is_named_at_once(bare_machine):
    with pytest.raises(preflight.NotReady) as refusal:
        preflight.check(dev=True, browser=True)

    for word in ("venv", "make", "glibc", "git", "gettext", "Chromium", "Chinese font", "apt-get install"):
        assert word in str(refusal.value)


def test_the_demo_asks_for_neither_browser_nor_gettext(bare_machine):
    asked = " ".join(one.what for one in preflight.find_missing(dev=False, browser=False))

    assert "venv" in asked
    assert "Chromium" not in asked
    assert "gettext" not in asked


def test_root_on_debian_installs_what_is_missing_without_a_question(monkeypatch):
    commands, lacking = [], [preflight.Missing("Chromium", ("chromium",))]
    monkeypatch.setattr(preflight, "find_missing", lambda **what: list(lacking))
    monkeypatch.setattr(preflight.os, "geteuid", lambda: 0)
    monkeypatch.setattr(preflight.shutil, "which", lambda name: f"/usr/bin/{name}")

    def pretend(command, **how):
        commands.append(command)
        assert how["stdin"] == subprocess.DEVNULL
        assert how["env"]["DEBIAN_FRONTEND"] == "noninteractive"
        lacking.clear()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(preflight.subprocess, "run", pretend)

    preflight.check(dev=True, browser=True)

    assert commands[-1][-1] == "chromium"


def test_what_stays_missing_after_the_installation_is_still_refused(monkeypatch):
    monkeypatch.setattr(preflight, "find_missing", lambda **what: [preflight.Missing("Chromium", ("chromium",))])
    monkeypatch.setattr(preflight, "_may_install", lambda missing: True)
    monkeypatch.setattr(preflight, "_install", lambda packages: None)

    with pytest.raises(preflight.NotReady, match="Chromium"):
        preflight.check(dev=True, browser=True)


def test_a_refusal_is_one_message_and_status_1(monkeypatch, capsys):
    def refuse(**what):
        raise preflight.NotReady("This machine lacks: a lot")

    monkeypatch.setattr(preflight, "check", refuse)

    assert launch.main(["prepare"]) == 1
    assert capsys.readouterr().err == "This machine lacks: a lot\n"


def test_a_venv_made_from_the_same_lock_is_left_alone(monkeypatch, tmp_path):
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    (tmp_path / "pip").touch()
    installed = []
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setattr(environment, "install", lambda python, what: installed.append(what[-1]))
    monkeypatch.setattr(environment, "_has_an_installer", lambda python: True)

    for dev in (False, False, True, True, False):
        environment.make(dev=dev)

    assert [name.rpartition(os.sep)[2] for name in installed] == ["requirements.lock", "requirements-dev.lock"]


def test_a_step_that_fails_shows_its_own_words():
    with pytest.raises(preflight.NotReady, match="no such luck"):
        environment.run([sys.executable, "-c", "print('no such luck'); raise SystemExit(3)"])


def test_the_sprite_keeps_only_the_icons_that_pages_use():
    sprite = assets.subset(SPRITE, ["x-ray"])

    assert sprite == '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="tabler-x-ray"><path d="M1" /></symbol></svg>\n'


def test_an_icon_that_does_not_exist_is_named():
    with pytest.raises(assets.UnknownIcon, match="no-such-icon"):
        assets.subset(SPRITE, ["x", "no-such-icon"])


@pytest.mark.parametrize("comment", ["/*# sourceMappingURL=a.css.map */", "//# sourceMappingURL=a.js.map"])
def test_a_reference_to_a_map_that_is_not_shipped_is_dropped(comment):
    assert assets.without_source_map(f"a{{}}\n{comment}\n").strip() == "a{}"


def test_every_asset_that_pages_name_is_there():
    for name in (*assets.FILES.values(), "icons.svg"):
        assert (assets.VENDOR / name).stat().st_size > 500, name


def test_every_icon_that_templates_use_is_in_the_list():
    import re

    from tests.house import tree

    used = {match for path in tree.files() if path.suffix == ".html" for match in re.findall(r'{%\s*icon\s+"([\w-]+)"', tree.text(path))}

    assert used <= set(assets.NAMES.read_text().split())


def test_a_port_that_is_taken_is_not_chosen():
    with socket.socket() as listener:
        listener.bind((ports.LOOPBACK, 0))
        listener.listen()
        taken = listener.getsockname()[1]

        assert ports.choose(taken) not in (0, taken)
    assert ports.choose(taken) == taken


def test_a_secret_stays_and_only_its_owner_reads_it(tmp_path):
    folder = state.State(tmp_path / "var")

    assert folder.secret("valkey") == folder.secret("valkey") != folder.secret("other")
    assert (tmp_path / "var" / "secrets.json").stat().st_mode & 0o777 == 0o600
    folder.close()


def test_a_long_log_is_put_aside(tmp_path, monkeypatch):
    folder = state.State(tmp_path / "var")
    monkeypatch.setattr(state, "LOG_SIZE", 3)
    folder.log("web").write_text("long")

    assert not folder.log("web").exists()
    assert (folder.logs / "web.log.1").read_text() == "long"
    folder.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_sockets_are_not_put_into_a_folder_of_somebody_else(tmp_path):
    theirs = tmp_path / "portal-0-guessed"
    theirs.mkdir()
    os.chown(theirs, 12345, -1)

    with pytest.raises(state.UnsafeFolder):
        state.private_folder(theirs, owner=os.geteuid(), shared_place=True)


def test_orphans_left_to_process_1_are_found():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

    found = supervisor.zombies_of(os.getpid(), [])

    os.waitpid(child, 0)
    assert child in found
    assert child not in supervisor.zombies_of(os.getpid(), [])
