"""The schemas of records: each is one, and each notices a member that is missing, new, or of another type."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from callbench.report.record_kinds import kinds as kinds_with_a_report
from sealed import KINDS, schema_of, sealed


def simplest(schema: dict[str, Any]) -> dict[str, Any]:
    """The shortest record that a schema with members allows, by the first alternative each."""
    values = {"string": "", "number": 0, "integer": 0, "boolean": False, "array": [], "object": {}, "null": None}

    def value(of: dict[str, Any]) -> object:
        if "const" in of:
            return of["const"]
        if "enum" in of:
            return of["enum"][0]
        if "anyOf" in of:
            return value(of["anyOf"][-1])
        if "$ref" in of:
            return value(schema["$defs"][of["$ref"].rpartition("/")[2]])
        kind = of["type"] if isinstance(of["type"], str) else of["type"][0]
        if kind == "object":
            members = of.get("properties", {})
            return {name: value(members.get(name, {"type": "number"})) for name in of.get("required", ())}
        return values[kind]

    made = value(schema["oneOf"][0] if "oneOf" in schema else schema)
    assert isinstance(made, dict)
    return made


def test_every_kind_of_record_has_a_schema() -> None:
    assert set(KINDS) == set(kinds_with_a_report())


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_notices_what_is_missing_new_or_of_another_type(kind: str) -> None:
    schema = schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    record = simplest(schema)
    assert sealed(kind, json.dumps(record)) == record
    spoilt = [{name: value for name, value in record.items() if name != missing} for missing in record]
    spoilt += [record | {"unknown": 1}, *(record | {name: [[]]} for name in record)]
    for each in spoilt:
        with pytest.raises(jsonschema.ValidationError):
            sealed(kind, json.dumps(each))


def test_the_reference_names_every_schema(pytestconfig: pytest.Config) -> None:
    text = (Path(pytestconfig.rootpath) / "docs" / "reference" / "command-line.md").read_text()
    assert [kind for kind in KINDS if f"{kind}.schema.json" not in text] == []
