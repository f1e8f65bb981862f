"""No value stands on a page with two intervals: what is shown twice is one value with one interval."""

from pathlib import Path

import pytest

from callbench.analysis.run.subject import subject
from callbench.report.export.formats import TEXTS
from callbench.store.record import Record
from intervals_of_page import figures, with_two_intervals
from report.synthetic import write

TESTS = Path(__file__).parents[1]
SEALED = sorted(
    file
    for folder in ("records", "compare", "report")
    for file in (TESTS / folder / "golden").iterdir()
    if file.suffix in {".html", ".md", ".txt"}
)
LEAST = 500


def test_the_page_of_a_run_has_one_interval_for_each_value(tmp_path: Path) -> None:
    pages = [str(TEXTS["html"](subject(Record(write(tmp_path / str(seed), seed=seed))))) for seed in (1, 2)]
    assert min(len(list(figures(page))) for page in pages) > LEAST, "the page's intervals are not found any more"
    first, second = map(with_two_intervals, pages)
    assert [first[words] for words in first.keys() & second.keys()] == []


@pytest.mark.parametrize("file", SEALED, ids=lambda file: f"{file.parents[1].name}/{file.name}")
def test_a_sealed_page_has_one_interval_for_each_value(file: Path) -> None:
    assert list(with_two_intervals(file.read_text()).values()) == []


@pytest.mark.parametrize(
    "text",
    [
        "json 27.27 calls/s ± 0.5 % and json 27.3 calls/s (24.9 to 29.9)",
        "| json | 193.8 (185.1 to 202.9) | and json takes 193.8 (190.2 to 197.5)",
        "<html><td>json</td><td>2,850</td><td>± 3 %</td> json: 2,850 (2,500 to 3,250)</html>",
    ],
)
def test_one_value_with_two_intervals_is_found(text: str) -> None:
    assert len(with_two_intervals(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "27.27 calls/s ± 4 % and 27.3 calls/s (26.2 to 28.4)",
        "1.18 (1.10 to 1.26) and 1.18 (1.1 to 1.26)",
        "1.18 (1.10 to 1.26) and 1.19 (1.00 to 1.40)",
    ],
)
def test_one_interval_rounded_in_two_ways_is_one(text: str) -> None:
    assert with_two_intervals(text) == {}
