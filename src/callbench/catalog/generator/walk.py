"""The leaves of a message in the order of the text, each with the place that it belongs to."""

from collections.abc import Callable
from dataclasses import dataclass

from callbench.model.service.imported import Json
from callbench.model.service.schema import PAIRS, Field, Kind, Message, Schema, Shape

Scalar = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Leaf:
    """Where a value stands: all values of a place are of one kind and share their statistics.

    Attributes:
        place: `Order.unit_price`, or inside a value of any type `Order.extra/key`.
        field: what the schema says of it; None inside a value of any type.
        is_key: it is a key of a map.
    """

    place: str
    field: Field | None = None
    is_key: bool = False


Replace = Callable[[Leaf, Scalar], Scalar]


class Walk:
    """Goes through messages of one schema."""

    def __init__(self, schema: Schema) -> None:
        """Look up messages by name once."""
        self._messages = {message.name: message for message in schema.messages}

    def replaced(self, value: Json, message: str, replace: Replace) -> Json:
        """A copy of a message in which each leaf is what `replace` says; keys of messages stay."""
        return self._message(value, self._messages[message], replace)

    def _message(self, value: Json, message: Message, replace: Replace) -> Json:
        if message.wrapped:
            return self._field(value, message, message.fields[0], replace)
        if not isinstance(value, dict):
            return _untyped(value, message.name, replace)
        fields = {field.json_name: field for field in message.fields}
        return {
            key: self._field(inner, message, fields[key], replace)
            if key in fields
            else _untyped(inner, f"{message.name}/{key}", replace)
            for key, inner in value.items()
        }

    def _field(self, value: Json, message: Message, field: Field, replace: Replace) -> Json:
        place = f"{message.name}.{field.name}"
        if field.shape is Shape.MANY and field.format == PAIRS and isinstance(value, list):
            return [self._pair(pair, self._messages[field.type_name], replace) for pair in value]
        if field.shape is Shape.MANY and isinstance(value, list):
            return [self._one(item, place, field, replace) for item in value]
        if field.shape is Shape.MAP and isinstance(value, dict):
            leaf = Leaf(place + "{}", field, is_key=True)
            made: dict[str, Json] = {}
            for key, item in value.items():
                other = str(replace(leaf, key))
                made[key if other in made else other] = self._one(item, place, field, replace)
            return made
        return self._one(value, place, field, replace)

    def _pair(self, value: Json, message: Message, replace: Replace) -> Json:
        """A pair of a map. Its key stays: another one could be there already."""
        made = self._message(value, message, replace)
        return {**made, "key": value["key"]} if isinstance(value, dict) and isinstance(made, dict) else made

    def _one(self, value: Json, place: str, field: Field, replace: Replace) -> Json:
        if field.kind is Kind.MESSAGE and value is not None:
            return self._message(value, self._messages[field.type_name], replace)
        if field.kind is Kind.JSON:
            return _untyped(value, place, replace)
        if isinstance(value, dict | list):
            return _untyped(value, place, replace)
        return replace(Leaf(place, field), value)


def _untyped(value: Json, place: str, replace: Replace) -> Json:
    if isinstance(value, dict):
        return {key: _untyped(inner, f"{place}/{key}", replace) for key, inner in value.items()}
    if isinstance(value, list):
        return [_untyped(item, place, replace) for item in value]
    return replace(Leaf(place), value)
