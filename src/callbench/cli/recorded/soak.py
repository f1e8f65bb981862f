"""A soak: many calls for a long time."""

from collections.abc import Mapping
from dataclasses import asdict

from callbench.adapter.stack.target import Target, TargetSpec
from callbench.cli.options.grouped import StabilityOptions
from callbench.cli.recorded.stability import StabilityCommand
from callbench.runner.plan.estimate import span
from callbench.runner.stability.live import SliceProgress
from callbench.runner.stability.soak import Soak
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.soak import SoakRequest


class SoakCommand(StabilityCommand):
    """Soaks a server."""

    kind = "soak"

    def __init__(self, spec: TargetSpec, request: SoakRequest, shared: StabilityOptions) -> None:
        """Take the options."""
        super().__init__(spec, shared)
        self._request = request

    @property
    def options(self) -> Mapping[str, object]:
        """As `record.json` has them."""
        return asdict(self._request)

    @property
    def takes(self) -> str:
        """The seconds of all steps, with their rests."""
        return span(len(self._request.clients) * (self._request.seconds + self._request.rest_s))

    def check(self, target: Target) -> None:
        """See that clients can think, if they are to."""
        if self._request.think_ms:
            target.require("think", "--think needs a client with think time")

    def drive(self, run: RecordWriter, target: Target, line: SliceProgress) -> None:
        """Soak it."""
        Soak(run, target, self._request, line.show_slice).run()
