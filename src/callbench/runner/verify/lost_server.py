"""What a client's library does if its server is lost during a call, compared with the stack's card.

The library may report an error at once, hang until the time-out, or silently repeat the call, which is then executed
twice. None of these is wrong; it is wrong if the card says something else.
"""

import re
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from callbench.adapter.session import Adapter
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.model.errors import OF_THE_ADAPTER, AdapterFailure
from callbench.runner.verify import cut_connections
from callbench.runner.verify.session import Arrangement, ProbeCall, VerifySession

DELAY_MS = 400
TIMEOUT_MS = 1500
# A result that differs from the card is measured again with times multiplied by this, because a busy machine looks like
# a hang.
LONGER = 8
# An adapter may count a call only when it answers. After this part of the delay the call is assumed to be executing.
EXECUTION_SHARE = 0.25
# Where the loss may have come after the answer, which proves nothing, the call is made longer still.
_LONGER_STILL = (2 * LONGER, 4 * LONGER)
ATTEMPTS = 3
# An error later than this share of the time-out counts as a time-out.
_NEAR = 0.9
# With a colon, or in brackets as in DCOM's string bindings.
_PORT = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}[:\[](\d{2,5})\b")


@dataclass(frozen=True)
class Observation:
    """The observed behaviour.

    Attributes:
        values: in the terms of the card, by member; unknown members are missing.
        text: in words.
        within_call: False where a busy machine may have lost the server only after its answer.
    """

    values: dict[str, object]
    text: str
    within_call: bool = True


def checks() -> Iterator[tuple[str, Callable[[VerifySession], str | None]]]:
    """Yield each check with its name."""
    yield "lost/cut", _compare_with_card(_cut)
    # This check comes last, because it leaves a client without a server.
    yield "lost/killed", _compare_with_card(_killed)


def _compare_with_card(measure: Callable[[VerifySession, int], Observation]) -> Callable[[VerifySession], str | None]:
    """Return a check of a behaviour.

    In-process stacks have no separate server. If the card says nothing, the behaviour is only reported.
    """

    def check(session: VerifySession) -> str | None:
        if session.stack.in_process:
            return None
        card = session.stack.card.get("when_lost")
        for times in (1, LONGER, *_LONGER_STILL):
            try:
                seen = measure(session, times)
            except AdapterFailure as failure:
                # A busy machine may not even connect within so short a time-out.
                if failure.kind != "timeout" or times == _LONGER_STILL[-1]:
                    raise
                continue
            session.set_note(seen.text)
            if not seen.within_call:
                continue
            wrong = {} if card is None else {key: its for key, its in seen.values.items() if card.get(key) != its}
            if not wrong:
                return None
            if times >= LONGER:
                break
        else:
            session.set_note(f"{seen.text}; this machine was too busy to lose the server within a call")
            return None
        values = ", ".join(f"{key} = {_toml(card.get(key))}" for key in wrong) if card else ""
        right = ", ".join(f"{key} = {_toml(its)}" for key, its in wrong.items())
        return f"{seen.text}: its card says when_lost with {values}; it must be {right}"

    return check


def _toml(value: object) -> str:
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def _cut(session: VerifySession, times: int) -> Observation:
    """Reset the connection during a call while the server lives, and ask the server how often it executed the call."""
    sides, probe = _with_delay(session, times), session.probe
    with ThreadPoolExecutor(1) as pool:
        answered_from = _earliest_answer(times)
        call, executed_so_far = _call_in_progress(sides, probe, pool, times)
        of = side_processes.processes_of(sides)
        ends = cut_connections.connections(of.server, of.client)
        try:
            cut_connections.cut(ends)
        except OSError as failure:
            _error_of(call)
            session.without_server()
            return Observation({}, f"the connection cannot be cut here ({failure.strerror})")
        since = time.monotonic()
        within = since < answered_from
        kind = _error_of(call)
        seconds = time.monotonic() - since
    if not executed_so_far:
        time.sleep(2 * times * DELAY_MS / 1000)
    executed = executed_so_far + sides.server.counted()["calls"].get(probe.call, 0)
    # The next check must not depend on how the library handles its broken connection.
    session.without_server()
    if not executed:
        return Observation({"cut": "not begun"}, f"the call never reached the server: {_describe(kind, seconds)}")
    if not ends:
        return Observation({"cut": "no connection"}, "there is no connection to cut")
    outcome = _outcome(kind, seconds, times, executed)
    often = "once" if executed == 1 else f"{executed} times"
    return Observation(
        {"cut": outcome}, f"connection cut in a call: {_describe(kind, seconds)}, executed {often}", within
    )


def _killed(session: VerifySession, times: int) -> Observation:
    """Kill the server, and let the same client call another server at the same address."""
    sides = _with_delay(session, times)
    endpoint = session.endpoint
    try:
        with ThreadPoolExecutor(1) as pool:
            answered_from = _earliest_answer(times)
            call, _ = _call_in_progress(sides, session.probe, pool, times)
            sides.server.process.signal(signal.SIGKILL)
            since = time.monotonic()
            within = since < answered_from
            kind = _error_of(call)
            seconds = time.monotonic() - since
        killed = {"killed": _outcome(kind, seconds, times, executed=1)}
        outcome = f"server killed in a call: {_describe(kind, seconds)}"
        back, why = _reconnects(session, sides, endpoint)
    finally:
        session.close()
    return Observation(killed | ({} if back is None else {"back": back}), f"{outcome}; {why}", within)


def _earliest_answer(times: int) -> float:
    """Return when a call that begins now is answered at the earliest: what comes before that is within the call."""
    return time.monotonic() + times * DELAY_MS / 1000


def _with_delay(session: VerifySession, times: int) -> Sides:
    # Call once before: a runtime that loads classes may take longer than the time-out below.
    session.client().call(session.probe.call, session.probe.arguments)
    return session.sides(Arrangement({"delay_us": times * DELAY_MS * 1000}, timeout_ms=times * TIMEOUT_MS))


def _call_in_progress(
    sides: Sides, probe: ProbeCall, pool: ThreadPoolExecutor, times: int
) -> tuple[Future[dict[str, object]], int]:
    """Return a call in progress, and how often the server has counted it so far."""
    sides.server.counted()
    call = pool.submit(sides.client.call, probe.call, probe.arguments)
    deadline = time.monotonic() + EXECUTION_SHARE * times * DELAY_MS / 1000
    executed_so_far = 0
    while not executed_so_far and not call.done() and time.monotonic() < deadline:
        executed_so_far = sides.server.counted()["calls"].get(probe.call, 0)
    return call, executed_so_far


def _error_of(call: Future[dict[str, object]]) -> str | None:
    """Return the kind of error that ended a call; None if it was answered.

    Raises:
        AdapterFailure: the client died or broke the contract.
    """
    try:
        call.result()
    except AdapterFailure as failure:
        if failure.kind in OF_THE_ADAPTER:
            raise
        return failure.kind
    return None


def _outcome(kind: str | None, seconds: float, times: int, executed: int) -> str:
    if kind is None:
        return "retry" if executed > 1 else "answered"
    if executed > 1:
        return "twice"
    # Use the clock: a library may report a broken connection as a time-out immediately.
    hung = seconds > _NEAR * times * TIMEOUT_MS / 1000
    return "hang" if hung else "error"


def _describe(kind: str | None, seconds: float) -> str:
    return f"{'answered anyway' if kind is None else f'error of kind {kind}'} after {seconds:.2f} s"


def _reconnects(session: VerifySession, sides: Sides, endpoint: str) -> tuple[bool | None, str]:
    """Return whether the client can continue with a restarted server; None if that is unknown."""
    port = _PORT.search(endpoint)
    if port is None:
        return None, "the server cannot be restarted at the same address, which has no port"
    try:
        server = session.restart_server()
        again = server.serve(session.stack.server, port=int(port[1]))
    except AdapterFailure as failure:
        return None, f"the server could not be restarted ({failure})"
    if again != endpoint:
        return None, "a restarted server has another address"
    for attempt in range(ATTEMPTS):
        if _succeeds(sides.client, session.probe):
            return True, f"the client continues with a restarted server at call {attempt + 1}"
    return False, "the client must connect again after a restart of the server"


def _succeeds(client: Adapter, probe: ProbeCall) -> bool:
    try:
        return bool(client.call(probe.call, probe.arguments).get("value") == probe.value)
    except AdapterFailure as failure:
        if failure.kind in OF_THE_ADAPTER:
            raise
        return False
