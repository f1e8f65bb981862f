"""Each line of the records that are kept here is of the type of its kind, and one that is not is refused."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.load import stored as load_stored
from callbench.analysis.peer import stored as peer_stored
from callbench.analysis.stability import overload_result, soak_result, torture_result
from callbench.model.errors import BadInput
from callbench.store import journal
from callbench.store.head import SEAL
from callbench.store.lines.load import LOAD_LINES
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.overload import OVERLOAD_LINES
from callbench.store.lines.peer import PEER_LINES
from callbench.store.lines.soak import SOAK_LINES
from callbench.store.lines.torture import TORTURE_LINES
from callbench.store.record import Record

HERE = Path(__file__).parent
TYPES: dict[str, LineTypes[Any]] = {
    "load": LOAD_LINES,
    "overload": OVERLOAD_LINES,
    "peer": PEER_LINES,
    "soak": SOAK_LINES,
    "torture": TORTURE_LINES,
}
# Reads the record; a kind of line of it, and a member that each line of that kind has.
READERS: dict[str, tuple[Callable[[Record], object], str, str]] = {
    "load": (load_stored.read_result, "result", "rate_per_s"),
    "peer": (peer_stored.read_result, "round", "ours"),
    "overload": (overload_result.read, "over", "service_us"),
    "soak": (soak_result.read, "slice", "calls"),
    "torture": (torture_result.read, "tested", "connections"),
}


@pytest.mark.parametrize("name", TYPES)
def test_each_line_has_its_type_and_stays_as_it_is(name: str) -> None:
    lines = list(journal.read(HERE / name / "journal.jsonl"))
    assert list(TYPES[name].read(lines)) == lines


@pytest.mark.parametrize("name", READERS)
def test_a_line_that_lacks_a_member_is_named(name: str, tmp_path: Path) -> None:
    """It was a traceback before, or nothing at all."""
    read, kind, member = READERS[name]
    folder = Path(shutil.copytree(HERE / name, tmp_path / name))
    head = json.loads((folder / "record.json").read_text())
    # Its seal is of the whole journal.
    (folder / "record.json").write_text(json.dumps({key: value for key, value in head.items() if key != SEAL}))
    file = folder / "journal.jsonl"
    lines = [json.loads(text) for text in file.read_text().splitlines()]
    for line in lines:
        if line["kind"] == kind:
            del line[member]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(
        BadInput, match=rf"{name}/journal.jsonl is damaged: line \d+, of kind {kind}: {member} is missing"
    ):
        read(Record(folder))


@pytest.mark.parametrize("name", TYPES)
def test_a_kind_that_the_record_has_not_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=f"a line of kind fork is none of an? {name}"):
        TYPES[name].line({"kind": "fork"})
