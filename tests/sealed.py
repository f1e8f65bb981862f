"""What commands print with `--json`, compared with its schema: one file a kind of record, in the package."""

import json
from importlib.resources import as_file, files
from typing import Any

import jsonschema

KINDS = ("load", "soak", "overload", "torture", "peer", "capacity")


def schema_of(kind: str) -> dict[str, Any]:
    """Return the one schema of a kind."""
    with as_file(files("callbench.report")) as folder:
        [file] = folder.rglob(f"{kind}.schema.json")
        schema: dict[str, Any] = json.loads(file.read_text())
    return schema


def sealed(kind: str, text: str) -> dict[str, Any]:
    """Return a result that keeps to the schema of its kind.

    Raises:
        jsonschema.ValidationError: it does not.
    """
    record: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(schema_of(kind)).validate(record)
    return record
