"""Measures what an advice lacks: a few cells over each link, each beside the same cell without one."""

from collections.abc import Callable
from pathlib import Path

from callbench.adapter import temporary
from callbench.adapter.network import creation
from callbench.analysis.advice import stored
from callbench.analysis.advice.result import AdviceResult, advised, from_record
from callbench.analysis.run.subject import Subject, subject
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import Study
from callbench.catalog.study.made import made
from callbench.model.situation import Situation
from callbench.runner.advice import lacking, sizes
from callbench.runner.run import launch
from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun

BUDGET_S = 60.0
SIZES_BUDGET_S = 35.0


def measured(
    run: Record, situation: Situation, known: Catalogue, budget_s: float, tell: Callable[[str], None]
) -> AdviceResult:
    """Compute an advice, after what it lacks was measured: calls over the links, then payloads of other sizes.

    Args:
        run: the record.
        situation: what is asked for.
        known: the stacks that there are.
        budget_s: the time to measure over the links, in seconds; that for sizes is no longer.
        tell: is given a sentence where something cannot be measured.

    Raises:
        BadInput: as `from_record`.
        Stopped: a person stopped it.
    """
    result = from_record(run, situation)
    for link in lacking.links(result.advice):
        if why := creation.why_not(link.wire):
            tell(f"{link.name} is not measured, only predicted: {why}")
            return result
    if over_links := _measured_over_links(result, known, budget_s):
        result = advised(result.subject, situation, [*result.held_back, over_links], result.sizes)
    if of_sizes := _measured_sizes(result, known, min(budget_s, SIZES_BUDGET_S), tell):
        result = advised(result.subject, situation, result.held_back, of_sizes)
    return result


def _measured_over_links(result: AdviceResult, known: Catalogue, budget_s: float) -> Subject | None:
    """Measure cells over the links; None if none are lacking."""
    run = result.subject.run
    part = lacking.study(result.advice, result.subject.results, budget_s / 60)
    if part is None:
        return None
    service = run.requested(RequestedRun).service
    study = made(stored.HELD_BACK, part, None if service is None else Path(service))
    return _measured(study, run.path / f"{stored.HELD_BACK}-{len(result.held_back) + 1}", known)


def _measured_sizes(
    result: AdviceResult, known: Catalogue, budget_s: float, tell: Callable[[str], None]
) -> Subject | None:
    """Measure the main call of an imported service with payloads of several sizes; None if that cannot be done."""
    run = result.subject.run
    service = run.requested(RequestedRun).service
    if service is None or result.sizes is not None or not sizes.lacking(result.advice):
        return None
    with temporary.folder("callbench-advice-") as folder:
        copy = folder / Path(service).name
        part = sizes.write(result.advice, Path(service), copy, budget_s / 60)
        if part is None:
            tell("other sizes of the payloads are not measured: none can be made of these messages")
            return None
        return _measured(made(stored.SIZES, part, copy), run.path / stored.SIZES, known)


def _measured(study: Study, out: Path, known: Catalogue) -> Subject:
    request = launch.RunRequest(study, out=out, baselines=False)
    return subject(launch.execute_run(launch.create_run(request, known), known, resumed=False))
