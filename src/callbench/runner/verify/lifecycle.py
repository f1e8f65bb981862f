"""Checks of an adapter's life: that it says hello as its manifest has it, and ends when it is told to."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterator

from callbench.adapter.process import GRACE_SECONDS
from callbench.adapter.session import Adapter
from callbench.catalog.manifest import Manifest
from callbench.model.errors import AdapterFailure
from callbench.runner.verify.outcome import Outcome

FEATURES = {"closed", "think", "ramp-up", "open", "burn", "codec", "heap", "trace", "serve-all", "altered"}


def _stop(adapter: Adapter) -> None:
    # Its answer is judged by how the process then ends.
    with contextlib.suppress(AdapterFailure):
        adapter.ask("stop", "stopped", 0.2)


def _end_of_input(adapter: Adapter) -> None:
    adapter.process.close_input()


def _sigterm(adapter: Adapter) -> None:
    adapter.process.signal(signal.SIGTERM)


# How an adapter ends that its keeper has killed, and how near to the end of our patience that is the keeper's doing.
_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
_NEAR_SECONDS = 1.0
ENDINGS: dict[str, tuple[str, Callable[[Adapter], None]]] = {
    "stop": ("the request stop", _stop),
    "end-of-input": ("the end of its input", _end_of_input),
    "sigterm": ("SIGTERM", _sigterm),
}


def outcomes(manifest: Manifest) -> Iterator[Outcome]:
    """Says hello, and then ends in each of the three ways, side by side so that one that hangs costs 5 s once."""
    started: dict[str, Adapter] = {}
    try:
        for name in ENDINGS:
            started[name] = Adapter(manifest, "the client")
        for adapter in started.values():
            adapter.greeted()
    except AdapterFailure as failure:
        yield Outcome(manifest.name, "hello", str(failure))
        for adapter in started.values():
            adapter.process.close(grace=0)
        return
    serves_only = all(stack.card.get("roles") == "server-only" for stack in manifest.stacks)
    yield Outcome(manifest.name, "hello", _features(started["stop"], manifest, serves_only=serves_only))
    try:
        for name, (_, told) in ENDINGS.items():
            told(started[name])
        deadline = time.monotonic() + GRACE_SECONDS
        for name, (what, _) in ENDINGS.items():
            process = started[name].process
            code = process.wait(max(0.0, deadline - time.monotonic()))
            if code in _KILLED and time.monotonic() > deadline - _NEAR_SECONDS:
                code = None  # Its keeper has as much patience as we have, and was there first.
            why = _wrong_end(code, what, process.last_words(), by_signal=name == "sigterm")
            yield Outcome(manifest.name, name, why)
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
    # A process that SIGTERM ends has ended too.
    if code == 0 or (by_signal and code in (-signal.SIGTERM, 128 + signal.SIGTERM)):
        return None
    return f"it ended with exit code {code} after {what}; it must be 0{log}"
