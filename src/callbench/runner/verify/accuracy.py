"""Checks that measured values are true: counts, times, errors, clients.

What a drive's own figures must have in common is checked in every drive, by `callbench.adapter.drive_check`.
The checks have lower limits only: a requested delay must be visible. They never judge how fast a stack is.
"""

import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from callbench.adapter.contract import Counts, Done
from callbench.adapter.oracle import disagreement
from callbench.adapter.session import Adapter
from callbench.catalog.external import runs_by_itself
from callbench.model.cell import TIMES_CODEC
from callbench.model.errors import AdapterFailure
from callbench.model.request import only_call
from callbench.runner.verify.session import Arrangement, NotApplicable, VerifySession, error_kind

DELAY_US = 10_000
THINK_NS = 5_000_000
# A think time and its number of periods. If clients were in step, each would make one call more.
RATE_THINK_NS = 100_000_000
RATE_PERIODS = 2.2
WINDOW_S = 0.1
WINDOW_DELAY_US = 60_000
# Three arrivals, two of them at the same time, repeated in a circle. The file exists already: a temporary one would
# remain if the core is killed.
SCHEDULE = Path(__file__).with_name("three.gaps")
GAPS_NS = struct.unpack("<3Q", SCHEDULE.read_bytes())
BURN_US = 2000.5
STALL_US = 40_000
STALL_EVERY_US = 80_000
SHORT_TIMEOUT_MS = 100
GONE_TIMEOUT_MS = 500
# Checks of a short time are repeated once with all times multiplied by this. On a busy machine a side can be late by
# that time, but a wrong stack fails with long times too.
_LONGER = 10
LONG_DELAY_US = 400_000
# A user may have so many POSIX message queues by default (800 KiB).
CLIENTS = 4
# A wait may end up to 1 % early by the measuring clock.
_EARLY = 0.99
_MOST_OF = 0.75
# Checks that need a call which the server refuses.
FAULT_CHECKS = ("fault-keeps-the-connection", "counts/faults")
# A stack that is slow by its card, because it waits, makes so many times fewer calls in each drive.
_FEWER = 10


def checks() -> Iterator[tuple[str, Callable[[VerifySession], str | None]]]:
    """Yield each check with its name."""
    yield "fault-keeps-the-connection", _fault
    yield "counts", _counts
    yield "counts/faults", _counts_faults
    yield "drive", _drive
    yield "drive/batches", _batches
    yield "drive/limit", _limit
    yield "codec", _codec
    yield "clients", _clients
    yield "window", _window
    yield "think", _think
    yield "think/rate", _think_rate
    yield "open", _open
    yield "delay", _delay
    yield "burn", _burn
    yield "burn/client", _burn_client
    yield "heap", _heap
    yield "stall", _with_second_try(_stall)
    yield "timeout", _with_second_try(_timeout)
    yield "server-gone", _with_second_try(_server_gone)


def _fault(session: VerifySession) -> str | None:
    client = session.client()
    for turn in range(3):
        if "fault" not in client.call("GetPersons", {"n": -1}):
            return "GetPersons(n=-1) was not refused"
        value = client.call(session.probe.call, session.probe.arguments).get("value")
        if value != session.probe.value:
            return f"after {turn + 1} faults {session.probe.call} gave {value}"
    return None


def _drive_and_count(
    session: VerifySession, want: Arrangement, *, calls: int, seconds: float, timing: str = "each"
) -> tuple[Done, Counts | None]:
    """Drive the probe, and return the server's count too."""
    sides = session.sides(want)
    sides.counted()
    done = _drive_probe(session, sides.client, calls=calls, seconds=seconds, timing=timing)
    return done, sides.counted()


def _drive_probe(session: VerifySession, client: Adapter, **how: Any) -> Done:  # noqa: ANN401 - as `Adapter.drive` takes them
    """Drive the probe."""
    return client.drive(session.probe.call, session.probe.arguments, **{"limit_seconds": 10, **how})


def _disagree(session: VerifySession, done: Done, counts: Counts | None) -> str | None:
    """Return how the counts of both sides differ; None if they agree or the server cannot count."""
    return None if counts is None else disagreement(session.probe.call, done, counts)


def _scaled_calls(session: VerifySession, calls: int) -> int:
    """Return the number of calls for a drive: `calls`, or fewer for a slow stack."""
    return calls // _FEWER if session.stack.card.get("slow") else calls


def _counts(session: VerifySession) -> str | None:
    done, counts = _drive_and_count(session, Arrangement(), calls=_scaled_calls(session, 100), seconds=0)
    if counts is None:
        raise NotApplicable("its card says that its server cannot count")
    wrong = _disagree(session, done, counts)
    if wrong:
        return wrong
    call = session.probe.call
    others = {name: count for name, count in counts["calls"].items() if count and name != call}
    if others:
        return f"the server counted {others}, though only {call} was called"
    again = session.sides().server.counted()["calls"]
    return f"the server counted {again} after it had been asked" if any(again.values()) else None


