"""What a run would measure and how long it would take, as text and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from callbench.analysis.wording.words import some
from callbench.catalog.lacking import LackingCells
from callbench.catalog.select import Selectable
from callbench.catalog.study.parameters import Value


@dataclass(frozen=True)
class Preview:
    """A run that has not begun.

    Attributes:
        title: the title of its study.
        forks: the least number of forks of each condition.
        conditions: of the processors' idle states.
        cells: the number of planned cells.
        measured: the number of measured cells, by stack.
        left_out: stacks that cannot run here, by reason.
        without: why other cells are missing, or None.
        seconds: estimated duration of the planned forks.
        limit_s: seconds after which measuring ends in any case; None: no limit.
        duration: the estimate in a sentence.
        parameters: of the study, as they are set.
        choices: what of the study `--select` can choose, by key.
        lacking: why cells of the study cannot run here.
        study_file: a study that measures the same without options, in TOML; None of an imported service.
    """

    title: str
    forks: int
    conditions: Sequence[str]
    cells: int
    measured: Mapping[str, int]
    left_out: Mapping[str, Sequence[str]]
    without: str | None
    seconds: float
    limit_s: float | None
    duration: str
    parameters: Mapping[str, Value]
    choices: Mapping[str, Sequence[Selectable]]
    lacking: Sequence[LackingCells]
    study_file: str | None

    def lines(self) -> list[str]:
        """Return the preview as lines of text."""
        of_each = f" of each condition ({', '.join(self.conditions)})" if len(self.conditions) > 1 else ""
        return [
            f"{self.title}: {self.forks} forks at least{of_each}, {self.cells:,} cells",
            *(f"{stack}: {cells:,} cells" for stack, cells in self.measured.items()),
            *(f"left out: {some(stacks)}: {reason}" for reason, stacks in self.left_out.items()),
            *([self.without] if self.without else []),
            self.duration,
        ]

    def record(self) -> dict[str, Any]:
        """Return the preview as a JSON object."""
        return {
            "title": self.title,
            "forks": self.forks,
            "conditions": list(self.conditions),
            "cells": self.cells,
            "stacks": dict(self.measured),
            "left_out": [{"why": reason, "stacks": list(stacks)} for reason, stacks in self.left_out.items()],
            "without": self.without,
            "seconds": self.seconds,
            "limit_s": self.limit_s,
            "duration": self.duration,
            "parameters": dict(self.parameters),
            "choices": {key: [asdict(choice) for choice in choices] for key, choices in self.choices.items()},
            "lacking": [asdict(each) for each in self.lacking],
            "study_file": self.study_file,
        }
