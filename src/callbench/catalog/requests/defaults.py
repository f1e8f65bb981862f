"""What every request of a script has by default: headers, and which answers are right."""

from collections.abc import Mapping
from typing import Any

from callbench.model.script import Script, Session, Step

_HEADERS = "headers"
_EXPECT = "expect_"


def with_defaults(script: Script, defaults: Mapping[str, Any]) -> Script:
    """A script with members of `Asking` in every request that lacks them.

    A header is added if a request has none of its name. The expected answer comes from the request or from the
    defaults, never from both.

    Args:
        script: as it was given.
        defaults: headers, `variables` and what is expected, by the names of the members.
    """

    def filled(step: Step) -> Step:
        own = step.model_dump(exclude_none=True, by_alias=True)
        names = {name.lower() for name, _ in own.get(_HEADERS, ())}
        added = [pair for pair in defaults.get(_HEADERS, ()) if pair[0].lower() not in names]
        expects = any(name.startswith(_EXPECT) for name in own)
        rest = {name: value for name, value in defaults.items() if name != _HEADERS and name not in own}
        rest = {name: value for name, value in rest.items() if not (expects and name.startswith(_EXPECT))}
        headers = [*added, *own.get(_HEADERS, ())]
        return Step.model_validate({**own, **rest, **({_HEADERS: headers} if headers else {})})

    def of(session: Session) -> Session:
        once = None if session.once is None else tuple(filled(step) for step in session.once)
        return session.model_copy(update={"once": once, "steps": tuple(filled(step) for step in session.steps)})

    return Script(sessions=tuple(of(session) for session in script.sessions)) if defaults else script
