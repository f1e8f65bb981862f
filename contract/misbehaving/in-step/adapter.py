"""Its clients think in step and call all at once."""

import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driving import Drive
from honest import Adapter


class Together(Drive):
    """Clients that all call at once, and again when they have thought: n calls lie in n - 1 periods.

    A call counts at the moment when it was due, however late a busy machine makes it.
    """

    # Each client's thread has its own moment.
    due = threading.local()

    def think(self, since: int, think_ns: int) -> int:
        """Wait, but not before the first call."""
        if think_ns < self.think_ns:
            self.due.ns = self.start
            return since
        self.due.ns += think_ns
        return super().think(since, think_ns)

    def goes_on(self) -> bool:
        """Whether a call is due within the time."""
        if not self.think_ns:
            return super().goes_on()
        return self.calls < self.asked["calls"] or self.due.ns - self.start < self.length_ns

    def late(self, due: int, began: int, ended: int, *, right: bool) -> None:
        """Take a thinking client's call for one that began and ended when it was due."""
        at = self.due.ns if self.think_ns else None
        super().late(at or due, at or began, at or ended, right=right)


class InStep(Adapter):
    """Lets nobody think before the first call."""

    name = "in-step"

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive them in step."""
        return Together(self.clients, request).run(lambda interval: self.say(interval | {"id": request["id"]}))


if __name__ == "__main__":
    InStep().run()
