"""A load on a server."""

from pathlib import Path

from callbench.adapter.stack.target import Target
from callbench.analysis.load.record import record
from callbench.analysis.load.request import LoadRequest
from callbench.analysis.load.result import LoadResult
from callbench.cli.outcome.output import console
from callbench.cli.recorded.command import Ending
from callbench.cli.recorded.target import TargetCommand
from callbench.model.errors import BadInput
from callbench.model.request import is_driver
from callbench.report import records
from callbench.runner.live.progress_line import ProgressLine
from callbench.runner.load import driving, journal
from callbench.runner.load.live import LoadProgress
from callbench.runner.plan.estimate import longest, span
from callbench.stats.decide.decision import Outcome
from callbench.store.record_writer import RecordWriter
from callbench.store.stopping import StopRequest


class LoadCommand(TargetCommand[LoadResult]):
    """Puts a server under load."""

    kind = "load"

    def __init__(self, request: LoadRequest, ending: Ending) -> None:
        """Take the options, checked."""
        super().__init__(driving.target_spec(request), ending, threads=request.threads)
        self._request = request
        # Set by `work`.
        self._done: LoadResult

    def check(self, target: Target) -> None:
        """See that the client can make such a load; its URL is known then."""
        if self._request.threads > 1 and not is_driver(target.stack.client):
            raise BadInput(f"--threads is for the load driver, but {target.stack.id} has its own clients")
        self._request = driving.with_target(self._request, target)

    @property
    def takes(self) -> str:
        """The seconds of the load, or those after which it ends in any case."""
        request, warm_up = self._request, self._request.warm_up_s
        if request.calls:
            return f"until {request.calls:,} calls are made, {longest(warm_up + request.limit_s)}"
        most = "" if request.needed_calls == 1 or request.seconds is not None else f", {longest(request.limit_s)}"
        return f"{span(warm_up + request.load.seconds)}{most}"

    def folder(self, subject: Target) -> RecordWriter:  # noqa: ARG002 - the request has its URL
        """Make the folder."""
        return journal.create(self._request, self.ending.out, self.where)

    def kept(self, path: Path) -> str:
        """A second of calls each."""
        return f"its intervals are in {path}"

    def work(self, run: RecordWriter, subject: Target) -> None:
        """Make the calls. At the first Ctrl-C those that were made are the result."""
        with ProgressLine(quiet=self.ending.as_json) as line:
            progress = LoadProgress(self._request, line, run.path, lambda: subject.pids().get("server", ()))
            self._done = driving.drive_recorded(run, subject, self._request, progress.update, progress.show_latency)

    @property
    def state(self) -> str:
        """Whether a person ended it early."""
        return "finished" if self._done.stopped is None else "stopped"

    def result(self, path: Path) -> LoadResult:  # noqa: ARG002 - just driven
        """Return what the driver said."""
        return self._done

    def as_json(self, result: LoadResult) -> object:
        """Return it as the journal has it."""
        return record(result)

    def show(self, result: LoadResult) -> None:
        """Print rate, times and errors."""
        if result.folder is not None:
            records.end(result.folder, console())

    def outcome(self, result: LoadResult) -> Outcome:
        """Whether calls or a condition failed."""
        if result.stopped is not None:
            kept = f"{result.stop_sentence} The result so far is kept in {result.folder}"
            raise StopRequest(result.stopped).error(kept)
        return Outcome.FAILED if result.failure else Outcome.UNDECIDED if result.undecided else Outcome.PASSED
