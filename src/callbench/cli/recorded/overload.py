"""An overload: more calls than a server can answer."""

from collections.abc import Mapping
from dataclasses import asdict

from callbench.adapter.stack.target import Target, TargetSpec
from callbench.cli.options.grouped import StabilityOptions
from callbench.cli.recorded.stability import StabilityCommand
from callbench.model import objective
from callbench.model.errors import BadInput
from callbench.runner.plan.estimate import longest, span
from callbench.runner.stability.live import SliceProgress
from callbench.runner.stability.overload import Overload
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.overload import OverloadRequest


class OverloadCommand(StabilityCommand):
    """Overloads a server."""

    kind = "overload"

    def __init__(self, spec: TargetSpec, request: OverloadRequest, shared: StabilityOptions) -> None:
        """Take the options.

        Raises:
            BadInput: the objective is none.
        """
        super().__init__(spec, shared)
        try:
            objective.parse(request.objective)
        except ValueError as failure:
            raise BadInput(f"--objective {failure}") from None
        self._request = request

    @property
    def options(self) -> Mapping[str, object]:
        """As `record.json` has them."""
        return asdict(self._request)

    @property
    def takes(self) -> str:
        """The seconds of all overloads, with what may come before and after."""
        request = self._request
        count = len(request.factors)
        search = "" if request.rate else ", after a search for the capacity"
        recovery = f", and {longest(count * request.patience_s)} more until it recovers"
        return f"{span(count * request.seconds + request.rest_s)}{search}{recovery}"

    def check(self, target: Target) -> None:
        """See that calls can come by a schedule."""
        target.require("open", "an overload needs a client with an open loop")

    def drive(self, run: RecordWriter, target: Target, line: SliceProgress) -> None:
        """Search for the capacity, and overload it."""
        Overload(run, target, self._request, line.show, line.add_overload).run()
