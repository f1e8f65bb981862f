"""Verdicts on claims, with figures made for the purpose."""

from dataclasses import replace
from pathlib import Path

import pytest

from callbench.analysis.cells.results import Latency, Result, Results
from callbench.analysis.judge.claims import Verdict, absent, judge
from callbench.analysis.wording.words import apart_text, counted_verdicts, remark_text, undecided_text
from callbench.catalog import catalogue
from callbench.catalog.study import Study, load
from callbench.catalog.study.claim import comparisons
from callbench.report.text.summary import of_claims
from callbench.stats.estimate.interval import geometric_mean

STUDY = """
title = "t"
[[cells]]
group = "g"
stacks = ["*"]
call = "Sum"
arguments = { a = 1, b = 2 }
[[cells]]
group = "far"
stacks = ["*"]
call = "Sum"
arguments = { a = 1, b = 2 }
link = "lan100"
[[claims]]
id = "one"
text = "x is faster than y"
[[claims.compare]]
for_each = { channel = [CHANNELS] }
over = [{ group = "GROUP", message = "x", channel = "{channel}" }]
under = [{ group = "GROUP", message = "y", channel = "{channel}" }]
THRESHOLD
label = "{channel}"
"""


def study(folder: Path, threshold: str, channels: str = '"tcp"', group: str = "g") -> Study:
    file = folder / "s.toml"
    text = STUDY.replace("CHANNELS", channels).replace("THRESHOLD", threshold).replace("GROUP", group)
    file.write_text(text)
    return load(file)


def cell(message: str, channel: str, rates: list[float]) -> Result:
    attributes = {
        "cell": "c001",
        "stack": f"a/{message}+{channel}",
        "message": message,
        "channel": channel,
        "group": "g",
    }
    by_fork = {"rate_per_s": dict(enumerate(rates))}
    rate = geometric_mean(rates) if rates else None
    return Result(attributes, {}, 1, {}, 1, by_fork, rate, Latency(None, None, None), batched=False, agree=True)


def verdict(study_: Study, *cells: Result) -> Verdict:
    return judge(study_, Results(cells, [], []))[0].verdict


@pytest.mark.parametrize(
    ("threshold", "over", "expected"),
    [
        ("above = 1.5", [200.0, 202.0, 198.0], Verdict.HOLDS),
        ("above = 2.5", [200.0, 202.0, 198.0], Verdict.FAILS),
        ("above = 2.0", [200.0, 203.0, 198.0], Verdict.UNDECIDED),
        ("below = 2.5", [200.0, 202.0, 198.0], Verdict.HOLDS),
        ("below = 1.5", [200.0, 202.0, 198.0], Verdict.FAILS),
        ("between = [1.5, 2.5]", [200.0, 202.0, 198.0], Verdict.HOLDS),
        ("between = [2.2, 2.5]", [200.0, 202.0, 198.0], Verdict.FAILS),
        ("above = 1.5", [200.0], Verdict.UNDECIDED),
        ("above = 1.5", [], Verdict.UNMEASURED),
    ],
)
def test_a_verdict_is_where_the_interval_lies(
    tmp_path: Path, threshold: str, over: list[float], expected: Verdict
) -> None:
    assert verdict(study(tmp_path, threshold), cell("x", "tcp", over), cell("y", "tcp", [100.0] * 3)) is expected


EQUAL = [97.0, 103.0, 100.0, 101.0, 99.0, 100.0, 98.0, 102.0]


@pytest.mark.parametrize("threshold", ["above = 1", "below = 1"])
def test_a_claimed_difference_that_is_none_does_not_hold(tmp_path: Path, threshold: str) -> None:
    """1.94 was published, and 1.00 (0.97 to 1.04) called undecided, which 100 more forks would not have changed."""
    judged = judge(
        study(tmp_path, threshold), Results([cell("x", "tcp", EQUAL), cell("y", "tcp", [100.0] * 8)], [], [])
    )
    assert judged[0].verdict is Verdict.FAILS
    assert remark_text(judged[0].deciding) == "no difference, within 5 %"


