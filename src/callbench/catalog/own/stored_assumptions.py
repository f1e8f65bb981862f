"""What an import had to invent: from `service.toml` alone, so that reports need no compiler."""

import tomllib
from pathlib import Path

from callbench.catalog.own.place import SERVICE
from callbench.model.errors import BadInput


def stored_assumptions(folder: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the calls whose answer nobody gave, and those whose payloads were generated from the schema.

    Raises:
        BadInput: the file is damaged.
    """
    file = folder / SERVICE
    if not file.is_file():
        return frozenset(), frozenset()
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        return frozenset(map(str, document.get("unanswered", ()))), frozenset(map(str, document.get("generated", ())))
    except (OSError, ValueError, TypeError) as failure:
        raise BadInput(f"{file} is damaged: {' '.join(str(failure).split())}; import the service again") from failure
