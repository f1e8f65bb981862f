"""Checks of an adapter's lifecycle: its hello message fits its manifest, and it ends when asked."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator

from callbench.adapter.process import GRACE_SECONDS
from callbench.adapter.session import Adapter
from callbench.catalog.manifest import Manifest
from callbench.model.errors import AdapterFailure
from callbench.model.verify_outcome import CheckOutcome

FEATURES = {"closed", "think", "ramp-up", "open", "burn", "codec", "heap", "trace", "serve-all", "altered"}


def _stop(adapter: Adapter) -> None:
    # Its answer does not matter, only how the process ends.
    with contextlib.suppress(AdapterFailure):
        adapter.ask("stop", "stopped", 0.2)


def _end_of_input(adapter: Adapter) -> None:
    adapter.process.close_input()


def _sigterm(adapter: Adapter) -> None:
    adapter.process.signal(signal.SIGTERM)


# Exit codes of an adapter that its supervisor killed, and how close to our own deadline that is.
_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
_NEAR_SECONDS = 1.0
ENDINGS: dict[str, tuple[str, Callable[[Adapter], None]]] = {
    "stop": ("the request stop", _stop),
    "end-of-input": ("the end of its input", _end_of_input),
    "sigterm": ("SIGTERM", _sigterm),
}


def outcomes(manifest: Manifest) -> Iterator[CheckOutcome]:
    """Read the hello message, then end adapters in all three ways at once, so that waiting costs 5 s once."""
    started: dict[str, Adapter] = {}
    try:
        for name in ENDINGS:
            started[name] = Adapter(manifest, "the client")
        for adapter in started.values():
            adapter.read_hello()
    except AdapterFailure as failure:
        yield CheckOutcome(manifest.name, "hello", str(failure))
        for adapter in started.values():
            adapter.process.close(grace=0)
        return
    serves_only = all(stack.card.get("roles") == "server-only" for stack in manifest.stacks)
    yield CheckOutcome(manifest.name, "hello", _features(started["stop"], manifest, serves_only=serves_only))
    try:
        for name, (_, end_) in ENDINGS.items():
            end_(started[name])
        deadline = time.monotonic() + GRACE_SECONDS
        for name, (what, _) in ENDINGS.items():
            process = started[name].process
            code = process.wait(max(0.0, deadline - time.monotonic()))
            if code in _KILLED and time.monotonic() > deadline - _NEAR_SECONDS:
                code = None  # Its supervisor has the same deadline, and killed it first.
            why = _wrong_end(code, what, process.last_log_lines(), by_signal=name == "sigterm")
            yield CheckOutcome(manifest.name, name, why)
    finally:
        for adapter in started.values():
            adapter.process.close(grace=0)


def _features(adapter: Adapter, manifest: Manifest, *, serves_only: bool) -> str | None:
    unknown = set(adapter.hello["features"]) - FEATURES
    if unknown:
        return f"it has features that the contract does not: {', '.join(sorted(unknown))}"
    if ("serve-all" in adapter.hello["features"]) != manifest.serve_all:
        says = "serve_all = true" if manifest.serve_all else "nothing of serve_all"
        return f"its hello and its manifest differ on the feature 'serve-all': {manifest.file} says {says}"
    if serves_only or "closed" in adapter.hello["features"]:
        return None
    return "it lacks the feature 'closed', which every adapter with a client has"


def _wrong_end(code: int | None, what: str, log: str, *, by_signal: bool) -> str | None:
    if code is None:
        return f"it still runs 5 s after {what}, and was killed"
    # A process that SIGTERM ends has ended correctly.
    if code == 0 or (by_signal and code in (-signal.SIGTERM, 128 + signal.SIGTERM)):
        return None
    return f"it ended with exit code {code} after {what}; it must be 0{log}"
