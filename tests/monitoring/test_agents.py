"""Who may send readings."""

from __future__ import annotations

import json
import stat

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from monitoring.agent.simulated import Board
from monitoring.models import Agent
from monitoring.queries import agents as queries
from monitoring.services import agents
from portal.accounts.models import AuditEntry
from rentals.models import Server
from tests.monitoring import rows


def test_a_token_is_shown_once_and_stored_as_a_hash(cast, racks, now):
    token = agents.enrol(server="srv-a1", by=cast.olu, now=now)

    agent = Agent.objects.get()
    assert token.startswith("agt_") and token not in (agent.token_hash, agent.server)
    assert queries.active() == {agents.token_hash(token=token): "srv-a1"}
    assert AuditEntry.objects.get(verb="agent.enrolled").actor == cast.olu


def test_a_new_token_ends_the_old_one(racks, now):
    old = agents.enrol(server="srv-a1", by=None, now=now)
    new = agents.enrol(server="srv-a1", by=None, now=now)

    assert queries.active() == {agents.token_hash(token=new): "srv-a1"}
    assert old != new


def test_a_revoked_agent_may_not_send_and_may_be_enrolled_again(racks, now):
    agents.enrol(server="srv-a1", by=None, now=now)
    agents.revoke(server="srv-a1", by=None, now=now)
    assert queries.active() == {}

    with pytest.raises(agents.NoAgent):
        agents.revoke(server="srv-a1", by=None, now=now)
    agents.enrol(server="srv-a1", by=None, now=now)
    assert len(queries.active()) == 1


def test_the_fleet_file_names_every_server_with_its_boards_and_cuts(racks, now, tmp_path):
    rows.part(Server.objects.get(serial="srv-a2"), 28, 32, now, shape="mig", profile="3g.40gb")
    path = tmp_path / "var" / "fleet.json"

    assert agents.fleet_file(path=path, now=now) == 3

    entries = {entry["server"]: entry for entry in json.loads(path.read_text())}
    assert set(entries) == {"srv-a1", "srv-a2", "srv-t1"}
    assert all(entry["simulated"] and queries.active()[agents.token_hash(token=entry["token"])] == server for server, entry in entries.items())
    boards = [Board.read(gpu) for gpu in entries["srv-a2"]["gpus"]]
    assert [(slot.profile, slot.start, slot.size) for slot in boards[3].mig] == [("3g.40gb", 4, 4)]
    assert boards[0].mig == () and boards[0].memory_mib == 81920
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_demo_keeps_the_tokens_that_are_still_good(racks, now, tmp_path):
    path = tmp_path / "fleet.json"
    agents.fleet_file(path=path, now=now)
    before = {entry["server"]: entry["token"] for entry in json.loads(path.read_text())}
    agents.revoke(server="srv-a1", by=None, now=now)

    agents.fleet_file(path=path, now=now)

    after = {entry["server"]: entry["token"] for entry in json.loads(path.read_text())}
    assert {server for server in after if after[server] != before[server]} == {"srv-a1"}


def test_a_fleet_file_that_makes_no_sense_is_written_anew(racks, now, tmp_path):
    path = tmp_path / "fleet.json"
    path.write_text("[{]")

    assert agents.fleet_file(path=path, now=now) == 3


def test_a_server_that_is_not_there_gets_no_agent(racks, now):
    Server.objects.filter(serial="srv-t1").update(state="retired")

    for serial in ("srv-x", "srv-t1"):
        with pytest.raises(agents.NoServer):
            agents.enrol(server=serial, by=None, now=now)


def test_the_command_prints_a_token_and_revokes_it(racks, capsys):
    call_command("agent", "srv-a1")
    token = capsys.readouterr().out.strip()
    assert queries.active() == {agents.token_hash(token=token): "srv-a1"}

    call_command("agent", "srv-a1", revoke=True)
    assert queries.active() == {}

    with pytest.raises(CommandError):
        call_command("agent", "srv-a1", revoke=True)
    with pytest.raises(CommandError):
        call_command("agent", "srv-x")


def test_the_agent_of_a_server_that_left_the_fleet_may_not_send(racks, now):
    agents.enrol(server="srv-a1", by=None, now=now)
    Server.objects.filter(serial="srv-a1").update(state=Server.State.RETIRED)

    assert queries.active() == {}
    assert list(queries.unrevoked().values()) == ["srv-a1"]