def _counts_faults(session: VerifySession) -> str | None:
    sides = session.sides()
    sides.server.counted()
    sides.client.call("GetPersons", {"n": -1})
    counted = sides.server.counted()["calls"].get("GetPersons", 0)
    return (
        None
        if counted == 1
        else f"the server counted {counted} calls of GetPersons; it answered one, with a fault, and faults count too"
    )


def _drive(session: VerifySession) -> str | None:
    calls = _scaled_calls(session, 100)
    began = time.monotonic()
    done, _ = _drive_and_count(session, Arrangement(), calls=calls, seconds=0.25)
    # Use our own clock: on a busy machine the last call can end before its client sees that the time is over.
    lasted = time.monotonic() - began
    if done["errors"]:
        return f"a drive of {session.probe.call} met errors: {done['errors']}"
    if done["calls"] < calls:
        return f"{done['calls']} calls were made; {calls} were requested"
    if lasted < 0.25 * _EARLY:
        return f"it ended after {lasted:.3f} s; 0.25 s were requested"
    if not done["intervals"]:
        return "no interval was reported in 0.25 s; there must be ten a second"
    return None


def _timed(done: Done) -> str:
    return f"timed {done['timed']!r}, {'with' if done['latency'] else 'without'} a histogram"


def _batches(session: VerifySession) -> str | None:
    done, counts = _drive_and_count(
        session, Arrangement(), calls=_scaled_calls(session, 100), seconds=0.02, timing="batch"
    )
    # If a call is so long that a batch is one call, it may be timed alone.
    one_by_one = done["timed"] == "each" and done["batch"] == 1 and done["latency"] is not None
    if not one_by_one and (done["timed"] != "batch" or done["latency"] is not None):
        return f"timing 'batch' was requested; it was {_timed(done)}, {done['batch']} a batch"
    return _disagree(session, done, counts)


def _limit(session: VerifySession) -> str | None:
    client = session.client()
    began = time.monotonic()
    done = _drive_probe(session, client, calls=2**50, seconds=0, limit_seconds=0.05)
    # Use our own clock: the last call may end early, and its client may be delayed before the next one.
    reached = time.monotonic() - began
    return (
        None
        if reached >= 0.05 * _EARLY
        else f"a drive limited to 0.05 s ended after {reached:.3f} s, with {done['calls']} calls"
    )


def _codec(session: VerifySession) -> str | None:
    """Only if the adapter has the feature, and no channel is in the way."""
    client = session.client()
    if "codec" not in client.hello["features"] or not session.stack.card.get(TIMES_CODEC):
        return None
    codec = client.codec(session.stack.client, "GetPersons", {"n": 10}, 0.005)
    if codec["answer"]["bytes"] <= codec["request"]["bytes"]:
        return f"ten persons are {codec['answer']['bytes']} bytes, the request for them {codec['request']['bytes']}"
    return None if codec["payloads"] == 64 else f"{codec['payloads']} payloads were used; it must be 64"


def _clients(session: VerifySession) -> str | None:
    done, counts = _drive_and_count(session, Arrangement(clients=CLIENTS), calls=_scaled_calls(session, 400), seconds=0)
    if done["errors"]:
        return f"{CLIENTS} clients at once met errors: {done['errors']}"
    return _disagree(session, done, counts)


def _think(session: VerifySession) -> str | None:
    """Only if the adapter has the feature: a client waits between an answer and its next call."""
    client = session.client()
    if "think" not in client.hello["features"]:
        return None
    calls = 8
    done = _drive_probe(session, client, calls=calls, seconds=0, think_ns=THINK_NS)
    if done["calls"] != calls or done["timed"] != "each":
        return f"{calls} calls with think time were requested: {done['calls']} were made, {_timed(done)}"
    least = (calls - 1) * THINK_NS * _EARLY
    if int(done["think_ns"]) < least or done["elapsed_ns"] < least:
        thought = f"it reports a think time of {int(done['think_ns']) / 1e6:.1f} ms"
        return f"{calls} calls, {THINK_NS / 1e6:g} ms apart, took {done['elapsed_ns'] / 1e6:.1f} ms; {thought}"
    return None


def _window(session: VerifySession) -> str | None:
    """Calls in flight at the end of the time: the rate must refer to what lies within it."""
    clients = 2
    done, _ = _drive_and_count(
        session, Arrangement({"delay_us": WINDOW_DELAY_US}, clients=clients), calls=1, seconds=WINDOW_S
    )
    if done.get("window_ns") is None:
        raise NotApplicable("it does not report its window, so the whole drive counts")
    return _window_error(done, clients)


