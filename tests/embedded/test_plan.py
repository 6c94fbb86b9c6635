"""What the supervisor tells the programs that it starts."""

from __future__ import annotations

from portal.embedded.plan import Plan
from portal.embedded.state import State


def test_the_web_server_pings_sockets_before_a_proxy_takes_them_for_idle(tmp_path):
    command = Plan(State(tmp_path), demo=False, anywhere=True, given={}).web().command

    assert command[command.index("--ws-ping-interval") + 1] == "15"
    assert command[command.index("--ws-ping-timeout") + 1] == "15"
