"""`--expect-json PATH[=VALUE]` of the command line, as the load driver's options."""

from collections.abc import Sequence

from callbench.catalog.user_json import json_or_text
from callbench.model.errors import BadInput


def expected_json(given: Sequence[str]) -> dict[str, object]:
    """Read `PATH=VALUE` and `PATH` each, as the driver's options `expect_json` and `expect_path`.

    The sign that ends a path stands outside of its brackets and quotes, where RFC 9535 compares. A value that is no
    JSON is a text.

    Raises:
        BadInput: a path is asked for twice with different values, or a value is JSON that cannot be carried.
    """
    values: dict[str, object] = {}
    paths: list[str] = []
    for expectation in given:
        end = _path_end(expectation)
        path = expectation[:end].strip()
        if end == len(expectation):
            paths.append(path)
            continue
        value = json_or_text(expectation[end + 1 :].strip(), f"--expect-json {path}: the value")
        if path in values and values[path] != value:
            raise BadInput(f"--expect-json {path}: it is asked for with two values")
        values[path] = value
    return {"expect_json": values or None, "expect_path": paths}


def _path_end(text: str) -> int:
    """Where the path at the beginning of a text ends: at the first = that no bracket or quote encloses."""
    depth, quote, escaped = 0, "", False
    for place, letter in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped, quote = letter == "\\", "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "[]":
            depth += 1 if letter == "[" else -1
        elif letter == "=" and depth == 0:
            return place
    return len(text)
