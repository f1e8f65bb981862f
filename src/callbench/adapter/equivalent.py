"""The answer of a request that stands for FindItems, held against the service: only the core knows what is right."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from callbench.adapter.contract import Arguments
from callbench.adapter.service.canonical import Form, digest_if_large, float_form
from callbench.adapter.service.expect import expected
from callbench.adapter.service.search import search_response
from callbench.model.errors import AdapterFailure
from callbench.model.first_difference import excerpts

CALL = "FindItems"


def judged(select: Sequence[str] | None, arguments: Arguments, said: Mapping[str, Any]) -> dict[str, Any]:
    """What the driver said was returned, a body as a text, in the place of which the service's own value is given.

    Args:
        select: the members that the answer has of the service's, with dots; None: all. One that the service's answer
            has not may be missing.
        arguments: of the call.
        said: the driver's `returned`.

    Raises:
        AdapterFailure: as `wrong-answer` where the body is another answer, as `protocol` where it is no JSON.
    """
    try:
        body = json.loads(str(said["value"]))
    except (ValueError, RecursionError) as failure:
        raise AdapterFailure("protocol", f"the answer's body is no JSON: {failure}") from None
    wrong = _difference("", _right(int(arguments["n"]), None if select is None else tuple(select)), body)
    if wrong:
        raise AdapterFailure("wrong-answer", f"of {CALL}(n={arguments['n']}), {wrong}")
    return {**said, "value": digest_if_large(expected(CALL, arguments))}


@functools.lru_cache(maxsize=16)
def _right(n: int, select: tuple[str, ...] | None) -> Form:
    whole = search_response(n)
    if select is None:
        return whole
    part: Form = {}
    for path in select:
        _copy(whole, part, path.split("."))
    return part


def _copy(whole: Form, part: Form, steps: Sequence[str]) -> None:
    step, *more = steps
    if not isinstance(whole, dict) or not isinstance(part, dict) or step not in whole:
        return
    if not more:
        part[step] = whole[step]
    elif isinstance(whole[step], dict):
        _copy(whole[step], part.setdefault(step, {}), more)


def _difference(place: str, right: Form, said: Any) -> str | None:  # noqa: ANN401 - JSON
    """The first place where they differ, as a sentence. A float is right where it rounds to the service's."""
    here = place or "the whole"
    if isinstance(right, dict) and isinstance(said, dict):
        strange = next((name for name in (*right, *said) if (name in right) != (name in said)), None)
        if strange is not None:
            return f"{_within(place, strange)} is {'missing' if strange in right else 'too much'}"
        steps = [(_within(place, name), right[name], said[name]) for name in right]
    elif isinstance(right, list) and isinstance(said, list):
        if len(right) != len(said):
            return f"{here} has {len(said)} members, not {len(right)}"
        steps = [(f"{place}[{at}]", *pair) for at, pair in enumerate(zip(right, said, strict=True))]
    else:
        if _same(right, said):
            return None
        shown = excerpts(json.dumps(said, ensure_ascii=False), json.dumps(right, ensure_ascii=False))
        return f"{here} is {shown[0]}, not {shown[1]}"
    return next((found for step in steps if (found := _difference(*step))), None)


def _within(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _same(right: Form, said: Any) -> bool:  # noqa: ANN401 - JSON
    if not _is_float(right):
        return type(said) is type(right) and bool(said == right)
    if not isinstance(said, int | float) or isinstance(said, bool):
        return False
    try:
        return float_form(said) == right
    except OverflowError:
        return False


def _is_float(right: Form) -> bool:
    return isinstance(right, str) and len(right) == 10 and right.startswith("0x")
