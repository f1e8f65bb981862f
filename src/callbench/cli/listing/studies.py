"""The studies that come with Callbench."""

from typing import Any

from callbench.catalog.study import load, names
from callbench.model.errors import CallbenchError

COLUMNS = ("study", "title", "parameters", "why_not")


def rows() -> list[dict[str, Any]]:
    """Every study that comes along; one that is broken says why."""
    found: list[dict[str, Any]] = []
    for name in names():
        try:
            study = load(name)
        except CallbenchError as failure:
            found.append({"study": name, "title": None, "about": None, "parameters": {}, "why_not": str(failure)})
        else:
            found.append(
                {
                    "study": name,
                    "title": study.title,
                    "about": study.about,
                    "parameters": dict(study.parameters),
                    "why_not": None,
                }
            )
    return found
