"""What the rounds came to, for people and for programs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict

from rich.console import Console

from callbench.analysis.peer.agreement import PEER, Round, steady_rounds
from callbench.analysis.peer.rounds import PeerRounds, RoundsRequest
from callbench.analysis.peer.stored import CellAgreement, join_names, read_result
from callbench.analysis.peer.stored import PeerResult as Study
from callbench.report.ending import print_ending
from callbench.report.record_report import RecordReport
from callbench.report.text.opening import Opening
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import given, percent
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.store.record import Record
from callbench.store.requested.peer import RequestedPeer

_SOURCE = "journal.jsonl: lines of kind round, excluded (docs/reference/run-folder.md)"


def line(number: int, request: RoundsRequest) -> str:
    """The sentence at the begin of a round."""
    each = 2 * request.seconds + request.warm_up_s
    return f"round {number} of {request.rounds}: the load driver and {PEER}, {each:.0f} s plus the start of {PEER}"


def record(driven: PeerRounds) -> dict[str, object]:
    """One stack or URL, for programs."""
    return {
        "target": driven.request.target,
        "peer": PEER,
        "clients": driven.request.clients,
        "seconds": driven.request.seconds,
        "warm_up_seconds": driven.request.warm_up_s,
        "rounds": [{**asdict(each), "own": each.own_share} for each in driven.rounds],
        **asdict(driven.agreement),
        "outcome": str(driven.agreement.outcome),
    }


def show(driven: PeerRounds, to: Console) -> None:
    """One stack or URL, for people: the answer, and as many rounds as have room."""
    columns = ("calls/s", "p50 ms", "busy")
    heads = ["round", *(f"{who} {name}" for name in columns for who in ("Callbench", PEER)), f"{PEER} own time"]
    rows = [(str(number), *_row(each)) for number, each in enumerate(driven.rounds, 1)]
    opening = Opening(*_answer(driven), sheet=Sheet("Rounds", heads, rows))
    print_ending(opening, {}, to)


def _answer(driven: PeerRounds) -> tuple[str, list[str]]:
    """Say whether both agree, and what that rests on."""
    judged, rounds = driven.agreement, driven.rounds
    latency = f"Its median latency over Callbench's: {_shown(judged.latency)}."
    sentences = [f"{PEER}'s rate over Callbench's: {_shown(judged.rate)}. {latency}"]
    failed = {name: sum(getattr(each, side).errors for each in rounds) for name, side in _SIDES}
    sentences += [f"{count:,} calls of {name} were not answered correctly." for name, count in failed.items() if count]
    left = [
        f"Round {number} does not count: {each.unsteady}." for number, each in enumerate(rounds, 1) if each.unsteady
    ]
    return f"{_VERDICTS[judged.verdict]}: {judged.why}", [*sentences, *left]


def study_record(study: Study) -> dict[str, object]:
    """A study, for programs."""
    requested = study.run.requested(RequestedPeer)
    return {
        "study": requested.study,
        "folder": str(study.run.path),
        "state": study.run.info["state"],
        "peer": PEER,
        "quick": requested.quick,
        "seconds": requested.seconds,
        "warm_up_s": requested.warm_up_s,
        "delay_us": requested.delay_us,
        "seed": requested.seed,
        "rounds": requested.rounds,
        "cells": [_held_record(held) for held in study.cells],
        "left_out": [{"why": why, "cells": list(whose)} for why, whose in study.left_out],
        "outcome": str(study.outcome),
    }


def _held_record(held: CellAgreement) -> dict[str, object]:
    load = held.cell.load
    return {
        "cell": held.cell.id,
        "groups": list(held.groups),
        "stack": held.cell.stack,
        "call": held.cell.call,
        "arguments": dict(held.cell.arguments),
        "clients": load.clients,
        "think_ms": load.think_ns / 1e6,
        "ramp_up_ms": load.ramp_up_ns / 1e6,
        "rounds": [{**asdict(each), "own": each.own_share} for each in held.rounds],
        **(asdict(held.agreement) if held.agreement else {"verdict": None}),
        "failed": held.failed,
    }


def peer_report(run: Record) -> RecordReport:
    """Return the report of a study that a peer drove as well.

    Raises:
        BadInput: the record is damaged.
    """
    study = read_result(run)
    sheet = Sheet(f"Callbench and {PEER}", _COLUMNS, [_study_row(held) for held in study.cells])
    verdicts = Counter(held.agreement.verdict if held.agreement else "not driven" for held in study.cells)
    results = [", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()) + "."]
    for held in study.cells:
        why = held.failed or (held.agreement.why if held.agreement else "no round was finished")
        results.append(f"{_groups(held)} {held.cell.stack}: {why}.")
    results += [f"left out: {join_names(whose)}: {why}." for why, whose in study.left_out]
    about = f"The same servers, driven by Callbench's load driver and by {PEER}, in turn."
    section = Section("cells", "Cells", f"Ratios are {PEER}'s value over Callbench's.", sheets=[sheet], source=_SOURCE)
    return RecordReport(run, about, results, [section], study_record(study), verdict=_title(study, verdicts))


def _title(study: Study, verdicts: Mapping[str, int]) -> str:
    """Say in how many cells both agree: the title of the page."""
    agree = verdicts.get("agree", 0)
    others = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items() if verdict != "agree")
    return f"Callbench and {PEER} agree in {agree} of {len(study.cells)} cells" + (f"; {others}" if others else "")


_COLUMNS = (
    "cell", "verdict", "rate ratio", "Callbench calls/s", f"{PEER} calls/s", "Callbench p50 ms", f"{PEER} p50 ms",
    "clients", "think ms",
)  # fmt: skip


def _study_row(held: CellAgreement) -> list[str]:
    load = held.cell.load
    name = f"{_groups(held)} {held.cell.stack}"
    asked = [str(load.clients), given(load.think_ns / 1e6) if load.think_ns else ""]
    if held.agreement is None:
        return [name, "not driven", "", "", "", "", "", *asked]
    pairs = [(each.ours, each.peers) for each in steady_rounds(held.rounds) or held.rounds]
    rates = [geometric_mean([pair[side].rate_per_s for pair in pairs]).middle for side in (0, 1)]
    medians = [geometric_mean([pair[side].median_ms for pair in pairs]).middle for side in (0, 1)]
    figures = [*(f"{rate:,.0f}" for rate in rates), *(f"{ms:.2f}" for ms in medians)]
    return [name, held.agreement.verdict, _shown(held.agreement.rate), *figures, *asked]


def _groups(held: CellAgreement) -> str:
    return ", ".join(held.groups)


_VERDICTS = {
    "agree": f"Callbench and {PEER} agree",
    "differ": f"Callbench and {PEER} differ",
    "peer limited": f"{PEER} was the limit",
    "unsure": f"Undecided whether Callbench and {PEER} agree",
}
_SIDES = (("Callbench", "ours"), (PEER, "peers"))


def _row(each: Round) -> list[str]:
    sides = (each.ours, each.peers)
    rates = [f"{side.rate_per_s:,.0f}" for side in sides]
    medians = [f"{side.median_ms:.2f}" for side in sides]
    return [*rates, *medians, *(percent(min(1.0, share)) for share in (*(side.busy for side in sides), each.own_share))]


def _shown(interval: Interval) -> str:
    between = "" if interval.low is None else f" ({interval.low:.3f} to {interval.high:.3f})"
    return f"{interval.middle:.3f}{between}"
