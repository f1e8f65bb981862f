"""What the rounds came to, for people and for programs."""

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from callbench.peer.agreement import Side
from callbench.peer.rounds import PEER, Found, Wish
from callbench.stats.digits import percent
from callbench.stats.interval import Interval


def line(number: int, wish: Wish) -> str:
    """What is said when a round begins."""
    each = 2 * wish.seconds + wish.warm_up_s
    return f"round {number} of {wish.rounds}: the load driver and {PEER}, {each:.0f} s and what {PEER} takes to start"


def record(found: Found) -> dict[str, Any]:
    """For programs."""
    return {
        "target": found.wish.target,
        "url": found.url,
        "peer": PEER,
        "clients": found.wish.clients,
        "seconds": found.wish.seconds,
        "warm_up_seconds": found.wish.warm_up_s,
        "rounds": [asdict(each) for each in found.rounds],
        **asdict(found.agreement),
    }


def show(found: Found, to: Console) -> None:
    """For people."""
    table = Table("round", "ours calls/s", f"{PEER} calls/s", "ours p50 ms", f"{PEER} p50 ms", "busy", "busy", box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for number, each in enumerate(found.rounds, 1):
        table.add_row(str(number), *_row(each.ours, each.peers))
    to.print(table)
    judged = found.agreement
    to.print(f"{PEER}'s rate over ours: {_shown(judged.rate)}; its median latency over ours: {_shown(judged.latency)}.")
    failed = {name: sum(getattr(each, side).errors for each in found.rounds) for name, side in _SIDES}
    for name, count in failed.items():
        if count:
            to.print(f"{count:,} calls of {name} were not answered rightly.")
    to.print(f"[bold]{judged.verdict}[/bold]: {judged.why}.")


_SIDES = (("ours", "ours"), (PEER, "peers"))


def _row(ours: Side, peers: Side) -> list[str]:
    rates = [f"{side.rate_per_s:,.0f}" for side in (ours, peers)]
    medians = [f"{side.median_ms:.2f}" for side in (ours, peers)]
    return [*rates, *medians, *(percent(min(1.0, side.busy)) for side in (ours, peers))]


def _shown(interval: Interval) -> str:
    between = "" if interval.low is None else f" ({interval.low:.3f} to {interval.high:.3f})"
    return f"{interval.middle:.3f}{between}"
