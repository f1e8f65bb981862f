"""Messages for a schema without samples: sizes as in Google's fleet, and within the limits that the schema gives."""

import json
from collections import Counter
from collections.abc import Sequence
from random import Random

from callbench.catalog.generator.fit import fit
from callbench.catalog.generator.fitted import Fitted
from callbench.catalog.generator.scalars import Scalars
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json
from callbench.model.service.schema import PAIRS, Field, Kind, Message, Schema, Shape

SKELETONS = 64
_SEED = 1
# Values of a message, levels, and messages of one type within each other, from which on lists are empty and what is
# optional is absent. A tree whose nodes have two children each would otherwise always grow to the number of values.
_VALUES = 300
_LEVELS = 8
_WITHIN = 3
_DEEPEST = 60
_MOST = 200_000
# Values that are drawn for one of a list or a map, until one differs from those before it.
_TRIES = 20


def from_schema(
    schema: Schema,
    messages: Sequence[str],
    skeletons: int = SKELETONS,
    sides: Sequence[str] = ("request", "answer"),
) -> Fitted:
    """A generator without samples. Nothing of its sizes is the user's own: that is to be said where they are shown.

    Args:
        schema: of the messages.
        messages: their names: request and answer, or one of them.
        skeletons: messages to draw. Generated ones are built on them.
        sides: what each message is.

    Raises:
        BadInput: a message contains itself, and nothing lets it end.
    """
    random = Random(f"{_SEED} schema")  # noqa: S311 - nothing secret
    drawing = _Drawing(schema, random)
    drawn = [[drawing.drawn(name, side) for name, side in zip(messages, sides, strict=False)] for _ in range(skeletons)]
    return fit(schema, messages, drawn, _SEED).model_copy(update={"given": 0})


class _Drawing:
    """Draws messages, one after the other."""

    def __init__(self, schema: Schema, random: Random) -> None:
        self._messages = {message.name: message for message in schema.messages}
        self._values = {
            enumeration.name: [value for value, _ in enumeration.values[enumeration.added :]]
            or [enumeration.values[0][0]]
            for enumeration in schema.enumerations
        }
        self._random = random
        self._scalars = Scalars(random)
        self._count = 0
        self._open: Counter[str] = Counter()
        self._side = ""

    def drawn(self, name: str, side: str) -> Json:
        """A message in JSON, of a request or an answer."""
        self._count = 0
        self._side = side
        self._open.clear()
        return self._message(name)

    def _message(self, name: str, level: int = 0) -> Json:
        message = self._messages[name]
        if level > _DEEPEST:
            raise BadInput(f"message {name} contains itself without an end: make one of its fields optional")
        if message.wrapped:
            return self._field(message.fields[0], level)
        self._open[name] += 1
        chosen = self._chosen(message)
        drawn: dict[str, Json] = {}
        for field in message.fields:
            if self._given(field, chosen, level):
                drawn[field.json_name] = self._field(field, level)
        self._open[name] -= 1
        return drawn

    def _chosen(self, message: Message) -> dict[str, str]:
        """The field of each group of which one is set. The last one ends recursion least often, so any is drawn."""
        groups: dict[str, list[str]] = {}
        for field in message.fields:
            if field.oneof:
                groups.setdefault(field.oneof, []).append(field.name)
        return {group: self._random.choice(names) for group, names in groups.items()}

    def _given(self, field: Field, chosen: dict[str, str], level: int) -> bool:
        if field.limits.only:
            return field.limits.only == self._side and not self._full(field, level)
        if field.oneof:
            return chosen[field.oneof] == field.name and (
                field.kind is not Kind.MESSAGE or not self._full(field, level)
            )
        if field.shape is not Shape.OPTIONAL or field.nullable:
            return True
        return not self._full(field, level) and self._random.random() < 0.7

    def _field(self, field: Field, level: int) -> Json:
        if (
            field.shape is Shape.OPTIONAL
            and field.nullable
            and (self._full(field, level) or self._random.random() < 0.3)
        ):
            return None
        if field.shape is Shape.MANY:
            return self._list(field, level)
        if field.shape is Shape.MAP:
            size = self._size(field, level)
            drawn: dict[str, Json] = {}
            for _ in range(_TRIES * size):
                if len(drawn) < size:
                    drawn[self._scalars.key(field)] = self._one(field, level)
            return drawn
        return self._one(field, level)

    def _list(self, field: Field, level: int) -> Json:
        size = self._size(field, level)
        is_map = field.format == PAIRS
        if not field.limits.unique and not is_map:
            return [self._one(field, level) for _ in range(size)]
        drawn: dict[str, Json] = {}
        for _ in range(_TRIES * size):
            if len(drawn) < size:
                item = self._one(field, level)
                known_by = item["key"] if is_map and isinstance(item, dict) else item
                drawn.setdefault(json.dumps(known_by, sort_keys=True), item)
        return list(drawn.values())

    def _size(self, field: Field, level: int) -> int:
        """How many items a list or a map has."""
        limits = field.limits
        size = 0 if self._full(field, level) else self._random.choice((0, 1, 1, 2, 2, 3, 5))
        size = max(size, limits.least_size or 0)
        return size if limits.most_size is None else min(size, limits.most_size)

    def _full(self, field: Field, level: int) -> bool:
        return self._count > _VALUES or level > _LEVELS or self._open[field.type_name] >= _WITHIN

    def _one(self, field: Field, level: int) -> Json:
        self._count += 1
        if self._count > _MOST:
            raise BadInput(f"a message with {field.type_name or field.name} needs over {_MOST:,} values: give samples")
        if field.kind is Kind.MESSAGE:
            return self._message(field.type_name, level + 1)
        if field.kind is Kind.ENUM:
            return self._random.choice(self._values[field.type_name])
        return self._scalars.drawn(field)
