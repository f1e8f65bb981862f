"""The same message with longer or shorter lists: what a call of another size would carry.

A list takes further elements from the same list of other messages. Lists within its elements stay as they are, so that
a message is some times as long, and not that squared. In a message without lists, a long text is joined with others,
or cut.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

# A text is lengthened if it is most of its message.
_MOST = 0.5


def lengthened(schema: Schema, message: str, value: Json, others: Sequence[Json], factor: float) -> Json:
    """Return a message whose lists are `factor` times as long; the message itself if nothing in it can change.

    Args:
        schema: of the message.
        message: its name.
        value: its JSON.
        others: further messages of the same name, whose elements and texts are taken.
        factor: above 0. No list gets empty.
    """
    messages = {message.name: message for message in schema.messages}
    made = _Lists(messages, factor).message(value, messages[message], others)
    if made != value:
        return made
    return _Texts(messages, factor, _length(value)).message(value, messages[message], others)


class _Lengthening:
    """Goes through a message and the same places of others, down to what can be longer."""

    def __init__(self, messages: dict[str, Message], factor: float) -> None:
        self._messages = messages
        self._factor = factor

    def message(self, value: Json, message: Message, others: Sequence[Json]) -> Json:
        """A message of which some parts are longer."""
        if message.wrapped:
            return self._field(value, message.fields[0], others)
        if not isinstance(value, dict):
            return value
        fields = {field.json_name: field for field in message.fields}
        there = [other for other in others if isinstance(other, dict)]
        return {
            key: self._field(inner, fields[key], [other[key] for other in there if other.get(key) is not None])
            if key in fields
            else inner
            for key, inner in value.items()
        }

    def _field(self, value: Json, field: Field, others: Sequence[Json]) -> Json:
        if field.kind is Kind.MESSAGE and field.shape in (Shape.ONE, Shape.OPTIONAL):
            return self.message(value, self._messages[field.type_name], others)
        return self._part(value, field, others)

    def _part(self, value: Json, field: Field, others: Sequence[Json]) -> Json:
        raise NotImplementedError


class _Lists(_Lengthening):
    def _part(self, value: Json, field: Field, others: Sequence[Json]) -> Json:
        if isinstance(value, list) and field.shape in (Shape.MANY, Shape.ONE, Shape.OPTIONAL):
            return self._list(value, others)
        if isinstance(value, dict) and field.shape is Shape.MAP:
            return self._map(value, others)
        return value

    def _list(self, value: list[Json], others: Sequence[Json]) -> Json:
        wanted = self._wanted(value)
        further: list[Json] = [item for other in others if isinstance(other, list) for item in other]
        items = value[:wanted]
        return items + list(islice(cycle(further or value), wanted - len(items))) if value else value

    def _map(self, value: dict[str, Json], others: Sequence[Json]) -> Json:
        """A map has no key twice, so it gets no longer than all keys there are."""
        wanted = self._wanted(value)
        entries = dict(islice(value.items(), wanted))
        for other in others:
            for key, item in other.items() if isinstance(other, dict) else ():
                if len(entries) >= wanted:
                    return entries
                entries.setdefault(key, item)
        return entries

    def _wanted(self, value: Sequence[Json] | dict[str, Json]) -> int:
        return max(1, round(len(value) * self._factor)) if value else 0


class _Texts(_Lengthening):
    def __init__(self, messages: dict[str, Message], factor: float, whole: int) -> None:
        super().__init__(messages, factor)
        self._least = _MOST * whole

    def _part(self, value: Json, field: Field, others: Sequence[Json]) -> Json:
        texts = [other for other in others if isinstance(other, str)]
        if not isinstance(value, str) or field.shape is Shape.MAP or len(value) < self._least:
            return value
        if field.fixed_size is not None:
            return value
        if field.kind is Kind.BYTES:
            joined = b"".join(map(b64decode, self._enough(value, texts)))
            return b64encode(joined[: round(len(b64decode(value)) * self._factor)]).decode()
        if field.kind is Kind.STRING and not field.format:
            return " ".join(self._enough(value, texts))[: round(len(value) * self._factor)]
        return value

    def _enough(self, value: str, texts: Sequence[str]) -> Iterator[str]:
        wanted = len(value) * self._factor
        yield value
        length = len(value)
        for text in cycle([text for text in texts if text] or [value]):
            if length >= wanted:
                return
            length += len(text)
            yield text


def _length(value: Json) -> int:
    """Characters of all texts, and one for each other value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_length, value.values()))
    if isinstance(value, list):
        return sum(map(_length, value))
    return 1
