"""Comparisons as a person makes them: live over the stand-in, of builds, of stored runs, and read again."""

import io
import json
import math
import re
import shlex
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from comparison_schema import valid
from rich.console import Console

from callbench.analysis.compare import comparison
from callbench.analysis.compare.comparison import Comparison, RuleOptions
from callbench.report.compare import show
from callbench.runner.compare import execution
from callbench.runner.compare.fork import MOST_TIMES
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.histogram import index_of
from callbench.store.record import Record
from conftest import MISBEHAVING, ROOT, command, eventually
from golden import golden
from loaded_program import Begin
from record_json import record_json

Program = Callable[..., subprocess.CompletedProcess[str]]
GOLDEN = Path(__file__).parent / "golden"
# Histograms of 400 calls, of which 99 of 100 take 10 and 20 us.
SHARP, BLUNT = ([[index_of(us * 1000), 400]] for us in (10, 20))
QUICK = ("--seconds", "0.2", "--rounds", "2", "--call", "Sum")


def stand_in(folder: Path) -> Path:
    """Another build of the stand-in: its manifest, and the same program."""
    folder.mkdir()
    text = (MISBEHAVING / "honest" / "adapter.toml").read_text()
    (folder / "adapter.toml").write_text(text.replace('"../honest.py"', f'"{MISBEHAVING}/honest.py"'))
    return folder


def written(folder: Path) -> Record:
    """A comparison's folder that never took place: one cell slower, one the same, one that failed."""
    folder.mkdir()
    cells = [
        {"id": f"c00{place}", "name": name, "call": "Sum", "arguments": {}, "options": {}, "clients": 1}
        for place, name in enumerate(("Sum", "GetPersons:n=250", "Hello"), 1)
    ]
    info = {
        "callbench": "0.1.0", "study": "", "title": "", "a": "native/json+supertcp",
        "b": "native/json+supertcp@new", "seconds": 5.0, "level": 0.01, "threshold": 0.02, "p99_threshold": 0.1,
        "seed": 1, "hold_idle": False,
        "rounds": 4, "started": "2026-11-21T03:00:00.000Z", "finished": None, "state": "stopped",
    }  # fmt: skip
    plan = {"pairs": [{"a": (stack := {"id": "native/json+supertcp"}), "b": stack, "in_turn": True, "cells": cells}]}
    lines = []
    for number, (slower, same) in enumerate(((380, 401), (384, 398), (379, 400), (381, 400))):
        slices = [[[0, 400, 0, 20_000_000], [1, calls, 0, 20_000_000]] for calls in (slower, same)]
        met: list[dict[str, Any]] = [
            {"cell": f"c00{place}", "agree": True, "slices": one, "latency": [SHARP, SHARP if place == 1 else BLUNT]}
            for place, one in enumerate(slices, 1)
        ]
        met.append({"cell": "c003", "cannot": "native/json+supertcp: Hello fails", "lacks": False})
        lines.append({"kind": "met", "round": number, "pair": 0, "started": "", "cells": met})
    for name, value in (
        ("record.json", record_json("comparison", info)),
        ("plan.json", plan),
        ("environment.json", {}),
    ):
        (folder / name).write_text(json.dumps(value))
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Record(folder)