@pytest.mark.parametrize(
    ("threshold", "ratio", "expected"),
    [
        ("above = 1", 1.01, Verdict.FAILS),  # 0.99 to 1.03: less than the margin, and not shown
        ("above = 1", 1.04, Verdict.HOLDS),
        ("above = 1", 0.9, Verdict.FAILS),
        ("above = 1\nmargin = 0", 1.0, Verdict.UNDECIDED),
        ("above = 2", 2.0, Verdict.UNDECIDED),  # a threshold beside 1 is a margin itself
        ("above = 2\nmargin = 0.1", 2.0, Verdict.FAILS),
        ("between = [0.8, 1.25]", 1.0, Verdict.HOLDS),
        ("between = [0.99, 1.01]", 1.0, Verdict.UNDECIDED),
    ],
)
def test_a_margin_decides_what_more_forks_would_not(
    tmp_path: Path, threshold: str, ratio: float, expected: Verdict
) -> None:
    rates = [ratio * one for one in EQUAL]
    assert verdict(study(tmp_path, threshold), cell("x", "tcp", rates), cell("y", "tcp", [100.0] * 8)) is expected


def test_what_is_too_noisy_to_be_shown_equal_stays_undecided(tmp_path: Path) -> None:
    noisy = [cell("x", "tcp", [92.0, 109.0, 100.0, 95.0, 106.0]), cell("y", "tcp", [100.0] * 5)]
    judged = judge(study(tmp_path, "above = 1"), Results(noisy, [], []))[0]
    assert judged.verdict is Verdict.UNDECIDED
    assert judged.deciding.tested is not None
    assert judged.deciding.tested.more_forks is not None


CLEAR, SLOW = [200.0, 202.0, 198.0], [42.0, 42.1, 41.9]


@pytest.mark.parametrize("emulated", [SLOW, CLEAR, [1.0, 300.0, 20.0]], ids=["slow", "fast", "unclear"])
def test_a_stand_in_turns_no_claim_that_originals_decide(tmp_path: Path, emulated: list[float]) -> None:
    """With Wine, "a connection a call is worst" turned: its window messages made 0.42 times the calls."""
    three = study(tmp_path, "above = 1.5\noptional = true", '"tcp", "unix", "winmsg"')
    base = [one for channel in ("tcp", "unix") for one in (cell("x", channel, CLEAR), cell("y", channel, [100.0] * 3))]
    wine = [cell("x", "winmsg", emulated), cell("y", "winmsg", [100.0] * 3)]
    without = judge(three, Results(base, [], []))[0]
    results = Results([*base, *wine], [], [], stand_ins={"a/x+winmsg": "Windows, in Wine"})
    found = judge(three, results)[0]
    assert (found.verdict, found.deciding) == (without.verdict, without.deciding) == (Verdict.HOLDS, without.deciding)
    assert [one.comparison.label for one in found.apart] == ["winmsg"]
    assert apart_text(found).startswith("judged apart, as stand-ins for Windows, in Wine: 1 ")
    assert [one.comparison.label for one in found.every] == ["tcp", "unix", "winmsg"]


def test_a_stand_in_takes_no_certainty_from_originals(tmp_path: Path) -> None:
    """Holm's correction is over the originals alone: more stand-ins make no failure of theirs less sure."""
    names = [f"c{number}" for number in range(10)]
    doubtful = [cell("x", "c0", [100.0, 105.0, 95.0]), cell("y", "c0", [100.0] * 3)]
    rest = [one for name in names[1:] for one in (cell("x", name, CLEAR), cell("y", name, [100.0] * 3))]
    many = study(tmp_path, "above = 1.15", ", ".join(f'"{name}"' for name in names))
    stand_ins = {f"a/x+{name}": "the original" for name in names[1:]}
    assert judge(many, Results([*doubtful, *rest], [], [], stand_ins=stand_ins))[0].verdict is Verdict.FAILS


def test_a_stand_in_decides_where_nothing_else_was_measured_and_is_named(tmp_path: Path) -> None:
    one = [cell("x", "winmsg", CLEAR), cell("y", "winmsg", [100.0] * 3)]
    results = Results(one, [], [], stand_ins={"a/x+winmsg": "Windows, in Wine"})
    found = judge(study(tmp_path, "above = 1.5", '"winmsg"'), results)[0]
    assert (found.verdict, found.apart) == (Verdict.HOLDS, [])
    assert remark_text(found.deciding) == "a stand-in for Windows, in Wine"


