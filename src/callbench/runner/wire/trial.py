"""The wire ledger of one cell: set-up, first call, steady call, and the whole life of a new client."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from callbench.adapter import oracle
from callbench.adapter.session import Adapter
from callbench.analysis.wire.counts import FIRST, LIFE, SET_UP, STEADY, TEAR_DOWN, Row, mean, per_call, stream, whole
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell, sides_of
from callbench.model.errors import AdapterFailure
from callbench.runner.wire.lab import Lab
from callbench.store.lines.wire import AccountRow, CountedLedger

# A phase ends when TCP has acknowledged everything, which can take 200 ms, and no frame came for this long. What a
# channel sends later by its own timer (supertcp acknowledges after 250 ms) falls into a later phase. A steady call is
# therefore counted until two counts agree.
QUIET_MS = 20
_FEW_CALLS = 4
_TRIES = 8
_LIMIT_SECONDS = 60.0


@dataclass(frozen=True)
class Steady:
    """The count of a steady call.

    Attributes:
        rows: one row per direction: the count that came twice in a row, or the mean of all.
        exact: whether one count came twice in a row, in whole bytes.
        counts: stream bytes per call in both directions, of every count, in order.
    """

    rows: list[Row]
    exact: bool
    counts: list[float]


def counts_agree(counts: Sequence[Sequence[Row]]) -> bool:
    """Return whether the last two counts agree.

    They must have the same bytes, and whole numbers in each direction. The same fraction twice is not exact: some calls
    of the drive differed, for example by a ping.
    """
    return len(counts) > 1 and stream(counts[-1]) == stream(counts[-2]) and whole(counts[-1]) and whole(counts[-2])


def steady_counts(counts: Sequence[list[Row]]) -> Steady:
    """Return the result of the counts."""
    streams = [stream(counted) for counted in counts]
    exact = counts_agree(counts)
    return Steady(counts[-1] if exact else mean(counts), exact, streams)


def measure_ledger(lab: Lab, programs: Programs, cell: Cell, pcap: Path | None = None) -> CountedLedger:
    """Count the bytes of a cell's call, with a server and two clients of its own.

    Args:
        lab: the hosts.
        programs: the programs of the cell's stack.
        cell: what to call.
        pcap: the file for the capture, or None.

    Returns:
        What the journal has of it.

    Raises:
        AdapterFailure: a side failed, or an answer was wrong.
        LinkFailure: the lab failed.
    """
    server = lab.server(programs)
    try:
        server.read_hello()
        endpoint = lab.serve(server, cell)
        lab.begin(pcap)
        try:
            accounts, steady = _phases(lab, programs, cell, endpoint)
        finally:
            lost, trouble = lab.end()
    finally:
        server.stop()
    return CountedLedger(
        accounts=cast("list[AccountRow]", accounts),
        exact=steady.exact,
        counts=steady.counts,
        lost=lost,
        trouble=trouble,
        pcap=pcap.name if pcap else None,
    )


def _phases(lab: Lab, programs: Programs, cell: Cell, endpoint: str) -> tuple[list[Row], Steady]:
    """Run all phases. Return their rows, and how the steady call was counted."""
    with lab.client(programs) as client:
        connect_client(client, cell, endpoint)
        set_up, _ = lab.end_phase(SET_UP, quiet_ms=QUIET_MS)
        call_once(client, cell)
        first, _ = lab.end_phase(FIRST, quiet_ms=QUIET_MS)
        steady = _steady_call(lab, client, cell)
        client.disconnect()
    tear_down, _ = lab.end_phase(TEAR_DOWN, closed=True)
    with lab.client(programs) as fresh:
        connect_client(fresh, cell, endpoint)
        call_once(fresh, cell)
        fresh.disconnect()
    life, settled = lab.end_phase(LIFE, closed=True)
    if not settled:
        raise AdapterFailure("silent", "connections of an ended client stay open: its bytes cannot be counted")
    return [*set_up, *first, *steady.rows, *tear_down, *life], steady


def connect_client(client: Adapter, cell: Cell, endpoint: str) -> None:
    """Connect one client with the cell's options."""
    client.connect(sides_of(cell.stack)[0], endpoint, 1, options=cell.options)


def call_once(client: Adapter, cell: Cell) -> None:
    """Make the cell's call once.

    Raises:
        AdapterFailure: the call failed, or its answer is wrong.
    """
    wrong = oracle.error_in(cell.call, cell.arguments, client.call(cell.call, cell.arguments), client.service)
    if wrong:
        raise AdapterFailure("wrong-answer", f"answered wrongly: {wrong}")


def _steady_call(lab: Lab, client: Adapter, cell: Cell) -> Steady:
    """Count steady calls until two counts in a row agree. A count is the difference of a longer and a shorter drive."""
    counts: list[list[Row]] = []
    for _ in range(_TRIES):
        short, calls = _count_calls(lab, client, cell, _FEW_CALLS)
        long, more = _count_calls(lab, client, cell, 2 * _FEW_CALLS)
        counts.append(per_call(long, short, more - calls))
        if counts_agree(counts):
            break
    return steady_counts(counts)


def _count_calls(lab: Lab, client: Adapter, cell: Cell, calls: int) -> tuple[list[Row], int]:
    """Drive a few calls one after the other. Return their bytes, and the number of calls."""
    done = client.drive(cell.call, cell.arguments, calls=calls, seconds=1e-6, limit_seconds=_LIMIT_SECONDS)
    if done["errors"]:
        raise AdapterFailure("protocol", f"{sum(done['errors'].values())} of {calls} calls failed: {done['errors']}")
    return lab.end_phase(STEADY, quiet_ms=QUIET_MS)[0], done["calls"]
