"""What the commands that drive one server do alike: its server is started and checked before there is a folder."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from callbench.adapter import placement
from callbench.adapter.stack.one_call import one_call
from callbench.adapter.stack.target import Target, TargetSpec, open_target
from callbench.catalog import catalogue
from callbench.cli.outcome.tried_call import show
from callbench.cli.recorded.command import Ending, RecordedCommand, Result
from callbench.model.errors import BadInput


class TargetCommand(RecordedCommand[Target, Result]):
    """A command that drives one server."""

    def __init__(self, spec: TargetSpec, ending: Ending, *, threads: int = 1) -> None:
        """Know the stacks, and the processors of both sides.

        Args:
            spec: the server, and how it is called.
            ending: where the record is kept, and how the program ends.
            threads: of the client.
        """
        super().__init__(ending)
        self.spec = spec
        self.known = catalogue.load()
        self.where = placement.choose_placement(threads=threads)

    @abstractmethod
    def check(self, target: Target) -> None:
        """See that the server can be driven so.

        Raises:
            CallbenchError: it cannot.
        """

    @property
    @abstractmethod
    def takes(self) -> str:
        """How long it takes, in words: the end of a sentence."""

    def go(self) -> None:
        """Do as every command with a record; with --dry-run, make one call and show it.

        Raises:
            BadInput: the options do not go together; the server does not answer as expected.
            CallbenchError: as in every command.
        """
        if not self.ending.dry_run:
            super().go()
            return
        if self.ending.resume:
            raise BadInput("--dry-run is for a test that has not begun: leave out --resume")
        show(one_call(self.spec, self.known, self.where), self.takes, as_json=self.ending.as_json)

    @contextmanager
    def prepared(self) -> Iterator[Target]:
        """Start the server, connect a client, and see that both can do what is asked."""
        with open_target(self.spec, self.known, self.where) as target:
            self.check(target)
            yield target
