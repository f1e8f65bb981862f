"""Processes that are started before their turn, while others are served and verified: a start is mostly waiting."""

from collections.abc import Callable, Iterable

from callbench.adapter.network.host import Hosts
from callbench.adapter.network.pair import LinkFailure
from callbench.adapter.placement import Placement
from callbench.adapter.stack.sides import Sides
from callbench.model.errors import AdapterFailure
from callbench.runner.unit import Wanted

# So many stacks: enough that a slow start, half a second of Wine, goes on beside the quick ones behind it.
AHEAD = 8


class Ahead:
    """Started and not yet taken. Close it: nothing of it is then left.

    The thread that starts them must live as long as they do: to the kernel it is their parent, and with it they end.
    """

    def __init__(self, placement: Placement, hosts_of: Callable[[str], Hosts]) -> None:
        """Nothing is started."""
        self._placement = placement
        self._hosts_of = hosts_of
        self._started: dict[str, Sides] = {}

    def start(self, coming: Iterable[Wanted]) -> None:
        """Starts the processes of those whose turn comes, where they are not.

        One that cannot be started is left: what is wrong shows, and is told, when its turn has come.
        """
        for wanted in coming:
            if wanted.name in self._started:
                continue
            try:
                self._started[wanted.name] = Sides(
                    wanted.programs,
                    self._placement,
                    in_process=wanted.stack.in_process,
                    hosts=self._hosts_of(wanted.link),
                    greet=False,
                )
            except (AdapterFailure, LinkFailure):
                return

    def take(self, wanted: Wanted) -> Sides | None:
        """Its processes, which are the caller's to close; None where they are not started."""
        return self._started.pop(wanted.name, None)

    def close(self) -> None:
        """Ends those that nobody took."""
        while self._started:
            self._started.popitem()[1].close(at_once=True)