def test_the_cards_say_what_cannot_run_here() -> None:
    """Facts of a stack stand on its card, and the core knows none of them."""
    stacks = {one.id: one.card.get("stand_in") for one in catalogue.load().every}
    named = {stack for stack, original in stacks.items() if original and ":" not in stack}
    assert {"windows/bin+winmsg", "windows/soap+dll", "windows/com", "dcom/orpc", "java/axis-soap"} <= named
    assert not {stack for stack in named if stack.startswith(("native/", "baseline/", "load/", "go/"))}


def test_a_claim_is_as_good_as_its_worst_comparison(tmp_path: Path) -> None:
    both = study(tmp_path, "above = 1.5", '"tcp", "unix"')
    good = [cell("x", "tcp", [200.0, 202.0, 198.0]), cell("y", "tcp", [100.0] * 3)]
    bad = [cell("x", "unix", [100.0, 101.0, 99.0]), cell("y", "unix", [100.0] * 3)]
    judged = judge(both, Results([*good, *bad], [], []))[0]
    assert judged.verdict is Verdict.FAILS
    assert judged.deciding.comparison.label == "unix"
    assert verdict(both, *good) is Verdict.UNMEASURED


def test_a_failure_among_many_must_be_clearer_than_a_failure_alone(tmp_path: Path) -> None:
    """Ratios of 1.00, 1.05 and 0.95 against 1.15: p is about 0.04 alone, and not enough once there are ten."""
    names = [f"c{number}" for number in range(10)]
    doubtful = [cell("x", "c0", [100.0, 105.0, 95.0]), cell("y", "c0", [100.0] * 3)]
    rest = [one for name in names[1:] for one in (cell("x", name, [200.0, 201.0, 202.0]), cell("y", name, [100.0] * 3))]
    alone = study(tmp_path, "above = 1.15", '"c0"')
    assert verdict(alone, *doubtful) is Verdict.FAILS
    many = study(tmp_path, "above = 1.15", ", ".join(f'"{name}"' for name in names))
    assert verdict(many, *doubtful, *rest) is Verdict.UNDECIDED


def test_what_lies_over_a_link_is_not_measured_without_it(tmp_path: Path) -> None:
    judged = judge(study(tmp_path, "above = 1", group="far"), Results([], [], []))[0]
    assert judged.verdict is Verdict.UNMEASURED
    assert judged.deciding.why == "needs a link (lan100)"


def test_drift_between_forks_does_not_decide(tmp_path: Path) -> None:
    drifting = [cell("x", "tcp", [110.0, 1_110.0, 11.1]), cell("y", "tcp", [100.0, 1_000.0, 10.0])]
    assert verdict(study(tmp_path, "above = 1.05"), *drifting) is Verdict.HOLDS


def test_the_articles_own_figures_meet_what_its_claims_are_read_as() -> None:
    """A threshold that its own tables missed would not express a claim. Only its noise misses one."""
    article = load("remobjects")
    judged = judge(article, Results([], [], []))
    missed: dict[str, list[str]] = {}
    for one in judged:
        for compared in one.compared:
            assert compared.published is not None, compared.comparison.label
            if not compared.comparison.low < compared.published < compared.comparison.high:
                missed.setdefault(one.id, []).append(compared.comparison.label)
    assert {claim.id for claim in article.claims} == {one.id for one in judged}
    assert missed == {"same-bytes-same-speed": ["library: bin over bincomp"]}
    assert sum(len(comparisons(claim)) for claim in article.claims) > 90


def test_one_cell_that_is_absent_is_named_and_not_its_whole_stack(tmp_path: Path) -> None:
    """A former defect: "load/http1:pascal/fphttpserver was not part of this run", but only one cell was not."""
    there = cell("x", "tcp", [1.0, 2.0])
    elsewhere = replace(there, attributes={**there.attributes, "group": "h"})
    judged = judge(study(tmp_path, "above = 1"), Results([elsewhere], [], []))[0]
    assert judged.deciding.why == "x tcp in group g was not part of this run"
    asked = {"group": "g", "stack": "a/x+tcp", "clients": "50", "link": "loopback"}
    found = Results([there], [], [])
    assert absent("a/x+tcp", asked, found) == "a/x+tcp in group g with 50 clients over loopback"
    assert absent("a/z+tcp", {**asked, "stack": "a/z+tcp"}, found) == "a/z+tcp"


