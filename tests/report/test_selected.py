"""A run of selected cells shows these cells, as a ranking first, and in one line what else was not measured."""

import io
import json
import re
from pathlib import Path

from rich.console import Console

from callbench.analysis.run.subject import subject
from callbench.report.export import md, page
from callbench.report.terminal import print_cells, print_summary
from callbench.store.record import Record
from report.synthetic import write

ONLY = ("native/bin+supertcp", "native/soap+supertcp")


def run_of(folder: Path, select: list[str]) -> Record:
    write(folder, only=ONLY)
    head = json.loads((folder / "record.json").read_text())
    head["request"]["select"] = select
    (folder / "record.json").write_text(json.dumps(head))
    return Record(folder)


def printed(run: Record) -> str:
    console = Console(file=io.StringIO(), width=160)
    print_summary(subject(run), console)
    print_cells(subject(run), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_ranking_of_the_chosen_cells_comes_first_and_the_rest_is_one_line(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", ["native/bin+supertcp", "native/soap+supertcp"])
    found = subject(run)
    text = printed(run)
    assert text.lstrip().startswith("Ranking: ")
    assert found.tables
    for table in found.tables:
        assert all(any(one.text or one.tried for one in row.places) for row in table.rows)
        assert table.rows
    assert all(one.verdict != "not measured" for one in found.judged)
    line = "Not measured, since --select left their cells out: "
    assert text.count(line) == 1
    assert "claims" in text.partition(line)[2].splitlines()[0]
    for written in (md.text(found), page.page(found)):
        assert line.rstrip() in re.sub(r"</?span[^>]*>", "", written.replace("\\", ""))


def test_a_run_of_the_whole_study_keeps_its_tables_and_claims(tmp_path: Path) -> None:
    whole = subject(run_of(tmp_path / "run", []))
    assert whole.left_out == ""
    assert len(whole.judged) > len(subject(run_of(tmp_path / "some", ["native/bin+supertcp"])).judged)
