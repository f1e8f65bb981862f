"""What a gate ends with, the same in every command that decides something."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from callbench.cli.outcome import exit_code
from callbench.model.errors import BadInput
from callbench.stats.decide.decision import Outcome

Program = Callable[..., subprocess.CompletedProcess[str]]
COMMANDS = ("compare", "peer", "soak", "overload", "torture")


@pytest.mark.parametrize(
    ("outcome", "undecided", "code"),
    [
        (Outcome.PASSED, None, 0),
        (Outcome.PASSED, "fail", 0),
        (Outcome.FAILED, None, 1),
        (Outcome.FAILED, "pass", 1),
        (Outcome.UNDECIDED, None, 3),
        (Outcome.UNDECIDED, "pass", 0),
        (Outcome.UNDECIDED, "fail", 1),
    ],
)
def test_only_what_is_undecided_can_be_decided_by_a_word(outcome: Outcome, undecided: str | None, code: int) -> None:
    if code == 0:
        exit_code.end(outcome, undecided)
        return
    with pytest.raises(typer.Exit) as ended:
        exit_code.end(outcome, undecided)
    assert ended.value.exit_code == code


def test_a_word_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="--undecided maybe: pass or fail"):
        exit_code.checked("maybe")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_gate_takes_the_word_and_refuses_another_before_anything_is_begun(
    callbench: Program, command: str, tmp_path: Path
) -> None:
    wrong = callbench(command, "sick/tcp", "--undecided", "maybe", "--out", tmp_path / "out")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("callbench: --undecided maybe: pass or fail")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("command", "lacks"), [("soak", "hung"), ("overload", "slower"), ("torture", "growth")])
def test_what_fails_is_chosen_alike_in_the_commands_of_stability(
    callbench: Program, command: str, lacks: str, tmp_path: Path
) -> None:
    wrong = callbench(command, "sick/tcp", "--fail-on", lacks, "--out", tmp_path / "out")
    assert wrong.returncode == 2
    assert f'--fail-on "{lacks}": {command} does not find that' in wrong.stderr
    assert not (tmp_path / "out").exists()
