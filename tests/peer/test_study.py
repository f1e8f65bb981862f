"""A study driven by both: what needs no JMeter, and with it a small study from its beginning to its folder."""

import json
import signal
import subprocess
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from callbench.analysis.peer import stored
from callbench.analysis.peer.agreement import GeneratorRound, Round
from callbench.catalog import catalogue
from callbench.model.card import StackCard
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import BadInput
from callbench.runner.peer import jmeter, study
from callbench.runner.peer.http_load import why_not
from conftest import ROOT, eventually
from loaded_program import Begin
from record_json import record_json
from sealed import sealed
from study_text import cells, study_text

Run = Callable[..., subprocess.CompletedProcess[str]]

needs_jmeter = pytest.mark.skipif(jmeter.why_not() is not None, reason=str(jmeter.why_not()))

CARD: StackCard = {"roles": "both", "request": {"protocol": "http1", "expect_body": "x"}}
STACK = Stack("load/http1:some/server", "load:some", "json", "http-keepalive", "any", "", "", CARD)
CELL = Cell("c001", "one", STACK.id, "Hello", {}, Load(5, 1, 1.0))

# Four clients of a server that answers after 40 ms, and a cell that JMeter cannot drive.
HYPER = "load/http1:rust/hyper"
SMALL = study_text(
    cells("closed", HYPER),
    cells("closed-again", HYPER, seconds=0.5),
    cells("thinks", HYPER, think_ms=50, ramp_up_ms=1000, seconds=1.0),
    cells("open", HYPER, arrivals="constant", rate=50),
    load={"clients": [4], "calls": 10, "seconds": 0.2, "forks": 2, "rounds": 2, "minutes": 0.01},
    quick={"seconds": 1.0},
)


@pytest.mark.parametrize(
    ("cell", "card", "says"),
    [
        (CELL, CARD, None),
        (replace(CELL, load=Load(5, 1, 1.0, think_ns=900_000_000, ramp_up_ns=10**10)), CARD, None),
        (replace(CELL, link="lan100"), CARD, "over lan100"),
        (replace(CELL, load=Load(5, 1, 1.0, "poisson", 50.0)), CARD, "by a schedule"),
        (replace(CELL, load=Load(5, 1, 1.0, ramp_up_ns=1_500_000_000)), CARD, "ramp-up of 1.5 s"),
        (replace(CELL, load=Load(5, 1, 1.0, think_ns=1_500_000)), CARD, "think time of 1.5 ms"),
        (replace(CELL, timed=False), CARD, "nothing is timed"),
        (CELL, {"roles": "both"}, "is not called by the load driver"),
        (CELL, {"request": {"expect_status": [201]}}, "expect_status of their request"),
        (CELL, {"request": {"path": "/{number}"}}, "{number} in their request"),
        (CELL, {"request": {"path": "/{number}", "variables": False}}, None),
        (replace(CELL, options={"insecure": True}), CARD, None),
        (replace(CELL, options={"streams": 2}), CARD, "streams of their request"),
    ],
)
def test_a_cell_that_jmeter_cannot_drive_is_reported_with_the_reason(
    cell: Cell, card: StackCard, says: str | None
) -> None:
    why = why_not(cell, replace(STACK, card=card))
    assert (why is None) == (says is None)
    assert says is None or says in str(why)


def test_cells_that_differ_in_their_length_only_are_driven_once() -> None:
    longer = replace(CELL, id="c002", group="long", load=Load(5, 9_000_000, 60.0), fresh=True)
    more = replace(CELL, id="c003", group="more", load=Load(50, 1, 1.0))
    over = replace(CELL, id="c004", group="far", link="wan50")
    chosen, left_out = study.drivable([CELL, longer, more, over], {STACK.id: STACK})
    assert [(cell.id, groups) for cell, groups in chosen] == [("c001", ["one", "long"]), ("c003", ["more"])]
    [(why, whose)] = left_out.items()
    assert "wan50" in why
    assert whose == ["far load/http1:some/server at 5 clients"]


@pytest.mark.parametrize(
    ("target", "is_one"),
    [
        ("qlio", True),
        ("nonsense", True),
        ("some/where.toml", True),
        ("load/http1:node/http", False),
        ("http://127.0.0.1/x.toml", False),
    ],
)
def test_a_study_is_distinguished_from_stacks_and_urls(target: str, is_one: bool) -> None:
    assert study.is_study(target) == is_one


