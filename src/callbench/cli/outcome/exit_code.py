"""What the program ends with, from what it decided: 0 passed, 1 failed, 3 undecided (2 is for wrong input)."""

from collections.abc import Mapping

import typer

from callbench.model.errors import BadInput
from callbench.stats.decide.decision import Outcome

CODES: Mapping[Outcome, int] = {Outcome.PASSED: 0, Outcome.FAILED: 1, Outcome.UNDECIDED: 3}
_AS: Mapping[str | None, Outcome] = {None: Outcome.UNDECIDED, "pass": Outcome.PASSED, "fail": Outcome.FAILED}


def checked(undecided: str | None) -> str | None:
    """See that `--undecided` is one that there is, before anything is measured.

    Raises:
        BadInput: it is not.
    """
    if undecided not in _AS:
        raise BadInput(f"--undecided {undecided}: pass or fail; without it an undecided result ends with 3")
    return undecided


def end(outcome: Outcome, undecided: str | None) -> None:
    """End the program where it did not pass.

    Args:
        outcome: of everything that was decided.
        undecided: what `--undecided` says, or None.

    Raises:
        typer.Exit: with the code.
    """
    code = CODES[_AS[checked(undecided)] if outcome is Outcome.UNDECIDED else outcome]
    if code:
        raise typer.Exit(code)
