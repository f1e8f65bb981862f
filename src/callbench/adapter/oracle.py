"""Whether an answer is right: the core compares with its own implementation; an adapter never judges itself."""

import functools
import json
from collections.abc import Mapping
from typing import Any

from callbench.adapter.contract import Arguments, Counts, Done, fault_of
from callbench.adapter.service import ServiceFault, canonical, digest_if_large, expected
from callbench.model.first_difference import excerpts

_SHOWN = 120


def wrong(call: str, arguments: Arguments, answer: Mapping[str, Any]) -> str | None:
    """What is wrong with a `returned`, as a sentence, or None.

    A fault is right where the service refuses; its words need only name the value that is refused.
    """
    value, fault = _right(call, json.dumps(dict(arguments), sort_keys=True))
    said = fault_of(answer)
    what = _shown_call(call, arguments)
    if fault is not None:
        if said is None:
            return f"{what} answered {_cut(canonical(answer['value']))}; it must be refused: {fault}"
        refused = [str(argument) for argument in arguments.values() if str(argument) in fault]
        if refused and not any(text in said for text in refused):
            return f"{what} was refused with {_cut(said)!r}, which does not name {refused[0]}"
        return None
    if said is not None:
        return f"{what} was refused: {_cut(said)}"
    given = canonical(digest_if_large(answer["value"]))
    if given == value:
        return None
    shown = excerpts(given, value or "")
    return f"{what} gave {shown[0]}, not {shown[1]}"


@functools.lru_cache(maxsize=1024)
def _right(call: str, arguments: str) -> tuple[str | None, str | None]:
    """The right value, as canonical JSON, or the right refusal."""
    try:
        return canonical(digest_if_large(expected(call, json.loads(arguments)))), None
    except ServiceFault as fault:
        return None, str(fault)


def agree(call: str, done: Done, counts: Counts) -> bool:
    """Whether the server counted at least the calls answered, and at most those and the errors."""
    counted = counts["calls"].get(call, 0)
    return done["calls"] <= counted <= done["calls"] + sum(done["errors"].values())


def disagreement(call: str, done: Done, counts: Counts) -> str | None:
    """The sentence where the two sides' counts do not agree."""
    if agree(call, done, counts):
        return None
    errors = sum(done["errors"].values())
    counted = counts["calls"].get(call, 0)
    met = f" and {errors} errors" if errors else ""
    return f"the client says that {done['calls']} calls of {call} were answered{met}, but the server counted {counted}"


def _shown_call(call: str, arguments: Arguments) -> str:
    return f"{call}({_cut(', '.join(f'{key}={json.dumps(value)}' for key, value in arguments.items()))})"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
