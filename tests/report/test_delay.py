"""Rate over delay: who is ahead where, from cells over links of rising delay."""

from types import SimpleNamespace
from typing import Any, cast

from callbench.analysis.cells.results import Latency, Result
from callbench.analysis.run.subject import Subject
from callbench.catalog.links.profile import builtin_links
from callbench.report.sections import delay
from callbench.stats.estimate.interval import geometric_mean

LINKS = {"pair": 0.0, "wan20": 20.0, "wan50": 50.0, "wan200": 200.0}


def cell(stack: str, link: str, rate: float, place: int) -> Result:
    """A cell of three forks that lie within a percent."""
    attributes = {"cell": f"c{place:03d}", "group": "Sum", "stack": stack, "clients": "1", "link": link}
    by_fork = {"rate_per_s": {fork: rate * (1 + fork / 1000) for fork in range(3)}}
    middle = geometric_mean(list(by_fork["rate_per_s"].values()))
    return Result(attributes, {}, 1, {}, 1, by_fork, middle, Latency(None, None, None), batched=False, agree=True)


def subject(rates: dict[str, list[float]]) -> Subject:
    """Two stacks over four links, as a report sees them."""
    cells = [
        cell(stack, link, rate, place)
        for stack, row in rates.items()
        for place, (link, rate) in enumerate(zip(LINKS, row, strict=False))
    ]
    plan: dict[str, Any] = {"links": {name: dict(link.wire) for name, link in builtin_links().items()}}
    run = SimpleNamespace(plan=lambda: plan)
    return cast("Subject", SimpleNamespace(run=run, results=SimpleNamespace(cells=cells)))


def test_the_delay_of_a_link_is_that_of_both_ways() -> None:
    wires = {name: link.wire for name, link in builtin_links().items()}
    assert {name: delay.round_trips_ms(wires)[name] for name in LINKS} == LINKS


def test_a_crossing_is_reported_and_what_is_left_of_the_differences() -> None:
    found = delay.section(subject({"a/one": [9000, 60, 18, 4.8], "a/two": [3000, 40, 19, 4.9]}))
    assert found is not None
    assert "a/one and a/two swap their order between 20 and 50 ms" in found.found[0]
    assert "3.0 times as fast as the slowest at 0 ms, and 1.0 times at 200 ms" in found.found[-1]
    assert found.sheets[0].columns == ("stack", "0 ms", "20 ms", "50 ms", "200 ms")
    assert [row[0] for row in found.sheets[0].rows] == ["a/one", "a/two"]
    assert [chart.id for chart in found.charts] == ["delay-Sum"]


def test_two_links_are_no_curve() -> None:
    assert delay.section(subject({"a/one": [9000, 60], "a/two": [3000, 40]})) is None
