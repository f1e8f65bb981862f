"""Tables on terminals of 60, 80 and 120 columns: no number and no name is truncated."""

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import hypothesis.strategies as some
import pytest
from hypothesis import given
from rich.console import Console

from callbench.analysis.run.subject import Subject, subject
from callbench.report.terminal import print_cells, print_summary
from callbench.report.text.grid import Column, Grid
from callbench.store.record import Record
from golden import golden
from report.synthetic import write as synthetic

GOLDEN = Path(__file__).parent / "golden"
FEW = ("native/soap+supertcp", "native/bin+library", "native/bincomp+http")
WIDE, WIDTHS = 1000, (60, 80, 120)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(synthetic(tmp_path_factory.mktemp("runs") / "few", only=FEW, clients=(1, 50))))


@pytest.fixture(scope="module")
def without_tables(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A study as the guide has its own: groups, and neither tables nor claims."""
    folder = synthetic(tmp_path_factory.mktemp("runs") / "own", only=FEW)
    study = (folder / "study.toml").read_text()
    asks = r"^\[\[?(?:tables|charts|claims|questions|summaries|figures)\b.*?(?=^\[\[?(?:cells|load|quick|lists)|\Z)"
    (folder / "study.toml").write_text(re.sub(asks, "", study, flags=re.MULTILINE | re.DOTALL))
    return subject(Record(folder))


def printed(show: Callable[[Console], None], width: int) -> str:
    out = io.StringIO()
    show(Console(file=out, width=width))
    return out.getvalue()


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d[\d,.]*\d|\d", text))


@pytest.mark.parametrize("width", WIDTHS)
def test_show_is_sealed_at_each_width(few: Subject, width: int) -> None:
    text = printed(lambda console: print_cells(few, console), width)
    assert "…" not in text
    golden(GOLDEN / f"show-{width}.txt", text)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_of_the_wide_output_stands_in_the_narrow_one(few: Subject, width: int) -> None:
    """At 80 columns `load…` and `57,0…` stood there."""
    for show in (lambda console: print_cells(few, console), lambda console: print_summary(few, console)):
        wide, narrow = (printed(show, columns) for columns in (WIDE, width))
        assert numbers(wide) - numbers(narrow) == Counter()
        for name in FEW:
            assert name in narrow


@pytest.mark.parametrize("width", WIDTHS)
def test_a_study_without_tables_shows_its_ranking_after_a_run(without_tables: Subject, width: int) -> None:
    """It printed no result at all."""
    assert not without_tables.tables
    text = printed(lambda console: print_summary(without_tables, console), width)
    for name in FEW:
        assert name in text
    assert "Ranking: Sum" in text
    assert "calls/s" in text


words = some.text(alphabet="abcdefgh/+-", min_size=1, max_size=30)
values = some.one_of(
    some.integers(0, 10**9).map("{:,}".format),
    some.floats(0.1, 1e6).map("{:.2f} ± 4 %".format),
    some.sampled_from(["", "not measured"]),
)


@given(some.lists(some.tuples(words, words, values, values, values), min_size=1, max_size=8), some.integers(20, 200))
def test_whatever_the_table_and_the_width_nothing_is_lost(rows: list[Sequence[str]], width: int) -> None:
    grid = Grid([Column("cell"), Column("stack"), Column("A", number=True), Column("B", number=True), Column("why")])
    for row in rows:
        grid.add(*row)
    text = printed(grid.print, width)
    assert numbers(" ".join(" ".join(row) for row in rows)) - numbers(text) == Counter()
    joined = re.sub(r"\s", "", text)
    for row in rows:
        for one in row[:2]:
            assert one in joined
