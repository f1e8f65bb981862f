"""One server that both generators drive: printed, and ended with an exit code. It leaves no record."""

from collections.abc import Mapping

from callbench.analysis.peer.rounds import RoundsRequest
from callbench.catalog.catalogue import Catalogue
from callbench.cli.outcome import exit_code
from callbench.cli.outcome.output import console, print_json
from callbench.model.errors import BadInput
from callbench.report.peer import peer_report as told
from callbench.runner.peer import rounds


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
    """Drive one server, print the result, and end with its exit code.

    Args:
        target: the server.
        known: the stacks that there are.
        given: what else `RoundsRequest` has.
        undecided: what `--undecided` says.
        as_json: whether the result is for programs.
    """
    request = RoundsRequest(target, **given)  # type: ignore[arg-type]
    found = rounds.compare_generators(
        request,
        known,
        lambda number: None if as_json else print(told.line(number, request), flush=True),  # noqa: T201
    )
    if as_json:
        print_json(told.record(found))
    else:
        told.show(found, console(200))
    exit_code.end(found.agreement.outcome, undecided)
