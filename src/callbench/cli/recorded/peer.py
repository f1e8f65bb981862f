"""A study that the load driver and a peer drive in turn."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from callbench.analysis.peer import stored
from callbench.analysis.peer.stored import PeerResult
from callbench.catalog.catalogue import Catalogue
from callbench.cli.outcome.output import console
from callbench.cli.recorded.command import Ending, RecordedCommand
from callbench.report import records
from callbench.runner.peer import study
from callbench.runner.peer.rounds import require_peer
from callbench.runner.peer.study import PeerRequest, PeerStudy
from callbench.stats.decide.decision import Outcome
from callbench.store.record import Record
from callbench.store.record_writer import RecordWriter


class PeerCommand(RecordedCommand[PeerStudy, PeerResult]):
    """Compares both generators over a study."""

    kind = "peer"

    def __init__(self, request: PeerRequest, known: Catalogue, ending: Ending) -> None:
        """Take the options.

        Args:
            request: a new comparison; of one that is continued, its study.
            known: all stacks.
            ending: where the record is kept, and how the program ends.
        """
        super().__init__(ending)
        self._request, self._known = request, known

    @contextmanager
    def prepared(self) -> Iterator[PeerStudy]:
        """Find the cells that both can drive."""
        require_peer()
        if self.ending.resume:
            path = study.folder_to_resume(self._request.study, self.ending.out)
            yield study.begun(path, self._request.study, self._known)
        else:
            yield study.prepare(self._request, self._known)

    def folder(self, subject: PeerStudy) -> RecordWriter:
        """Make or continue the folder."""
        if self.ending.resume and self.ending.out is not None:
            return RecordWriter(self.ending.out)
        return study.create(self._request, subject, self.ending.out)

    def kept(self, path: Path) -> str:
        """Finished rounds are."""
        command = shlex.join(["callbench", "peer", self._request.study, "--out", str(path), "--resume"])
        return f"finished rounds are kept. Continue with: {command}"

    def work(self, run: RecordWriter, subject: PeerStudy) -> None:
        """Drive round after round."""
        study.drive(run, subject, quiet=self.ending.as_json)

    def result(self, path: Path) -> PeerResult:
        """Return what the rounds say."""
        return stored.read_result(Record(path))

    def as_json(self, result: PeerResult) -> object:
        """Return it for programs."""
        return records.as_record(result.run.path)

    def show(self, result: PeerResult) -> None:
        """Print in how many cells both agree, and the first of them."""
        records.end(result.run.path, console(200))

    def outcome(self, result: PeerResult) -> Outcome:
        """Whether both agree."""
        return result.outcome
