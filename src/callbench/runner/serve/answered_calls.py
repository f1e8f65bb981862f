"""How many calls a server of `callbench serve` has answered so far."""

from collections import Counter

from callbench.adapter.session import Adapter
from callbench.model.errors import AdapterFailure


class AnsweredCalls:
    """The calls of one server, which its adapter counts anew each time that it is asked.

    Attributes:
        calls: by name; None: it cannot count.
    """

    def __init__(self, stack: str | None = None, *, counts: bool = True) -> None:
        """Begin with none. `stack` is the only one that is served; None: the adapter tells them apart."""
        self.calls: Counter[str] | None = Counter() if counts else None
        self._stack = stack
        self._by_stack: dict[str, Counter[str]] | None = {}

    def add(self, adapter: Adapter) -> None:
        """Ask how many calls were answered since it was asked before, and add them."""
        if self.calls is None:
            return
        try:
            counts = adapter.counted()
        except AdapterFailure:
            # Of one that has died, `OfferedServer.ended` says so.
            self.calls = None
            return
        self.calls.update(counts["calls"])
        by_stack = {self._stack: counts["calls"]} if self._stack else counts.get("endpoints")
        if by_stack is None or self._by_stack is None:
            # An adapter need not tell them apart.
            self._by_stack = None
            return
        for stack, calls in by_stack.items():
            self._by_stack.setdefault(stack, Counter()).update(calls)

    def of(self, stack: str) -> Counter[str] | None:
        """Return those of one stack, by name; None: nobody counts them for themselves."""
        if self.calls is None or self._by_stack is None:
            return None
        return self._by_stack.get(stack, Counter())
