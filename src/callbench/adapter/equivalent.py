"""Compare the answer of an external server, called instead of FindItems, with the service's answer."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from callbench.adapter.contract import Arguments, ContractMessage
from callbench.adapter.service.canonical import Form, digest_if_large, float_form
from callbench.adapter.service.expect import expected
from callbench.adapter.service.search import search_response
from callbench.model.errors import AdapterFailure
from callbench.model.first_difference import excerpts

CALL = "FindItems"


def check_body(select: Sequence[str] | None, arguments: Arguments, returned: Mapping[str, object]) -> ContractMessage:
    """Check the body that the driver returned. Return the message with the service's own value instead of the body.

    Args:
        select: the members of the service's answer that the body has, as dotted paths; None: all. A member that the
            service's answer lacks may be missing.
        arguments: of the call.
        returned: the driver's `returned` message.

    Raises:
        AdapterFailure: `wrong-answer` if the body is another answer, `protocol` if it is not JSON.
    """
    try:
        body = json.loads(str(returned["value"]))
    except (ValueError, RecursionError) as failure:
        raise AdapterFailure("protocol", f"the answer's body is no JSON: {failure}") from None
    wrong = _difference("", _right(int(arguments["n"]), None if select is None else tuple(select)), body)
    if wrong:
        raise AdapterFailure("wrong-answer", f"of {CALL}(n={arguments['n']}), {wrong}")
    return {**returned, "value": digest_if_large(expected(CALL, arguments))}


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


def _difference(place: str, right: Form, returned: Any) -> str | None:  # noqa: ANN401 - JSON
    """Return the first difference as a sentence. A float is right if it rounds to the service's value."""
    here = place or "the whole"
    if isinstance(right, dict) and isinstance(returned, dict):
        strange = next((name for name in (*right, *returned) if (name in right) != (name in returned)), None)
        if strange is not None:
            return f"{_within(place, strange)} is {'missing' if strange in right else 'too much'}"
        steps = [(_within(place, name), right[name], returned[name]) for name in right]
    elif isinstance(right, list) and isinstance(returned, list):
        if len(right) != len(returned):
            return f"{here} has {len(returned)} members, not {len(right)}"
        steps = [(f"{place}[{at}]", *pair) for at, pair in enumerate(zip(right, returned, strict=True))]
    else:
        if _same(right, returned):
            return None
        shown = excerpts(json.dumps(returned, ensure_ascii=False), json.dumps(right, ensure_ascii=False))
        return f"{here} is {shown[0]}, not {shown[1]}"
    return next((difference for step in steps if (difference := _difference(*step))), None)


def _within(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _same(right: Form, returned: Any) -> bool:  # noqa: ANN401 - JSON
    if not _is_float(right):
        return type(returned) is type(right) and bool(returned == right)
    if not isinstance(returned, int | float) or isinstance(returned, bool):
        return False
    try:
        return float_form(returned) == right
    except OverflowError:
        return False


def _is_float(right: Form) -> bool:
    return isinstance(right, str) and len(right) == 10 and right.startswith("0x")