def _window_error(done: Done, clients: int) -> str | None:
    """Return what is wrong with the window of a drive that its time limits; None if it is right."""
    window, asked_ns = done["window_ns"], WINDOW_S * 1e9
    if abs(window - asked_ns) > 1:
        return f"a drive of {WINDOW_S:g} s, every call of which began within it, says a window of {window / 1e9:.6g} s"
    flying, part = done["in_flight"], done["in_flight_part"]
    late_ms, calls, answered = (done["elapsed_ns"] - window) / 1e6, done["calls"], done["answered"]
    if late_ms > 0 and not flying and answered == calls:
        return f"the last call ended {late_ms:.3f} ms after the window, and none was in flight"
    # A client that was released just before the end can begin just after it.
    if not calls - flying - clients <= answered <= calls:
        return f"of {calls} calls {answered} ended within the window, and {flying} were in flight at its end"
    # A client's calls follow each other, so the part within the window cannot be longer than the window.
    mean_ns = int(done["in_call_ns"]) / max(1, done["calls"] + sum(done["errors"].values()))
    counted = done["answered"] + part
    if counted > clients * (window / mean_ns + 1):
        return f"{counted:g} calls of {mean_ns / 1e6:.3f} ms by {clients} clients do not lie within {WINDOW_S:g} s"
    return None


def _think_rate(session: VerifySession) -> str | None:
    """Only if the adapter has the feature: thinking clients are not in step, and count all of their periods."""
    client = session.client(Arrangement(clients=CLIENTS))
    if "think" not in client.hello["features"]:
        return None
    seconds = RATE_PERIODS * RATE_THINK_NS / 1e9
    done = _drive_probe(session, client, calls=1, seconds=seconds, think_ns=RATE_THINK_NS)
    if done.get("window_ns") is None:
        raise NotApplicable("it does not report its window, so the whole drive counts")
    most = CLIENTS * done["window_ns"] / RATE_THINK_NS + 1
    counted = done["answered"] + done["in_flight_part"]
    if counted > most:
        requested = f"{CLIENTS} clients that think for {RATE_THINK_NS / 1e6:g} ms"
        within = f"within {done['window_ns'] / 1e6:g} ms"
        return f"{requested} made {counted:g} calls {within}; they cannot make more than {most:g}"
    return None


def _open(session: VerifySession) -> str | None:
    """Only if the adapter has the feature: each arrival of a schedule is a call, and none comes early."""
    client = session.client(Arrangement(clients=2))
    if "open" not in client.hello["features"]:
        return None
    calls = 2 * len(GAPS_NS) + 1
    done = _drive_probe(session, client, calls=calls, seconds=0, schedule=SCHEDULE)
    none = SCHEDULE.with_name("none.gaps")
    missing = error_kind(lambda: _drive_probe(session, client, calls=1, seconds=0, schedule=none))
    latency, service, lateness = done["latency"], done["service"], done["lateness"]
    if latency is None or service is None or lateness is None:
        return "a schedule was given, and the answer lacks one of latency, service and lateness"
    counts = {done["calls"], latency["count"], service["count"], lateness["count"]}
    if counts != {calls}:
        return f"a schedule had {calls} arrivals; calls and histograms count {sorted(counts)}"
    due = 2 * sum(GAPS_NS) + GAPS_NS[0]
    if done["elapsed_ns"] < due * _EARLY:
        return (
            f"the last arrival was due after {due / 1e6:g} ms; the drive ended after {done['elapsed_ns'] / 1e6:.1f} ms"
        )
    if int(latency["sum_ns"]) < int(service["sum_ns"]) or int(latency["sum_ns"]) < int(lateness["sum_ns"]):
        return "latency is from the intended start, and must be at least the service time and the lateness"
    return (
        None if missing == "bad-request" else f"a schedule that is not there was answered with {missing or 'no error'}"
    )


def _delay(session: VerifySession) -> str | None:
    done, _ = _drive_and_count(session, Arrangement({"delay_us": DELAY_US}), calls=5, seconds=0)
    if not done["calls"]:
        return f"no call was answered: {done['errors']}"
    mean_ms = int(done["in_call_ns"]) / done["calls"] / 1e6
    asked_ms = DELAY_US / 1000
    if mean_ms < asked_ms * _EARLY:
        took = f"the server took {asked_ms:g} ms longer for each call, as asked"
        return f"{took}, and the client reports a mean of {mean_ms:.3f} ms"
    return None


def _burn(session: VerifySession) -> str | None:
    """Only if the adapter has the feature."""
    if "burn" not in session.sides().server.hello["features"]:
        return None
    done, _ = _drive_and_count(session, Arrangement({"burn_us": BURN_US}), calls=5, seconds=0)
    if not done["calls"]:
        return f"no call was answered: {done['errors']}"
    mean_us = int(done["in_call_ns"]) / done["calls"] / 1e3
    if mean_us < BURN_US * _EARLY:
        return f"the server was asked to be busy for {BURN_US} us more in each call, and a call took {mean_us:.1f} us"
    return None


