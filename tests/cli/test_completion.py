"""What a shell is given to complete a line with."""

import os
import subprocess

import pytest

from conftest import command


def asked(instruction: str, **variables: str) -> str:
    """What the program prints where a shell asks it by the variable that Typer reads."""
    environment = {**os.environ, "_CALLBENCH_COMPLETE": instruction, **variables}
    ended = subprocess.run(command(), env=environment, capture_output=True, text=True, timeout=60, check=True)
    return ended.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    assert f"_CALLBENCH_COMPLETE=complete_{shell}" in asked(f"source_{shell}")


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("callbench lo", ["load"]),
        ("callbench list st", ["stacks", "studies"]),
        ("callbench link t", ["try"]),
        ("callbench run --no-b", ["--no-baselines"]),
        ("callbench run remob", ["remobjects"]),
        (
            "callbench load native/soap+http-k",
            [f"native/soap+http-keepalive{coding}" for coding in ("", "-gzip", "-zstd")],
        ),
        ("callbench soak --link mod", ["modem56k"]),
    ],
)
def test_commands_options_and_values_are_completed(line: str, completed: list[str]) -> None:
    shown = asked("complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(line.split()) - 1))
    assert shown.split() == completed
