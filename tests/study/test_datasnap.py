"""The DataSnap study, and what it needs of a study file: fresh starts, slow stacks, figures of their own, words."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pytest

from callbench.analysis.cells.results import Latency, Result, Results
from callbench.analysis.judge.claims import Verdict, judge
from callbench.analysis.run.tables import filled
from callbench.catalog import catalogue
from callbench.catalog.study import Study, load
from callbench.model.card import StackCard
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.runner.plan import plan
from callbench.stats.load.bottleneck import Limit
from callbench.stats.load.bottleneck import LimitVerdict as Limited
from conftest import ROOT

PASCAL = catalogue.load([ROOT / "adapters" / "pascal"]).adapter("pascal")
THREADED, KEPT = "load/http1:pascal/fphttpserver", "load/http1:pascal/keepalive"
SERVERS = [THREADED, KEPT, "load/http1:java/jersey", "load/http1:dotnet/wcf-webhttp", "load/http1:node/http"]


def stack(name: str, **card: Unpack[StackCard]) -> Stack:
    return Stack(name, "load:x", "json", "http", "x", "none", "1", card={"roles": "both", **card})


STACKS = [stack(name, slow="it sleeps") if "wcf" in name else stack(name) for name in SERVERS]


def result(name: str, group: str, **figures: float) -> Result:
    attributes = {"cell": f"{group}-{name}", "stack": name, "group": group, "clients": "1", "link": "loopback"}
    by_fork = {key: {0: value, 1: value * 1.001, 2: value * 0.999} for key, value in figures.items()}
    return Result(attributes, {}, 1, {}, 1, by_fork, None, Latency(None, None, None), batched=False, agree=True)


@pytest.fixture(scope="module")
def study() -> Study:
    return load("datasnap")


LIMITS = [Limit.SERVER, Limit.GENERATOR, Limit.SERVER, Limit.WAITING, Limit.SHARED]


def limited(group: str, name: str, limit: Limit) -> Result:
    return replace(result(name, group, rate_per_s=10.0), verdict=Limited(limit, "why"))


def verdict(study: Study, claim: str, *cells: Result) -> Verdict:
    return next(one for one in judge(study, Results(cells, [], [])) if one.id == claim).verdict


def test_it_counts_as_the_article_does(study: Study) -> None:
    every = load("datasnap", {"share": "1"})
    whole = {(cell.group, cell.stack): cell.load for cell in every.cells(STACKS, quick=False)}
    quick = {(cell.group, cell.stack): cell.load for cell in study.cells(STACKS, quick=True)}
    for group, clients, calls in (("one", 1, 100_000), ("one-long", 1, 10**6), ("fifty", 50, 5 * 10**6)):
        assert (whole[group, THREADED].clients, whole[group, THREADED].calls) == (clients, calls)
        assert quick[group, THREADED].calls == calls // 100
    assert whole["hundred", THREADED].calls == 10**7


def test_a_stack_that_is_slow_by_its_card_makes_fewer_calls(study: Study) -> None:
    for quick, most in ((False, 60), (True, 20)):
        slow = [cell for cell in study.cells(STACKS, quick=quick) if "wcf" in cell.stack]
        assert {cell.load.calls for cell in slow} == {most}


def test_each_cell_is_driven_in_one_piece_on_a_start_of_its_own(study: Study) -> None:
    cells = study.cells(STACKS, quick=True)
    made = plan.make_plan(cells, STACKS, 2)
    assert plan.read(made.record()) == made
    assert all(cell.whole for cell in made.cells)


def test_every_claim_of_the_published_file_is_compared_with_the_run(study: Study) -> None:
    assert study.published is not None
    assert set(study.published.claims) <= {claim.id for claim in study.claims}
    assert all(claim.reading for claim in study.claims)


def test_a_published_word_stands_where_a_figure_would(study: Study) -> None:
    tables = {one.id: one for one in filled(study, Results([], [], []))}
    assert [place.published for place in tables["rate"].rows[0].places] == ["63.2", "62", "crashed", "crashed"]
    assert [place.published for place in tables["memory"].rows[1].places] == ["6", "6", "6", "6"]


def test_a_published_ratio_is_of_the_same_statistic(study: Study) -> None:
    published = {
        one.comparison.label: one.published for claim in judge(study, Results([], [], [])) for one in claim.compared
    }
    assert published["pascal/keepalive over a thread a connection"] == pytest.approx(799.8 / 62.0)
    assert published["fifty: threads made for a call"] is None
    assert published["pascal/fphttpserver: end over beginning"] is None


@pytest.mark.parametrize(("share", "said"), [(0.3, Verdict.HOLDS), (1.0, Verdict.FAILS)])
def test_a_crash_is_judged_by_what_was_answered(study: Study, share: float, said: Verdict) -> None:
    cells = [result(THREADED, group, answered_share=share) for group in ("two", "fifty", "hundred")]
    assert verdict(study, "crash-under-concurrency", *cells) is said


def test_a_figure_of_its_own_stands_beside_a_ratio_in_one_claim(study: Study) -> None:
    cells = [
        cell
        for group in ("one-long", "hundred", "fifty")
        for cell in (
            result(THREADED, group, server_cpu_us=100.0, threads_made_per_call=1.0),
            result(KEPT, group, server_cpu_us=10.0),
        )
    ]
    assert verdict(study, "thread-churn-eats-the-processor", *cells) is Verdict.HOLDS
    cells[-2] = result(THREADED, "fifty", server_cpu_us=100.0, threads_made_per_call=0.02)
    assert verdict(study, "thread-churn-eats-the-processor", *cells) is Verdict.FAILS


def test_what_a_server_died_after_stands_in_its_place(study: Study) -> None:
    lost = Result(
        {"cell": "c001", "stack": THREADED, "group": "fifty", "clients": "50", "link": "loopback"},
        {},
        0,
        {},
        0,
        {},
        None,
        Latency(None, None, None),
        batched=False,
        agree=True,
        excluded="failed twice",
        died="died after 1,234 calls",
    )
    table = next(one for one in filled(study, Results([lost], [], [])) if one.id == "rate")
    assert table.rows[0].places[2].why == "died after 1,234 calls"


def test_a_setting_of_a_wrong_kind_is_refused() -> None:
    with pytest.raises(BadInput, match="share"):
        load("datasnap", {"share": "many"})
    with pytest.raises(BadInput, match="share"):
        load("datasnap", {"share": "0"})


def test_by_itself_it_makes_a_tenth_of_the_same(study: Study) -> None:
    every = load("datasnap", {"share": "1"})
    for whole, less in zip(every.cells(STACKS, quick=False), study.cells(STACKS, quick=False), strict=True):
        assert (less.group, less.stack, less.load.clients) == (whole.group, whole.stack, whole.load.clients)
        assert less.load.calls == whole.load.calls // 10
        assert less.load.seconds == pytest.approx(whole.load.seconds / 10)
    assert every.cells(STACKS, quick=True) == study.cells(STACKS, quick=True)


def test_what_limited_it_stands_beside_what_the_author_took_for_the_limit(study: Study) -> None:
    found = [limited("fifty", name, limit) for name, limit in zip(SERVERS, LIMITS, strict=True)]
    table = next(one for one in filled(study, Results(found, [], [])) if one.id == "limit")
    column = [row.places[2] for row in table.rows[: len(SERVERS)]]
    assert [place.text for place in column] == ["server", "generator", "server", "neither: waiting", "other programs"]
    assert [place.published for place in column] == ["crashed", "not said", "server", "server", "server: one core"]
    assert table.in_words
    assert all(place.heat is None for place in column)


@pytest.mark.skipif(PASCAL.why_not is not None, reason=str(PASCAL.why_not))
def test_a_small_run_fills_its_tables(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    choose_stacks = [word for name in (THREADED, KEPT) for word in ("--select", name)]
    asked = ["run", "datasnap", "--quick", "--no-baselines", "--forks", "2", *choose_stacks, "--select", "group=one"]
    callbench(*asked, "--out", tmp_path / "run", check=True)
    shown = json.loads(callbench("show", tmp_path / "run", "--json", check=True).stdout)
    assert {cell["stack"] for cell in shown["cells"]} == {THREADED, KEPT}
    threaded = next(cell for cell in shown["cells"] if cell["stack"] == THREADED)
    assert threaded["calls"] >= 2_000
    assert not threaded["errors"]
    text = (tmp_path / "run" / "report.html").read_text()
    assert "Threads made by the server per call" in text
    callbench("report", tmp_path / "run", "--format", "md", check=True)
    assert "crashed" in (tmp_path / "run" / "report.md").read_text()
