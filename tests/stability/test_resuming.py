"""The command that a stopped command prints resumes it."""

import shlex
from pathlib import Path

import pytest

from callbench.cli.recorded.reported import continuing


@pytest.mark.parametrize(
    "typed",
    [
        "soak native/json+tcp --clients 1,5 --seconds 600",
        "soak native/json+tcp --out somewhere --clients 1,5 --seconds 600",
        "soak native/json+tcp --clients 1,5 --out=somewhere --resume --seconds 600",
    ],
)
def test_it_is_the_command_that_was_typed_with_its_folder(typed: str) -> None:
    """It failed before: `callbench soak NAME ... --resume`, which no program takes."""
    told = continuing(Path("runs/my soak"), shlex.split(typed))
    assert told == "callbench soak native/json+tcp --clients 1,5 --seconds 600 --resume --out 'runs/my soak'"
