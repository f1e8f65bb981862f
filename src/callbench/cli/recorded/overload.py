"""An overload from its options to its output."""

from dataclasses import asdict
from pathlib import Path

from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import TargetSpec, open_target
from callbench.catalog.catalogue import Catalogue
from callbench.cli.recorded.command import resumable
from callbench.model import objective
from callbench.model.errors import BadInput
from callbench.report.record_report import RecordReport
from callbench.report.stability import overload_report
from callbench.runner.stability.overload import Overload, OverloadRequest
from callbench.store.record import Record


def overloaded(  # noqa: PLR0913 - what is asked, and where
    spec: TargetSpec,
    request: OverloadRequest,
    known: Catalogue,
    where: Placement,
    out: Path | None,
    *,
    resume: bool,
    quiet: bool,
) -> RecordReport:
    """Overload a server, or continue that, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started, or holds nothing; the folder cannot be written.
    """
    try:
        objective.parse(request.objective)
    except ValueError as failure:
        raise BadInput(f"--objective {failure}") from None
    document = {**asdict(spec), **asdict(request)}
    with open_target(spec, known, where) as target:
        # Who cannot leaves no folder.
        target.require("open", "an overload needs a client with an open loop")
        with resumable("overload", spec.name, document, out, where, resume=resume, quiet=quiet) as (run, line):
            Overload(run, target, request, run.path / "schedules", line.show).run()
    return overload_report.overload_report(Record(run.path))
