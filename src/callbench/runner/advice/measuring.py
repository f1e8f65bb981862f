"""Measures what an advice lacks: a few cells over each link, each beside the same cell without one."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from callbench.adapter.network import creation
from callbench.analysis.advice.advice import Advice, advise
from callbench.analysis.advice.invented import Invented
from callbench.analysis.subject import Subject, subject
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.own.stored_assumptions import stored_assumptions
from callbench.model.situation import Situation
from callbench.runner import launch
from callbench.runner.advice import lacking, sizes, stored
from callbench.store.record import Record

BUDGET_S = 60.0
SIZES_BUDGET_S = 35.0


@dataclass(frozen=True)
class AdviceResult:
    """An advice with what it rests on.

    Attributes:
        held_back: records of cells over links.
        sizes: the record of the main call with payloads of several sizes, if they were measured.
    """

    subject: Subject
    held_back: list[Record]
    advice: Advice
    sizes: Record | None = None


def from_record(run: Record, situation: Situation) -> AdviceResult:
    """Compute an advice from what was measured already.

    Raises:
        BadInput: the run is damaged, or the situation names what it does not have.
    """
    held_back, sizes = stored.measured(run), stored.sizes(run)
    found = subject(run)
    others = [subject(one) for one in held_back]
    of_sizes = None if sizes is None else subject(sizes)
    advice = advise(found, situation, others, of_sizes, Invented(*stored_assumptions(run.path)))
    left_out = [*advice.left_out, *stored.not_measured(run)]
    return AdviceResult(found, held_back, replace(advice, left_out=left_out), sizes)


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
    found = from_record(run, situation)
    for link in lacking.links(found.advice):
        if why := creation.why_not(link.wire):
            tell(f"{link.name} is not measured, only predicted: {why}")
            return found
    if _measure_links(found, known, budget_s):
        found = from_record(run, situation)
    if _measure_sizes(found, known, min(budget_s, SIZES_BUDGET_S), tell):
        found = from_record(run, situation)
    return found


def _measure_links(found: AdviceResult, known: Catalogue, budget_s: float) -> bool:
    """Measure cells over the links. Returns whether any were lacking."""
    run = found.subject.run
    text = lacking.study(found.advice, found.subject.results, budget_s / 60)
    if text is None:
        return False
    with tempfile.TemporaryDirectory(prefix="callbench-advice-") as folder:
        file = Path(folder) / f"{stored.HELD_BACK}.toml"
        if service := run.request.get("service"):
            # The calls of an imported service are known in its folder only.
            shutil.copytree(service, folder, dirs_exist_ok=True)
            file = Path(folder) / "study.toml"
        file.write_text(text, encoding="utf-8")
        _run(file, run.path / f"{stored.HELD_BACK}-{len(found.held_back) + 1}", known)
    return True


def _measure_sizes(found: AdviceResult, known: Catalogue, budget_s: float, tell: Callable[[str], None]) -> bool:
    """Measure the main call of an imported service with payloads of several sizes. Returns whether that was done."""
    run = found.subject.run
    service = run.request.get("service")
    if service is None or found.sizes is not None or not sizes.lacking(found.advice):
        return False
    with tempfile.TemporaryDirectory(prefix="callbench-advice-") as folder:
        file = sizes.write(found.advice, Path(service), Path(folder) / Path(service).name, budget_s / 60)
        if file is None:
            tell("other sizes of the payloads are not measured: the messages have nothing that can be longer")
            return False
        _run(file, run.path / stored.SIZES, known)
    return True


def _run(study: Path, out: Path, known: Catalogue) -> None:
    request = launch.RunRequest(str(study), out=out, baselines=False)
    launch.execute_run(launch.create_run(request, known), known, resumed=False)
