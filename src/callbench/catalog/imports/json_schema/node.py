"""What holds for a value: all of some parts of a schema, of which some are a choice."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referencing.jsonschema import DRAFT202012

if TYPE_CHECKING:
    from referencing._core import Resolver


@dataclass(frozen=True, eq=False, slots=True)
class SchemaPart:
    """One object of a JSON Schema.

    Attributes:
        schema: as the document has it; a boolean allows everything or nothing.
        resolver: finds what its references name.
        place: the file and the pointer, for people.
        name: what the reference that led here calls it; empty if none did.
    """

    schema: Any
    resolver: "Resolver[Any]"
    place: str
    name: str = ""

    def below(self, *steps: str | int) -> "SchemaPart":
        """A part of this one."""
        schema = self.schema
        for step in steps:
            schema = schema[step]
        resolver = self.resolver
        if isinstance(schema, dict) and isinstance(schema.get("$id"), str):
            resolver = resolver.in_subresource(DRAFT202012.create_resource(schema))
        tail = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
        return SchemaPart(schema, resolver, self.place + tail)

    def below_or_nothing(self, step: str) -> "SchemaPart":
        """A part of this one; if there is none, what says nothing."""
        return self.below(step) if step in self.schema else SchemaPart({}, self.resolver, f"{self.place}/{step}")


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of some nodes holds."""

    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Node:
    """All parts hold for a value.

    Attributes:
        parts: at least one.
    """

    parts: tuple["SchemaPart | AnyOf", ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for nodes that say the same because they stand at the same place."""
        return tuple(
            id(part.schema) if isinstance(part, SchemaPart) else ("or", *(option.key for option in part.options))
            for part in self.parts
        )

    @property
    def place(self) -> str:
        """Where it stands; of a choice, its first option."""
        first = self.parts[0]
        return first.place if isinstance(first, SchemaPart) else first.options[0].place


def node(*parts: SchemaPart | AnyOf) -> Node:
    """A node of these parts."""
    return Node(parts)
