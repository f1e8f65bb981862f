"""Echoes: of the sizes that a fork's calls have, over the channel of their stacks, and one small one beside them."""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callbench.catalog import catalogue
from callbench.model.cell import CALLS_PER_SLICE, Cell, Load
from callbench.runner.reference.echoes import (
    MOST_SLICES,
    REFERENCE_BYTES,
    Echo,
    EchoTask,
    available_echoes,
    echoes,
    has_own_echo,
    sizes,
)

# A run's messages alone, as its journal has them.
CODECS: list[dict[str, Any]] = [
    {
        "kind": "codec",
        "stack": "native/soap+inproc",
        "message": "soap",
        "group": group,
        "cell": "c001",
        "call": "Sum",
        "arguments": {},
        "payloads": 64,
        "request": {"bytes": request, "encode_ns": 1.0, "decode_ns": 1.0},
        "answer": {"bytes": answer, "encode_ns": 1.0, "decode_ns": 1.0},
    }
    for group, request, answer in (("small", 300.4, 2.0), ("large", 301.0, 40_000.0), ("none", 0.0, 0.0))
]


@pytest.fixture(scope="module")
def known() -> catalogue.Catalogue:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CALLBENCH_ADAPTERS", raising=False)
        return catalogue.load()


def cell(group: str, stack: str, **options: object) -> Cell:
    return Cell(f"{group} {options}", group, stack, "Sum", {}, Load(1, 1, 0.01), options=options)


def echoes_of(known: catalogue.Catalogue, *cells: Cell, quick: bool = True) -> list[Echo]:
    stacks = {stack.id: stack for stack in known.every}
    return echoes(cells, stacks, sizes(CODECS, known), available_echoes(known), quick=quick)


def told(found: list[Echo]) -> list[tuple[str, int, int, Mapping[str, Any]]]:
    return [(one.stack, one.request_bytes, one.answer_bytes, one.options) for one in found]


SMALL_ONE: tuple[str, int, int, Mapping[str, Any]] = ("baseline/echo+tcp", REFERENCE_BYTES, REFERENCE_BYTES, {})


def test_every_channel_has_an_echo(known: catalogue.Catalogue) -> None:
    """But those with a content coding: what a raw echo sends is compressed otherwise than a message."""
    channels = {stack.channel for stack in known.adapter("native").stacks}
    natives = {channel for channel in channels if not channel.endswith(("-gzip", "-zstd"))}
    assert {stack.channel: stack.why_not for stack in known.adapter("baseline").stacks} == dict.fromkeys(natives)
    assert all(stack.instrument for stack in known.adapter("baseline").stacks)
    assert set(available_echoes(known)) == natives


def test_a_call_that_waits_for_ports_has_no_echo(known: catalogue.Catalogue) -> None:
    card = known.stack("native/soap+http").card
    assert has_own_echo(cell("small", "native/soap+http", closes="client"), card)
    assert not has_own_echo(cell("small", "native/soap+http", closes="client", ports=10), card)


@pytest.mark.parametrize("channel", ["tcp", "inproc", "library"])
def test_the_sizes_of_the_cells_are_echoed_once(known: catalogue.Catalogue, channel: str) -> None:
    stack = f"native/soap+{channel}"
    found = echoes_of(known, cell("small", stack), cell("large", stack), cell("?", stack))
    place = f"baseline/echo+{channel}"
    assert told(found) == [SMALL_ONE, (place, 301, 2, {}), (place, 301, 40_000, {})]
    assert [one.cells for one in found] == [(), ("large {}", "small {}"), ("large {}", "small {}")]
    assert len({one.key for one in found}) == len(found)


def test_an_echo_connects_as_its_cell_does_and_without_what_is_the_native_channels_own(
    known: catalogue.Catalogue,
) -> None:
    plain, other = cell("small", "native/soap+supertcp"), cell("small", "native/soap+supertcp", acknowledge=False)
    assert told(echoes_of(known, plain, other))[1:] == [
        ("baseline/echo+supertcp", 300, 2, {}),
        ("baseline/echo+supertcp", 300, 2, {"acknowledge": False}),
    ]
    squeezed = cell("small", "native/bincomp+supertcp", compressor="zstd", level=3)
    lines = [line | {"stack": "native/bincomp+inproc", "message": "bincomp"} for line in CODECS]
    stacks = {stack.id: stack for stack in known.every}
    found = echoes([squeezed], stacks, sizes(lines, known), available_echoes(known), quick=True)
    assert told(found)[1:] == [("baseline/echo+supertcp", 300, 2, {})]


