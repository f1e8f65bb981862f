"""How a command that measured ends: in 25 lines at most, of which the first is the title of the record's page."""

import html
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import hypothesis.strategies as some
import pytest
from hypothesis import given
from rich.console import Console

from advice.counted import run as counted_run
from callbench.report import records
from callbench.report.ending import MOST_LINES, print_ending
from callbench.report.text.opening import Opening
from callbench.report.text.section import Sheet
from report.synthetic import write as synthetic

HERE = Path(__file__).parent
RECORDS = tuple(sorted(file.parent.name for file in HERE.glob("*/record.json")))
WIDTHS = (60, 80, 160)


def ended(path: Path, width: int) -> list[str]:
    """Return the lines, as a terminal breaks them."""
    out = io.StringIO()
    records.end(path, Console(file=out, width=width))
    return broken(out.getvalue(), width)


def broken(text: str, width: int) -> list[str]:
    lines = text.splitlines()
    return [line[at : at + width] for line in lines for at in range(0, max(1, len(line)), width)]


def title_of(page: str) -> str:
    (heading,) = re.findall(r"<h1>(.*?)</h1>", page)
    return html.unescape(heading)


def ends_with_its_title(path: Path) -> None:
    title = title_of(records.write(path, "html", None).read_text())
    for width in WIDTHS:
        lines = ended(path, width)
        assert len(lines) <= MOST_LINES
        assert "".join(lines).startswith(title)
        assert "".join(lines).endswith(f"`callbench show {path}` prints the rest.")


@pytest.mark.parametrize("name", RECORDS)
def test_a_command_ends_with_the_title_of_the_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(HERE / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    ends_with_its_title(Path(name))


def test_a_run_ends_with_the_title_of_its_page(tmp_path: Path) -> None:
    """`make run` ended with 350 lines."""
    whole = synthetic(tmp_path / "run")
    ends_with_its_title(whole)
    text = "".join(ended(whole, 160))
    for said in ("Certain: ", "Open: ", "Valid for: ", "Fastest stacks"):
        assert said in text


def test_an_advice_ends_with_the_title_of_its_page(
    callbench: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    place = counted_run(tmp_path / "run")
    told = callbench("advise", place, "--link", "1ms,1mbit", "--no-measure", "--undecided", "pass", check=True)
    advice = place / "advice.json"
    ends_with_its_title(advice)
    title = title_of((place / "advice.html").read_text())
    assert told.stdout.startswith(f"{title}\n")
    assert told.stdout.count("\n") <= MOST_LINES
    shown = callbench("show", advice, check=True).stdout
    assert shown.startswith(f"{title}\n")
    assert "Candidates" in shown


words = some.text("abc ", min_size=1, max_size=300)
values = some.sampled_from(["", "12,573", "0.02 (0.0036 to 0.11)", "not compared, since there are too few calls of it"])


@given(
    some.lists(words, max_size=12),
    some.integers(2, 12).flatmap(lambda columns: some.lists(some.tuples(*[values] * columns), max_size=30)),
    some.integers(40, 200),
)
def test_whatever_was_found_an_ending_is_short(sentences: list[str], rows: list[tuple[str, ...]], width: int) -> None:
    sheet = Sheet("Rows", [f"column {place}" for place in range(len(rows[0]))], rows) if rows else None
    out = io.StringIO()
    opening = Opening("The answer", sentences[:4], sentences[4:], sheet)
    print_ending(opening, {"page": Path("p"), "record": None}, Console(file=out, width=width), "callbench show p")
    lines = broken(out.getvalue(), width)
    assert len(lines) <= MOST_LINES
    assert lines[0] == "The answer"
    assert lines[-1] == "`callbench show p` prints the rest."
    assert "page: p" in lines
