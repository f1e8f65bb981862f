"""A verdict and its interval, as they are shown, never contradict each other; and what says nothing is not shown."""

import io
import math
import re

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings
from rich.console import Console

from callbench.analysis.compare.comparison import Comparison
from callbench.analysis.compare.verdicts import ComparedFigures, ComparedMetric, Rule, metric_verdicts
from callbench.analysis.wording.words import ratio_text
from callbench.report.advice.amounts import times_more
from callbench.report.compare import show
from callbench.stats.decide.best import least_of
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.interval import Interval

MARGINS = {"rate": 0.02, "p99": 0.10}
ROW = re.compile(
    r"^ *\S+ +(rate|p99) .*? (\S+) \((\S+) to (\S+)\) .*?(better|worse|equivalent|undecided)(.*)$", re.MULTILINE
)

logs = some.floats(-0.3, 0.3)
forks = some.integers(4, 12)
seeds = some.integers(0, 2**32 - 1)


@some.composite
def compared(draw: some.DrawFn) -> Comparison:
    """One to six cells, each with a difference and a noise of its own, and some in which the echo moved."""
    figures = []
    count = draw(forks)
    for place in range(draw(some.integers(1, 6))):
        ratio, spread = draw(logs), draw(some.floats(0.001, 0.2))
        noise = np.random.default_rng(draw(seeds)).normal(0, spread, count)
        values = ([1000.0] * count, (1000 * np.exp(ratio + noise)).tolist())
        metric = draw(some.sampled_from(list(ComparedMetric)))
        figures.append(ComparedFigures(f"c{place}", ("a/x", "a/x"), f"c{place}", values, metric))
    rule = Rule(shift=draw(some.sampled_from([0.0, 0.05])))
    return Comparison("A", "B", "forks", rule, metric_verdicts(figures, rule), [])


@given(compared())
@settings(deadline=None)
def test_what_is_shown_agrees(found: Comparison) -> None:
    out = io.StringIO()
    show.print_comparison(found, Console(file=out, width=1000))
    rows = ROW.findall(out.getvalue())
    assert len(rows) == len(found.cells)
    for metric, middle, low_text, high_text, verdict, rest in rows:
        low, high = (float(one.replace(",", "")) for one in (low_text, high_text))
        # As written, an end is off by half of its last digit at most.
        off = max(0.5 * 10.0 ** -len(one.partition(".")[2]) for one in (low_text, high_text))
        assert low - off <= float(middle.replace(",", "")) <= high + off
        faster, slower = (low, high) if metric == "rate" else (1 / high, 1 / low)
        off *= 1.5
        least, most = ((1 - MARGINS[metric]), 1 / (1 - MARGINS[metric])) if metric == "rate" else (1 / 1.1, 1.1)
        if verdict == "better":
            assert faster >= 1 - off
        if verdict == "worse":
            assert slower <= 1 + off
        if verdict == "equivalent":
            assert least - off <= faster
            assert slower <= most + off
        if verdict == "undecided" and "not shown after the correction" not in rest:
            assert faster <= 1 + off
            assert slower >= 1 - off
        if "a regression" in rest:
            assert slower <= least + off
        if "may be" in rest:
            assert faster <= least + off


@given(
    some.lists(some.floats(-0.02, 0.02), min_size=2, max_size=6),
    seeds,
    some.sampled_from([0.0, 0.02, 0.05]),
)
@settings(deadline=None)
def test_beside_the_best_the_interval_decides(logs: list[float], seed: int, shift: float) -> None:
    """Once "1.3 % more (0.5 to 2.1)" was undecided and "1.6 % more (1.1 to 2.1)" equivalent, on one page."""
    margin = math.log1p(0.05)
    random = np.random.default_rng(seed)
    values = {
        f"s{place}": dict(enumerate(np.exp(random.normal(log, 0.01, 5)).tolist())) for place, log in enumerate(logs)
    }
    for one in least_of(values, 0.05, margin, shift).others:
        assert one.ratio is not None
        assert one.ratio.low is not None
        assert one.ratio.high is not None
        low, high = math.log(one.ratio.low), math.log(one.ratio.high)
        assert one.behind == (low > 0) or abs(low) < 1e-9
        if not one.behind:
            assert one.equivalent == (-margin <= low and high <= margin) or abs(high - margin) < 1e-9


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (Interval(1.1, 8.1e-6, 74038.5, 2), "1.1 (known to no better than a factor of 100)"),
        (Interval(1.1, 0.5, 2.42, 2), "1.1 (0.5 to 2.4)"),
        (Interval(2.0, 2.0, 2.0, 3), "2"),
    ],
)
def test_an_interval_that_says_nothing_is_not_written(ratio: Interval, text: str) -> None:
    assert ratio_text(ratio) == text


