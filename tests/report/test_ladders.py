"""Figures over clients and means over sizes, on cells of known figures."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from callbench.catalog.study import load
from callbench.catalog.study.published import Published
from callbench.catalog.study.report_parts import LadderPart, RanksPart
from callbench.model.errors import BadInput
from callbench.report.studies.thesis import ladders, ranks
from callbench.stats.wire.mixture import hidden, mean_by_fork
from conftest import SMALL

if TYPE_CHECKING:
    from callbench.analysis.cells.results import Results

PUBLISHED = Published.of("p.toml", {"rates": {"columns": ["byte"], "x": [2.0], "y": [3.0]}})
LADDER = """
[[rows]]
label = "tcp"
where = { channel = "tcp" }
[[ladders]]
id = "f"
title = "F"
points = [{ group = "Sum", at = 1 }]
"""


@dataclass
class Cell:
    """What a ladder looks at in a result: ten calls a millisecond are 10,000 a second."""

    attributes: dict[str, str]
    by_fork: dict[str, dict[int, float]]


@dataclass
class Cells:
    """Results that are chosen as those of a run are."""

    cells: list[Cell]

    def where(self, conditions: dict[str, str]) -> list[Cell]:
        return [one for one in self.cells if conditions.items() <= one.attributes.items()]


def cell(stack: str, group: str, clients: int, *per_ms: float) -> Cell:
    rates = {fork: 1e3 * value for fork, value in enumerate(per_ms)}
    times = {fork: 1e3 * clients / value for fork, value in enumerate(per_ms)}
    attributes = {"stack": stack, "group": group, "clients": str(clients)}
    return Cell(attributes, {"rate_per_s": rates, "mean_us": times})


def ladder(statistic: str = "calls_per_ms", *groups: str) -> LadderPart:
    points = [{"group": group, "at": place} for place, group in enumerate(groups or ("small", "large"))]
    rows = [{"label": name, "where": {"stack": name}, "published": name} for name in ("x", "y", "absent")]
    said = {"id": "f", "title": "F", "statistic": statistic, "points": points, "rows": rows}
    return LadderPart.model_validate(said)


RUN = cast(
    "Results",
    Cells(
        [
            cell("x", "small", 1, 10, 20),
            cell("x", "large", 1, 2, 4),
            cell("x", "small", 4, 40, 80),
            cell("x", "large", 4, 4, 8),
            cell("y", "small", 1, 5, 5),
            cell("y", "large", 1, 5, 5),
            # No large ones with four clients: a mean over one of two sizes would be another figure.
            cell("y", "small", 4, 5, 5),
        ]
    ),
)


def test_a_figure_is_the_mean_over_the_sizes_block_by_fork() -> None:
    found = ladders.figures(ladder(), RUN)
    assert found["x"] == {
        1: {0: pytest.approx(6), 1: pytest.approx(12)},
        4: {0: pytest.approx(22), 1: pytest.approx(44)},
    }
    assert list(found["y"]) == [1]
    assert found["absent"] == {}


def test_a_size_that_a_quick_run_left_out_does_not_count() -> None:
    assert ladders.figures(ladder("calls_per_ms", "small", "left out"), RUN)["y"] == {
        1: {0: pytest.approx(5), 1: pytest.approx(5)},
        4: {0: pytest.approx(5), 1: pytest.approx(5)},
    }


def test_gains_and_times() -> None:
    assert ladders.figures(ladder("gain", "small"), RUN)["x"][4] == {0: pytest.approx(4), 1: pytest.approx(4)}
    assert ladders.figures(ladder("ms_per_call", "large"), RUN)["x"][4] == {0: pytest.approx(1), 1: pytest.approx(0.5)}


def test_a_mean_of_rates_hides_what_a_mix_reaches() -> None:
    one = hidden([10.0, 2.0])
    # Ten calls at 10/ms and ten at 2/ms take 6 ms together: 20 calls in 6 ms.
    assert (one.mean, one.mixed, one.stretch) == pytest.approx((6, 20 / 6, 5))
    assert mean_by_fork([{0: 1.0, 1: 2.0}, {1: 4.0}]) == {1: 3.0}
    with pytest.raises(ValueError, match="above 0"):
        hidden([1.0, 0.0])


def test_a_published_column_is_found_whichever_way_its_table_stands() -> None:
    turned = Published.of("p.toml", {"rates": {"columns": ["x", "y"], "byte": [2.0, 3.0]}})
    assert [PUBLISHED.beside("rates.byte", "y"), turned.beside("rates.byte", "y")] == [3.0, 3.0]
    with pytest.raises(BadInput, match='no value of "z"'):
        PUBLISHED.check_beside("rates.byte", ["x", "z"])


def test_published_ranks_stand_below_ours() -> None:
    columns = [{"label": "byte", "groups": ["small"], "published": "byte"}]
    rows = [{"label": name, "where": {"stack": name}, "published": name} for name in ("x", "y")]
    part = RanksPart.model_validate({"id": "r", "title": "R", "published": "rates", "rows": rows, "columns": columns})
    assert [(line.label, line.texts) for line in ranks._published(part, PUBLISHED)] == [
        ("published: y", ["3.0 (1)", "1.0"]),
        ("published: x", ["2.0 (2)", "2.0"]),
    ]


def test_rows_of_the_study_serve_what_has_none(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(
        LADDER.replace("[[rows]]", SMALL.split("[[cells]]")[0] + "[[rows]]", 1)
        + "[[cells]]"
        + SMALL.split("[[cells]]", 1)[1]
    )
    assert [row.label for row in load(file).ladders[0].rows] == ["tcp"]
    file.write_text(file.read_text().replace('group = "Sum", at', 'group = "Sums", at'))
    with pytest.raises(BadInput, match='ladder f: there is no group "Sums"'):
        load(file)
