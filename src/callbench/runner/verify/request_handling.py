"""Checks of how an adapter answers invalid requests, and that it continues to work afterwards."""

from collections.abc import Callable, Iterator
from typing import Any

from callbench.adapter.equivalent import CALL as LISTED
from callbench.adapter.session import Adapter
from callbench.model.errors import AdapterFailure
from callbench.model.request import only_call
from callbench.runner.verify.session import VerifySession, error_kind

_BAD = "bad-request"


def checks() -> Iterator[tuple[str, Callable[[VerifySession], str | None]]]:
    """Yield each check with its name."""
    yield "bad-request/unknown-request", _unknown_request
    yield "bad-request/unknown-stack", _unknown_stack
    yield "bad-request/unknown-option", _unknown_option
    yield "bad-request/unknown-call", _unknown_call
    yield "bad-request/missing-member", _missing_member
    yield "bad-request/no-clients", _no_clients
    yield "unknown-members-are-ignored", _unknown_members
    yield "connections", _connections
    yield "connect-replaces", _connect_replaces


def _refusal_error(request: str, ask: Callable[[], Any]) -> str | None:
    kind = error_kind(ask)
    if kind == _BAD:
        return None
    outcome = f"an error of kind {kind}" if kind else "no error"
    return f"{request} was answered with {outcome}; it must be an error of kind {_BAD}"


def _unknown_request(session: VerifySession) -> str | None:
    client = session.client()
    return _refusal_error("the request 'fly'", lambda: client.ask("fly", "flown", client.patience_s)) or _still_works(
        session, client
    )


def _unknown_stack(session: VerifySession) -> str | None:
    server = session.without_server().server
    name = f"{session.stack.server.partition('/')[0]}/no-such-stack"
    return _refusal_error(f"serving {name}", lambda: server.serve(name))


def _unknown_option(session: VerifySession) -> str | None:
    server = session.without_server().server
    wrong = _refusal_error(
        "serving with the option 'wings'", lambda: server.serve(session.stack.server, options={"wings": 2})
    )
    if wrong:
        session.close()
    return wrong


def _unknown_call(session: VerifySession) -> str | None:
    client = session.client()
    return _refusal_error("the call 'Fly'", lambda: client.call("Fly", {})) or _still_works(session, client)


def _missing_member(session: VerifySession) -> str | None:
    client = session.client()
    wrong = _refusal_error("Sum without b", lambda: client.call("Sum", {"a": 1}))
    return (
        wrong
        or _refusal_error("a drive without a call", lambda: client.ask("drive", "done", client.patience_s))
        or _still_works(session, client)
    )


def _no_clients(session: VerifySession) -> str | None:
    client, probe = session.client(), session.probe
    client.disconnect()
    session.mark_changed()
    wrong = _refusal_error("a call after disconnect", lambda: client.call(probe.call, probe.arguments))
    session.without_server().server.stop_serving()
    return wrong


def _unknown_members(session: VerifySession) -> str | None:
    client, probe = session.client(), session.probe
    members = {"call": probe.call, "arguments": dict(probe.arguments), "colour": "blue"}
    try:
        reply = client.ask("call", "returned", client.patience_s, **members)
    except AdapterFailure as failure:
        if client.broken:
            raise
        return f"a request with a member 'colour' was refused: {failure}"
    right = reply.get("value") == probe.value or only_call(session.stack) == LISTED  # Its text is checked by `call`.
    return None if right else f"a request with a member 'colour' was answered {reply}"


def _still_works(session: VerifySession, client: Adapter) -> str | None:
    probe = session.probe
    value = client.call(probe.call, probe.arguments).get("value")
    return None if value == probe.value else f"after a bad request {probe.call} gave {value}"


def _connections(session: VerifySession) -> str | None:
    """The number of connections is that of the fairness card."""
    outcome = session.stack.card.get("connections_per_client")
    if outcome is None:
        return None
    sides = session.without_server()
    endpoint = sides.serve(session.stack)
    opened = sides.client.connect(session.stack.client, endpoint, 3)
    sides.client.disconnect()
    sides.server.stop_serving()
    return (
        None
        if opened == 3 * outcome
        else f"3 clients have {opened} connections; with {outcome} a client, as its card says, it is {3 * outcome}"
    )


def _connect_replaces(session: VerifySession) -> str | None:
    """A second connect replaces the clients of the first one."""
    sides = session.without_server()
    endpoint = sides.serve(session.stack)
    first = sides.client.connect(session.stack.client, endpoint, 2)
    second = sides.client.connect(session.stack.client, endpoint, 2)
    wrong = _still_works(session, sides.client)
    sides.client.disconnect()
    sides.server.stop_serving()
    return wrong or (
        None if first == second else f"2 clients had {first} connections, and {second} when connected again"
    )
