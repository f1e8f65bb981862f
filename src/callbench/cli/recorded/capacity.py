"""A search for a capacity."""

import sys
from collections.abc import Mapping
from dataclasses import asdict

from callbench.adapter.stack.target import Target, TargetSpec
from callbench.cli.recorded.command import Ending
from callbench.cli.recorded.reported import ReportedCommand
from callbench.model import objective
from callbench.model.errors import BadInput
from callbench.model.request import is_driver
from callbench.report.record_report import RecordReport
from callbench.runner.capacity.search import CapacitySearch
from callbench.runner.plan.estimate import longest
from callbench.runner.stability.live import SliceProgress
from callbench.stats.decide.decision import Outcome
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.capacity import CLIENTS, CapacityRequest


class CapacityCommand(ReportedCommand):
    """Searches for the capacity of a server."""

    kind = "capacity"
    partly = True
    width = 160

    def __init__(self, spec: TargetSpec, request: CapacityRequest, ending: Ending) -> None:
        """Take the options, checked."""
        super().__init__(spec, ending, threads=request.threads)
        self._request = request

    @property
    def options(self) -> Mapping[str, object]:
        """As `record.json` has them."""
        return {"search": asdict(self._request)}

    @property
    def takes(self) -> str:
        """The longest time of the search."""
        return longest(self._request.seconds)

    def check(self, target: Target) -> None:
        """See that the client can make such loads."""
        request = self._request
        if request.along != CLIENTS:
            target.require("open", "--along rate asks for a client with an open loop")
        if request.think_ms:
            target.require("think", "--think needs a client with think time")
        if request.threads > 1 and not is_driver(target.stack.client):
            raise BadInput(f"--threads is for the load driver, but {target.stack.id} has its own clients")

    def drive(self, run: RecordWriter, target: Target, line: SliceProgress) -> None:
        """Search, or say why no further load is tried."""
        line.hold_to(objective.parse(self._request.objective))
        search = CapacitySearch(run, target, self._request, line.show, line.add_load)
        if over := search.over():
            print(f"callbench: {run.path} is finished: {over}", file=sys.stderr)  # noqa: T201
        else:
            search.go()

    def outcome(self, report: RecordReport) -> Outcome:
        """Whether what is needed is held."""
        return Outcome(report.record["outcome"])
