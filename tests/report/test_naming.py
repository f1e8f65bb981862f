"""A reader sees stack, call, load and link of a cell; its number stays in files and JSON."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from rich.console import Console

from callbench.analysis.run.completeness import shortcomings
from callbench.analysis.run.subject import Subject, subject
from callbench.analysis.wording.naming import at
from callbench.report.export.formats import TEXTS
from callbench.report.terminal import print_cells, print_summary
from callbench.store.record import Record
from report.synthetic import write

NUMBER = re.compile(r"\bc\d{3}\b")
# A link to a cell and its target have the number, and nobody reads them.
ADDRESSES = re.compile(r"(?<= href=)#c\d{3}\b|(?<= id=)c\d{3}\b")
ONLY = ("native/soap+supertcp", "native/bin+library", "native/bin+supertcp", "native/json+http")


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A run in which much went wrong: cells that break Little's law, counts that differ, a cell given up."""
    folder = write(tmp_path_factory.mktemp("runs") / "disturbed", only=ONLY, clients=(1, 50))
    journal = folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    trials = [line for line in lines if line["kind"] == "trial"]
    trials[0]["agree"] = False
    given_up = {"kind": "excluded", "stack": "native/bin+supertcp", "fork": 1, "why": "it hung", "failed": True}
    lines.append({**given_up, "cell": next(line["cell"] for line in trials if line["start"] == 2)})
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return subject(Record(folder))


@pytest.mark.parametrize("form", ["html", "md"])
def test_a_report_names_no_cell_by_its_number(disturbed: Subject, form: str) -> None:
    assert NUMBER.findall(ADDRESSES.sub("", TEXTS[form](disturbed))) == []


def test_the_terminal_names_no_cell_by_its_number(disturbed: Subject) -> None:
    out = io.StringIO()
    for show in (print_summary, print_cells):
        show(disturbed, Console(file=out, width=200))
    assert "native/soap+supertcp" in out.getvalue()
    assert NUMBER.findall(out.getvalue()) == []


def test_texts_in_json_name_no_cell_by_its_number(disturbed: Subject) -> None:
    texts = list(_texts(json.loads(TEXTS["json"](disturbed))))
    assert any("native/bin+supertcp" in text for text in texts)
    assert [text for text in texts if NUMBER.search(text)] == []


def _texts(node: Any) -> Iterator[str]:
    """Walk through all texts but the members that are a cell's number."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key != "cell":
                yield from _texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value)
    elif isinstance(node, str):
        yield node


def test_what_a_run_ends_with_names_stack_and_call(disturbed: Subject) -> None:
    assert shortcomings(disturbed.run) == ["native/bin+supertcp, Sum was excluded: it hung"]


def test_load_and_link_are_named_where_they_are_not_the_plainest() -> None:
    assert at("Sum", "1", "loopback") == "Sum"
    assert at("Sum", "4", "lan100", "500") == "Sum, 4 clients, 500 calls/s requested, over lan100"