def _burn_client(session: VerifySession) -> str | None:
    """Only if the adapter has the feature: the client is busy for longer in each call, within the time of the call."""
    client = session.client()
    if "burn" not in client.hello["features"]:
        return None
    burn_ns = int(BURN_US * 1000)
    done = _drive_probe(session, client, calls=5, seconds=0, timing="each", burn_ns=burn_ns)
    if not done["calls"]:
        return f"no call was answered: {done['errors']}"
    mean_us = int(done["in_call_ns"]) / done["calls"] / 1e3
    if mean_us < BURN_US * _EARLY:
        return f"the client was asked to be busy for {BURN_US} us more in each call, and a call took {mean_us:.1f} us"
    return None


def _heap(session: VerifySession) -> str | None:
    """Only for sides whose adapter has the feature."""
    sides = session.sides()
    requested = [(name, side) for name, side in (("server", sides.server), ("client", sides.client)) if _has_heap(side)]
    empty = [name for name, side in requested if side.heap() <= 0]
    return f"the {empty[0]}'s heap is reported as empty while it runs" if empty else None


def _has_heap(side: Adapter) -> bool:
    return "heap" in side.hello["features"]


def _stall(session: VerifySession, times: int) -> str | None:
    options = {"stall_us": STALL_US, "stall_every_us": STALL_EVERY_US}
    done, _ = _drive_and_count(session, Arrangement(options), calls=1, seconds=times * 0.2)
    histogram = done["latency"]
    if histogram is None:
        return "there is no histogram, though timing 'each' was asked for"
    greatest_ms = histogram["max_ns"] / 1e6
    # A call that arrives during a stall waits for its rest. In a closed loop, one arrives near its start.
    if greatest_ms < STALL_US / 1000 * _MOST_OF:
        stalled = f"the server stalled for {STALL_US / 1000:g} ms, as asked"
        return f"{stalled}, and the longest call reported took {greatest_ms:.3f} ms"
    return None


def _with_second_try(check: Callable[[VerifySession, int], str | None]) -> Callable[[VerifySession], str | None]:
    def twice(session: VerifySession) -> str | None:
        try:
            wrong = check(session, 1)
        except AdapterFailure:
            if session.sides_broken:
                raise
            wrong = "was late"
        return wrong and check(session, _LONGER)

    return twice


def _is_a_function(session: VerifySession) -> bool:
    """Return whether the server is a function of the caller: its card says that it never waits."""
    return session.stack.in_process and session.stack.card.get("waits") == "never"


def _timeout(session: VerifySession, times: int) -> str | None:
    """Not for function calls, which have no time-out."""
    if _is_a_function(session):
        return None
    client = session.client(Arrangement({"delay_us": times * LONG_DELAY_US}, timeout_ms=times * SHORT_TIMEOUT_MS))
    probe = session.probe
    kind = error_kind(lambda: client.call(probe.call, probe.arguments))
    if kind != "timeout":
        outcome = f"failed as {kind!r}" if kind else "was answered"
        requested = f"a call of {times * LONG_DELAY_US // 1000} ms with a time-out of {times * SHORT_TIMEOUT_MS} ms"
        return f"{requested} {outcome}; it must fail as 'timeout'"
    # The late answer must not become the answer of the next call. That call fails, or reports a lost connection.
    other = ("Hello", {}) if only_call(session.stack) is None else (probe.call, probe.arguments)
    kind = error_kind(lambda: client.call(*other))
    if kind not in ("timeout", "closed", "refused"):
        return f"the call after a time-out {f'failed as {kind!r}' if kind else 'was answered at once'}"
    value = session.client().call(probe.call, probe.arguments).get("value")
    return None if value == probe.value else f"connected again after a time-out, {probe.call} gave {value}"


def _server_gone(session: VerifySession, times: int) -> str | None:
    """Not for function calls, whose server cannot go away."""
    if _is_a_function(session):
        return None
    if runs_by_itself(session.stack):
        raise NotApplicable("its server runs by itself, and is not ours to stop")
    sides = session.sides(Arrangement(timeout_ms=times * GONE_TIMEOUT_MS))
    probe = session.probe
    sides.client.call(probe.call, probe.arguments)
    session.mark_changed()
    sides.server.stop_serving()
    kind = error_kind(lambda: sides.client.call(probe.call, probe.arguments))
    sides.client.disconnect()
    if kind not in ("closed", "refused", "timeout"):
        outcome = f"failed as {kind!r}" if kind else "was answered"
        return (
            f"a call after the server had stopped serving {outcome}; it must fail as 'closed', 'refused' or 'timeout'"
        )
    return None