def test_a_tail_of_two_forks_is_undecided_without_numbers_that_say_nothing() -> None:
    """It was "may be 7403753 % worse"."""
    tail = ComparedFigures("c", ("a/x", "a/x"), "Sum", ([10.0, 12.0], [11.0, 19.0]), ComparedMetric.P99)
    found = Comparison("A", "B", "2 forks", Rule(), metric_verdicts([tail], Rule()), [])
    out = io.StringIO()
    show.print_comparison(found, Console(file=out, width=200))
    assert not re.search(r"\d{5,} %|e\+|0\.0000", out.getvalue())
    assert "over 10 times A's" in out.getvalue()
    assert show.verdict(found) == "Undecided: the p99 of B is hardly known"
    rate = ComparedFigures("c", ("a/x", "a/x"), "Sum", ([700.0, 710, 704, 702], [680.0, 712, 690, 678]))
    both = Comparison("A", "B", "4 forks", Rule(), metric_verdicts([rate, tail], Rule()), [])
    assert re.fullmatch(
        r"Undecided: the rate of B may be [\d.]+ % worse, and the p99 of B is hardly known", show.verdict(both)
    )


def test_how_much_worse_it_may_be_is_the_end_of_the_interval_beside_it() -> None:
    """It was "may be 167 % worse" beside 0.7 (0.3 to 1.4): what would not have been noticed."""
    tail = ComparedFigures("c", ("a/x", "a/x"), "Sum", ([10.0, 14, 11, 15], [6.0, 13, 7, 11]), ComparedMetric.P99)
    found = Comparison("A", "B", "4 forks", Rule(), metric_verdicts([tail], Rule()), [])
    (row,) = found.cells
    assert row.decided is not None
    assert row.decided.outcome is Outcome.UNDECIDED
    assert row.decided.ratio.high is not None
    out = io.StringIO()
    show.print_comparison(found, Console(file=out, width=200))
    assert f"may be {100 * (row.decided.ratio.high - 1):.0f} % worse" in out.getvalue()


@pytest.mark.parametrize(
    ("values", "metric", "text"),
    [
        (([100.0, 104, 98, 101], [60.0, 45, 80, 50]), ComparedMetric.RATE, r"the rate of B may be 0\.\d+ times A's"),
        (([10.0, 14, 11, 15], [20.0, 13, 12, 30]), ComparedMetric.P99, r"the p99 of B may be [\d.]+ times A's"),
        (([100.0, 102, 98, 101], [1.0, 300, 0.5, 20]), ComparedMetric.RATE, "the rate of B is hardly known"),
    ],
)
def test_what_is_many_times_worse_is_no_share(
    values: tuple[list[float], list[float]], metric: ComparedMetric, text: str
) -> None:
    """It was "100 % worse", and "506 % worse" beside "could detect ± 346 %": a rate cannot fall by 346 %."""
    figures = ComparedFigures("c", ("a/x", "a/x"), "Sum", values, metric)
    found = Comparison("A", "B", "4 forks", Rule(), metric_verdicts([figures], Rule()), [])
    out = io.StringIO()
    show.print_comparison(found, Console(file=out, width=200))
    assert re.fullmatch(f"Undecided: {text}", show.verdict(found))
    assert not re.search(r"\d{3,} %", out.getvalue())


def test_noise_is_not_called_too_close() -> None:
    """A hundred forks do not decide what differs by 60 % from fork to fork: no limit is near."""
    noisy = ([100.0] * 6, [60.0, 170.0, 100.0, 150.0, 70.0, 98.0])
    exact = ([100.0] * 6, [98.0, 98.02, 97.98, 98.01, 97.99, 98.0])
    texts = []
    for values in (noisy, exact):
        found = metric_verdicts([ComparedFigures("c", ("a/x", "a/x"), "Sum", values)], Rule())
        texts.append(show.sentences(Comparison("A", "B", "6 forks", Rule(), found, []))[0])
    assert re.search(r"because the forks differ by \d+ % from each other", texts[0])
    assert "too close" not in texts[0]
    assert "even 100 forks would not decide what is undecided, because it is too close to a limit" in texts[1]


def test_what_seems_to_lie_at_a_limit_by_chance_is_not_called_too_close() -> None:
    """Of two equal servers, 0.98 (0.92 to 1.04) beside a limit of 2 %: "even 100 forks would not decide"."""
    values = ([700.0, 710, 704, 702], [680.0, 712, 690, 678])
    found = metric_verdicts([ComparedFigures("c", ("a/x", "a/x"), "Sum", values)], Rule())
    said = show.sentences(Comparison("A", "B", "4 forks", Rule(), found, []))[0]
    assert found[0].decided is not None
    assert found[0].decided.more is None
    assert "how many more forks would decide what is undecided cannot be told" in said
    assert "too close" not in said


def test_shares_read_from_an_interval_read_as_its_ratio() -> None:
    assert times_more(Interval(1.013, 1.005, 1.021, 5)) == "1.3 % more (0.5 to 2.1 %)"
