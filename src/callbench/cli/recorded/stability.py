"""What `soak`, `overload` and `torture` do alike: from their options to a target, and from a result to an exit code."""

from rich.console import Console

from callbench.adapter import placement
from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import TargetSpec
from callbench.analysis.stability import findings
from callbench.catalog import catalogue
from callbench.catalog.catalogue import Catalogue
from callbench.cli import exit_code
from callbench.cli.options import StabilityOptions
from callbench.cli.server import ServerOptions
from callbench.model import quantities
from callbench.report import record_report as shown
from callbench.report.record_report import RecordReport
from callbench.runner.compare import tasks

# Of a call.
_TIMEOUT_S = 10.0


def here(threads: int = 1) -> tuple[Catalogue, Placement]:
    """The stacks that there are, and the processors of server and client, which has so many threads."""
    return catalogue.load(), placement.choose_placement(threads=threads)


def spec(server: ServerOptions, shared: StabilityOptions, what: str, timeout_s: float = _TIMEOUT_S) -> TargetSpec:
    """The server that is meant, and how it is called.

    Args:
        server: its options.
        shared: the options of the three commands.
        what: the argument.
        timeout_s: of a call, where no option says it.

    Raises:
        BadInput: the options do not go together.
    """
    cell = None if shared.call is None else tasks.cells_of_calls([shared.call], (1,), 1.0)[0]
    return TargetSpec(
        server.one(what),
        "" if cell is None else cell.call,
        {} if cell is None else cell.arguments,
        timeout_s if server.timeout is None else server.timeout,
        server.given().without("timeout_s", "--timeout"),
        shared.any_host,
        shared.link,
    )


def steps(text: str) -> tuple[int, ...]:
    """Read `--clients N,N,...`.

    Raises:
        BadInput: it is wrong.
    """
    return quantities.numbers(text, "--clients", 1, 65_536)


def kinds(command: str, shared: StabilityOptions) -> tuple[str, ...]:
    """Read what fails it, before anything is begun.

    Raises:
        BadInput: it is wrong.
    """
    exit_code.checked(shared.undecided)
    return findings.failing_kinds(command, shared.fail_on)


def end(report: RecordReport, failing: tuple[str, ...], shared: StabilityOptions) -> None:
    """Write the page, print the result, and end with the exit code that follows from it.

    Args:
        report: the result.
        failing: the kinds of findings that fail it.
        shared: the options of the three commands.

    Raises:
        typer.Exit: with a code other than 0.
    """
    page = shown.write(report)
    if shared.as_json:
        print(shown.as_json(report), end="")  # noqa: T201
    else:
        shown.show(report, Console() if Console().is_terminal else Console(width=200))
        print(f"page: {page}\nrecord: {report.run.path}")  # noqa: T201
    exit_code.end(findings.outcome(report.findings, failing), shared.undecided)
