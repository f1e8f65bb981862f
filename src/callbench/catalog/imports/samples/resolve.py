"""From what was seen to a schema."""

import re
from collections.abc import Container
from dataclasses import dataclass, replace

from callbench.catalog.imports.samples.map_or_message import is_map
from callbench.catalog.imports.samples.observed_place import (
    BOOL,
    LIST,
    NULL,
    NUMBER,
    OBJECT,
    TEXT,
    ObservedPlace,
    pointer,
)
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import field_names, pascal
from callbench.model.service.schema import Encoding, Enumeration, Field, Kind, Loss, Message, Shape

_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# An enumeration is few short words, each of which comes again and again.
_ENUM_VALUES = 32
_ENUM_FROM = 20
_ENUM_EACH = 5
_PRECISE = 2**53
_ANY = "It is a value of any type."


@dataclass(frozen=True, slots=True)
class _Type:
    kind: Kind
    shape: Shape = Shape.ONE
    type_name: str = ""
    format: str = ""
    encoding: Encoding = Encoding.VARINT


class Resolver:
    """Collects messages, enumerations and losses of one service."""

    def __init__(self, *, unions: bool) -> None:
        """Begin.

        Args:
            unions: take values of any type where samples contradict each other; otherwise they are refused.
        """
        self.messages: dict[str, Message] = {}
        self.enumerations: dict[str, Enumeration] = {}
        self.losses: list[Loss] = []
        self._unions = unions

    def message(self, seen: ObservedPlace, name: str, place: str) -> str:
        """The name of the message for a whole body.

        Args:
            seen: what was seen of it.
            name: what to call the message.
            place: of the body, for messages: `Order request`.

        Raises:
            BadInput: samples contradict each other.
        """
        name = _message_name(name)
        if not seen.types - {NULL} and NULL not in seen.first:
            return self._kept(Message(name, ()))
        if seen.types == {OBJECT} and NULL not in seen.first and not is_map(seen):
            return self._object(seen, name, place)
        return self._wrapped(seen, name, place)

    def _object(self, seen: ObservedPlace, name: str, place: str) -> str:
        fields: list[Field] = []
        named = field_names(list(seen.members))
        for number, (field_name, (key, member)) in enumerate(zip(named, seen.members.items(), strict=True), 1):
            field = self._field(member, seen.objects, (name, key), pointer(place, key))
            fields.append(replace(field, name=field_name, json_name=key, number=number))
        return self._kept(Message(name, tuple(fields)))

    def _field(self, seen: ObservedPlace, objects: int, named: tuple[str, str], place: str) -> Field:
        """A field, without its names."""
        type_ = self._type(seen, named, place)
        nulls, absent = seen.nulls, objects - seen.count
        if type_.kind is Kind.JSON and type_.shape is Shape.ONE:
            # A value of any type can be null.
            nulls = 0
        optional = nulls > 0 or absent > 0
        if optional and type_.shape is not Shape.ONE:
            wrapped = self._kept(Message(_message_name(*named), (_plain(type_, "items"),), wrapped=True))
            type_ = _Type(Kind.MESSAGE, type_name=wrapped)
        if nulls and absent:
            self._lose(place, "It is null in some samples and absent in others.", "Null is taken for absent.")
        return replace(
            _plain(type_, ""),
            shape=Shape.OPTIONAL if optional else type_.shape,
            nullable=nulls > 0 and not absent,
        )

    def _type(self, seen: ObservedPlace, named: tuple[str, str], place: str) -> _Type:
        types = seen.types
        if len(types) > 1:
            return self._union(seen, place)
        if not types:
            self._lose(place, "It is null in every sample, so its type is not known.", _ANY)
            return _Type(Kind.JSON)
        of_type = {
            BOOL: lambda: _Type(Kind.BOOL),
            NUMBER: lambda: self._number(seen, place),
            TEXT: lambda: self._text(seen, named),
            LIST: lambda: self._list(seen, named, place),
            OBJECT: lambda: self._object_or_map(seen, named, place),
        }
        return of_type[next(iter(types))]()

    def _union(self, seen: ObservedPlace, place: str) -> _Type:
        first, second = sorted(seen.types, key=lambda type_: seen.first[type_])[:2]
        both = f"{seen.first[first]} is {first}, but {seen.first[second]} is {second}"
        if not seen.mixed and not self._unions:
            raise BadInput(f"{both}: make the samples agree, or take values of any type there with --unions")
        self._lose(place, f"{both}.", _ANY)
        return _Type(Kind.JSON)

    def _number(self, seen: ObservedPlace, place: str) -> _Type:
        if seen.fractions:
            if max(seen.most, -seen.least) > _PRECISE:
                self._lose(place, "It has integers beyond 2^53 beside fractions.", "It is a double, which rounds them.")
            return _Type(Kind.DOUBLE)
        # Room for numbers twice as large as those of the samples.
        least, most = 2 * seen.least, 2 * seen.most
        if seen.least < -(2**63) or seen.most >= 2**64 or (seen.least < 0 and seen.most >= 2**63):
            self._lose(place, "It has an integer beyond 64 bits.", "It is a double, which rounds it.")
            return _Type(Kind.DOUBLE)
        encoding = Encoding.ZIGZAG if seen.least < 0 else Encoding.VARINT
        if least >= -(2**31) and most < 2**31:
            return _Type(Kind.INT32, encoding=encoding)
        if seen.most > _PRECISE or seen.least < -_PRECISE:
            self._lose(
                place, "It has integers beyond 2^53, which many JSON libraries round.", "It is a 64-bit integer."
            )
        return _Type(Kind.INT64 if seen.most < 2**63 else Kind.UINT64, encoding=encoding)

    def _text(self, seen: ObservedPlace, named: tuple[str, str]) -> _Type:
        values = seen.texts
        known = sum(values.values())
        if (
            not seen.formats
            and len(values) <= _ENUM_VALUES
            and known >= max(_ENUM_FROM, _ENUM_EACH * len(values))
            and len(values) > 1
            and all(_VALUE.fullmatch(value) for value in values)
        ):
            return _Type(Kind.ENUM, type_name=self._enumeration(_message_name(named[1]), named, values))
        format_ = next(
            (name for name in ("uuid", "date-time", "date", "decimal", "uri", "email") if name in seen.formats), ""
        )
        return _Type(Kind.STRING, format=format_)

    def _enumeration(self, name: str, named: tuple[str, str], values: dict[str, int]) -> str:
        numbered = tuple((value, number) for number, value in enumerate(sorted(values)))
        for candidate in (name, _message_name(*named), _free_name(name, {*self.enumerations, *self.messages})):
            known = self.enumerations.get(candidate)
            if candidate not in self.messages and (known is None or known.values == numbered):
                break
        self.enumerations[candidate] = Enumeration(candidate, numbered)
        return candidate

    def _list(self, seen: ObservedPlace, named: tuple[str, str], place: str) -> _Type:
        items, under = seen.items, pointer(place, "*")
        if items is None or not items.count:
            self._lose(place, "It is an empty list in every sample.", "It is a list of values of any type.")
            return _Type(Kind.JSON, Shape.MANY)
        return replace(self._inner(items, (named[0], _singular(named[1])), under), shape=Shape.MANY)

    def _object_or_map(self, seen: ObservedPlace, named: tuple[str, str], place: str) -> _Type:
        if not seen.members and seen.others is None:
            self._lose(place, "It is an object without keys in every sample.", _ANY)
            return _Type(Kind.JSON)
        if not is_map(seen):
            return _Type(Kind.MESSAGE, type_name=self._object(seen, self._free(seen, named), place))
        under = pointer(place, "*")
        inner = self._inner(seen.under_all_keys(), (named[0], _singular(named[1])), under)
        return replace(inner, shape=Shape.MAP)

    def _inner(self, seen: ObservedPlace, named: tuple[str, str], place: str) -> _Type:
        """The type of what a list or a map holds: never null, never a list by itself."""
        if NULL in seen.first and seen.types:
            self._lose(place, "It has null between other values.", "They are values of any type.")
            return _Type(Kind.JSON)
        type_ = self._type(seen, named, place)
        if type_.shape is Shape.ONE:
            return type_
        field = _plain(type_, "items")
        return _Type(
            Kind.MESSAGE, type_name=self._kept(Message(_message_name(*named, "items"), (field,), wrapped=True))
        )

    def _wrapped(self, seen: ObservedPlace, name: str, place: str) -> str:
        type_ = _Type(Kind.JSON) if NULL in seen.first else self._type(seen, (name, "item"), place)
        return self._kept(Message(name, (_plain(type_, "items"),), wrapped=True))

    def _free(self, seen: ObservedPlace, named: tuple[str, str]) -> str:
        """A name for a nested message: by its key alone, if no other message has that."""
        short = _message_name(named[1])
        known = self.messages.get(short)
        if known is None or {field.json_name for field in known.fields} == set(seen.members):
            return short
        return _message_name(*named)

    def _kept(self, message: Message) -> str:
        known = self.messages.get(message.name)
        if known is not None and known != message:
            message = replace(message, name=_free_name(message.name, self.messages))
        self.messages[message.name] = message
        return message.name

    def _lose(self, place: str, problem: str, mapped: str) -> None:
        self.losses.append(Loss(place, problem, mapped))


def _plain(type_: _Type, name: str) -> Field:
    return Field(
        name=name,
        json_name=name,
        number=1,
        kind=type_.kind,
        shape=type_.shape,
        type_name=type_.type_name,
        format=type_.format,
        encoding=type_.encoding,
    )


def _message_name(*parts: str) -> str:
    """`OrderLine` for `order` and `line`."""
    return pascal("-".join(parts), "Message")


def _free_name(name: str, taken: Container[str]) -> str:
    """The name, or the name with the first number that makes it a new one."""
    number = 2
    candidate = name
    while candidate in taken:
        candidate = f"{name}{number}"
        number += 1
    return candidate


def _singular(key: str) -> str:
    """The name of one of many: `line` for `lines`."""
    if key.endswith("ies") and len(key) > 4:
        return key[:-3] + "y"
    if key.endswith(("sses", "xes", "ches")):
        return key[:-2]
    if key.endswith("s") and not key.endswith(("ss", "us", "is")) and len(key) > 2:
        return key[:-1]
    return key