@pytest.mark.parametrize(
    "load",
    [Load(2, 1, 1.0), Load(1, 1, 1.0, think_ns=1), Load(1, 1, 1.0, "poisson", 10.0)],
    ids=["clients that queue", "a client that thinks", "a schedule"],
)
def test_what_is_no_bare_round_trip_has_the_small_one_alone(known: catalogue.Catalogue, load: Load) -> None:
    one = replace(cell("small", "native/soap+supertcp"), load=load)
    assert not has_own_echo(one, {})
    assert told(echoes_of(known, one)) == [SMALL_ONE]
    assert not has_own_echo(replace(cell("small", "native/soap+supertcp"), link="lan100"), {})


def test_echoes_take_more_slices_where_many_cells_share_them_but_no_more_than_those(known: catalogue.Catalogue) -> None:
    for count in (1, 2, 5, 6, 40):
        mine = [cell(group, "native/soap+unix", number=at) for at in range(count) for group in ("small", "large")]
        mine = [replace(one, options={}) for one in mine]
        own = [one for one in echoes_of(known, *mine) if one.cells]
        assert 1 <= sum(one.slices for one in own) <= max(len(own), len(mine))
        assert {one.slices for one in own} == {min(MOST_SLICES, max(1, len(mine) // len(own)))}


def test_a_run_without_echoes_has_none(known: catalogue.Catalogue) -> None:
    stacks = {stack.id: stack for stack in known.every}
    assert echoes([cell("small", "native/soap+supertcp")], stacks, {}, {}, quick=False) == []


def test_a_slice_of_an_echo_keeps_what_its_rate_follows_from() -> None:
    task = EchoTask(Echo("baseline/echo+supertcp", {}, 16, 16, ()))
    turn = task.next_slice(0)
    assert turn is not None
    assert turn.length.calls == CALLS_PER_SLICE
    assert task.rate is None
    latency = {"count": 4, "sum_ns": 4000, "buckets": [[384, 3], [512, 1]]}
    done: dict[str, Any] = {
        "calls": 4,
        "elapsed_ns": 4000,
        "window_ns": 4000,
        "answered": 4,
        "in_flight": 0,
        "latency": latency,
    }
    done["in_flight_part"] = 0.0
    slice_: Any = {"started": "now", "done": done}
    task.add_slice(turn, slice_)
    assert task.result is not None
    assert task.rate == pytest.approx(1e6)
    assert "latency" not in task.result["done"]
    # Buckets 384 and 512 begin at 512 and 1,024 ns.
    assert (task.result["p50_ns"], task.result["p99_ns"]) == (512, 1024)
    task.next_slice(1)
    assert task.rate is None


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_every_round_of_a_run_drives_them_beside_its_cells(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    (tmp_path / "s.toml").write_text(
        'title = "S"\n[load]\nrounds = 3\n[[cells]]\ngroup = "Sum"\nstacks = ["native/bin+tcp", "native/json+unix"]\n'
        'call = "Sum"\narguments = { a = 1, b = 2 }\n'
    )
    callbench("run", "s.toml", "--forks", 2, "--out", "r", check=True)
    lines = [json.loads(line) for line in (tmp_path / "r" / "journal.jsonl").read_text().splitlines()]
    rounds = [line for line in lines if line["kind"] == "round"]
    assert len(rounds) == 2 * 3
    for line in rounds:
        assert len(line["slices"]) == 2
        assert {one["stack"]: bool(one["cells"]) for one in line["echoes"]} == {
            "baseline/echo+tcp": True,
            "baseline/echo+unix": True,
        }
        assert sum(not one["cells"] for one in line["echoes"]) == 2, "as often as there are cells, up to three times"
    sql = "SELECT DISTINCT stack FROM baselines ORDER BY stack"
    told = json.loads(callbench("query", "r", sql, "--json", check=True).stdout)
    assert [row["stack"] for row in told] == ["baseline/echo+tcp", "baseline/echo+unix"]
