"""Checks that a drive compares answers up to their last field.

The adapter is asked to expect an answer that is wrong only in its last field. Then no call may count as successful. A
stack that skips a field or compares only lengths would be faster, and fails here.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from callbench.model.request import only_call
from callbench.runner.verify.session import NotApplicable, VerifySession

FEATURE = "altered"
# Call and arguments. Short and long texts are compared in different ways.
_CALLS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "Sum": ("Sum", {"a": 1, "b": 2}),
    "GetPersons": ("GetPersons", {"n": 50}),
    "GetBinaryData": ("GetBinaryData", {"size": 1000, "fill": "random"}),
    "EchoString": ("EchoString", {"content": "random", "count": 1000, "seed": "5"}),
    "EchoStructure": ("EchoStructure", {"n": 10}),
    "FindItems": ("FindItems", {"n": 10}),
}
# Fewer than the consecutive errors after which a client gives up.
_CALLS_MADE = 20


def checks() -> Iterator[tuple[str, Callable[[VerifySession], str | None]]]:
    """Yield each check with its name."""
    for name, (call, arguments) in _CALLS.items():
        yield f"drive/{name}-last-field", partial(last_field, call, arguments)


def last_field(call: str, arguments: Mapping[str, object], session: VerifySession) -> str | None:
    """Return what is wrong if the load loop ignores the last field of an answer; else None.

    Raises:
        AdapterFailure: the call fails, or its answer has no field.
        NotApplicable: the stack cannot be checked so.
    """
    client = session.client()
    if only_call(session.stack) is not None:
        raise NotApplicable("the server does not have the whole service")
    if FEATURE not in client.hello["features"]:
        raise NotApplicable(f"the adapter does not have the feature {FEATURE!r}")
    done = client.drive(call, arguments, calls=_CALLS_MADE, seconds=0, timing="each", limit_seconds=10)
    if done["calls"] < _CALLS_MADE or done["errors"]:
        return f"a drive of {call} answered {done['calls']} of {_CALLS_MADE} calls rightly; errors: {done['errors']}"
    done = client.drive(call, arguments, calls=_CALLS_MADE, seconds=0, timing="each", limit_seconds=10, altered=True)
    other = {kind: count for kind, count in done["errors"].items() if kind != "wrong-answer"}
    if other:
        return f"where another answer is expected, each call counts as wrong-answer; {other} were met as well"
    if done["calls"]:
        return (
            f"{done['calls']} of {_CALLS_MADE} answers of {call} counted as right"
            " where the last field of the one expected differs: that field is not looked at"
        )
    return None
