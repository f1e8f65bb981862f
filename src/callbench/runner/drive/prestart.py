"""Start the processes of the next stacks while earlier stacks are verified: a start is mostly waiting."""

from collections.abc import Callable, Iterable

from callbench.adapter.network.host import Hosts
from callbench.adapter.placement import Placement
from callbench.adapter.stack.sides import Sides
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.unit import UnitRequest

# So many stacks are started in advance: a slow start, half a second under Wine, then overlaps with quick ones.
PRESTART_COUNT = 8


class PrestartedStacks:
    """Processes that are started and not yet taken. Close it, and none of them is left.

    The thread that starts them must live as long as they do. To the kernel it is their parent, and they end with it.
    """

    def __init__(self, placement: Placement, hosts_of: Callable[[str], Hosts]) -> None:
        """Create it without processes."""
        self._placement = placement
        self._hosts_of = hosts_of
        self._started: dict[str, Sides] = {}

    def start(self, requests: Iterable[UnitRequest]) -> None:
        """Start the processes of these units, unless they are started already.

        A failure is ignored here. It occurs again, and is reported, when the unit itself is started.
        """
        for request in requests:
            if request.name in self._started:
                continue
            try:
                self._started[request.name] = Sides(
                    request.programs,
                    self._placement,
                    in_process=request.stack.in_process,
                    hosts=self._hosts_of(request.link),
                    greet=False,
                )
            except AdapterFailure:
                return

    def take(self, request: UnitRequest) -> Sides | None:
        """Return the processes of a unit, or None if they are not started. The caller must close them."""
        return self._started.pop(request.name, None)

    def close(self) -> None:
        """End the processes that nobody took."""
        while self._started:
            self._started.popitem()[1].close(at_once=True)
