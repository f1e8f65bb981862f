"""A journal that was truncated anywhere resumes after its last finished round."""

from typing import Any

import hypothesis.strategies as some
import pytest
from hypothesis import given

from callbench.model.errors import BadInput
from callbench.runner.run.resume_state import ResumeState, read_resume_state
from callbench.store.lines.run import RUN_LINES

CPU = {"user_ns": "0", "system_ns": "0"}
ENDS = {"start": CPU, "end": CPU}
DONE: dict[str, Any] = {"calls": 1, "errors": {}, "elapsed_ns": 1, "timed": "each", "batch": 1, "processor": ENDS}
COUNTS: dict[str, Any] = {"counted": None, "backend": None, "agree": None}
SLICE: dict[str, Any] = {"trial": 0, "watched": False, "started": "", "done": DONE, **COUNTS}
SIDE = {"bytes": 8.0, "encode_ns": 1.0, "decode_ns": 2}
CODEC: dict[str, Any] = {
    "cell": "c1",
    "message": "z",
    "call": "Sum",
    "arguments": {},
    "payloads": 1,
    "request": SIDE,
    "answer": SIDE,
}
LEDGER = {"stack": "a/z", "group": "g", "request_payload": 8, "answer_payload": 4, "accounts": [], "exact": True}
ROUND: dict[str, Any] = {"text": "of a note", "idle": "as it is", "started": "", "echoes": [], "references": []}


@some.composite
def journals(draw: some.DrawFn) -> list[dict[str, Any]]:
    """A run's journal: forks of batches of rounds, with the lines between them."""
    found: list[dict[str, Any]] = []
    for fork in range(draw(some.integers(1, 4))):
        cells = [f"c{number}" for number in range(draw(some.integers(1, 3)))]
        found.append({"kind": "fork", "fork": fork, "idle": "as it is", "rounds": 3, "watch": True, "cells": cells})
        for batch in range(draw(some.integers(1, 3))):
            place = {"fork": fork, "batch": batch}
            found.append({"kind": "batch", **place, "units": [f"u{fork}{batch}"]})
            for number in range(3):
                one = {**place, "round": number, "slices": [{**SLICE, "cell": cell} for cell in cells], **ROUND}
                beside = draw(some.lists(some.sampled_from(("watched round", "repeated round", "note"))))
                found += [{"kind": kind, **one} for kind in beside]
                found.append({"kind": "round", **one})
            found.append({"kind": "batch over", **place, "units": []})
        whole = {"kind": "round", "fork": fork, "batch": None, "round": 0, "whole": True, **ROUND}
        found += [{**whole, "slices": [{**SLICE, "cell": f"whole {cell}"}]} for cell in cells]
        found.append({"kind": "fork over", "fork": fork, "seconds": 2.5})
    return found


def places(lines: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """The slices that count, each by its place."""
    return {
        (line["fork"], line["batch"], line["round"], one["cell"])
        for line in lines
        if line["kind"] == "round"
        for one in line["slices"]
    }


def left(found: ResumeState, whole: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rounds of a resumed run, in the order of runner/run/fork.py."""
    some_left = []
    for line in whole:
        if line["kind"] != "round" or line["fork"] in found.over:
            continue
        if line.get("whole"):
            cells = {one["cell"] for one in line["slices"]}
            if not cells <= found.whole.get(line["fork"], set()):
                some_left.append(line)
        else:
            place = line["fork"], line["batch"]
            if place not in found.ended and line["round"] >= found.rounds.get(place, 0):
                some_left.append(line)
    return some_left


@given(journals(), some.data())
def test_cut_anywhere_what_is_left_and_what_is_there_are_the_whole_run_once(
    whole: list[dict[str, Any]], data: some.DataObject
) -> None:
    cut = data.draw(some.integers(0, len(whole)))
    kept = whole[:cut]
    again = left(read_resume_state(kept), whole)
    assert places(kept) | places(again) == places(whole)
    assert places(kept) & places(again) == set()


@given(journals(), some.data())
def test_a_second_resumption_knows_what_the_first_did(whole: list[dict[str, Any]], data: some.DataObject) -> None:
    """A line that is written is taken in as one that is read is."""
    cut = data.draw(some.integers(0, len(whole)))
    grown = read_resume_state(whole[:cut])
    for line in whole[cut:]:
        grown.add_line(RUN_LINES.line(line))
    assert grown == read_resume_state(whole)


def test_what_is_over_is_known() -> None:
    lines: list[dict[str, Any]] = [
        {"kind": "excluded", "stack": "a/x", "cell": None, "fork": 0, "why": "it died", "failed": True},
        {"kind": "excluded", "stack": "a/y", "cell": "c2", "fork": 0, "why": "it died"},
        {"kind": "ledger", "cell": "c3", **LEDGER},
        {"kind": "codec", "stack": "a/z", "group": "g", **CODEC},
        {"kind": "slowdown", "cell": "c4", "stack": "a/z", "slowed_side": None, "why": "it cannot"},
        {"kind": "fork over", "fork": 0, "seconds": 2.0},
        {"kind": "fork over", "fork": 1, "seconds": 3.0},
    ]
    found = read_resume_state(lines)
    assert (found.stacks, found.cells, found.accounts) == ({"a/x"}, {"c2"}, {"c3"})
    assert (found.codecs, found.slowed) == ({("a/z", "g")}, {"c4"})
    assert (set(found.over), found.fork_seconds) == ({0, 1}, 5.0)


@pytest.mark.parametrize(
    "line",
    [
        {"kind": "fork"},
        {"kind": "round", "fork": "one"},
        {"kind": "batch", "fork": 0},
        {"kind": "start", "fork": 0},
        {"kind": "step", "knee": "users"},
        {"kind": "trial"},
        {"kind": "unknown"},
    ],
)
def test_a_damaged_line_is_one_sentence(line: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=f"the journal is damaged: line 1, of kind {line['kind']}"):
        read_resume_state([line])
