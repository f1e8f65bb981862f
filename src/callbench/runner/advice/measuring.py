"""Measures what an advice lacks: a few cells over each link, each beside the same cell without one."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.network import creation
from callbench.analysis.advice.advice import Advice, advise
from callbench.analysis.subject import Subject, subject
from callbench.catalog.catalogue import Catalogue
from callbench.model.situation import Situation
from callbench.runner import launch
from callbench.runner.advice import lacking, stored
from callbench.store.record import Record

BUDGET_S = 60.0


@dataclass(frozen=True)
class Advised:
    """An advice with what it rests on."""

    subject: Subject
    held_back: list[Record]
    advice: Advice


def from_record(run: Record, situation: Situation) -> Advised:
    """Compute an advice from what was measured already.

    Raises:
        BadInput: the run is damaged, or the situation names what it does not have.
    """
    held_back = stored.measured(run)
    found = subject(run)
    return Advised(found, held_back, advise(found, situation, [subject(one) for one in held_back]))


def measured(
    run: Record, situation: Situation, known: Catalogue, budget_s: float, tell: Callable[[str], None]
) -> Advised:
    """Compute an advice, after what it lacks was measured.

    Args:
        run: the record.
        situation: what is asked for.
        known: the stacks that there are.
        budget_s: the time to measure, in seconds.
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
    text = lacking.study(found.advice, found.subject.results, budget_s / 60)
    if text is None:
        return found
    with tempfile.TemporaryDirectory(prefix="callbench-advice-") as folder:
        file = Path(folder) / f"{stored.HELD_BACK}.toml"
        if service := run.request.get("service"):
            # The calls of an imported service are known in its folder only.
            shutil.copytree(service, folder, dirs_exist_ok=True)
            file = Path(folder) / "study.toml"
        file.write_text(text, encoding="utf-8")
        out = run.path / f"{stored.HELD_BACK}-{len(found.held_back) + 1}"
        request = launch.RunRequest(str(file), out=out, baselines=False)
        launch.execute_run(launch.create_run(request, known), known, resumed=False)
    return from_record(run, situation)
