"""A server that fails after so many calls: SICK is for instance `crash 300`; if empty, it does not fail.

What SICK_LACKS names its client cannot do.
"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "contract" / "misbehaving"))

import honest  # type: ignore[import-not-found]  # noqa: E402


class Service(honest.Service):  # type: ignore[misc]
    """The service, until it has answered so often."""

    def __init__(self, options: dict[str, int]) -> None:
        """Read what is to become of it."""
        super().__init__(options)
        kind, _, after = os.environ.get("SICK", "").partition(" ")
        self.kind, self.left = kind, int(after or 0)
        self.kept: list[bytearray] = []
        self.turn = threading.Lock()
        self.adapter: Adapter | None = None

    def answer(self, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer, or fall ill."""
        with self.turn:
            self.left -= 1
            ill = self.left < 0
        if not ill or not self.kind:
            return self.well(call, arguments)
        if self.kind == "crash":
            os.abort()
        if self.kind == "wait":
            time.sleep(0.02)
            return self.well(call, arguments)
        if self.kind == "hang":
            time.sleep(3600)
        if self.kind == "refuse":
            if self.adapter is not None and self.adapter.server is not None:
                self.adapter.server.close()
            raise ValueError
        if self.kind == "leak":
            self.kept.append(bytearray(b"x" * 4096))
            return self.well(call, arguments)
        return {"value": f"Goodbye {self.left}"}

    def well(self, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer as who is well."""
        answer: dict[str, Any] = super().answer(call, arguments)
        return answer


class Adapter(honest.Adapter):  # type: ignore[misc]
    """Serves with it."""

    name = "sick"
    features = tuple(one for one in honest.Adapter.features if one not in os.environ.get("SICK_LACKS", "").split())

    def stacks(self) -> list[str]:
        """One stack."""
        return ["sick/tcp"]

    def on_serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve, with the service that falls ill."""
        service = Service(request["options"])
        service.adapter = self
        self.service = service
        self.server = honest.TcpServer(service, request["host"])
        return {"is": "serving", "endpoint": self.server.endpoint}


if __name__ == "__main__":
    Adapter().run()