def test_a_link_that_the_run_had_is_not_what_is_missing(tmp_path: Path) -> None:
    far = cell("z", "tcp", [1.0, 2.0])
    there = replace(far, attributes={**far.attributes, "group": "far", "link": "lan100"})
    judged = judge(study(tmp_path, "above = 1", group="far"), Results([there], [], []))[0]
    assert judged.deciding.why == "x tcp was not part of this run"


def test_the_summary_counts_what_was_tested_and_what_not(tmp_path: Path) -> None:
    cells = [cell("x", "tcp", [200.0, 202.0, 198.0]), cell("y", "tcp", [100.0] * 3)]
    tested = judge(study(tmp_path, "above = 1.5"), Results(cells, [], []))[0]
    lacks = replace(judge(study(tmp_path, "above = 1", group="far"), Results([], [], []))[0], id="two")
    assert of_claims([tested]) == "of 1 tested, 1 holds."
    assert of_claims([tested, lacks, replace(lacks, id="three")]) == (
        "of 1 tested, 1 holds. Not measured and not counted: 2 (needs a link (lan100))."
    )
    assert of_claims([lacks]).startswith("none were tested. Not measured")


def test_what_is_undecided_says_what_could_not_be_seen_and_what_would_settle_it(tmp_path: Path) -> None:
    base = cell("y", "tcp", [100.0] * 4)

    def said(*rates: float) -> str:
        one = judge(study(tmp_path, "above = 2"), Results([cell("x", "tcp", list(rates)), base], [], []))[0].deciding
        assert one.tested is not None
        assert (one.tested.more_forks is None) == ("about" not in undecided_text(one))
        return undecided_text(one)

    near = said(206.0, 212.0, 196.0, 214.0)
    # Its logarithms have a mean of 0.034 and a spread of 0.039: (2.18 + 0.87) 0.039 / sqrt 13 is less than that.
    assert near == (
        "undecided: a difference under 8.6 % could not be detected; about 9 more forks would decide this ratio"
    )
    assert said(200.0, 202.0, 198.0, 200.1).endswith("even 100 more forks would not decide this ratio")
    assert said(100.0, 400.0, 210.0, 230.0).startswith("undecided: a difference under a factor of ")
    assert said(300.0) == "undecided: one fork does not show how much forks differ"
    assert said(300.0, 302.0, 298.0, 300.0) == ""


def test_a_claim_about_a_percentile_of_too_few_calls_says_so_and_not_that_none_was_answered(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    text = STUDY.replace("CHANNELS", '"tcp"').replace("THRESHOLD", 'above = 1\nstatistic = "p99_us"')
    file.write_text(text.replace("GROUP", "g"))
    few = "p99 needs about 368 calls in each fork, they have 9 to 12"
    rows = [replace(cell(message, "tcp", [100.0, 101.0]), too_few={"p99_us": few}) for message in "xy"]
    judged = judge(load(file), Results(rows, [], []))[0]
    assert (judged.verdict, judged.deciding.why) == (Verdict.UNMEASURED, f"x tcp: {few}")


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({Verdict.HOLDS: 1}, "1 holds"),
        ({Verdict.FAILS: 8, Verdict.HOLDS: 4}, "4 hold and 8 do not hold"),
        ({Verdict.FAILS: 1, Verdict.UNDECIDED: 1, Verdict.UNMEASURED: 0}, "1 does not hold and 1 is undecided"),
    ],
)
def test_verdicts_are_counted_in_words(counts: dict[Verdict, int], text: str) -> None:
    """It was said of stand-ins: 8 does not hold and 4 holds."""
    assert counted_verdicts(counts) == text


def test_a_ratio_outside_its_threshold_whose_interval_is_not_says_so(tmp_path: Path) -> None:
    """Of 1.13 (1.09 to 1.18) beside 0.9 to 1.1 it was said that a difference under 4.8 % could not be detected."""
    cells = [cell("x", "tcp", [108.0, 118.0, 113.0]), cell("y", "tcp", [100.0, 100.0, 100.0])]
    (judged,) = judge(study(tmp_path, "between = [0.9, 1.1]"), Results(cells, [], []))
    assert judged.verdict is Verdict.UNDECIDED
    assert undecided_text(judged.deciding).startswith(
        "undecided: outside its threshold, but its interval is not; about"
    )
