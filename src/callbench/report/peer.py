"""What the rounds came to, for people and for programs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from callbench.report.text.grid import Column, Grid
from callbench.runner.peer.agreement import Agreement, Round, counted
from callbench.runner.peer.asked import PEER
from callbench.runner.peer.kept import Found as Study
from callbench.runner.peer.kept import Held, named
from callbench.runner.peer.rounds import Found, Wish
from callbench.stats.digits import percent
from callbench.stats.interval import Interval, geometric_mean


def line(number: int, wish: Wish) -> str:
    """What is said when a round begins."""
    each = 2 * wish.seconds + wish.warm_up_s
    return f"round {number} of {wish.rounds}: the load driver and {PEER}, {each:.0f} s plus the start of {PEER}"


def record(found: Found) -> dict[str, Any]:
    """One stack or URL, for programs."""
    return {
        "target": found.wish.target,
        "peer": PEER,
        "clients": found.wish.clients,
        "seconds": found.wish.seconds,
        "warm_up_seconds": found.wish.warm_up_s,
        "rounds": [{**asdict(each), "own": each.own} for each in found.rounds],
        **asdict(found.agreement),
        "outcome": str(found.agreement.outcome),
    }


def show(found: Found, to: Console) -> None:
    """One stack or URL, for people."""
    columns = ("calls/s", "p50 ms", "busy")
    table = _table("round", *(f"{who} {name}" for name in columns for who in ("Callbench", PEER)), f"{PEER} own time")
    for number, each in enumerate(found.rounds, 1):
        table.add(str(number), *_row(each))
    table.print(to)
    for number, each in enumerate(found.rounds, 1):
        if each.unsteady:
            to.print(f"round {number} does not count: {each.unsteady}.", markup=False, highlight=False, soft_wrap=True)
    _say(found.agreement, found.rounds, to)


def _say(judged: Agreement, rounds: Sequence[Round], to: Console) -> None:
    rate, latency = _shown(judged.rate), _shown(judged.latency)
    to.print(f"{PEER}'s rate over Callbench's: {rate}. Its median latency over Callbench's: {latency}.")
    failed = {name: sum(getattr(each, side).errors for each in rounds) for name, side in _SIDES}
    for name, count in failed.items():
        if count:
            to.print(f"{count:,} calls of {name} were not answered correctly.")
    to.print(f"[bold]{judged.verdict}[/bold]: {judged.why}.")


def study_record(found: Study) -> dict[str, Any]:
    """A study, for programs."""
    info = found.run.info
    return {
        "study": info["study"],
        "folder": str(found.run.path),
        "state": info["state"],
        "peer": PEER,
        **{name: info[name] for name in ("quick", "seconds", "warm_up_s", "delay_us", "seed")},
        "rounds": info["blocks"],
        "cells": [_held_record(one) for one in found.held],
        "left_out": [{"why": why, "cells": list(whose)} for why, whose in found.left_out],
        "outcome": str(found.outcome),
    }


def _held_record(one: Held) -> dict[str, Any]:
    load = one.cell.load
    return {
        "cell": one.cell.id,
        "groups": list(one.groups),
        "stack": one.cell.stack,
        "call": one.cell.call,
        "arguments": dict(one.cell.arguments),
        "clients": load.clients,
        "think_ms": load.think_ns / 1e6,
        "ramp_up_ms": load.ramp_up_ns / 1e6,
        "rounds": [{**asdict(each), "own": each.own} for each in one.rounds],
        **(asdict(one.agreement) if one.agreement else {"verdict": None}),
        "failed": one.failed,
    }


def show_study(found: Study, to: Console) -> None:
    """A study, for people: a row a cell, what every verdict but agreement rests on, and what was left out."""
    table = _table(
        "cell", "stack", "clients", "think ms", "Callbench calls/s", f"{PEER} calls/s", "Callbench p50 ms",
        f"{PEER} p50 ms", "rate ratio", "verdict", left=(0, 1, 8, 9),
    )  # fmt: skip
    for one in found.held:
        table.add(*_study_row(one))
    table.print(to)
    for one in found.held:
        why = one.failed or (one.agreement.why if one.agreement else "no round was finished")
        to.print(f"{_groups(one)} {one.cell.stack}: {why}.", markup=False, highlight=False, soft_wrap=True)
    for why, whose in found.left_out:
        to.print(f"left out: {named(whose)}: {why}.", markup=False, highlight=False, soft_wrap=True)
    verdicts = Counter(one.agreement.verdict if one.agreement else "not driven" for one in found.held)
    to.print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()) + ".")


def _study_row(one: Held) -> list[str]:
    load = one.cell.load
    row = [_groups(one), one.cell.stack, str(load.clients), f"{load.think_ns / 1e6:g}" if load.think_ns else ""]
    if one.agreement is None:
        return [*row, "", "", "", "", "", "not driven"]
    pairs = [(each.ours, each.peers) for each in counted(one.rounds) or one.rounds]
    rates = [geometric_mean([pair[side].rate_per_s for pair in pairs]).middle for side in (0, 1)]
    medians = [geometric_mean([pair[side].median_ms for pair in pairs]).middle for side in (0, 1)]
    figures = [*(f"{rate:,.0f}" for rate in rates), *(f"{ms:.2f}" for ms in medians)]
    return [*row, *figures, _shown(one.agreement.rate), one.agreement.verdict]


def _groups(one: Held) -> str:
    return ", ".join(one.groups)


_SIDES = (("Callbench", "ours"), (PEER, "peers"))


def _table(*columns: str, left: Sequence[int] = (0,)) -> Grid:
    return Grid([Column(name, number=place not in left) for place, name in enumerate(columns)], ruled=False)


def _row(each: Round) -> list[str]:
    sides = (each.ours, each.peers)
    rates = [f"{side.rate_per_s:,.0f}" for side in sides]
    medians = [f"{side.median_ms:.2f}" for side in sides]
    return [*rates, *medians, *(percent(min(1.0, share)) for share in (*(side.busy for side in sides), each.own))]


def _shown(interval: Interval) -> str:
    between = "" if interval.low is None else f" ({interval.low:.3f} to {interval.high:.3f})"
    return f"{interval.middle:.3f}{between}"
