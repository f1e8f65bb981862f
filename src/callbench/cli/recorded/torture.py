"""A torture test: misbehaving connections beside a normal client."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from callbench.adapter.stack.target import Target, TargetSpec
from callbench.catalog.reach import LOOPBACK
from callbench.cli.options.grouped import StabilityOptions
from callbench.cli.recorded.stability import StabilityCommand
from callbench.runner.plan.estimate import longest, span
from callbench.runner.stability import misbehaviour, request_recorder
from callbench.runner.stability.live import SliceProgress
from callbench.runner.stability.misbehaviour import RecordedRequest
from callbench.runner.stability.torture import Torture
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.torture import TortureRequest


class TortureCommand(StabilityCommand):
    """Tortures a server."""

    kind = "torture"

    def __init__(self, spec: TargetSpec, request: TortureRequest, shared: StabilityOptions) -> None:
        """Take the options.

        Raises:
            BadInput: there is no such test.
        """
        super().__init__(spec, shared)
        misbehaviour.select_tests(request.tests)
        self._request = request
        # Set by `check`, which comes first.
        self._sent: RecordedRequest

    @property
    def options(self) -> Mapping[str, object]:
        """As `record.json` has them."""
        return asdict(self._request)

    @property
    def takes(self) -> str:
        """The seconds of all tests, with the longest recoveries."""
        count = len(misbehaviour.select_tests(self._request.tests))
        recovery = f", and {longest(count * self._request.patience_s)} more until it recovers"
        return f"{span(count * self._request.seconds)}{recovery}"

    def check(self, target: Target) -> None:
        """See that there is an address to connect to, and what a request to it looks like."""
        request_recorder.address(target.endpoint)
        self._sent = self._recorded_request(target)

    def drive(self, run: RecordWriter, target: Target, line: SliceProgress) -> None:
        """Make one test after the other."""
        attackers = () if self.where.shared else self.where.client
        Torture(run, target, self._request, self._sent, attackers, line.show).run()

    def _recorded_request(self, target: Target) -> RecordedRequest:
        """Over a link a request is as over loopback, where alone there is someone in between to listen."""
        if target.spec.link == LOOPBACK:
            return request_recorder.record_request(target)
        with Target(replace(target.spec, link=LOOPBACK), self.known, self.where) as near:
            return request_recorder.record_request(near)
