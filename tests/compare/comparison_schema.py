"""A comparison as JSON, compared with its schema."""

import json
from importlib.resources import files
from typing import Any

import jsonschema


def valid(record: dict[str, Any]) -> dict[str, Any]:
    schema = json.loads(files("callbench.analysis.compare").joinpath("comparison.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(record, allow_nan=False)))
    return record
