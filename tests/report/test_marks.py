"""What marks of charts say, and that they lie where it is said."""

import re

import pytest

from callbench.report.charts.draw import to_svg
from callbench.report.charts.latency_curve import Quantile, latency_curve
from callbench.report.charts.leaders import Leader, LeaderStanding, leaders
from callbench.report.charts.marks import value_text
from callbench.report.charts.over_time import Panel, over_time
from callbench.report.charts.palette import Spec
from callbench.report.charts.shares import shares
from callbench.stats.estimate.interval import Interval

HOSTILE = "<b>&\"'</b>"
RANKING = leaders([
    Leader("a/b+tcp", Interval(12_345.0, 11_900.0, 12_800.0, 5), LeaderStanding.FIRST),
    Leader(HOSTILE, Interval(500.0, None, None, 1), LeaderStanding.AT_LEAST, "at least"),
])  # fmt: skip
CURVE = {"x": [Quantile(0.5, 1.0, 0.9, 1.1), Quantile(0.6028, 1.2, 1.2, 1.2), Quantile(0.9999, 40.0, 30.0, 60.0)]}
LONG = over_time([Panel("calls/s", "{line} {value} calls/s", {"rate": [(float(at), 100.0 + at) for at in range(500)]})])


def placed(at: str) -> list[tuple[int, int]]:
    """Where marks lie, as the script of the page reads it: what is left out is as of the one before."""
    last, found = ["", ""], []
    for place in at.split(" "):
        last = [now or before for now, before in zip(place.split(","), last, strict=True)]
        found.append((int(last[0]), int(last[1])))
    return found


def answers(spec: Spec | None) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """The texts of a drawn chart, and where its marks lie, on a wide screen and on a narrow one."""
    drawn = str(to_svg(spec or {}, "A chart"))
    texts = re.findall(r"<li>(.*?)</li>", drawn)
    places = [placed(at) for at in re.findall(r'data-at="(.*?)"', drawn)]
    assert [len(places_) for places_ in places] == [len(texts)] * 2
    return texts, places


def test_a_mark_says_of_what_it_is_its_value_and_its_interval() -> None:
    texts, (wide, _) = answers(RANKING)
    escaped = "&lt;b&gt;&amp;&#34;&#39;&lt;/b&gt;"
    assert texts == [
        "a/b+tcp: 12,300 calls/s (11,900 to 12,800), first in the ranking",
        f"{escaped}: ≥ 500 calls/s",
    ]
    assert wide[0][0] > wide[1][0], "the higher rate lies further right"
    assert wide[0][1] < wide[1][1], "in the order of the ranking, from above to below"


def test_a_point_of_a_curve_says_its_percentile() -> None:
    texts, _ = answers(latency_curve(CURVE))
    assert texts == ["p50: 1.00 ms (0.90 to 1.10)", "p60.3: 1.2 ms", "p99.99: 40 ms (30 to 60)"]


def test_of_a_long_line_some_points_answer_and_none_of_them_is_seen() -> None:
    texts, (wide, _) = answers(LONG)
    assert 40 < len(texts) <= 60
    assert texts[0] == "rate 100 calls/s after 0 s"
    assert wide == sorted(wide), "along the line"
    assert 'opacity="0"' not in str(to_svg(LONG or {}, "A chart"))


def test_a_part_of_a_bar_says_its_own_amount() -> None:
    texts, (wide, small) = answers(
        shares({"a/b": {"payload": 12.0, "TCP and IP headers": 1_048.0}}, ["payload", "TCP and IP headers"])
    )
    assert texts == ["a/b, payload: 12 bytes", "a/b, TCP and IP headers: 1,048 bytes"]
    for places in (wide, small):
        assert places[0][0] < places[1][0]


@pytest.mark.parametrize(
    ("value", "ends", "text"),
    [
        (5.0, None, "5 s"),
        (0.123456, None, "0.12 s"),
        (0.0, (0.0, 0.0), "0 s"),
        (12_345.0, (11_000.0, 13_900.0), "12,300 s (11,000 to 13,900)"),
        (0.0, (0.0, 0.1), "0 s (0 to 0.10)"),
    ],
)
def test_a_value_has_no_more_digits_than_its_interval_leaves_it(
    value: float, ends: tuple[float, float] | None, text: str
) -> None:
    assert value_text(value, ends, "s") == text
