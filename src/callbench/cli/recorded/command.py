"""One way for a command that drives one server and leaves a record: opened, driven, reported, ended."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from callbench.adapter import placement
from callbench.adapter.stack.target import Target, TargetSpec, open_target
from callbench.catalog import catalogue
from callbench.cli import exit_code, resuming
from callbench.cli.output import console
from callbench.report import record_report
from callbench.report.record_kinds import report_of
from callbench.report.record_report import RecordReport
from callbench.runner.stability import record
from callbench.runner.stability.live import SliceProgress
from callbench.runner.stopping import marking_the_end
from callbench.stats.decision import Outcome
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter


@dataclass(frozen=True)
class Ending:
    """Where the record is kept, and how the program ends.

    Attributes:
        out: the folder; None: `runs/KIND-TIME`.
        resume: whether to continue the record in it.
        undecided: what `--undecided` says, or None.
        as_json: whether the result is for programs; then no progress is shown.
    """

    out: Path | None
    resume: bool
    undecided: str | None
    as_json: bool


class RecordedCommand(ABC):
    """A command with a record. Its package fills in the work, and what the outcome is.

    Attributes:
        kind: of the record, as `record_kinds` has it.
        partly: whether a part of the work is a result already, which `show` prints.
        width: columns of the tables where no one watches.
    """

    kind: ClassVar[str]
    partly: ClassVar[bool] = False
    width: ClassVar[int] = 200

    def __init__(self, spec: TargetSpec, ending: Ending, *, threads: int = 1) -> None:
        """Know the stacks, and the processors of both sides.

        Args:
            spec: the server, and how it is called.
            ending: where the record is kept, and how the program ends.
            threads: of the client.
        """
        self.spec, self.ending = spec, ending
        self.known = catalogue.load()
        self.where = placement.choose_placement(threads=threads)

    @property
    @abstractmethod
    def options(self) -> Mapping[str, Any]:
        """The options besides those of the server, as `record.json` has them; a record is continued with the same."""

    @abstractmethod
    def check(self, target: Target) -> None:
        """See that the server can be driven so, before there is a folder.

        Raises:
            CallbenchError: it cannot.
        """

    @abstractmethod
    def work(self, run: RecordWriter, target: Target, line: SliceProgress) -> None:
        """Drive the server, each step in the journal before the next begins; go on where the journal ends.

        Raises:
            CallbenchError: the client failed, or the folder cannot be written.
        """

    @abstractmethod
    def outcome(self, report: RecordReport) -> Outcome:
        """Decide what the program ends with."""

    def go(self) -> None:
        """Make or continue the record, write its page, print it, and end the program.

        Raises:
            BadInput: what was asked for is wrong, or the folder is another's.
            CallbenchError: the server cannot be started; the folder cannot be written; a person stopped it.
            typer.Exit: with a code other than 0.
        """
        exit_code.checked(self.ending.undecided)
        report = report_of(Record(self._record()))
        page = record_report.write(report)
        if self.ending.as_json:
            print(record_report.as_json(report), end="")  # noqa: T201
        else:
            record_report.show(report, console(self.width))
            print(f"page: {page}\nrecord: {report.run.path}")  # noqa: T201
        exit_code.end(self.outcome(report), self.ending.undecided)

    def _record(self) -> Path:
        """Make or continue the record. Returns its folder."""
        # Who is not there, or cannot, leaves no folder.
        with open_target(self.spec, self.known, self.where) as target:
            self.check(target)
            with self._open() as (run, line):
                self.work(run, target, line)
            return run.path

    @contextmanager
    def _open(self) -> Iterator[tuple[RecordWriter, SliceProgress]]:
        """Create or continue the folder, show the progress, and mark the record's end."""
        ending = self.ending
        document = {**asdict(self.spec), **self.options}
        with (
            record.create_or_resume(
                self.kind, self.spec.name, document, ending.out, self.where, resume=ending.resume
            ) as run,
            SliceProgress(quiet=ending.as_json) as line,
        ):
            shown = f" `callbench show {run.path}` prints it," if self.partly else ""
            what = "found" if self.partly else "seen"
            end = f"{shown} `{resuming.command(run.path)}` goes on with it"
            with marking_the_end(run, f"what was {what} is kept in {run.path}:{end}"):
                yield run, line
