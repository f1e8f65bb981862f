"""Checks of the contract's manners: what is answered to requests that are wrong, and that the adapter goes on."""

from collections.abc import Callable, Iterator
from typing import Any

from callbench.adapter.equivalent import CALL as LISTED
from callbench.adapter.session import Adapter
from callbench.model.errors import AdapterFailure
from callbench.model.request import only_call
from callbench.runner.verify.session import Session, said_error

_BAD = "bad-request"


def checks() -> Iterator[tuple[str, Callable[[Session], str | None]]]:
    """Name and check."""
    yield "bad-request/unknown-request", _unknown_request
    yield "bad-request/unknown-stack", _unknown_stack
    yield "bad-request/unknown-option", _unknown_option
    yield "bad-request/unknown-call", _unknown_call
    yield "bad-request/missing-member", _missing_member
    yield "bad-request/no-clients", _no_clients
    yield "unknown-members-are-ignored", _unknown_members
    yield "connections", _connections
    yield "connect-replaces", _connect_replaces


def _refused(request: str, ask: Callable[[], Any]) -> str | None:
    kind = said_error(ask)
    if kind == _BAD:
        return None
    told = f"an error of kind {kind}" if kind else "no error"
    return f"{request} was answered with {told}; it must be an error of kind {_BAD}"


def _unknown_request(session: Session) -> str | None:
    client = session.client()
    return _refused("the request 'fly'", lambda: client.ask("fly", "flown", client.patience_s)) or _goes_on(
        session, client
    )


def _unknown_stack(session: Session) -> str | None:
    server = session.unserved().server
    name = f"{session.stack.server.partition('/')[0]}/no-such-stack"
    return _refused(f"serving {name}", lambda: server.serve(name))


def _unknown_option(session: Session) -> str | None:
    server = session.unserved().server
    wrong = _refused(
        "serving with the option 'wings'", lambda: server.serve(session.stack.server, options={"wings": 2})
    )
    if wrong:
        session.close()
    return wrong


def _unknown_call(session: Session) -> str | None:
    client = session.client()
    return _refused("the call 'Fly'", lambda: client.call("Fly", {})) or _goes_on(session, client)


def _missing_member(session: Session) -> str | None:
    client = session.client()
    wrong = _refused("Sum without b", lambda: client.call("Sum", {"a": 1}))
    return (
        wrong
        or _refused("a drive without a call", lambda: client.ask("drive", "done", client.patience_s))
        or _goes_on(session, client)
    )


def _no_clients(session: Session) -> str | None:
    client, probe = session.client(), session.probe
    client.disconnect()
    session.forget()
    wrong = _refused("a call after disconnect", lambda: client.call(probe.call, probe.arguments))
    session.unserved().server.stop_serving()
    return wrong


def _unknown_members(session: Session) -> str | None:
    client, probe = session.client(), session.probe
    members = {"call": probe.call, "arguments": dict(probe.arguments), "colour": "blue"}
    try:
        said = client.ask("call", "returned", client.patience_s, **members)
    except AdapterFailure as failure:
        if client.broken:
            raise
        return f"a request with a member 'colour' was refused: {failure}"
    right = said.get("value") == probe.value or only_call(session.stack) == LISTED  # Its text is judged by `call`.
    return None if right else f"a request with a member 'colour' was answered {said}"


def _goes_on(session: Session, client: Adapter) -> str | None:
    probe = session.probe
    value = client.call(probe.call, probe.arguments).get("value")
    return None if value == probe.value else f"after a bad request {probe.call} gave {value}"


def _connections(session: Session) -> str | None:
    """The connections open are those of the fairness card."""
    told = session.stack.card.get("connections_per_client")
    if told is None:
        return None
    sides = session.unserved()
    endpoint = sides.serve(session.stack)
    opened = sides.client.connect(session.stack.client, endpoint, 3)
    sides.client.disconnect()
    sides.server.stop_serving()
    return (
        None
        if opened == 3 * told
        else f"3 clients have {opened} connections; with {told} a client, as its card says, it is {3 * told}"
    )


def _connect_replaces(session: Session) -> str | None:
    """A second connect replaces the first one's clients."""
    sides = session.unserved()
    endpoint = sides.serve(session.stack)
    first = sides.client.connect(session.stack.client, endpoint, 2)
    second = sides.client.connect(session.stack.client, endpoint, 2)
    wrong = _goes_on(session, sides.client)
    sides.client.disconnect()
    sides.server.stop_serving()
    return wrong or (
        None if first == second else f"2 clients had {first} connections, and {second} when connected again"
    )
