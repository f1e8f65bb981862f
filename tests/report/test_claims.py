"""Verdicts on claims, with figures made for the purpose."""

from pathlib import Path

import pytest

from callbench.claims import Verdict, judge
from callbench.results import Latency, Result, Results
from callbench.stats.interval import geometric_mean
from callbench.study import Study, load
from callbench.study.claim import comparisons

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
    by_block = {"rate_per_s": dict(enumerate(rates))}
    rate = geometric_mean(rates) if rates else None
    return Result(attributes, {}, 1, {}, 1, by_block, rate, Latency(None, None, None), batched=False, agree=True)


def verdict(study_: Study, *cells: Result) -> Verdict:
    return judge(study_, Results(cells, [], []))[0].verdict


@pytest.mark.parametrize(
    ("threshold", "over", "expected"),
    [
        ("above = 1.5", [200.0, 202.0, 198.0], Verdict.HOLDS),
        ("above = 2.5", [200.0, 202.0, 198.0], Verdict.FAILS),
        ("above = 2.0", [200.0, 203.0, 198.0], Verdict.OPEN),
        ("below = 2.5", [200.0, 202.0, 198.0], Verdict.HOLDS),
        ("below = 1.5", [200.0, 202.0, 198.0], Verdict.FAILS),
        ("between = [1.5, 2.5]", [200.0, 202.0, 198.0], Verdict.HOLDS),
        ("between = [2.2, 2.5]", [200.0, 202.0, 198.0], Verdict.FAILS),
        ("above = 1.5", [200.0], Verdict.OPEN),
        ("above = 1.5", [], Verdict.UNMEASURED),
    ],
)
def test_a_verdict_is_where_the_interval_lies(
    tmp_path: Path, threshold: str, over: list[float], expected: Verdict
) -> None:
    assert verdict(study(tmp_path, threshold), cell("x", "tcp", over), cell("y", "tcp", [100.0] * 3)) is expected


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
    assert verdict(many, *doubtful, *rest) is Verdict.OPEN


def test_what_lies_over_a_link_is_not_measured_without_it(tmp_path: Path) -> None:
    judged = judge(study(tmp_path, "above = 1", group="far"), Results([], [], []))[0]
    assert judged.verdict is Verdict.UNMEASURED
    assert judged.deciding.why == "needs a link (lan100)"


def test_drift_between_blocks_does_not_decide(tmp_path: Path) -> None:
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
