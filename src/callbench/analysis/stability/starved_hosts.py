"""Hosts of clients that did not get what their drivers needed: what was measured meanwhile is partly their doing."""

from collections.abc import Iterator, Sequence

from callbench.analysis.stability.findings import Finding
from callbench.stats.decide.decision import Outcome
from callbench.store.lines.overload import SearchedLine
from callbench.store.lines.slices import SliceFigures


def starved_hosts(lines: Sequence[SliceFigures | SearchedLine]) -> list[str]:
    """Return the hosts that were starved in one of these slices, by name."""
    return sorted({host for line in lines for host in line.get("starved", ())})


def starved_findings(kind: str, lines: Sequence[SliceFigures | SearchedLine]) -> Iterator[Finding]:
    """Yield a finding for each host that was starved.

    Args:
        kind: what cannot be told then.
        lines: of the journal, all slices.
    """
    for host in starved_hosts(lines):
        slices = sum(host in line.get("starved", ()) for line in lines)
        text = f"host {host} was starved in {slices:,} of {len(lines):,} slices, whose rates are at least these"
        yield Finding(kind, Outcome.UNDECIDED, text)


def without_blame(outcome: Outcome, lines: Sequence[SliceFigures | SearchedLine]) -> Outcome:
    """Return what a failure in these slices shows of the server: nothing for certain if a host was starved."""
    return Outcome.UNDECIDED if outcome is Outcome.FAILED and starved_hosts(lines) else outcome
