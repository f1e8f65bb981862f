"""Every page on a wide screen and on a phone: headed with its verdict, and nothing cut or to be scrolled sideways."""

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from browser import cut
from callbench.analysis.compare.comparison import Comparison
from callbench.analysis.compare.verdicts import ComparedFigures, ComparedMetric, Rule, metric_verdicts
from callbench.analysis.run.subject import subject
from callbench.report import record_report, records
from callbench.report.compare import show
from callbench.report.export.formats import TEXTS
from callbench.report.text.section import Section, Sheet
from callbench.stats.decide.failures import CallCounts, FailedCalls
from callbench.store.record import Record
from conftest import ROOT
from report.synthetic import write

WIDTHS = (1280, 390)
COMMAND = "python3 -m an.application.with.a.long.module.name --host 127.0.0.1 --port {port} --workers 4"
STACK = "load/http1:given/python3-m-an.application.with.a.long.mo"


@dataclass(frozen=True)
class Source:
    """A record without a folder."""

    path: Path = Path("compared")
    info: Mapping[str, Any] = field(default_factory=lambda: {"title": COMMAND, "started": "2026-11-21T03:00:00Z"})

    def environment(self) -> Mapping[str, Any]:
        return {"machine": {"model": "a model of processor with quite a long name", "memory bytes": 2**34}}


def compared(pairs: int, rates: tuple[float, float], failed: int = 0) -> record_report.RecordReport:
    """Two commands, compared by as many pairs of stacks."""
    cells = []
    for pair in range(pairs):
        both = (STACK if pairs == 1 else f"{STACK}-{pair}", f"{STACK}-2" if pairs == 1 else f"{STACK}-2-{pair}")
        values = tuple([rate * (1 + fork / 500) for fork in range(10)] for rate in rates)
        counts = FailedCalls(CallCounts([0] * 10, [500] * 10), CallCounts([failed] * 10, [500] * 10))
        own = ComparedFigures(f"c{pair}", both, "Request", (values[0], values[1]), counts=counts)
        cells += [
            own,
            ComparedFigures(f"c{pair}", both, "Request", (values[1], values[0]), ComparedMetric.P99, counts=counts),
        ]
    found = Comparison(COMMAND, f"{COMMAND} --new", "10 forks", Rule(), metric_verdicts(cells, Rule()), ["A note."])
    return show.report(found, Source())  # type: ignore[arg-type]


def wide() -> record_report.RecordReport:
    """A record with tables as wide as any has them."""
    columns = ("step", *(f"a column of {number}" for number in range(12)))
    values = ("25 clients", *["12,345 (11,900 to 12,800)", "± 4 %", "0 (0 to 0)", "unsaturated"] * 3)
    words = (
        "a test",
        "hung: it answered no call from 1.2 s to 3.4 s, and recovered 0.2 s after the end of the test",
        "",
    )
    sheets = [
        Sheet("Steps", columns, [values] * 3),
        Sheet("Tests", ("", "verdict", "remark"), [words]),
        Sheet("Stacks", ("stack", "calls/s"), [(STACK, "12,345")]),
    ]
    return record_report.RecordReport(Source(), COMMAND, [COMMAND], [Section("steps", "Steps", "", sheets=sheets)], {})


def pages(folder: Path) -> dict[str, str]:
    reports = {
        "compared": compared(1, (100.0, 120.0)),
        "several": compared(3, (100.0, 80.0)),
        "wide": wide(),
    }
    run = TEXTS["html"](subject(Record(write(folder / "run", clients=(1, 8)))))
    return {"run": run, **{name: record_report.html(one) for name, one in reports.items()}}


def test_nothing_on_a_page_is_cut(tmp_path: Path) -> None:
    assert cut(pages(tmp_path), WIDTHS, tmp_path) == {}


def test_what_is_cut_is_found(tmp_path: Path) -> None:
    """The check itself: a table that scrolls, a box that hides, and a page that is too wide."""
    long = "x" * 400
    faults = {
        "scrolls": f'<div style="overflow-x: auto"><table><tr><td>{long}</td></tr></table></div>',
        "hides": f'<details><summary>more</summary><p style="overflow: hidden">{long}</p></details>',
        "wide": f"<p>{long}</p>",
        "fits": "<p>some words</p>",
    }
    found = cut({name: f"<!doctype html><body>{text}" for name, text in faults.items()}, [390], tmp_path)
    assert sorted(found) == ["hides at 390", "scrolls at 390", "wide at 390"]


def heading(page: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", page)
    assert found is not None
    title = re.search(r"<title>(.*?)</title>", page)
    assert title is not None
    assert title[1] == found[1]
    return found[1]


@pytest.mark.parametrize(
    ("pairs", "rates", "failed", "title"),
    [
        (1, (100.0, 120.0), 0, "Passed: B is faster"),
        (1, (100.0, 100.0), 0, "Passed: B is as fast as A, within 2 %"),
        (1, (100.0, 80.0), 0, "Failed: B is slower"),
        (3, (100.0, 80.0), 0, "Failed: B is slower in 3 of 3 cells"),
        (1, (100.0, 120.0), 9, "Failed: B fails more calls"),
    ],
)
def test_a_comparison_is_headed_with_its_verdict(
    pairs: int, rates: tuple[float, float], failed: int, title: str
) -> None:
    page = record_report.html(compared(pairs, rates, failed))
    assert heading(page) == title
    assert record_report.markdown(compared(pairs, rates, failed)).startswith(f"# {title}\n")


def test_a_run_is_headed_with_what_follows(tmp_path: Path) -> None:
    page = TEXTS["html"](subject(Record(write(tmp_path / "run"))))
    assert heading(page).startswith("Of 10 claims, 6 hold and 4 do not")
    assert "the RemObjects article of 2009, reproduced" in page


def test_servers_given_by_command_are_called_a_and_b() -> None:
    """Their stacks' names have 80 characters: they are above the table, once."""
    report = compared(1, (100.0, 120.0))
    (sheet,) = report.sections[0].every_sheet
    assert [row[0] for row in sheet.rows] == ["Request", "Request"]
    assert STACK not in record_report.html(report)
    assert COMMAND in report.about


# What started the server of the records, and where a checkout has a long name: nothing in it is a place to break.
SERVER = "python3 server.py {port} pool 2 10"
LONG = "python3 /a_folder_with_a_name_that_is_as_long_as_a_line/known_server.py {port} pool 2 10"


def written_elsewhere(kind: str, folder: Path) -> str:
    """The page of a record as a command left it, whose server lay in another folder."""
    record = Path(shutil.copytree(ROOT / "tests" / "records" / kind, folder / kind))
    journal, head = record / "journal.jsonl", record / "record.json"
    journal.write_text(journal.read_text().replace(SERVER, LONG))
    said = json.loads(head.read_text().replace(SERVER, LONG))
    said["journal"] = {"bytes": journal.stat().st_size, "sha256": hashlib.sha256(journal.read_bytes()).hexdigest()}
    head.write_text(json.dumps(said))
    page = records.write(record, "html", None).read_text()
    assert LONG.split()[1] in page
    return page


def test_nothing_on_a_page_of_a_server_is_cut(tmp_path: Path) -> None:
    shown = {kind: written_elsewhere(kind, tmp_path) for kind in ("load", "soak", "overload", "torture", "capacity")}
    assert cut(shown, WIDTHS, tmp_path) == {}
