"""One server that both generators drive: printed, and ended with an exit code. It leaves no record."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from callbench.analysis.peer.rounds import RoundsRequest
from callbench.catalog.catalogue import Catalogue
from callbench.cli.outcome import exit_code
from callbench.cli.outcome.output import console, print_json, print_line
from callbench.model.errors import BadInput
from callbench.report.peer import peer_report as told
from callbench.runner.peer import rounds
from callbench.store.stopping import Sigterm, as_error

if TYPE_CHECKING:
    from callbench.analysis.peer.agreement import Round


def refuse(why: str, options: Mapping[str, object]) -> None:
    """See that none of these options was given.

    Args:
        why: they make no sense here.
        options: their values, by their names or those of their parameters.

    Raises:
        BadInput: one was.
    """
    given = [
        f"--{name.removeprefix('--').removesuffix('_s').replace('_', '-')}" for name, value in options.items() if value
    ]
    if given:
        raise BadInput(f"{why}: leave out {', '.join(given)}")


def one(target: str, known: Catalogue, given: dict[str, object], undecided: str | None, *, as_json: bool) -> None:
    """Drive one server, print the result, and end with its exit code. Who stops it gets the rounds that are over.

    Args:
        target: the server.
        known: the stacks that there are.
        given: what else `RoundsRequest` has.
        undecided: what `--undecided` says.
        as_json: whether the result is for programs.

    Raises:
        Stopped: a person stopped it.
    """
    request = RoundsRequest(target, **given)  # type: ignore[arg-type]
    say = (lambda _: None) if as_json else (lambda number: print_line(told.line(number, request)))
    over: list[Round] = []
    stopped: Exception | None = None
    try:
        over.extend(rounds.drive_rounds(request, known, say))
    except (KeyboardInterrupt, Sigterm) as stop:
        stopped = as_error(stop, f"stopped; {len(over)} of {request.rounds} rounds are over")
        if not over:
            raise stopped from None
    driven = rounds.agreement_of(request, over)
    if as_json:
        print_json(told.record(driven))
    else:
        told.show(driven, console(200))
    if stopped is not None:
        raise stopped
    exit_code.end(driven.agreement.outcome, undecided)
