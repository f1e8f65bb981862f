"""One way for a command that leaves a record: prepared, opened, worked on, reported, ended."""

import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from callbench.cli.outcome import exit_code
from callbench.cli.outcome.kept_result import told_in_any_case
from callbench.cli.outcome.output import print_json, say_who_measures
from callbench.model.errors import BadInput
from callbench.stats.decide.decision import Outcome
from callbench.store.head import MeasuredCommit
from callbench.store.record_writer import RecordWriter
from callbench.store.stopping import marking_the_end

NO_OTHER_COMMIT = "--commit is of a new record: leave it out with --resume"
# What is driven, and what the record comes to.
Subject = TypeVar("Subject")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Ending:
    """Where the record is kept, and how the program ends.

    Attributes:
        out: the folder; None: `runs/KIND-TIME`.
        resume: whether to continue the record in it.
        undecided: what `--undecided` says, or None.
        as_json: whether the result is for programs; then no progress is shown.
        dry_run: whether one call shows that it would work, and nothing is measured.
        commit: of what is measured; None if it is not known.
    """

    out: Path | None = None
    resume: bool = False
    undecided: str | None = None
    as_json: bool = False
    dry_run: bool = False
    commit: MeasuredCommit | None = None

    def __post_init__(self) -> None:
        """Check that the options make sense together.

        Raises:
            BadInput: they do not.
        """
        if self.resume and self.commit is not None:
            raise BadInput(NO_OTHER_COMMIT)


class RecordedCommand(ABC, Generic[Subject, Result]):
    """A command with a record. It fills in what is driven, the folder, the work, and what it comes to.

    Attributes:
        kind: of the record; its report is the module `KIND_report` of `callbench.report`.
    """

    kind: ClassVar[str]

    def __init__(self, ending: Ending) -> None:
        """Know where the record is kept, and how the program ends."""
        self.ending = ending

    @abstractmethod
    def prepared(self) -> AbstractContextManager[Subject]:
        """Find and check what is driven, before there is a folder.

        Raises:
            BadInput: what was asked for is wrong.
            CallbenchError: it cannot be driven.
        """

    @abstractmethod
    def folder(self, subject: Subject) -> RecordWriter:
        """Make the folder, or take over the one to continue.

        Raises:
            BadInput: there is something already, or the folder to continue is another's.
            CallbenchError: it cannot be written.
        """

    @abstractmethod
    def kept(self, path: Path) -> str:
        """What is kept of work that is stopped, and the command that shows or continues it: the end of a sentence."""

    @abstractmethod
    def work(self, run: RecordWriter, subject: Subject) -> None:
        """Drive it, each step in the journal before the next begins; go on where the journal ends.

        Raises:
            CallbenchError: what is driven failed, or the folder cannot be written.
        """

    @property
    def state(self) -> str:
        """How the record is marked when the work is over: `stopped` if only a part was done, which is a result too."""
        return "finished"

    @abstractmethod
    def result(self, path: Path) -> Result:
        """Return what the record in this folder comes to."""

    @abstractmethod
    def as_json(self, result: Result) -> object:
        """Return the result for programs, as JSON values."""

    @abstractmethod
    def show(self, result: Result) -> None:
        """Print the result for people."""

    @abstractmethod
    def outcome(self, result: Result) -> Outcome:
        """Decide what the program ends with.

        Raises:
            Stopped: a person ended the work, and a part is its result.
        """

    def measured(self) -> Path:
        """Make or continue the record. Returns its folder.

        Raises:
            BadInput: what was asked for is wrong, or the folder is another's.
            CallbenchError: it cannot be driven; the folder cannot be written; a person stopped it.
        """
        say_who_measures()
        # Who is not there, or cannot, leaves no folder.
        with self.prepared() as subject, self.folder(subject) as run, marking_the_end(run, self.kept(run.path)) as end:
            if self.ending.commit is not None:
                run.name_commit(self.ending.commit)
            if not self.ending.resume:
                run.name_command(shlex.join(["callbench", *typed()]))
            self.work(run, subject)
            end.state = self.state
        return run.path

    def tell(self, result: Result) -> None:
        """Print a result, and end the program.

        Raises:
            Stopped: a person ended the work.
            typer.Exit: with a code other than 0.
        """
        if self.ending.as_json:
            print_json(self.as_json(result))
        else:
            self.show(result)
        exit_code.end(self.outcome(result), self.ending.undecided)

    def go(self) -> None:
        """Make or continue the record, print what it comes to, and end the program.

        Raises:
            BadInput: as `measured`.
            CallbenchError: as `measured`.
            typer.Exit: with a code other than 0.
        """
        exit_code.checked(self.ending.undecided)
        path = self.measured()
        with told_in_any_case(path):
            self.tell(self.result(path))


def typed(words: Sequence[str] | None = None) -> list[str]:
    """Return what was typed behind the program's name, without the folder and whether it is continued.

    Args:
        words: the whole of it; None: what this program was started with.
    """
    kept: list[str] = []
    rest = iter(sys.argv[1:] if words is None else words)
    for word in rest:
        if word == "--out":
            next(rest, None)
        elif word != "--resume" and not word.startswith("--out="):
            kept.append(word)
    return kept
