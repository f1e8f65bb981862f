"""Messages in the making: what every format needs that has types of its own."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from callbench.catalog.imports.losses import Losses
from callbench.catalog.own.check import RESERVED_NUMBERS
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, field_names, pascal
from callbench.model.service.limits import NO_LIMITS, Limits
from callbench.model.service.schema import Encoding, Enumeration, Field, Kind, Message, Shape

MOST_MESSAGES = 20_000
HELD = frozenset({Shape.MANY, Shape.MAP})


@dataclass(frozen=True)
class ValueType:
    """The type of a value: a field without its name. `ONE` here says that it is neither a list nor a map.

    Attributes:
        null: whether the value can be null, or absent.
        limits: of the value, and of the list or map that holds it.
    """

    kind: Kind
    shape: Shape = Shape.ONE
    type_name: str = ""
    format: str = ""
    null: bool = False
    encoding: Encoding = Encoding.VARINT
    key: Kind = Kind.STRING
    key_format: str = ""
    limits: Limits = NO_LIMITS


@dataclass(frozen=True)
class ObjectKey:
    """A key of an object and its type.

    Attributes:
        required: whether the key is always there. If it is and the value can be null, JSON writes null.
        oneof: the group of which at most one is set, or empty.
    """

    key: str
    typed: ValueType
    required: bool = True
    oneof: str = ""


class Builder:
    """Collects messages, enumerations and losses, and gives each type one name."""

    def __init__(self) -> None:
        """There is nothing yet."""
        self.losses = Losses()
        self._names = Names()
        self._known: dict[Hashable, str] = {}
        self._messages: dict[str, Message | None] = {}
        self._enumerations: dict[str, Enumeration] = {}

    def take(self, hint: str) -> str:
        """A name that nothing else has.

        Raises:
            BadInput: there are too many.
        """
        if len(self._messages) >= MOST_MESSAGES:
            raise BadInput(f"{hint}: the schema needs more than {MOST_MESSAGES:,} messages; import a part of it")
        return self._names.take(pascal(hint))

    def known(self, key: Hashable) -> str | None:
        """The name of the type with this key, if there is one."""
        return self._known.get(key)

    def begin(self, key: Hashable, hint: str) -> str:
        """Names a message whose fields follow later, so that it can refer to itself."""
        name = self._known[key] = self.take(hint)
        self._messages[name] = None
        return name

    def message(self, name: str, entries: Sequence[ObjectKey], numbers: Sequence[int] = ()) -> None:
        """Gives a message its fields.

        Args:
            name: as `begin` or `take` gave it.
            entries: in order. Those of one oneof stand together.
            numbers: protobuf's numbers; if there are none, they are counted from 1.
        """
        names = field_names([entry.key for entry in entries])
        given = list(numbers) or _counted(len(entries))
        self._messages[name] = Message(name, tuple(map(field, entries, names, given)))

    def wrapped(self, key: Hashable, typed: ValueType, hint: str, name: str = "") -> str:
        """The message that stands for a value that is no message.

        Args:
            key: equal for values of one type.
            typed: of the value.
            hint: for the name.
            name: the name, if one was taken already.
        """
        if key not in self._known:
            made = self._known[key] = name or self.take(hint)
            of = ObjectKey("value", replace(typed, null=typed.null and typed.shape not in HELD))
            self._messages[made] = Message(made, (field(of, "value", 1),), wrapped=True)
        return self._known[key]

    def held(self, inner: ValueType, shape: Shape, key: Hashable, hint: str) -> ValueType:
        """A list or a map of a type. A list of lists needs a message in between."""
        if inner.shape in HELD or (inner.null and inner.kind is not Kind.JSON):
            inner = ValueType(Kind.MESSAGE, type_name=self.wrapped(("held", key), inner, hint))
        return replace(inner, shape=shape)

    def enumeration(self, key: Hashable, hint: str, values: Sequence[tuple[str, int]]) -> ValueType:
        """An enumeration. Its first value has the number 0; if the format has none, one is added."""
        if key not in self._known:
            name = self._known[key] = self.take(hint)
            zeros = [value for value in values if value[1] == 0]
            added = not zeros
            if added:
                zeros = [(f"{name}_UNSPECIFIED", 0)]
                self.losses.add(hint, ("The enumeration has no value 0.", f"It gets one: {zeros[0][0]}."))
            rest = [value for value in values if value != zeros[0]]
            self._enumerations[name] = Enumeration(name, (zeros[0], *rest), added)
        return ValueType(Kind.ENUM, type_name=self._known[key])

    def types(self) -> tuple[tuple[Message, ...], tuple[Enumeration, ...]]:
        """All messages and enumerations, in the order in which they were named."""
        made = tuple(message for message in self._messages.values() if message is not None)
        return made, tuple(self._enumerations.values())


def field(entry: ObjectKey, name: str, number: int) -> Field:
    """The field of an entry."""
    typed = entry.typed
    shape = typed.shape
    if shape not in HELD:
        optional = (not entry.required or typed.null) and not entry.oneof
        shape = Shape.OPTIONAL if optional else Shape.ONE
    return Field(
        name=name,
        json_name=entry.key,
        number=number,
        kind=typed.kind,
        shape=shape,
        type_name=typed.type_name,
        oneof=entry.oneof,
        format=typed.format,
        nullable=shape is Shape.OPTIONAL and typed.null and entry.required and typed.kind is not Kind.JSON,
        encoding=typed.encoding,
        key=typed.key,
        key_format=typed.key_format,
        limits=typed.limits,
    )


def _counted(count: int) -> list[int]:
    numbers = range(1, count + 1 + len(RESERVED_NUMBERS))
    return [number for number in numbers if number not in RESERVED_NUMBERS][:count]
