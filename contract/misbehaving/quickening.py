"""What the adapters share that get faster as their service grows older."""

import time
from collections.abc import Callable
from typing import Any

from honest import Adapter
from serving import Service


class Quickening(Adapter):
    """Keeps the contract, and gets faster."""

    def wait_s(self, age_s: float) -> float:
        """How long a call of a service of that age takes, in seconds."""
        raise NotImplementedError

    def service_for(self, request: dict[str, Any]) -> Service:
        """Wait less the older it is."""
        return _Aging(request["options"], self.wait_s)


class _Aging(Service):
    def __init__(self, options: dict[str, int], wait_s: Callable[[float], float]) -> None:
        super().__init__(options)
        self.began = time.monotonic()
        self.wait_s = wait_s

    def wait(self) -> None:
        """Wait as long as its age says."""
        time.sleep(self.wait_s(time.monotonic() - self.began))
