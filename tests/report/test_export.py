"""Reports of a synthetic run: sealed by schema and golden files, self-contained, escaped, quick."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from callbench.analysis.run.subject import Subject, subject
from callbench.model.errors import BadInput, CallbenchError
from callbench.report.export.formats import TEXTS, write
from callbench.report.export.show import cell_records
from callbench.report.terminal import print_cells, print_summary
from callbench.store.record import Record
from golden import golden
from report.synthetic import write as synthetic

GOLDEN = Path(__file__).parent / "golden"
FEW = ("native/soap+supertcp", "native/bin+library", "native/bincomp+http")
# What HTML's rules end where the next begins.
UNENDED = {"td", "th", "tr", "li", "dt", "dd"}
VOID = {"meta", "br", "link", "img", "input", "hr", "wbr"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    folder = synthetic(tmp_path_factory.mktemp("runs") / "whole", excluded=("native/xmlrpc+unix",))
    return subject(Record(folder))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(Record(synthetic(tmp_path_factory.mktemp("runs") / "few", only=FEW)))


def six_digits(tree: Any) -> Any:
    """Round every float, so that another processor's last bit is no difference."""
    if isinstance(tree, dict):
        return {key: six_digits(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [six_digits(value) for value in tree]
    return float(f"{tree:.6g}") if isinstance(tree, float) else tree


def test_show_is_sealed(few: Subject) -> None:
    record = cell_records(few)
    schema = json.loads(files("callbench.report").joinpath("show.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(record, allow_nan=False)))
    golden(GOLDEN / "show.json", json.dumps(six_digits(record), indent=1) + "\n")


def test_show_of_every_cell_fits_the_schema(whole: Subject) -> None:
    schema = json.loads(files("callbench.report").joinpath("show.schema.json").read_text())
    record = cell_records(whole)
    jsonschema.Draft202012Validator(schema).validate(record)
    assert len(record["cells"]) == 220
    excluded = [cell for cell in record["cells"] if cell["excluded"]]
    assert {cell["stack"] for cell in excluded} == {"native/xmlrpc+unix"}
    assert all("rate_per_s" not in cell["metrics"] for cell in excluded)


def test_csv_is_sealed(few: Subject) -> None:
    text = TEXTS["csv"](few)
    golden(GOLDEN / "report.csv", text)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(few.results.cells)
    assert float(rows[0]["rate_per_s"]) > 0


def test_markdown_is_sealed(few: Subject) -> None:
    golden(GOLDEN / "report.md", TEXTS["md"](few))


def test_json_is_json(whole: Subject) -> None:
    record = json.loads(TEXTS["json"](whole))
    assert {claim["verdict"] for claim in record["claims"]} <= {
        "holds",
        "does not hold",
        "undecided",
        "not measured",
    }
    first = record["tables"][0]["rows"][1]["places"][0]
    assert first["published"] == "405.84"
    assert first["result"]["low"] < first["result"]["figure"] < first["result"]["high"]


class Outline(HTMLParser):
    """Checks that elements close in order, and gathers addresses, ids and heading cells."""

    def __init__(self) -> None:
        """Starts with nothing seen."""
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.bare_heads = 0
        self.pictures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [value for key, value in attrs if key in {"src", "href"} and value]
        self.ids += [value for key, value in attrs if key == "id" and value]
        self.bare_heads += tag == "th" and "scope" not in given
        if tag == "svg":
            assert given.get("role") == "img"
            assert given.get("aria-label")
            self.pictures += 1
        if tag not in VOID | UNENDED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_needs_nothing_else(whole: Subject) -> None:
    text = TEXTS["html"](whole)
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    assert outline.pictures >= 10
    assert outline.bare_heads == 0
    assert len(set(outline.ids)) == len(outline.ids)
    assert all(address.startswith("#") and address[1:] in outline.ids for address in outline.addresses)
    assert "<script" not in text
    assert "@import" not in text
    assert "url(http" not in text
    assert not re.search(r"#c000\w\w\b", text), "a stand-in colour was left"


def test_the_page_says_what_a_reader_must_know(whole: Subject) -> None:
    text = TEXTS["html"](whole)
    for said in (
        "quick run",
        "Needs a link",
        "native/xmlrpc+unix",
        "answered wrongly",
        "timed in batches",
        "one program is both client and server",
    ):
        assert said in text


def test_the_page_escapes_what_it_is_given(tmp_path: Path) -> None:
    folder = synthetic(tmp_path / "evil", only=FEW)
    study = folder / "study.toml"
    study.write_text(study.read_text().replace('title = "Message', 'title = "<script>alert(1)</script>Message'))
    text = TEXTS["html"](subject(Record(folder)))
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "\\<script\\>" in TEXTS["md"](subject(Record(folder)))


def test_the_terminal_shows_tables_and_verdicts(whole: Subject) -> None:
    out = io.StringIO()
    console = Console(file=out, width=140)
    print_summary(whole, console)
    print_cells(whole, console)
    text = out.getvalue()
    for said in (
        "Table 1",
        "(405.84)",
        "needs a link",
        "does not hold",
        "native/soap+supertcp",
    ):
        assert said in text


def test_a_report_that_cannot_be_written_says_so(few: Subject, tmp_path: Path) -> None:
    assert write(few, "csv", tmp_path / "x.csv").read_bytes().startswith(b"cell,")
    with pytest.raises(BadInput, match='did you mean "html"'):
        write(few, "htm")
    with pytest.raises(CallbenchError, match="cannot write"):
        write(few, "csv", tmp_path / "none" / "x.csv")


def test_a_run_without_any_trial_still_reports(tmp_path: Path) -> None:
    folder = synthetic(tmp_path / "empty", only=FEW, excluded=FEW)
    empty = subject(Record(folder))
    for make in TEXTS.values():
        assert make(empty)
    assert "Nothing" in TEXTS["html"](empty) or "not measured" in TEXTS["html"](empty)
