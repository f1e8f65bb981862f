"""The calls of a service of the user's own: those of the module that the runner was started with, if any."""

import sys
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from callbench_python.own.forms import OwnCall, Same

CALLS: dict[str, OwnCall] = {}
SCHEMA: dict[str, Any] = {}
"""The names and types of the messages, and the full name of the service, for gRPC."""


def load(path: str) -> None:
    """Take in the calls of a module.

    Raises:
        ImportError: the file is no module.
    """
    spec = spec_from_file_location("own_service", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module of Python")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    CALLS.update(module.CALLS)
    SCHEMA.update(module.SCHEMA)
    # The classes of its messages are in a module beside it.
    sys.path.append(str(Path(path).parent))


def look_by(same: Same, right: Any) -> Any:  # noqa: ANN401 - any value of the service
    """How the k-th answer of a client is compared with the right one in constant time."""
    return partial(_look, same, right)


def _look(same: Same, right: Any, answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
    try:
        return same(right, answer, k)
    except (AttributeError, LookupError, TypeError):
        return False  # it is of another type
