"""A comparison of two stacks or builds."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from callbench.analysis.compare import comparison
from callbench.analysis.compare.comparison import Comparison, RuleOptions
from callbench.catalog.catalogue import Catalogue
from callbench.cli.outcome.output import console
from callbench.cli.recorded.command import Ending, RecordedCommand
from callbench.report.compare import show
from callbench.report.ending import print_ending, show_command
from callbench.runner.compare import execution
from callbench.runner.compare.execution import ComparisonRequest, Prepared
from callbench.stats.decide.decision import Outcome
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter

Form = Literal["answer", "whole", "markdown"]


class CompareCommand(RecordedCommand[Prepared, Comparison]):
    """Compares two stacks or builds, pair by pair."""

    kind = "comparison"

    def __init__(
        self,
        request: ComparisonRequest,
        limits: RuleOptions,
        known: Catalogue,
        ending: Ending,
        *,
        form: Form = "answer",
    ) -> None:
        """Take the options.

        Args:
            request: of a new comparison.
            limits: level and thresholds, if given.
            known: all stacks.
            ending: where the record is kept, and how the program ends.
            form: what is printed for people: the answer in few lines, the whole, or the whole as Markdown.
        """
        super().__init__(ending)
        self._request, self._limits, self._known, self._form = request, limits, known, form

    @contextmanager
    def prepared(self) -> Iterator[Prepared]:
        """Find the pairs and their cells."""
        yield execution.prepare(execution.check_request(self._request), self._known)

    def folder(self, subject: Prepared) -> RecordWriter:
        """Make the folder."""
        return execution.create(self._request, subject, self.ending.out)

    def kept(self, path: Path) -> str:
        """Finished forks are."""
        return f"what was measured is kept: `callbench compare {path}` shows it"

    def work(self, run: RecordWriter, subject: Prepared) -> None:
        """Drive fork after fork."""
        execution.drive(run, self._request, subject)

    def result(self, path: Path) -> Comparison:
        """Return the verdicts."""
        return comparison.read(Record(path), self._limits)

    def as_json(self, result: Comparison) -> object:
        """Return the verdicts for programs."""
        return show.record(result)

    def show(self, result: Comparison) -> None:
        """Print the verdicts in few lines; as Markdown, all of them."""
        if self._form == "markdown":
            print(show.markdown(result), end="")  # noqa: T201
        elif self._form == "whole":
            show.print_comparison(result, console())
        else:
            folder = Path(result.folder) if result.folder else None
            # Two stored runs leave no folder of their own.
            more = show_command(folder) if folder else shlex.join(["callbench", *sys.argv[1:], "--markdown"])
            print_ending(show.opening(result), {"record": folder}, console(), more)

    def outcome(self, result: Comparison) -> Outcome:
        """Whether B is worse than allowed."""
        return result.outcome
