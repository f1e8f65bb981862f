"""A record of each kind, as a command left it: what is shown and reported of it is the same to the byte."""

import io
import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from callbench.report import records
from callbench.report.record_kinds import kinds as kinds_with_a_report
from golden import golden

HERE = Path(__file__).parent
RECORDS = tuple(sorted(file.parent.name for file in HERE.glob("*/record.json")))
FORMATS = ("html", "md", "csv", "json")
COLUMNS = 120


@pytest.fixture
def record(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a record, named as reports have it: by its folder alone."""
    name = str(request.param)
    shutil.copytree(HERE / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return Path(name)


each_record = pytest.mark.parametrize("record", RECORDS, indirect=True)


def test_each_kind_of_record_is_here() -> None:
    kinds = {json.loads((HERE / name / "record.json").read_text())["kind"] for name in RECORDS}
    assert kinds == {*kinds_with_a_report(), "comparison"}


@each_record
def test_a_record_is_printed_as_before(record: Path) -> None:
    text = io.StringIO()
    records.show(record, Console(file=text, width=COLUMNS))
    golden(HERE / "golden" / f"{record.name}.txt", text.getvalue())


@each_record
def test_a_record_is_given_to_programs_as_it_is_reported(record: Path) -> None:
    shown = records.as_record(record)
    assert shown == json.loads(records.write(record, "json", None).read_bytes())


@each_record
@pytest.mark.parametrize("form", FORMATS)
def test_a_record_is_reported_as_before(record: Path, form: str) -> None:
    file = records.write(record, form, None)
    golden(HERE / "golden" / f"{record.name}.{form}", file.read_bytes().decode())
