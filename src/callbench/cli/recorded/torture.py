"""A torture test from its options to its output."""

from dataclasses import asdict, replace
from pathlib import Path

from callbench.adapter.placement import Placement
from callbench.adapter.stack.target import Target, TargetSpec, open_target
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.reach import LOOPBACK
from callbench.cli.recorded.command import resumable
from callbench.report.record_report import RecordReport
from callbench.report.stability import torture_report
from callbench.runner.stability import misbehaviour, request_recorder
from callbench.runner.stability.misbehaviour import RecordedRequest
from callbench.runner.stability.torture import Torture, TortureRequest
from callbench.store.record import Record


def tortured(  # noqa: PLR0913 - what is asked, and where
    spec: TargetSpec,
    wish: TortureRequest,
    known: Catalogue,
    where: Placement,
    out: Path | None,
    *,
    resume: bool,
    quiet: bool,
) -> RecordReport:
    """Torture a server, or continue that, and tell what came of it.

    Raises:
        BadInput: what was asked for is wrong, or the folder is another's.
        CallbenchError: the server cannot be started, or the folder cannot be written.
    """
    misbehaviour.select_tests(wish.tests)
    document = {**asdict(spec), **asdict(wish)}
    with open_target(spec, known, where) as target:
        # If there is no address, nothing can be done, and no folder is made.
        request_recorder.address(target.endpoint)
        request = _recorded_request(target, known, where)
        with resumable("torture", spec.name, document, out, where, resume=resume, quiet=quiet) as (run, line):
            Torture(run, target, wish, request, () if where.shared else where.client, line.show).run()
    return torture_report.torture_report(Record(run.path))


def _recorded_request(target: Target, known: Catalogue, where: Placement) -> RecordedRequest:
    """What a request looks like: over a link as over loopback, where alone there is someone in between to listen."""
    if target.spec.link == LOOPBACK:
        return request_recorder.record_request(target)
    with Target(replace(target.spec, link=LOOPBACK), known, where) as near:
        return request_recorder.record_request(near)
