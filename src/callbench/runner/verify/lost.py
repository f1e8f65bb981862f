"""What a client's library does where its server is lost in the middle of a call, held against the stack's card.

Its users live with that: an error at once, a call that hangs until its time-out, a call that is silently made again and
executed twice. It is no fault of a stack to do any of these; it is one to do another than its card says.
"""

import re
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from callbench.adapter.session import Adapter
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.model.errors import AdapterFailure
from callbench.runner.verify import cut
from callbench.runner.verify.session import Arrangement, Probe, Session

DELAY_MS = 400
TIMEOUT_MS = 1500
# What does not fit the card is measured once more with times so much longer: a busy machine looks like a hang.
LONGER = 8
# An adapter may count a call when it has answered it: after this part of the delay the call is taken to have begun.
BEGUN = 0.25
ATTEMPTS = 3
# An error so near the time-out is the time-out, whatever the library calls it.
_NEAR = 0.9
# With a colon, or in brackets as the string bindings of DCOM have it.
_PORT = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}[:\[](\d{2,5})\b")


@dataclass(frozen=True)
class Lost:
    """What was seen.

    Attributes:
        said: in the words of the card, by its members; without those that cannot be told.
        story: for people.
    """

    said: dict[str, Any]
    story: str


def checks() -> Iterator[tuple[str, Callable[[Session], str | None]]]:
    """Name and check."""
    yield "lost/cut", _as_its_card_says(_cut)
    # Last of all, since it leaves a client behind whose server is gone.
    yield "lost/killed", _as_its_card_says(_killed)


def _as_its_card_says(measure: Callable[[Session, int], Lost]) -> Callable[[Session], str | None]:
    """Not asked of in-process stacks, whose server is the caller. Of a card that says nothing it is told only."""

    def check(session: Session) -> str | None:
        if session.stack.in_process:
            return None
        card = session.stack.card.get("when_lost")
        for times in (1, LONGER):
            seen = measure(session, times)
            session.tell(seen.story)
            wrong = {} if card is None else {key: its for key, its in seen.said.items() if card.get(key) != its}
            if not wrong:
                return None
        said = ", ".join(f"{key} = {_toml(card.get(key))}" for key in wrong) if card else ""
        right = ", ".join(f"{key} = {_toml(its)}" for key, its in wrong.items())
        return f"{seen.story}: its card says when_lost with {said}; it must be {right}"

    return check


def _toml(value: object) -> str:
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def _cut(session: Session, times: int) -> Lost:
    """Resets the connection under way while the server lives, and asks it how often it executed the call."""
    sides, probe = _arranged(session, times), session.probe
    with ThreadPoolExecutor(1) as pool:
        call, begun = _under_way(sides, probe, pool, times)
        of = side_processes.of(sides)
        ends = cut.connections(of.server, of.client)
        try:
            cut.cut(ends)
        except OSError as failure:
            _awaited(call)
            session.unserved()
            return Lost({}, f"the connection cannot be cut here ({failure.strerror})")
        since = time.monotonic()
        kind = _awaited(call)
        took = time.monotonic() - since
    if not begun:
        time.sleep(2 * times * DELAY_MS / 1000)
    executed = begun + sides.server.counted()["calls"].get(probe.call, 0)
    # What the library makes of its broken connection is not the next check's business.
    session.unserved()
    if not executed:
        return Lost({"cut": "not begun"}, f"the call never reached the server: {_told(kind, took)}")
    if not ends:
        return Lost({"cut": "no connection"}, "there is no connection to cut")
    outcome = _outcome(kind, took, times, executed)
    often = "once" if executed == 1 else f"{executed} times"
    return Lost({"cut": outcome}, f"connection cut in a call: {_told(kind, took)}, executed {often}")


def _killed(session: Session, times: int) -> Lost:
    """Kills the server, and lets the same client call another one at the same place."""
    sides = _arranged(session, times)
    place = session.endpoint
    try:
        with ThreadPoolExecutor(1) as pool:
            call, _ = _under_way(sides, session.probe, pool, times)
            sides.server.process.signal(signal.SIGKILL)
            since = time.monotonic()
            kind = _awaited(call)
            took = time.monotonic() - since
        killed = {"killed": _outcome(kind, took, times, executed=1)}
        told = f"server killed in a call: {_told(kind, took)}"
        back, why = _calls_again(session, sides, place)
    finally:
        session.close()
    return Lost(killed | ({} if back is None else {"back": back}), f"{told}; {why}")


def _arranged(session: Session, times: int) -> Sides:
    # A runtime that loads its classes takes longer over its first call than the time-out below.
    session.client().call(session.probe.call, session.probe.arguments)
    return session.sides(Arrangement({"delay_us": times * DELAY_MS * 1000}, timeout_ms=times * TIMEOUT_MS))


def _under_way(sides: Sides, probe: Probe, pool: ThreadPoolExecutor, times: int) -> tuple[Future[dict[str, Any]], int]:
    """A call that the server has begun to answer, and how often that is by its own count so far."""
    sides.server.counted()
    call = pool.submit(sides.client.call, probe.call, probe.arguments)
    deadline = time.monotonic() + BEGUN * times * DELAY_MS / 1000
    begun = 0
    while not begun and not call.done() and time.monotonic() < deadline:
        begun = sides.server.counted()["calls"].get(probe.call, 0)
    return call, begun


def _awaited(call: Future[dict[str, Any]]) -> str | None:
    """The kind of the error that a call ended with, or None where it was answered.

    Raises:
        AdapterFailure: the client died or left the contract.
    """
    try:
        call.result()
    except AdapterFailure as failure:
        if failure.kind in ("died", "silent", "garbage"):
            raise
        return failure.kind
    return None


def _outcome(kind: str | None, took: float, times: int, executed: int) -> str:
    if kind is None:
        return "retry" if executed > 1 else "answered"
    if executed > 1:
        return "twice"
    # By the clock, since a library can call a broken connection a time-out at once.
    hung = took > _NEAR * times * TIMEOUT_MS / 1000
    return "hang" if hung else "error"


def _told(kind: str | None, took: float) -> str:
    return f"{'answered all the same' if kind is None else f'error of kind {kind}'} after {took:.2f} s"


def _calls_again(session: Session, sides: Sides, place: str) -> tuple[bool | None, str]:
    """Whether the client can go on when a server is back; None where it cannot be told."""
    port = _PORT.search(place)
    if port is None:
        return None, "no server can be put in its place, whose address has no port"
    try:
        server = session.server_anew()
        again = server.serve(session.stack.server, port=int(port[1]))
    except AdapterFailure as failure:
        return None, f"no server could be put in its place ({failure})"
    if again != place:
        return None, "another server has another address"
    for attempt in range(ATTEMPTS):
        if _calls(sides.client, session.probe):
            return True, f"the client goes on with a server in its place at call {attempt + 1}"
    return False, "the client has to connect anew where a server is in its place"


def _calls(client: Adapter, probe: Probe) -> bool:
    try:
        return bool(client.call(probe.call, probe.arguments).get("value") == probe.value)
    except AdapterFailure as failure:
        if failure.kind in ("died", "silent", "garbage"):
            raise
        return False
