"""A file `technology.properties`: what an adapter's folder says of the technology in it."""

import re
from collections.abc import Mapping
from pathlib import Path

from callbench.model.errors import BadInput

FILE = "technology.properties"
_LINE = re.compile(r"\s*([^#=\s][^=]*?)\s*=\s*(.*?)\s*")


def properties(file: Path, allowed: re.Pattern[str] | None = None) -> Mapping[str, str]:
    """Read the lines `KEY = VALUE` of a file. Empty lines and remarks are passed over.

    Args:
        file: what is read.
        allowed: what every key matches in full; None: any key.

    Raises:
        BadInput: it cannot be read, or has a line that is none.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as failure:
        raise BadInput(f"{file} cannot be read: {failure}") from failure
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = _LINE.fullmatch(line)
        if parts is None or (allowed is not None and not allowed.fullmatch(parts[1])):
            keys = "" if allowed is None else f", with a key like {allowed.pattern}"
            raise BadInput(f"{file}, line {number}: it is no line KEY = VALUE{keys}")
        found[parts[1]] = parts[2]
    return found
