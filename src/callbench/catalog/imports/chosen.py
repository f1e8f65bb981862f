"""The calls of a service that the user named, and the types that they need. The rest of the service is left out."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported
from callbench.model.service.schema import Loss, Schema

_NAMED = 3


def is_chosen(name: str, patterns: Sequence[str]) -> bool:
    """Whether a call is one of those that the user named. Without a pattern, every call is."""
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def check(names: Sequence[str], patterns: Sequence[str], source: str) -> None:
    """Check that every pattern is of a call.

    Args:
        names: of all calls of the document.
        patterns: what the user named.
        source: the document.

    Raises:
        BadInput: a pattern is of none. The sentence names the calls that are nearest.
    """
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            close = difflib.get_close_matches(pattern, names, _NAMED, cutoff=0.4) or list(names[:_NAMED])
            more = f" and {len(names) - len(close):,} more" if len(names) > len(close) else ""
            raise BadInput(f"{source} has no call {pattern!r}; it has {', '.join(close)}{more}: name one of them")


def with_calls(service: Imported, patterns: Sequence[str]) -> Imported:
    """The service with the calls that the user named, and with the types and payloads of these alone.

    Raises:
        BadInput: a pattern is of no call.
    """
    if not patterns:
        return service
    schema = service.schema
    check([call.name for call in schema.calls], patterns, service.source)
    calls = tuple(call for call in schema.calls if is_chosen(call.name, patterns))
    needed = _needed(schema, [name for call in calls for name in (call.request, call.answer)])
    kept = replace(
        schema,
        calls=calls,
        messages=tuple(message for message in schema.messages if message.name in needed),
        enumerations=tuple(enumeration for enumeration in schema.enumerations if enumeration.name in needed),
    )
    names = {call.name for call in calls}
    payloads = {name: pairs for name, pairs in service.payloads.items() if name in names}
    kept = replace(kept, losses=tuple(_of_kept(schema, kept)))
    return replace(service, schema=kept, payloads=payloads)


def _needed(schema: Schema, messages: Iterable[str]) -> set[str]:
    """The names of messages and enumerations that these messages consist of, and of themselves."""
    by_name = {message.name: message for message in schema.messages}
    found: set[str] = set()
    left = list(messages)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [field.type_name for field in by_name[name].fields if field.type_name] if name in by_name else []
    return found


def _of_kept(schema: Schema, kept: Schema) -> Iterable[Loss]:
    """The losses without those whose place names only what was left out. A place is words, in the source's own form."""
    remaining = _names(kept)
    gone = _names(schema) - remaining
    for loss in schema.losses:
        words = set(re.findall(r"\w+", loss.place))
        if not words & gone or words & remaining:
            yield loss


def _names(schema: Schema) -> set[str]:
    return {declared.name for kind in (schema.calls, schema.messages, schema.enumerations) for declared in kind}
