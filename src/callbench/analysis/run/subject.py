"""What a report is about: a run, its study, its results and the verdicts on its claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from callbench.analysis.cells.read_results import read
from callbench.analysis.cells.results import Result, Results
from callbench.analysis.judge import health as processes
from callbench.analysis.judge.claims import ClaimResult, judge
from callbench.analysis.judge.questions import AnsweredQuestion, ask
from callbench.analysis.run import past_runs
from callbench.analysis.run.selected import only_measured
from callbench.analysis.run.tables import FilledTable, TableCell, filled, table_cell
from callbench.catalog.study import Study, load
from callbench.model.card import PlannedStacks
from callbench.model.cell import AS_IS, HELD
from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun

if TYPE_CHECKING:
    from callbench.analysis.run.beside import Beside

# The conditions of the machine's idle states in words.
CONDITIONS = {AS_IS: "the machine's idle states", HELD: "deep idle states off"}


@dataclass(frozen=True)
class Subject:
    """Everything a report shows, computed once.

    Attributes:
        answers: the study's open questions, each with what the run says of it.
        cards: the stacks of the plan by id, each as plan.json has it.
        health: what each cell's processes took, a side each.
        deaths: processes that ended in a trial.
        others: the same run in the other conditions of the machine's idle states that it was made in.
        left_out: how much of the study was not measured because cells were selected, in a sentence; else "".
        beside: what the values of its tables are divided by; None: they are absolute.
    """

    run: Record
    study: Study
    results: Results
    judged: Sequence[ClaimResult]
    asked: Sequence[AnsweredQuestion]
    tables: Sequence[FilledTable]
    cards: PlannedStacks
    environment: Mapping[str, object]
    health: Sequence[processes.Health]
    deaths: Sequence[processes.EndedProcesses]
    others: Mapping[str, "Subject"] = field(default_factory=dict)
    left_out: str = ""
    beside: "Beside | None" = None

    def place(self, cell: Result, statistic: str) -> TableCell:
        """Write a value of a cell as the tables have it."""
        return table_cell(cell, statistic) if self.beside is None else self.beside.place(cell, statistic)

    @property
    def condition(self) -> str:
        """In which condition of the idle states it was, behind a comma, if the run was made in several; else ""."""
        return f", {CONDITIONS[self.run.condition]}" if len(self.requested.idle) > 1 else ""

    @property
    def by_condition(self) -> dict[str, Results]:
        """What was found in each condition of the machine's idle states, by its name."""
        return {self.run.condition: self.results, **{name: other.results for name, other in self.others.items()}}

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
        return next((column.label for column in columns if column.where.conditions() == {"group": group}), group)

    @property
    def requested(self) -> RequestedRun:
        """What was asked for."""
        return self.run.requested(RequestedRun)

    @property
    def selected(self) -> bool:
        """Whether only chosen cells of the study were measured."""
        return bool(self.requested.select)

    @property
    def quick(self) -> bool:
        """Whether it was a quick run."""
        return self.requested.quick


def subject(run: Record, beside: str = "") -> Subject:
    """Read a run and compute all that a report needs.

    With `beside`, `echo` or a stack, the values of tables are divided by its own.

    If it was made in two conditions of the machine's idle states, everything is of the first, and what it found in
    the other stands beside it: its tables behind those of the first.

    Raises:
        BadInput: the run is damaged, or has no such stack.
    """
    whole = _whole(run, beside)
    return _of_selected(whole) if whole.selected else whole


def _of_selected(whole: Subject) -> Subject:
    """Return what a run of selected cells is about, in each condition."""
    own = only_measured(whole.tables, whole.judged, whole.asked)
    others = {name: _of_selected(other) for name, other in whole.others.items()}
    return replace(whole, tables=own.tables, judged=own.judged, asked=own.asked, left_out=own.left_out, others=others)


def _whole(run: Record, beside: str) -> Subject:
    """Read a run with all that its study asks for."""
    conditions = run.requested(RequestedRun).idle
    others = {condition: _under(run.under(condition), beside) for condition in conditions if condition != run.condition}
    own = _under(run, beside)
    if not others:
        return own
    tables = [replace(table, title=f"{table.title}; {CONDITIONS[run.condition]}") for table in own.tables]
    for condition, other in others.items():
        tables += [
            replace(
                table, id=f"{table.id}-{condition.replace(' ', '-')}", title=f"{table.title}; {CONDITIONS[condition]}"
            )
            for table in other.tables
            if table.beside or beside
        ]
    return replace(own, tables=tables, others=others)


def _under(run: Record, name: str) -> Subject:
    """Read what a run found in one condition."""
    requested = run.requested(RequestedRun)
    study = load(run.study_file, requested.settings, run.published_file, requested.link)
    cards = {str(stack["id"]): stack for stack in run.plan().get("stacks", [])}
    results = replace(read(run), stand_ins=_stand_ins(cards))
    results = replace(results, run_spread=past_runs.spread(run, results))
    watched, deaths = processes.read(run, results.cells)
    beside = _beside(name, results)
    tables = filled(study, results, requested.without or "", beside.place if beside else None)
    judged, answers = judge(study, results), ask(study, results)
    return Subject(
        run=run,
        study=study,
        results=results,
        judged=judged,
        asked=answers,
        tables=tables,
        cards=cards,
        environment=run.environment(),
        health=watched,
        deaths=deaths,
        beside=beside,
    )


def _beside(name: str, results: Results) -> "Beside | None":
    """Return what values are divided by; None: nothing, as in nearly every report."""
    if not name:
        return None
    from callbench.analysis.run.beside import Beside  # noqa: PLC0415 - few need it

    return Beside(name, results)


def _stand_ins(cards: PlannedStacks) -> dict[str, str]:
    """Return what the stacks of a plan stand in for, as their cards say."""
    return {stack: str(original) for stack, entry in cards.items() if (original := entry["card"].get("stand_in"))}
