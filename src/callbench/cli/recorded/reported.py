"""What `soak`, `overload`, `torture` and `capacity` do alike: continued by their options, told by their report."""

import shlex
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar

from callbench.adapter.stack.target import Target
from callbench.cli.outcome.output import console
from callbench.cli.recorded.command import typed
from callbench.cli.recorded.target import TargetCommand
from callbench.report import record_report
from callbench.report.ending import print_ending, show_command
from callbench.report.record_kinds import report_of
from callbench.report.record_report import RecordReport
from callbench.runner.stability import record
from callbench.runner.stability.live import SliceProgress
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter


class ReportedCommand(TargetCommand[RecordReport]):
    """A command that drives one server, whose record is continued with the same options and has a page.

    Attributes:
        partly: whether a part of the work is a result already, which `show` prints.
        width: columns of the tables where no one watches.
    """

    partly: ClassVar[bool] = False
    width: ClassVar[int] = 200

    @property
    @abstractmethod
    def options(self) -> Mapping[str, object]:
        """The options besides those of the server, as `record.json` has them; a record is continued with the same."""

    @abstractmethod
    def drive(self, run: RecordWriter, target: Target, line: SliceProgress) -> None:
        """Do the work, and show on the line how far it is.

        Raises:
            CallbenchError: the client failed, or the folder cannot be written.
        """

    @property
    def _document(self) -> dict[str, object]:
        return {**asdict(self.spec), **self.options}

    def measured(self) -> Path:
        """Make or continue the record. One that is finished is not driven, so its hosts may be away.

        Raises:
            BadInput, CallbenchError: as in `RecordedCommand`.
        """
        if self.ending.resume and self.spec.hosts:
            begun, longer_s = record.begun_with(self.kind, self._document, self.ending.out)
            if begun.info["state"] == "finished" and longer_s is None:
                return begun.path
        return super().measured()

    @contextmanager
    def prepared(self) -> Iterator[Target]:
        """Prepare the server, after a look at what is to be continued: a server refuses who leaves out a secret."""
        if self.ending.resume:
            record.begun_with(self.kind, self._document, self.ending.out)
        with super().prepared() as target:
            yield target

    def folder(self, subject: Target) -> RecordWriter:  # noqa: ARG002 - known by its options
        """Make or continue the folder."""
        ending = self.ending
        return record.create_or_resume(
            self.kind, self.spec.name, self._document, ending.out, self.where, resume=ending.resume
        )

    def kept(self, path: Path) -> str:
        """Where it is, and how to go on with it."""
        shown = f" `callbench show {path}` prints it," if self.partly else ""
        what = "found" if self.partly else "seen"
        return f"what was {what} is kept in {path}:{shown} `{continuing(path)}` goes on with it"

    def work(self, run: RecordWriter, subject: Target) -> None:
        """Drive the server beside a line of progress."""
        with SliceProgress(run.path, quiet=self.ending.as_json) as line:
            self.drive(run, subject, line)

    def result(self, path: Path) -> RecordReport:
        """Return the report."""
        return report_of(Record(path))

    def as_json(self, result: RecordReport) -> object:
        """Write the page, and return what the report has for programs."""
        record_report.write(result)
        return record_report.as_record(result)

    def show(self, result: RecordReport) -> None:
        """Write the page, and print the answer."""
        page = record_report.write(result)
        kept = {"page": page, "record": result.run.path}
        print_ending(result.opening, kept, console(self.width), show_command(result.run.path))


def continuing(out: Path, words: Sequence[str] | None = None) -> str:
    """The command that continues what was stopped: the one that began it, as it was typed.

    Args:
        out: the folder of what was begun.
        words: what was typed behind the program's name; None: what this program was started with.
    """
    return shlex.join(["callbench", *typed(words), "--resume", "--out", str(out)])
