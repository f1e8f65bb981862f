"""The check of answers: the core compares them with its own implementation. An adapter never judges itself."""

import functools
import json
from collections.abc import Mapping

from callbench.adapter import own_answers
from callbench.adapter.contract import Arguments, Counts, Done, fault_of
from callbench.adapter.service import ServiceFault, canonical, digest_if_large, expected
from callbench.model.first_difference import excerpts
from callbench.model.service.imported import Imported

_SHOWN = 120


def error_in(
    call: str, arguments: Arguments, answer: Mapping[str, object], service: Imported | None = None
) -> str | None:
    """Return what is wrong with a `returned` message, in a sentence, or None.

    A fault is right if the service must refuse. Its text only has to name the refused value.

    Args:
        call: that was made.
        arguments: its arguments.
        answer: the adapter's answer.
        service: an imported service, whose calls answer what its pairs say.
    """
    value, fault = _right(call, json.dumps(dict(arguments), sort_keys=True), service)
    own_fault = fault_of(answer)
    what = _shown_call(call, arguments)
    if fault is not None:
        if own_fault is None:
            return f"{what} answered {_cut(canonical(answer['value']))}; it must be refused: {fault}"
        refused = [str(argument) for argument in arguments.values() if str(argument) in fault]
        if refused and not any(text in own_fault for text in refused):
            return f"{what} was refused with {_cut(own_fault)!r}, which does not name {refused[0]}"
        return None
    if own_fault is not None:
        return f"{what} was refused: {_cut(own_fault)}"
    given = canonical(digest_if_large(answer["value"]))
    if given == value:
        return None
    shown = excerpts(given, value or "")
    return f"{what} gave {shown[0]}, not {shown[1]}"


def _right(call: str, arguments: str, service: Imported | None) -> tuple[str | None, str | None]:
    """The right value, as canonical JSON, or the right refusal."""
    if service is not None and own_answers.has(service, call):
        return canonical(digest_if_large(own_answers.right(service, call, json.loads(arguments)))), None
    return _of_ours(call, arguments)


@functools.lru_cache(maxsize=1024)
def _of_ours(call: str, arguments: str) -> tuple[str | None, str | None]:
    """The same of Callbench's own service."""
    try:
        return canonical(digest_if_large(expected(call, json.loads(arguments)))), None
    except ServiceFault as fault:
        return None, str(fault)


def agree(call: str, done: Done, counts: Counts) -> bool:
    """Return whether the server counted at least the answered calls, and at most these and the errors."""
    counted = counts["calls"].get(call, 0)
    return done["calls"] <= counted <= done["calls"] + sum(done["errors"].values())


def disagreement(call: str, done: Done, counts: Counts) -> str | None:
    """Return how the counts of both sides differ, in a sentence, or None."""
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
