"""Adds wrongly, once the numbers are large."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from honest import Adapter, Service


class WrongAnswer(Adapter):
    """Serves a service that does not wrap at 32 bits."""

    name = "wrong-answer"

    def on_serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve the wrong service."""
        answer = super().on_serve(request)
        if self.service:
            self.service.reckon = wrong  # type: ignore[method-assign]
        return answer


def wrong(call: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Add without wrapping, and answer the rest as it should be."""
    if call == "Sum":
        return {"value": arguments["a"] + arguments["b"]}
    return Service({}).reckon(call, arguments)


if __name__ == "__main__":
    WrongAnswer().run()
