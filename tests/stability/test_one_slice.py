"""A step of a single slice has a rate and no range of rates."""

import json
import shutil
from pathlib import Path

from callbench.report.stability.soak_report import LOAD_COLUMNS, soak_report
from callbench.store.record import Record

STORED = Path(__file__).parents[1] / "records/soak"


def test_a_single_slice_has_no_range(tmp_path: Path) -> None:
    folder = shutil.copytree(STORED, tmp_path / "soak")
    kept, slices = [], 0
    for text in (folder / "journal.jsonl").read_text().splitlines():
        is_slice = json.loads(text).get("kind") == "slice"
        slices += is_slice
        kept += [] if is_slice and slices > 1 else [text]
    (folder / "journal.jsonl").write_text("".join(f"{text}\n" for text in kept))
    record = json.loads((folder / "record.json").read_text())
    # Its seal is of the whole journal.
    (folder / "record.json").write_text(json.dumps({key: value for key, value in record.items() if key != "journal"}))
    [steps] = [sheet for sheet in soak_report(Record(folder)).sections[0].sheets if sheet.title == "Steps"]
    row = dict(zip(LOAD_COLUMNS, steps.rows[0], strict=True))
    assert (row["calls/s"] != "", row["5 to 95 % of slices"]) == (True, "")
