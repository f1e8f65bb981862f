"""The schemas of what commands print, and of the API's own messages, as components of its description."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from callbench.report.record_kinds import kinds
from callbench.store.head import COMPARISON, RUN

HISTORY, PROGRESS = "history", "progress"
_REF = "#/components/schemas/"
# Where the schema of a component lies, if it is not beside the report of its kind.
_FILES = {
    RUN: ("callbench.report", "show"),
    COMPARISON: ("callbench.analysis.compare", "comparison"),
    HISTORY: ("callbench.report.history", "history"),
    PROGRESS: ("callbench.store", "progress"),
}


@cache
def record_kinds() -> tuple[str, ...]:
    """Return the component of each kind of record."""
    return (RUN, COMPARISON, *sorted(kinds()))


def reference(name: str) -> dict[str, str]:
    """Return a reference to a component."""
    return {"$ref": f"{_REF}{name}"}


def of_models(models: Iterable[type[BaseModel]]) -> dict[str, object]:
    """Return the components of messages, and of what they are made of."""
    _, found = models_json_schema([(model, "validation") for model in models], ref_template=f"{_REF}{{model}}")
    return dict(found.get("$defs", {}))


def of_records() -> dict[str, object]:
    """Return the components of what commands print: a schema, and each of its parts under its name."""
    components: dict[str, object] = {}
    for name in (*record_kinds(), HISTORY, PROGRESS):
        package, file = _FILES.get(name) or (kinds()[name].rpartition(".")[0], name)
        schema = json.loads((files(package) / f"{file}.schema.json").read_text())
        parts = schema.pop("$defs", {})
        del schema["$schema"]
        components[name] = _moved(schema, name)
        components.update({f"{name}-{part}": _moved(inner, name) for part, inner in parts.items()})
    return components


def _moved(schema: Any, name: str) -> Any:  # noqa: ANN401 - any JSON
    """Return a schema whose references lead to its parts as components."""
    match schema:
        case Mapping():
            return {
                key: f"{_REF}{name}-{value.removeprefix('#/$defs/')}" if key == "$ref" else _moved(value, name)
                for key, value in schema.items()
            }
        case list():
            return [_moved(item, name) for item in schema]
        case _:
            return schema
