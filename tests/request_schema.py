"""The schema of what the core says to an adapter. The core does not check its own lines; tests do."""

import json
from functools import cache

from jsonschema_rs import Draft202012Validator

from callbench.model.installation import schema_folder


@cache
def _schema() -> Draft202012Validator:
    return Draft202012Validator(json.loads((schema_folder() / "requests.json").read_bytes()))


def is_request(line: object) -> bool:
    """Whether a line keeps to the schema."""
    return _schema().is_valid(line)
