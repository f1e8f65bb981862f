"""The session of a verification: what it does where a client cannot connect."""

from types import SimpleNamespace
from typing import Any

import pytest

from callbench.model.errors import AdapterFailure
from callbench.runner.verify import session as verify_session


def test_a_client_that_cannot_connect_says_so_at_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []

    def connect(*_: object, **_options: object) -> None:
        raise AdapterFailure("internal", "the proxy has no type")

    def serve(*_: object) -> str:
        events.append("serve")
        return "http://here/"

    client = SimpleNamespace(connect=connect, disconnect=lambda: events.append("disconnect"))
    server = SimpleNamespace(stop_serving=lambda: events.append("stop-serving"))
    sides = SimpleNamespace(client=client, server=server, serve=serve)
    monkeypatch.setattr(verify_session, "Sides", lambda *_, **_options: sides)
    programs: Any = None
    placement: Any = None
    session = verify_session.VerifySession(programs, placement)
    stack: Any = SimpleNamespace(in_process=False, client="java/grpc")
    session.use_stack(stack)
    for _check in range(2):
        with pytest.raises(AdapterFailure, match="the proxy has no type"):
            session.client()
    assert events == ["serve", "disconnect", "stop-serving"] * 2
