"""A generated payload within the limits of the user's schema: it is made of a sample, whose values it changes."""

import json
from collections.abc import Sequence
from random import Random

from callbench.catalog.generator.scalars import Scalars
from callbench.model.service.imported import Json
from callbench.model.service.limits import NO_LIMITS
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

_TRIES = 20


class WithinLimits:
    """Draws another value for each that breaks a limit."""

    def __init__(self, schema: Schema) -> None:
        """Looks the messages up by name."""
        self._messages = {message.name: message for message in schema.messages}
        self._any = any(field.limits != NO_LIMITS for _, field in schema.fields())
        self._scalars = Scalars(Random("within limits"))  # noqa: S311 - nothing secret

    def settled(self, messages: Sequence[str], values: Sequence[Json]) -> list[Json]:
        """The values of messages. Those that are equal stay equal, since a server sends them back."""
        if not self._any:
            return list(values)
        if all(value == values[0] for value in values):
            return [self._message(self._messages[messages[0]], values[0])] * len(values)
        return [self._message(self._messages[name], value) for name, value in zip(messages, values, strict=True)]

    def _message(self, message: Message, value: Json) -> Json:
        if message.wrapped:
            return self._field(message.fields[0], value)
        if not isinstance(value, dict):
            return value
        fields = {field.json_name: field for field in message.fields}
        return {key: self._field(fields[key], inner) if key in fields else inner for key, inner in value.items()}

    def _field(self, field: Field, value: Json) -> Json:
        if isinstance(value, dict) and field.shape is Shape.MAP:
            return {key: self._one(field, inner) for key, inner in value.items()}
        if isinstance(value, list) and field.shape is Shape.MANY:
            items = [self._one(field, item) for item in value]
            return self._unique(field, items) if field.limits.unique else items
        return self._one(field, value)

    def _unique(self, field: Field, items: list[Json]) -> list[Json]:
        """The items, others in place of those that were there before."""
        seen: dict[str, Json] = {}
        for item in items:
            for _ in range(_TRIES):
                if json.dumps(item, sort_keys=True) not in seen or field.kind in {Kind.MESSAGE, Kind.ENUM}:
                    break
                item = self._scalars.drawn(field)  # noqa: PLW2901 - another one takes its place
            seen.setdefault(json.dumps(item, sort_keys=True), item)
        return list(seen.values())

    def _one(self, field: Field, value: Json) -> Json:
        if field.kind is Kind.MESSAGE:
            return self._message(self._messages[field.type_name], value)
        return value if field.kind is Kind.ENUM or _keeps(field, value) else self._scalars.drawn(field)


def _keeps(field: Field, value: Json) -> bool:
    limits = field.limits
    if value is None or isinstance(value, bool | list | dict):
        return True
    if limits.values:
        return value in limits.values
    if isinstance(value, str):
        length = len(value)
        return (limits.least_length or 0) <= length and (limits.most_length is None or length <= limits.most_length)
    return limits.admits(value)
