"""What a report is about: a run, its study, its results and the verdicts on its claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench import health as processes
from callbench.claims import Judged, judge
from callbench.questions import Asked, ask
from callbench.report.tables import Filled, filled
from callbench.results import Results, read
from callbench.store import Run
from callbench.study import Study, load


@dataclass(frozen=True)
class Subject:
    """Everything a report shows, reckoned once.

    Attributes:
        asked: the study's open questions, each with what the run says of it.
        cards: the stacks of the plan by id, each as plan.json has it.
        health: what each cell's processes took, a side each.
        deaths: processes that ended in a trial.
    """

    run: Run
    study: Study
    results: Results
    judged: Sequence[Judged]
    asked: Sequence[Asked]
    tables: Sequence[Filled]
    cards: Mapping[str, Mapping[str, Any]]
    environment: Mapping[str, Any]
    health: Sequence[processes.Health]
    deaths: Sequence[processes.Death]

    @property
    def names(self) -> Mapping[str, str]:
        """What the study's own rows call a stack, by its id."""
        return {row.where.stack: row.label for row in self.study.part.rows if row.where.stack}

    @property
    def every_name(self) -> Mapping[str, str]:
        """What the study's own rows call a stack, else those of a table."""
        rows = (row for table in reversed(self.study.tables) for row in table.rows)
        return {**{row.where.stack: row.label for row in rows if row.where.stack}, **self.names}

    def title_of(self, group: str) -> str:
        """What the study's own columns call a group, else its name."""
        columns = (column for table in self.study.tables for column in table.columns)
        return next((one.label for one in columns if one.where.conditions() == {"group": group}), group)

    @property
    def quick(self) -> bool:
        """Whether it was a quick run."""
        return bool(self.run.info["quick"])


def subject(run: Run) -> Subject:
    """Read a run and reckon all that a report needs.

    Raises:
        BadInput: the run is damaged.
    """
    study = load(run.study_file, run.info.get("settings") or {}, run.published_file, run.info.get("link"))
    results = read(run)
    cards = {str(one["id"]): one for one in run.plan().get("stacks", [])}
    watched, deaths = processes.read(run, results.cells)
    tables = filled(study, results, run.info.get("without") or "")
    judged, asked = judge(study, results), ask(study, results)
    return Subject(run, study, results, judged, asked, tables, cards, run.environment(), watched, deaths)
