"""The account of one cell: set-up, first call, steady call, and the whole life of a fresh client."""

from pathlib import Path
from typing import Any

from callbench.adapter import oracle
from callbench.adapter.session import Adapter
from callbench.analysis.wire.counts import FIRST, LIFE, SET_UP, STEADY, TEAR_DOWN, Row, per_call
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell, sides_of
from callbench.model.errors import AdapterFailure
from callbench.runner.wire.lab import Lab
from callbench.runner.wire.steady import Steady, agreed, told

# A mark waits until TCP has acknowledged everything, which can take 200 ms, and then so long without a frame. What a
# channel's own clock sends later (the tcp channel acknowledges alone after 250 ms) falls into a later phase; a steady
# call is therefore counted until two counts agree.
QUIET_MS = 20
_FEW = 4
_TRIES = 8
_LIMIT_SECONDS = 60.0


def accounted(lab: Lab, programs: Programs, cell: Cell, pcap: Path | None = None) -> dict[str, Any]:
    """Accounts for a cell's call, with a server and two clients of its own.

    Args:
        lab: the hosts.
        programs: of the cell's stack.
        cell: what to call.
        pcap: where to keep the capture.

    Returns:
        What the journal has of it.

    Raises:
        AdapterFailure: a side failed, or an answer was wrong.
        LinkFailure: the lab failed.
    """
    server = lab.server(programs)
    try:
        server.greeted()
        endpoint = lab.serve(server, cell)
        lab.begin(pcap)
        try:
            found, steady = _phases(lab, programs, cell, endpoint)
        finally:
            lost, trouble = lab.end()
    finally:
        server.stop()
    said = {"accounts": found, "exact": steady.exact, "counts": steady.counts}
    return {**said, "lost": lost, "trouble": trouble, "pcap": pcap.name if pcap else None}


def _phases(lab: Lab, programs: Programs, cell: Cell, endpoint: str) -> tuple[list[Row], Steady]:
    """Go through the phases. Returns their rows, and how the steady call was counted."""
    with lab.client(programs) as client:
        connected(client, cell, endpoint)
        set_up, _ = lab.ended(SET_UP, quiet_ms=QUIET_MS)
        called(client, cell)
        first, _ = lab.ended(FIRST, quiet_ms=QUIET_MS)
        steady = _steady(lab, client, cell)
        client.disconnect()
    tear_down, _ = lab.ended(TEAR_DOWN, closed=True)
    with lab.client(programs) as fresh:
        connected(fresh, cell, endpoint)
        called(fresh, cell)
        fresh.disconnect()
    life, settled = lab.ended(LIFE, closed=True)
    if not settled:
        raise AdapterFailure("silent", "connections of a client that has ended stay open: its life cannot be counted")
    return [*set_up, *first, *steady.rows, *tear_down, *life], steady


def connected(client: Adapter, cell: Cell, endpoint: str) -> None:
    """Connects one client as the cell has it."""
    client.connect(sides_of(cell.stack)[0], endpoint, 1, options=cell.options)


def called(client: Adapter, cell: Cell) -> None:
    """Makes the cell's call once.

    Raises:
        AdapterFailure: it failed, or its answer is wrong.
    """
    wrong = oracle.wrong(cell.call, cell.arguments, client.call(cell.call, cell.arguments))
    if wrong:
        raise AdapterFailure("wrong-answer", f"answered wrongly: {wrong}")


def _steady(lab: Lab, client: Adapter, cell: Cell) -> Steady:
    """Count steady calls until two counts in a row agree: each what a longer drive costs beyond a shorter one."""
    counts: list[list[Row]] = []
    for _ in range(_TRIES):
        short, calls = _driven(lab, client, cell, _FEW)
        long, more = _driven(lab, client, cell, 2 * _FEW)
        counts.append(per_call(long, short, more - calls))
        if agreed(counts):
            break
    return told(counts)


def _driven(lab: Lab, client: Adapter, cell: Cell, calls: int) -> tuple[list[Row], int]:
    """Drive a few calls one after the other. Returns what they cost, and how many there were."""
    done = client.drive(cell.call, cell.arguments, calls=calls, seconds=1e-6, limit_seconds=_LIMIT_SECONDS)
    if done["errors"]:
        raise AdapterFailure("protocol", f"{sum(done['errors'].values())} of {calls} calls failed: {done['errors']}")
    return lab.ended(STEADY, quiet_ms=QUIET_MS)[0], done["calls"]
