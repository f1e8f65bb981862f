"""The lease of a core on a host: what it started there ends if nothing is heard of it."""

import time
from collections.abc import Callable

# The core renews it so often.
RENEW_SECONDS = 1.0
# A host that does not answer that within so many seconds is lost. What the core started on other hosts must then be
# gone 5 s after the host was.
RENEWED_SECONDS = 3.0
# Without a word for so long, everything ends. It must be gone 5 s after the core.
LEASE_SECONDS = 3.5

# How an agent answers a core that has no lease any more.
LEASE_OVER = "lease over"


class Lease:
    """Who uses a host, and whether they still do."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin free. `clock` gives seconds."""
        self._clock = clock
        self._owner = ""
        self._heard = 0.0

    @property
    def owner(self) -> str:
        """The core that has it; "" if nobody does."""
        return self._owner

    def take(self, core: str) -> bool:
        """Give it to a core, if it is free or the core's already. Return whether it is the core's now."""
        if self._owner not in {"", core}:
            return False
        self._owner = core
        self.renew(core)
        return True

    def renew(self, core: str) -> bool:
        """Note a word of a core. Return whether it has the lease."""
        if core != self._owner:
            return False
        self._heard = self._clock()
        return True

    def is_over(self) -> bool:
        """Return whether its core has been silent for too long."""
        return bool(self._owner) and self._clock() - self._heard > LEASE_SECONDS

    def end(self) -> None:
        """Free it."""
        self._owner = ""
