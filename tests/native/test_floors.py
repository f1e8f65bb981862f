"""Floors: raw echoes of the sizes that a visit's calls have, over the channel of its stack."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from callbench import catalogue, placement
from callbench.catalogue import Catalogue
from callbench.cell import Cell, Load
from callbench.floors import Floors, sizes
from callbench.plan import Visit

CODECS = [
    {"kind": "codec", "stack": "native/soap+inproc", "message": "soap", "group": group, "request": r, "answer": a}
    for group, r, a in (
        ("small", {"bytes": 300.4}, {"bytes": 2.0}),
        ("large", {"bytes": 301.0}, {"bytes": 40_000.0}),
        ("none", {"bytes": 0.0}, {"bytes": 0.0}),
    )
]


def cell(group: str, stack: str, clients: int = 1, link: str = "loopback", **options: bool) -> Cell:
    return Cell(f"{group} {options}", group, stack, "Sum", {}, Load(clients, 1, 0.01), link, options)


def floors(known: set[tuple[int, str, tuple[int, int]]] | None = None, there: Catalogue | None = None) -> Floors:
    there = there or catalogue.load()
    return Floors(there, placement.placed(), sizes(CODECS, there), known or set(), quick=True)


def told(lines: list[dict[str, Any]]) -> list[tuple[int, int, Mapping[str, Any]]]:
    return [(line["request_bytes"], line["answer_bytes"], line["options"]) for line in lines]


def test_every_channel_has_a_floor() -> None:
    known = catalogue.load()
    natives = {stack.channel for stack in known.adapter("native").stacks}
    assert {stack.channel: stack.why_not for stack in known.adapter("floor").stacks} == dict.fromkeys(natives)
    assert all(stack.instrument for stack in known.adapter("floor").stacks)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("channel", ["tcp", "inproc", "library"])
def test_the_sizes_of_the_cells_are_echoed_once_for_each_visit(channel: str) -> None:
    stack = catalogue.load().stack(f"native/soap+{channel}")
    visit = Visit(7, 2, stack.id, ())
    cells = [cell("small", stack.id), cell("large", stack.id), cell("none", stack.id, clients=3), cell("?", stack.id)]
    with floors() as measuring:
        lines = list(measuring.beside(visit, stack, cells))
        assert told(lines) == [(301, 2, {}), (301, 40_000, {})]
        assert {(line["kind"], line["block"], line["visit"], line["stack"]) for line in lines} == {
            ("floor", 2, 7, f"floor/echo+{channel}")
        }
        assert all(line["cells"] == ["large {}", "small {}"] for line in lines)
        assert all(line["done"]["calls"] >= 20 and not line["done"]["errors"] for line in lines)
    known = {(7, json.dumps({}), (301, 2))}
    with floors(known) as measuring:
        assert told(list(measuring.beside(visit, stack, cells))) == [(301, 40_000, {})]


@pytest.mark.usefixtures("nothing_left")
def test_a_floor_connects_as_its_cell_does_and_without_what_is_the_native_channels_own() -> None:
    ours = catalogue.load().stack("native/soap+tcp")
    with floors() as measuring:
        visit = Visit(0, 0, ours.id, ())
        cells = [
            cell("small", ours.id),
            cell("small", ours.id, acknowledge=False),
            cell("none", ours.id, link="lan100"),
        ]
        assert told(list(measuring.beside(visit, ours, cells))) == [(300, 2, {}), (300, 2, {"acknowledge": False})]


@pytest.mark.usefixtures("nothing_left")
def test_a_floor_that_fails_is_a_note_and_is_not_tried_for_ever() -> None:
    known = catalogue.load()
    stack = known.stack("native/soap+tcp")
    broken = [
        replace(one, manifest=replace(one.manifest, program=("/bin/false",))) if one.name == "floor" else one
        for one in known.adapters
    ]
    with floors(there=replace(known, adapters=tuple(broken))) as measuring:
        for number in range(3):
            lines = list(measuring.beside(Visit(number, 0, stack.id, ()), stack, [cell("small", stack.id)]))
            assert [line["kind"] for line in lines] == (["note"] if number < 2 else [])
