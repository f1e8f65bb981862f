"""A soak from its options to its output: its folder, its target, its end."""

from dataclasses import asdict
from pathlib import Path

from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import TargetSpec, open_target
from callbench.catalog.catalogue import Catalogue
from callbench.cli.recorded.command import resumable
from callbench.report.record_report import RecordReport
from callbench.report.stability import soak_report
from callbench.runner.stability.soak import Soak, SoakRequest
from callbench.store.record import Record


def soaked(  # noqa: PLR0913 - what is asked, and where
    spec: TargetSpec,
    request: SoakRequest,
    known: Catalogue,
    where: Placement,
    out: Path | None,
    *,
    resume: bool,
    quiet: bool,
) -> RecordReport:
    """Soak a server, or continue it, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started, or the folder cannot be written.
    """
    document = {**asdict(spec), **asdict(request)}
    # Who is not there, or cannot, leaves no folder.
    with open_target(spec, known, where) as target:
        if request.think_ms:
            target.require("think", "--think needs a client with think time")
        with resumable("soak", spec.name, document, out, where, resume=resume, quiet=quiet) as (run, line):
            Soak(run, target, request, line.show_slice).run()
    return soak_report.soak_report(Record(run.path))