def six_digits(tree: Any) -> Any:
    """Round every float, so that another processor's last bit is no difference."""
    if isinstance(tree, dict):
        return {key: six_digits(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [six_digits(value) for value in tree]
    return float(f"{tree:.6g}") if isinstance(tree, float) else tree


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "compared")
    return comparison.read(Record(Path("compared")))


def test_json_is_sealed(made: Comparison) -> None:
    golden(GOLDEN / "comparison.json", json.dumps(six_digits(valid(show.record(made))), indent=1) + "\n")


def test_markdown_is_sealed(made: Comparison) -> None:
    golden(GOLDEN / "comparison.md", show.markdown(made))


def test_markdown_shows_what_did_not_pass_and_folds_the_rest(made: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "_MOST_SHOWN", 1)
    shown, *folds = show.markdown(made).split("<details><summary>")
    failed = [row for row in made.cells if row.outcome is not Outcome.PASSED]
    assert len(made.cells) > len(failed) > 1
    assert shown.count("\n| ") == 2, "the head and one row"
    assert [fold.partition("</summary>")[0] for fold in folds] == [
        f"{len(failed) - 1} more that did not pass",
        f"{len(made.cells) - len(failed)} that passed",
        "How it was compared",
    ]
    assert [fold.count("\n| ") for fold in folds] == [len(failed), 1 + len(made.cells) - len(failed), 0]
    assert "is stopped" in folds[1], "a note is not folded"


def test_the_threshold_can_be_another_when_it_is_read_again(made: Comparison) -> None:
    assert [one.regression for one in made.cells] == [True, False, False, True, False]
    assert not comparison.read(Record(Path("compared")), RuleOptions(threshold=0.1, p99_threshold=math.inf)).regressions


def test_a_tail_that_grew_is_a_regression_though_the_rate_stood(made: Comparison) -> None:
    rate, tail = (one for one in made.cells if one.figures.cell == "c002")
    assert (rate.verdict, rate.outcome) == ("equivalent", Outcome.PASSED)
    assert (tail.verdict, tail.outcome) == ("worse", Outcome.FAILED)
    assert tail.ratio is not None
    assert tail.ratio.middle == pytest.approx(2, rel=0.01)


def test_what_a_noisy_machine_leaves_open_does_not_pass(callbench: Program, tmp_path: Path) -> None:
    """Its resolution was +/- 20 %, and "no regression beyond 2 %" with exit code 0 was false assurance."""
    folder = written(tmp_path / "noisy")
    lines = []
    for number, calls in enumerate((300, 520, 380, 420)):
        slices = [[0, 400, 0, 20_000_000], [1, calls, 0, 20_000_000]]
        cell = {"cell": "c001", "agree": True, "slices": slices, "latency": [SHARP, SHARP]}
        lines.append({"kind": "met", "round": number, "pair": 0, "started": "", "cells": [cell]})
    (folder.path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    plan = json.loads((folder.path / "plan.json").read_text())
    del plan["pairs"][0]["cells"][1:]
    (folder.path / "plan.json").write_text(json.dumps(plan))
    ended = callbench("compare", "noisy")
    assert ended.returncode == 3, ended.stdout
    assert re.search(
        r"rate: no regression beyond 2 % was found, but one up to \d\d % could not be detected", ended.stdout
    )
    assert "p99: no regression beyond 10 %." in ended.stdout
    assert ended.stdout.endswith("undecided.\n")
    assert [callbench("compare", "noisy", "--undecided", one).returncode for one in ("pass", "fail")] == [0, 1]
    wrong = callbench("compare", "noisy", "--undecided", "maybe")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "--undecided maybe: pass or fail" in wrong.stderr


def test_a_call_that_a_stack_lacks_leaves_it_open_and_one_that_fails_fails(tmp_path: Path) -> None:
    folder = written(tmp_path / "c")
    text = (folder.path / "journal.jsonl").read_text()
    assert comparison.read(folder).missing[0].outcome is Outcome.FAILED
    (folder.path / "journal.jsonl").write_text(text.replace('"lacks": false', '"lacks": true'))
    found = comparison.read(Record(folder.path))
    assert found.missing[0].outcome is Outcome.UNDECIDED
    said = "not compared: Hello rate: native/json+supertcp: Hello fails"
    assert said in show.sentences(found)


def with_failures(folder: Path, failed: dict[int, tuple[int, ...]]) -> Comparison:
    """Write a comparison whose second cell failed so many calls a fork, by side, and read it."""
    written(folder)
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    for fork, line in enumerate(lines):
        for one in line["cells"][1]["slices"]:
            one[2] = failed.get(one[0], (0, 0, 0, 0))[fork]
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return comparison.read(Record(folder))


def test_more_calls_that_fail_are_a_failure_however_fast_the_others_are(tmp_path: Path) -> None:
    found = with_failures(tmp_path / "c", {1: (11, 10, 12, 11)})
    rate, tail = (one for one in found.cells if one.figures.cell == "c002")
    assert (rate.outcome, rate.verdict, tail.verdict) == (Outcome.FAILED, "worse", "worse")
    assert rate.why == "44 of 1,643 calls of B failed, 0 of 1,600 of A"
    assert f"GetPersons:n=250: {rate.why}. Failed calls count in no rate." in found.notes
    assert show.verdict(found) == "Failed: B fails more calls in 1 of 3 cells"
    # "rate: no regression" stood below "rate: B is worse".
    assert show.sentences(found)[0].startswith("rate of answered calls: ")
    valid(show.record(found))


def test_more_failed_calls_that_chance_may_explain_are_undecided_and_never_better(tmp_path: Path) -> None:
    found = with_failures(tmp_path / "c", {1: (1, 0, 1, 1)})
    (rate, _) = (one for one in found.cells if one.figures.cell == "c002")
    assert (rate.outcome, rate.verdict) == (Outcome.UNDECIDED, "undecided")
    assert rate.why == "3 of 1,602 calls of B failed, 0 of 1,600 of A; whether B fails more is undecided"


def test_calls_that_failed_in_one_start_of_four_say_little_of_the_next(tmp_path: Path) -> None:
    """One fork that went wrong is one event, however many calls it took with it."""
    found = with_failures(tmp_path / "c", {1: (0, 44, 0, 0)})
    (rate, _) = (one for one in found.cells if one.figures.cell == "c002")
    assert rate.outcome is Outcome.UNDECIDED


def test_a_baseline_that_fails_more_calls_speaks_not_against_the_other(tmp_path: Path) -> None:
    found = with_failures(tmp_path / "c", {0: (11, 10, 12, 11)})
    (rate, _) = (one for one in found.cells if one.figures.cell == "c002")
    assert (rate.outcome, rate.verdict, rate.why) == (Outcome.PASSED, "equivalent", "")
    assert (
        "GetPersons:n=250: 0 of 1,599 calls of B failed, 44 of 1,644 of A. Failed calls count in no rate."
        in found.notes
    )


@pytest.mark.parametrize(("silent", "name"), [((1,), "B"), ((0,), "A"), ((0, 1), "A and B")])
def test_who_answers_no_call_fails_and_is_named(tmp_path: Path, silent: tuple[int, ...], name: str) -> None:
    folder = written(tmp_path / "c").path
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    for line in lines:
        for side in silent:
            line["cells"][1]["slices"][side][1] = 0
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = comparison.read(Record(folder))
    (rate,) = (one for one in found.cells if one.figures.cell == "c002")
    assert (rate.outcome, rate.why) == (Outcome.FAILED, f"{name} answered no call")
    assert f"{name} answered no call" in "\n".join(show.sentences(found))


def test_too_few_calls_have_no_p99_and_say_how_many_are_needed(tmp_path: Path) -> None:
    folder = written(tmp_path / "c")
    text = (folder.path / "journal.jsonl").read_text()
    (folder.path / "journal.jsonl").write_text(text.replace(", 400]]", ", 40]]"))
    found = comparison.read(Record(folder.path))
    tails = [one for one in found.cells if one.figures.metric == "p99"]
    assert [one.outcome for one in tails] == [Outcome.UNDECIDED] * 2
    assert tails[0].why.endswith("160 calls, and p99 needs 736; give 4.6 times the --seconds, or --p99-threshold none")


def test_forks_are_taken_together_until_they_have_calls_enough_for_a_p99(tmp_path: Path) -> None:
    folder = written(tmp_path / "c")
    text = (folder.path / "journal.jsonl").read_text()
    (folder.path / "journal.jsonl").write_text(text.replace(", 400]]", ", 200]]"))
    found = comparison.read(Record(folder.path))
    tails = [one for one in found.cells if one.figures.metric == "p99"]
    assert [[len(values) for values in one.figures.values] for one in tails] == [[2, 2]] * 2
    assert tails[1].ratio is not None
    assert tails[1].ratio.middle == pytest.approx(2, rel=0.01)


def test_a_fork_in_which_a_compiler_was_at_work_does_not_count(tmp_path: Path) -> None:
    folder = written(tmp_path / "c")
    lines = [json.loads(line) for line in (folder.path / "journal.jsonl").read_text().splitlines()]
    lines[1]["unsteady"] = "java/rmi: the compiler of the server was at work meanwhile"
    (folder.path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = comparison.read(folder)
    assert len(found.cells[0].figures.values[0]) == 3
    assert "1 of 4 forks do not count: java/rmi: the compiler of the server was at work meanwhile." in found.notes
    every = [line | {"unsteady": lines[1]["unsteady"]} for line in lines]
    (folder.path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in every))
    assert {(str(one.outcome), one.why) for one in comparison.read(Record(folder.path)).cells} == {
        ("undecided", lines[1]["unsteady"])
    }


def test_what_spins_is_compared_in_slices_too_and_stopped_between_them(callbench: Program, tmp_path: Path) -> None:
    callbench("compare", "native/json+shm", "native/json+shm-spin", *QUICK, "--out", "c", "--json")
    found = comparison.read(Record(tmp_path / "c"))
    assert found.cells[0].ratio is not None
    assert any(note.startswith("native/json+shm-spin: used a processor while waiting") for note in found.notes)
    lines = [json.loads(line) for line in (tmp_path / "c" / "journal.jsonl").read_text().splitlines()]
    assert {(unit["stack"], unit["paused"]) for line in lines for unit in line["units"]} >= {
        ("native/json+shm-spin", True)
    }
    assert all(line["echoes"] for line in lines)


@pytest.mark.parametrize(
    ("seconds", "started_s", "forks"), [(5, 0.02, 50), (5, 0.1, 16), (5, 3.0, 10), (0.2, 0.1, 10), (5, 0.0, 50)]
)
def test_starts_are_many_where_they_are_cheap(seconds: float, started_s: float, forks: int) -> None:
    assert execution.number_of_forks(seconds, started_s) == forks


def test_a_tail_in_batches_is_not_judged_and_it_says_so(tmp_path: Path) -> None:
    folder = written(tmp_path / "c")
    lines = [json.loads(line) for line in (folder.path / "journal.jsonl").read_text().splitlines()]
    for line in lines:
        line["cells"][0]["latency"] = [None, None]
    (folder.path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = comparison.read(Record(folder.path))
    assert [(one.figures.cell, str(one.figures.metric)) for one in found.cells][:2] == [
        ("c001", "rate"),
        ("c002", "rate"),
    ]
    assert any(note.startswith("Sum has no p99, because the calls were too short") for note in found.notes)


@pytest.mark.usefixtures("nothing_left")
def test_two_stacks_live_and_read_again(callbench: Program, tmp_path: Path) -> None:
    ended = callbench("compare", "honest/inproc", "honest/tcp", *QUICK, "--seed", 1, "--out", "c", "--json")
    told = valid(json.loads(ended.stdout))
    assert {tuple(cell["stacks"]) for cell in told["cells"]} == {("honest/inproc", "honest/tcp")}
    assert [cell["metric"] for cell in told["cells"]] == ["rate", "p99"]
    assert told["cells"][0]["counts"] == [2, 2]
    assert ended.returncode == {"passed": 0, "failed": 1, "undecided": 3}[told["outcome"]]
    again = callbench("compare", "c", "--json")
    assert json.loads(again.stdout) == told
    assert "B / A (99 % interval)" in callbench("compare", "c").stdout
    assert "### " in callbench("compare", "c", "--markdown").stdout
    lines = [json.loads(line) for line in (tmp_path / "c" / "journal.jsonl").read_text().splitlines()]
    assert [line["round"] for line in lines if line["kind"] == "met"] == [0, 1]
    for line in lines:
        sides = [one[0] for one in line["cells"][0]["slices"]]
        assert sides == [0, 1] * (len(sides) // 2)
        # 0.1 s of calls a fork, both sides together, in slices of 20 ms; more where its p99 has too few calls.
        assert len(sides) <= 6 * MOST_TIMES
        assert {unit["stack"] for unit in line["units"]} == {"honest/inproc", "honest/tcp"}


@pytest.mark.usefixtures("nothing_left")
def test_two_builds_of_an_adapter(callbench: Program, tmp_path: Path) -> None:
    build = stand_in(tmp_path / "new")
    ended = callbench("compare", "honest/tcp", f"honest/tcp@{build}", *QUICK, "--json")
    assert {tuple(one["stacks"]) for one in valid(json.loads(ended.stdout))["cells"]} == {("honest/tcp", "honest/tcp")}
    ended = callbench("compare", MISBEHAVING / "honest", build / "adapter.toml", *QUICK, "--json")
    assert len({one["cell"] for one in valid(json.loads(ended.stdout))["cells"]}) == 2


@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_waits_in_each_call_is_slower(callbench: Program) -> None:
    """A delay of 20 ms in each call, beside none: the rate cannot reach 50 calls a second."""
    ended = callbench("compare", "honest/tcp", "honest/tcp?delay_us=20000", *QUICK, "--json")
    told = valid(json.loads(ended.stdout))
    assert told["cells"][0]["values"][1] <= 50
    assert told["b"] == "honest/tcp?delay_us=20000"


@pytest.mark.usefixtures("nothing_left")
def test_the_recipe_of_the_guide_works(tmp_path: Path) -> None:
    """The shell version as it stands in docs/guide/compare.md, with the stand-in as both builds and less time."""
    text = (ROOT / "docs" / "guide" / "compare.md").read_text()
    recipe = re.search(r"```shell\n(.*?)```", text, re.DOTALL)
    workflow = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert recipe
    assert workflow
    for line in recipe[1].replace("--seed 1 ", "").splitlines()[:2]:
        assert line.removesuffix("\\").strip() in workflow[1]
    for side in ("base", "head"):
        stand_in(tmp_path / side)
    script = recipe[1].replace("callbench compare", f"{shlex.join(command())} compare")
    script = script.replace("mine/json+tcp", "honest/tcp").replace("--seconds 10", "--seconds 0.8 --rounds 8")
    # The new build waits 0.1 s in each call, which is more than a busy machine takes.
    script = script.replace("honest/tcp@head", "'honest/tcp@head?delay_us=100000'")
    argv = ["/bin/bash", "-c", script]
    ended = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
    assert ended.returncode == 1, ended.stderr
    assert (tmp_path / "comparison.md").read_text().startswith("### ")
    assert (tmp_path / "comparison" / "journal.jsonl").stat().st_size


@pytest.mark.usefixtures("nothing_left")
def test_what_fails_does_not_pass_the_gate(callbench: Program) -> None:
    ended = callbench("compare", "honest/tcp", "wrong-answer/tcp", *QUICK)
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith("Failed: ")
    assert "not compared: B: wrong-answer/tcp answered wrongly" in ended.stdout


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("a", "b", "who"),
    [
        ("dies-driving/tcp", "honest/tcp", "A"),
        ("honest/tcp", "dies-driving/tcp", "B"),
        ("wrong-answer/tcp", "never-ready/tcp", "A and B"),
    ],
)
def test_who_failed_is_named_and_nobody_else(callbench: Program, tmp_path: Path, a: str, b: str, who: str) -> None:
    out = tmp_path / "out"
    ended = callbench("compare", a, b, *QUICK, "--out", out)
    assert ended.returncode == 1, ended.stderr
    failed = {"A": a, "B": b}
    (why,) = (line for line in ended.stdout.splitlines() if line.startswith("not compared: "))
    assert re.findall(r"\b[AB]: \S+/tcp", why) == [f"{side}: {failed[side]}" for side in who.split(" and ")]
    assert show.verdict(comparison.read(Record(out))) == f"Failed: {who} could not be measured"


def test_a_failure_of_a_stored_comparison_that_does_not_say_whose_is_not_laid_on_b(tmp_path: Path) -> None:
    folder = written(tmp_path / "c").path
    with (folder / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps({"kind": "excluded", "pair": 0, "round": 4, "why": "x: died"}) + "\n")
    assert show.verdict(comparison.read(Record(folder))).startswith("Failed: one of the two could not be measured")


@pytest.mark.usefixtures("nothing_left")
def test_the_cells_of_a_study(callbench: Program, study: Path) -> None:
    group = ("--study", study, "--group", "GetPersons", "--seconds", "0.2", "--rounds", "2", "--json")
    told = valid(json.loads(callbench("compare", "honest/tcp", "honest/tcp", *group).stdout))
    names = [cell["name"] for cell in told["cells"] if cell["metric"] == "rate"]
    assert names == ["GetPersons", "GetPersons, 3 clients"]
    assert "A and B are the same, so every difference is chance." in told["notes"]


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_it_the_rounds_that_were_made_are_kept(
    begin: Begin, tmp_path: Path, number: signal.Signals
) -> None:
    journal = tmp_path / "c" / "journal.jsonl"
    arguments = ("compare", "honest/tcp", "honest/inproc", "--seconds", "60", "--rounds", "600", "--call", "Sum")
    going = begin(*arguments, "--out", "c")
    assert eventually(lambda: journal.is_file() and journal.read_bytes().count(b"\n") >= 2, 60)
    going.send_signal(number)
    _, said = going.communicate(timeout=60)
    if number is signal.SIGINT:
        assert going.returncode == 130
        assert "`callbench compare c` shows it" in said.splitlines()[-1]
    found = comparison.read(Record(tmp_path / "c"))
    assert found.cells[0].ratio is not None
    assert any("Only its finished forks count." in note for note in found.notes)


def test_a_comparison_is_shown_and_reported_as_what_it_is(callbench: Program, tmp_path: Path) -> None:
    written(tmp_path / "compared")
    assert callbench("show", "compared").stdout == callbench("compare", "compared").stdout
    assert callbench("report", "compared", "--format", "md").returncode == 0
    assert (tmp_path / "compared" / "report.md").read_text().startswith("### ")
    for form, begins in (("html", "<!doctype html>"), ("csv", "Comparison\n"), ("json", "{")):
        assert callbench("report", "compared", "--format", form).returncode == 0
        assert (tmp_path / "compared" / f"report.{form}").read_text().startswith(begins)
    rows = callbench("query", "compared", "SELECT kind, count(*) AS lines FROM journal GROUP BY kind", "--json").stdout
    assert json.loads(rows) == [{"kind": "met", "lines": 4}]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_cuts_nothing_off(made: Comparison, width: int) -> None:
    texts = []
    for columns in (1000, width):
        out = io.StringIO()
        show.print_comparison(made, Console(file=out, width=columns))
        texts.append(out.getvalue())
    wide, narrow = (set(re.findall(r"\d[\d,.]*\d", text)) for text in texts)
    assert wide <= narrow
    assert "…" not in texts[1]
    golden(GOLDEN / f"comparison-{width}.txt", texts[1])


def test_a_page_draws_the_ratios_and_first_what_did_not_pass(made: Comparison, tmp_path: Path) -> None:
    """The page of a comparison had no picture."""
    (drawn,) = show.report(made, Record(written(tmp_path / "c").path)).sections[0].charts
    assert drawn.spec is not None
    rows = drawn.spec["data"]["values"]
    known = [row for row in made.cells if row.ratio is not None]
    assert len(rows) == len(known) > 1
    assert sorted(row["ratio"] for row in rows) == sorted(row.ratio.middle for row in known if row.ratio is not None)
    assert [row["passed"] for row in rows] == sorted(row["passed"] for row in rows)
    assert {"passed", "not passed"} == {row["passed"] for row in rows}
