"""What `soak`, `overload` and `torture` do alike: their server, and what makes them fail."""

from callbench.adapter.stack.target import TargetSpec
from callbench.analysis.stability import findings
from callbench.cli.options.grouped import StabilityOptions
from callbench.cli.options.server import ServerOptions
from callbench.cli.outcome import exit_code
from callbench.cli.recorded.command import Ending
from callbench.cli.recorded.reported import ReportedCommand
from callbench.model import quantities
from callbench.report.record_report import RecordReport
from callbench.runner.compare import tasks
from callbench.runner.machine import checkout
from callbench.stats.decide.decision import Outcome

# Of a call.
_TIMEOUT_S = 10.0


def spec(
    server: ServerOptions,
    shared: StabilityOptions,
    what: str,
    timeout_s: float = _TIMEOUT_S,
    *,
    hosts: tuple[str, ...] = (),
) -> TargetSpec:
    """The server that is meant, and how it is called.

    Args:
        server: its options.
        shared: the options of the three commands.
        what: the argument.
        timeout_s: of a call, where no option says it.
        hosts: of the clients; none: this machine.

    Raises:
        BadInput: the options do not go together.
    """
    cell = None if shared.call is None else tasks.cells_of_calls([shared.call], (1,), 1.0)[0]
    return TargetSpec(
        name=server.one(what),
        call="" if cell is None else cell.call,
        arguments={} if cell is None else cell.arguments,
        timeout_s=timeout_s if server.timeout is None else server.timeout,
        server=server.given().without("timeout_s", "--timeout"),
        any_host=shared.any_host,
        link=shared.link,
        hosts=hosts,
    )


def steps(text: str) -> tuple[int, ...]:
    """Read `--clients N,N,...`.

    Raises:
        BadInput: it is wrong.
    """
    return quantities.numbers(text, "--clients", 1, 65_536)


class StabilityCommand(ReportedCommand):
    """One of the three commands: the kinds of findings that `--fail-on` names decide."""

    def __init__(self, target: TargetSpec, shared: StabilityOptions) -> None:
        """Take the options of the three commands.

        Raises:
            BadInput: `--fail-on` or `--undecided` is wrong.
        """
        exit_code.checked(shared.undecided)
        self._failing = findings.failing_kinds(self.kind, shared.fail_on)
        ending = Ending(
            out=shared.out,
            resume=shared.resume,
            undecided=shared.undecided,
            as_json=shared.as_json,
            dry_run=shared.dry_run,
            commit=checkout.commit(shared.commit),
        )
        super().__init__(target, ending)

    def outcome(self, report: RecordReport) -> Outcome:
        """What the findings of these kinds come to."""
        return findings.outcome(report.findings, self._failing)
