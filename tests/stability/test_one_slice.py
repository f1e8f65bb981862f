"""A step of a single slice has a rate and no range of rates, and without a call nothing is known of the server."""

import json
import shutil
from pathlib import Path

from callbench.analysis.stability.soak_findings import soak_findings
from callbench.analysis.stability.soak_result import read
from callbench.report.stability.soak_report import LOAD_COLUMNS, soak_report
from callbench.stats.decide.decision import Outcome
from callbench.store.record import Record

STORED = Path(__file__).parents[1] / "records/soak"


def cut_to_one(folder: Path, **changed: object) -> Record:
    """A soak of one slice, some of whose members are changed."""
    shutil.copytree(STORED, folder)
    kept, slices = [], 0
    for text in (folder / "journal.jsonl").read_text().splitlines():
        line = json.loads(text)
        is_slice = line.get("kind") == "slice"
        slices += is_slice
        kept += [] if is_slice and slices > 1 else [json.dumps(line | changed) if is_slice else text]
    (folder / "journal.jsonl").write_text("".join(f"{text}\n" for text in kept))
    record = json.loads((folder / "record.json").read_text())
    # Its seal is of the whole journal.
    (folder / "record.json").write_text(json.dumps({key: value for key, value in record.items() if key != "journal"}))
    return Record(folder)


def test_a_single_slice_has_no_range(tmp_path: Path) -> None:
    [steps] = [
        sheet for sheet in soak_report(cut_to_one(tmp_path / "soak")).sections[0].sheets if sheet.title == "Steps"
    ]
    row = dict(zip(LOAD_COLUMNS, steps.rows[0], strict=True))
    assert (row["calls/s"] != "", row["5 to 95 % of slices"]) == (True, "")


def test_a_slice_in_which_nobody_called_decides_nothing(tmp_path: Path) -> None:
    found = soak_findings(read(cut_to_one(tmp_path / "soak", calls=0, errors={})))
    assert any("nobody called: the machine was too busy" in finding.text for finding in found)
    assert Outcome.FAILED not in {finding.outcome for finding in found}
