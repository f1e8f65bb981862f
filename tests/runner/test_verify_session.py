"""The session of a verification: what it does where a client cannot connect, and where somebody stops it."""

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from callbench.cli.commands import verify
from callbench.model.errors import AdapterFailure
from callbench.model.verify_outcome import CheckOutcome
from callbench.report import verify as shown
from callbench.runner.verify import session as verify_session
from callbench.store.stopping import Sigterm, Terminated


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


def test_who_stops_it_finds_what_was_started_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """While Python ends itself, it is too late."""
    events: list[str] = []

    def outcomes() -> Generator[CheckOutcome, None, None]:
        try:
            yield CheckOutcome("native/json+tcp", "hello", None)
        finally:
            events.append("ended")

    def stop(*_: object, **_options: object) -> None:
        raise Sigterm

    monkeypatch.setattr(shown, "show_outcome", stop)
    monkeypatch.setattr(shown, "show_summary", lambda *_: events.append("told"))
    made = outcomes()
    with pytest.raises(Terminated):
        verify._show(made, as_json=False, verbose=True)
    assert events == ["ended", "told"]
