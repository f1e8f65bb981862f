"""The schema and the reference page of journal lines are those of the types, and what is kept here keeps to them."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from line_documents import PAGE, RECORDS, SCHEMA, files, members, reached

from callbench.report.record_kinds import kinds
from callbench.store import journal
from callbench.store.head import COMPARISON, RUN
from conftest import ROOT

HERE = Path(__file__).parent
STORED = sorted(file.parent.name for file in HERE.glob("*/record.json"))
RUN_FOLDER = ROOT / "docs/reference/run-folder.md"


def validator(record: str) -> jsonschema_rs.Validator:
    """Of the lines of a kind of record, as a user of the schema makes one."""
    schema = json.loads(SCHEMA.read_text())
    return jsonschema_rs.validator_for({**schema, "$ref": f"#/$defs/{record}"})


def lines_of(name: str) -> tuple[str, list[dict[str, Any]]]:
    """The kind of a stored record, and its lines."""
    kind = json.loads((HERE / name / "record.json").read_text())["kind"]
    return kind, list(journal.read(HERE / name / "journal.jsonl"))


@pytest.mark.parametrize("file", [SCHEMA, PAGE], ids=lambda file: file.name)
def test_what_is_written_from_the_types_is_as_they_say(file: Path) -> None:
    assert file.read_text() == files()[file], f"{file} is stale: python tests/records/line_documents.py"


@pytest.mark.parametrize("name", STORED)
def test_the_lines_of_a_record_are_valid(name: str) -> None:
    kind, lines = lines_of(name)
    valid = validator(kind)
    assert [(line["kind"], error.message) for line in lines for error in valid.iter_errors(line)] == []


@pytest.mark.parametrize("name", STORED)
def test_a_line_without_a_member_that_it_needs_is_not(name: str) -> None:
    kind, lines = lines_of(name)
    valid, line = validator(kind), lines[0]
    of = RECORDS[kind].types[line["kind"]]
    assert of.__required_keys__ > {"kind"}
    for member in of.__required_keys__:
        assert not valid.is_valid({key: value for key, value in line.items() if key != member})


def test_every_type_says_what_it_is() -> None:
    types = {
        name: of for lines in RECORDS.values() for line in lines.types.values() for name, of in reached(line).items()
    }
    assert [name for name, of in types.items() if not of.__doc__ or of.__doc__ == dict.__doc__] == []


def test_every_kind_of_record_has_its_lines() -> None:
    assert set(RECORDS) == {RUN, COMPARISON, *kinds()}


def examples() -> list[dict[str, None]]:
    """The members of each line that the page on the run folder shows, in their order."""
    found = []
    for start in (part for part in RUN_FOLDER.read_text().split('{"kind":')[1:]):
        depth, names, text = 1, {"kind": None}, start
        for place, letter in enumerate(text):
            depth += (letter in "{[") - (letter in "}]")
            if depth == 0:
                break
            if depth == 1 and letter == "," and text[place + 1] == '"':
                names[text[place + 2 : text.index('"', place + 2)]] = None
        found.append({**dict.fromkeys([text.split('"')[1]]), **names})
    return found


def test_the_examples_of_the_run_folder_have_members_of_their_types() -> None:
    """The first word is the kind; several records may have a kind of that name."""
    every = [(kind, of) for lines in RECORDS.values() for kind, of in lines.types.items()]
    shown = examples()
    assert len(shown) > 20
    for kind, *names in shown:
        types = [set(members(of)) for other, of in every if other == kind]
        assert any(set(names) <= known for known in types), (
            f"{RUN_FOLDER}: a line of kind {kind} has not all of {names}"
        )


@pytest.mark.parametrize("record", RECORDS)
def test_the_run_folder_names_every_kind(record: str) -> None:
    text = RUN_FOLDER.read_text()
    assert [kind for kind in RECORDS[record].types if f"`{kind}`" not in text and f'"{kind}"' not in text] == []