def folder(at: Path, **info: object) -> Path:
    """A folder as an interrupted `peer` leaves it: one cell agrees, another was left out on the way."""
    at.mkdir()
    said = {
        "study": "small",
        "seed": 1,
        "quick": True,
        "rounds": 3,
        "select": [],
        "started": "",
        "state": "stopped",
    }
    said |= {"peer": "JMeter", "seconds": 5.0, "warm_up_s": 5.0, "delay_us": 0, "title": "Small", "settings": {}}
    (at / "record.json").write_text(json.dumps(record_json("peer", said | info)))
    (at / "environment.json").write_text("{}")
    cells = [{**asdict(CELL), "groups": ["one", "long"]}, {**asdict(replace(CELL, id="c002")), "groups": ["two"]}]
    (at / "plan.json").write_text(json.dumps({"cells": cells, "left_out": [{"why": "over wan50", "cells": ["far"]}]}))
    both = Round(GeneratorRound(1000.0, 5, 5, 0.2, 5000, 0, 5), GeneratorRound(990.0, 5.1, 5.1, 0.4, 4950, 0, 5.1, 0.1))
    lines: list[dict[str, object]] = [{"kind": "round", "round": n, "cell": "c001", **asdict(both)} for n in range(2)]
    lines.append({"kind": "excluded", "round": 0, "cell": "c002", "why": "failed twice: it died"})
    (at / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return at


def test_a_folder_is_shown_again(tmp_path: Path, callbench: Run) -> None:
    seen = callbench("peer", folder(tmp_path / "kept"))
    assert seen.returncode == 1, seen.stderr  # a cell failed
    assert "0.990 (0.990 to 0.990)" in seen.stdout
    assert "one, long load/http1:some/server: their rates differ by 1.0 %." in seen.stdout
    assert "failed twice: it died" in seen.stdout
    assert "left out: far: over wan50." in seen.stdout
    told = sealed("peer", callbench("peer", tmp_path / "kept", "--json").stdout)
    assert [cell["verdict"] for cell in told["cells"]] == ["agree", None]
    assert (told["outcome"], told["state"]) == ("failed", "stopped")


def test_a_damaged_folder_is_one_sentence(tmp_path: Path, callbench: Run) -> None:
    at = folder(tmp_path / "kept")
    with (at / "journal.jsonl").open("a") as journal:
        journal.write('{"kind":"round","round":2,"cell":"c001","ours":{}}\n')
    seen = callbench("peer", at)
    assert seen.returncode == 2
    assert "of kind round: ours.rate_per_s is missing" in seen.stderr


def test_a_damaged_plan_is_one_sentence(tmp_path: Path) -> None:
    at = folder(tmp_path / "kept")
    (at / "plan.json").write_text('{"cells": [{"id": "c001"}]}')
    with pytest.raises(BadInput, match=r"plan\.json is damaged"):
        stored.read_result(stored.open_record(at))


def test_it_has_a_report_in_every_format(tmp_path: Path, callbench: Run) -> None:
    kept = folder(tmp_path / "kept")
    for form in ("html", "md", "csv", "json"):
        assert callbench("report", kept, "--format", form).returncode == 0
        assert "over wan50" in (kept / f"report.{form}").read_text() or form == "csv"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("qlio", "--clients", 5), "a study has its own clients and answers: leave out --clients"),
        (("load/http1:rust/hyper", "--quick", "--select", "x"), "leave out --select, --quick"),
        (("qlio", "--resume", "--rounds", 2), "leave out --rounds"),
        (("nowhere.toml",), "nowhere.toml"),
    ],
)
def test_options_that_mean_nothing_are_refused(arguments: tuple[object, ...], says: str, callbench: Run) -> None:
    seen = callbench("peer", *arguments)
    assert seen.returncode == 2
    assert says in seen.stderr or (jmeter.why_not() and "set up" in seen.stderr)


@needs_jmeter
@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_study_is_driven_by_both_interrupted_and_resumed(tmp_path: Path, begin: Begin, callbench: Run) -> None:
    if catalogue.load([ROOT / "adapters" / "rust"]).adapter("rust").why_not:
        pytest.skip("the engine is not built")
    (tmp_path / "both.toml").write_text(SMALL)
    options = ("--rounds", 2, "--seconds", 1, "--warm-up", 1, "--delay-us", 40_000, "--seed", 5, "--out", "kept")
    journal = tmp_path / "kept" / "journal.jsonl"
    first = begin("peer", "both.toml", *options)
    assert eventually(lambda: first.poll() is not None or (journal.is_file() and "\n" in journal.read_text()), 150)
    first.send_signal(signal.SIGTERM)
    _, errors = first.communicate(timeout=60)
    assert first.returncode == 143, errors
    assert "Continue with: callbench peer both.toml --out kept --resume" in errors
    before = journal.read_text().splitlines()

    seen = callbench("peer", "both.toml", "--out", "kept", "--resume", "--json")
    # 1, 3: on a machine that starves one of the two they may differ, or nothing is shown, which is no matter here.
    assert seen.returncode in {0, 1, 3}, seen.stderr
    assert journal.read_text().splitlines()[: len(before)] == before
    told = sealed("peer", seen.stdout)
    assert [(cell["groups"], cell["think_ms"]) for cell in told["cells"]] == [
        (["closed", "closed-again"], 0),
        (["thinks"], 50),
    ]
    [left_out] = told["left_out"]
    assert "schedule" in left_out["why"]
    for cell in told["cells"]:
        assert len(cell["rounds"]) == 2
        # No call can be shorter than what each waits, and no client can call more often than it thinks.
        most = 4 / ((40 + cell["think_ms"]) / 1e3) * 1.05
        for side in (each[name] for each in cell["rounds"] for name in ("ours", "peers")):
            assert side["errors"] == 0
            assert side["median_ms"] >= 39
            # Clients that begin with a call make one more than their share of so short a time.
            assert side["rate_per_s"] <= most * (1 if not cell["think_ms"] else 1.2)
        # All of it, where the machine starved the peer.
        assert all(each["peers"]["own_ms"] is not None and 0 <= each["own"] <= 1 for each in cell["rounds"])


@needs_jmeter
@pytest.mark.engine
def test_a_study_of_which_nothing_can_be_driven_says_why(tmp_path: Path, callbench: Run) -> None:
    (tmp_path / "open.toml").write_text(SMALL)
    seen = callbench("peer", "open.toml", "--select", "group=open", "--out", "kept")
    assert seen.returncode == 2
    assert "no cells that both can drive" in seen.stderr
    assert "by a schedule" in seen.stderr
    assert not (tmp_path / "kept").exists()


def test_what_was_kept_is_read_as_it_was(tmp_path: Path) -> None:
    found = stored.read_result(stored.open_record(folder(tmp_path / "kept")))
    assert [(one.cell, one.groups) for one in found.cells] == [
        (CELL, ("one", "long")),
        (replace(CELL, id="c002"), ("two",)),
    ]
    assert found.cells[0].rounds[0].peers.own_ms == 0.1
