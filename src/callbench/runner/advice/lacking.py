"""What an advice lacks, as a study: cells over the links of the situation, held back to test predictions with."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from callbench.analysis.advice.advice import Advice
from callbench.analysis.results import Result, Results
from callbench.catalog.links.wire import round_trip_ns, ways
from callbench.catalog.reach import LOOPBACK
from callbench.catalog.study.own_servers import OF_STUDY
from callbench.model.cell import CALLS_PER_SLICE
from callbench.model.situation import SituationLink

_MS = 1e6
# How many stacks are tested besides the best one and today's.
NEXT = 2
ROUNDS = 4
# A slice over a link: at 25 ms, its start adds 15 % to the client's processor time in 4 calls, and 5 % in 12.
SLICE_S, MOST_CALLS = 0.3, 12
# What is measured per link: few cells, so that more rounds fit into the time.
_LOAD = """\
title = "Cells over links, held back to test predictions with"
about = "The same calls without a link and over each link of the situation."

[load]
clients = [1]
calls = 20
seconds = 0.5
forks = {forks}
rounds = {rounds}
slice_calls = {slice_calls}
minutes = {minutes:.3f}
"""


def stacks(advice: Advice) -> list[str]:
    """Choose the stacks that are worth a test: the best, the next two, and what runs today.

    Two others say what a sleep costs the third one: so its processor time is predicted by what it is not.
    """
    others = advice.choice.comparison.others if advice.choice.comparison else ()
    wanted = [advice.choice.best, *(one.name for one in others[:NEXT]), advice.situation.today]
    return [name for name in dict.fromkeys(wanted) if name in advice.goals and not name.startswith(f"{OF_STUDY}/")]


def links(advice: Advice) -> list[SituationLink]:
    """Choose the links over which one of these stacks was not measured."""
    group, wanted = _main(advice), stacks(advice)
    measured = {(one.stack, one.link) for one in advice.checks if one.group == group}
    return [
        link
        for link in advice.situation.links
        if link.wire.get("link") and any((name, link.name) not in measured for name in wanted)
    ]


def study(advice: Advice, results: Results, minutes: float, forks: int = 5) -> str | None:
    """Write the study that measures what is lacking; None where nothing is.

    Args:
        advice: as far as it goes without.
        results: of its record, for arguments and options of the calls.
        minutes: the time for all of it.
        forks: at least.
    """
    far, names = links(advice), stacks(advice)
    group = _main(advice)
    cell = _cell(results, names, group)
    if not far or cell is None:
        return None
    parts = [_LOAD.format(forks=forks, rounds=ROUNDS, slice_calls=_slice_calls(far), minutes=minutes)]
    parts += [profile(link_name(link.name), link.wire) for link in far]
    parts.append(_group(group, names, cell, LOOPBACK))
    parts += [_group(f"{group}, {link.name}", names, cell, link_name(link.name)) for link in far]
    return "\n".join(parts)


def _slice_calls(far: Sequence[SituationLink]) -> int:
    """So many calls that a slice over the longest link takes `SLICE_S`: its start takes processor time too."""
    longest_s = max(round_trip_ns(link.wire) for link in far) / 1e9
    return max(CALLS_PER_SLICE, min(MOST_CALLS, int(SLICE_S / longest_s) if longest_s else MOST_CALLS))


def link_name(name: str) -> str:
    """Name a link of the situation as a study may: `advice-25ms-20mbit`."""
    return "advice-" + re.sub(r"[^A-Za-z0-9_.-]", "-", name)[:50]


def profile(name: str, wire: Mapping[str, Any]) -> str:
    """Write a link as a study's own: a table, and one for each direction."""
    link = wire["link"]
    lines = [f"[links.{name}]", f"mtu = {wire['mtu']}"]
    lines += [f"seed = {link['seed']}"] if link.get("seed") else []
    lines += [f"offload = {str(link['offload']).lower()}"] if link.get("offload") is not None else []
    lines += [f'maker = "{link["maker"]}"'] if link.get("maker") else []
    for way, values in zip(("to_server", "to_client"), ways(wire), strict=True):
        lines += [f"[links.{name}.{way}]", *_way(values)]
    return "\n".join([*lines, ""])


def _way(values: Mapping[str, Any]) -> list[str]:
    scaled = {"delay_ms": ("delay_ns", _MS), "jitter_ms": ("jitter_ns", _MS), "reorder_by_ms": ("reorder_by_ns", _MS),
              "rate_mbit": ("rate_bps", 1e6), "queue_kib": ("queue_bytes", 1024)}  # fmt: skip
    lines = [f"{key} = {values[name] / scale!r}" for key, (name, scale) in scaled.items() if values.get(name)]
    lines += [f"{key} = {values[key]!r}" for key in ("overhead_bytes", "queue_packets", "loss", "duplicate", "reorder")
              if values.get(key)]  # fmt: skip
    # A queue is counted in whole KiB.
    return [line.removesuffix(".0") if line.startswith("queue_kib") else line for line in lines]


def _main(advice: Advice) -> str:
    return max(advice.groups, key=lambda group: advice.groups[group])


def _cell(results: Results, names: Sequence[str], group: str) -> Result | None:
    """Find the call of a group as it was made without a link: the same for all of its stacks."""
    there = results.where({"group": group, "link": LOOPBACK})
    found = [one for one in there if not one.open_loop and one.attributes["stack"] in names]
    return min(found, key=lambda one: int(one.attributes["clients"]), default=None)


def _group(name: str, names: Sequence[str], cell: Result, link: str) -> str:
    lines = ["[[cells]]", f"group = {json.dumps(name)}", f"stacks = {_value(names)}"]
    lines += [f"call = {json.dumps(cell.attributes['call'])}", f"arguments = {_table(cell.arguments)}"]
    lines += [f"clients = [{cell.attributes['clients']}]", f'link = "{link}"']
    lines += [f"options = {_table(cell.options)}"] if cell.options else []
    lines += ["ledger = true"] if link == LOOPBACK else []
    return "\n".join([*lines, ""])


def _table(values: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{json.dumps(key)} = {_value(value)}" for key, value in values.items()) + " }"


def _value(value: Any) -> str:  # noqa: ANN401 - whatever an argument is
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)
