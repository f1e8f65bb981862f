"""The view that lays latencies over each other: cells are found, sorted and ticked, and its address keeps all of it."""

import html
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from callbench.web import reports
from callbench.web.latencies import ShownCell, ShownValue, listed
from report import synthetic
from web_page import HOSTILE, names

pytest_plugins = ["web_page"]

FEW = ("native/soap+supertcp", "native/bin+library", "native/bincomp+http")
AT = "/records/a/latency"


@pytest.fixture
def made(folder: Path) -> Path:
    return synthetic.write(folder / "a", only=FEW)


def boxes(text: str) -> dict[str, bool]:
    """Each cell that can be ticked, and whether it is."""
    found = re.findall(r'<input type="checkbox" name="cell" value="(c\d+)"( checked)?>', text)
    return {cell: bool(ticked) for cell, ticked in found}


def test_ticked_cells_are_drawn_and_stay_ticked_whatever_is_searched(page: TestClient, made: Path) -> None:
    assert f'href="{AT}"' in page.get("/records/a").text
    nothing = page.get(AT).text
    assert boxes(nothing)
    assert not any(boxes(nothing).values())
    assert "<iframe" not in nothing
    first, second, *_ = boxes(nothing)
    asked = page.get(AT, params={"q": "no such words", "sort": "p99_us", "cell": [first, second]}).text
    assert boxes(asked) == {first: True, second: True}
    assert 'value="no such words"' in asked
    assert '<option value="p99_us" selected>' in asked
    assert f"callbench report {made} --latency={first},{second}" in html.unescape(asked)
    framed = re.search(r'<iframe[^>]* src="([^"]+)" sandbox="allow-scripts">', asked)
    assert framed
    answer = page.get(html.unescape(framed[1]))
    assert answer.status_code == 200, answer.text
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "<h3>Latency by percentile</h3>" in answer.text


@pytest.mark.usefixtures("made")
def test_all_that_were_found_are_drawn_if_they_can_be_told_apart(page: TestClient) -> None:
    found = page.get(AT, params={"q": "SOAP sum", "all": "yes"}).text
    assert list(boxes(found).values()) == [True]
    assert "<iframe" in found
    assert "<iframe" not in page.get(AT, params={"q": HOSTILE, "all": "yes"}).text
    assert HOSTILE not in page.get(AT, params={"q": HOSTILE}).text
    most = page.get(AT, params={"all": "yes"}).text
    if len(boxes(most)) > 8:
        assert "<iframe" not in most
        assert f"{len(boxes(most))} cells are chosen" in most
    assert page.get(f"{AT}/page", params={"cell": ["c999"]}).status_code == 400


def test_the_tables_of_a_report_are_beside_what_is_chosen(page: TestClient, made: Path) -> None:
    text = html.unescape(page.get("/records/a", params={"beside": FEW[1]}).text)
    assert f"<option selected>{FEW[1]}</option>" in text
    assert f"callbench report {made} --beside={FEW[1]}" in text
    framed = re.search(r'<iframe[^>]* src="([^"]+)" sandbox="allow-scripts">', text)
    assert framed
    assert f"are divided by those of {FEW[1]}" in page.get(framed[1]).text
    hostile = page.get("/records/a", params={"beside": f"$(x) {HOSTILE}"}).text
    assert HOSTILE not in hostile
    assert " --beside=$(x)" not in html.unescape(hostile), "it is quoted for a shell"
    assert 'has no stack "x"' in html.unescape(page.get("/records/a/report", params={"beside": "x"}).text)
    assert "<select" not in page.get("/records/soak").text


def test_a_record_without_cells_has_no_such_view(page: TestClient) -> None:
    answer = page.get("/records/soak/latency")
    assert answer.status_code == 400
    assert "only a run has cells" in answer.text


def cell(number: int, rate: float | None, p99: float | None) -> ShownCell:
    values = {"rate_per_s": rate, "p99_us": p99}
    metrics = {name: ShownValue(value=value) for name, value in values.items() if value}
    return ShownCell(cell=f"c{number}", stack="s", group="Sum", clients=1, link="loopback", metrics=metrics)


def test_times_rise_rates_fall_and_what_has_no_value_comes_last() -> None:
    cells = [cell(1, 10.0, 3.0), cell(2, None, None), cell(3, 30.0, 4.0), cell(4, 20.0, 2.0)]
    orders = {sort: [shown.cell for shown in listed(cells, sort)] for sort in ("", "rate_per_s", "p99_us")}
    assert orders == {
        "": ["c1", "c2", "c3", "c4"],
        "rate_per_s": ["c3", "c4", "c1", "c2"],
        "p99_us": ["c4", "c1", "c3", "c2"],
    }


def test_a_rate_that_is_a_bound_says_so() -> None:
    bounds = ShownValue(value=1234.0, high=1300.0, bound="at least"), ShownValue(value=20.0, bound="at most")
    cells = [cell(1, None, None).model_copy(update={"metrics": {"rate_per_s": bound}}) for bound in bounds]
    assert [shown.text("rate_per_s") for shown in cells] == ["≥ 1,230", "≤ 20"]


def test_only_the_newest_pages_of_chosen_cells_are_kept(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr(reports, "_MOST_CHOSEN", 2)
    started: list[list[str]] = []

    def said(words: list[str]) -> str:
        started.append(words)
        Path(words[words.index("--out") + 1]).write_text(" ".join(words))
        return ""

    monkeypatch.setattr(reports, "said", said)
    pages = reports.Reports(kept)
    for options in ([], ["--cells"], ["--latency=c1"], ["--latency=c2"], ["--latency=c1"], ["--latency=c3"]):
        assert pages.written(made, options)
    assert len(started) == 5
    assert len(names(kept)) == 4
    pages.written(made, ["--latency=c1"])
    pages.written(made)
    assert len(started) == 5, "what was asked for last is kept, and so is the report"
    pages.written(made, ["--latency=c2"])
    assert len(started) == 6
