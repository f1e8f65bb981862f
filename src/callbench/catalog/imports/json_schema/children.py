"""The children of a schema with a discriminator: those that its mapping names, and those that hold it by `allOf`.

OpenAPI lets a value of the parent be one of any child, although the parent does not list them.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from callbench.catalog.imports.json_schema.node import SchemaPart
from callbench.catalog.imports.json_schema.references import References

_TABLES = (("components", "schemas"), ("definitions",), ("$defs",))


class Children:
    """The children of the schemas of a document."""

    def __init__(self, references: References) -> None:
        """Nothing is looked for yet."""
        self._references = references
        self._found: dict[int, list[SchemaPart]] | None = None

    def of(self, part: SchemaPart) -> list[SchemaPart]:
        """The children of a schema, with their own children; none if it has no discriminator.

        Raises:
            BadInput: the mapping names what is not there.
        """
        given = part.schema.get("discriminator")
        if not isinstance(given, dict | str):
            return []
        mapping = given.get("mapping") if isinstance(given, dict) else None
        named = [self._named(part, reference) for reference in mapping.values()] if isinstance(mapping, dict) else []
        children: dict[int, SchemaPart] = {}
        waiting = [*named, *self._direct(part)]
        while waiting:
            child = waiting.pop(0)
            if id(child.schema) not in children and child.schema is not part.schema:
                children[id(child.schema)] = child
                waiting += self._direct(child)
        return list(children.values())

    def _named(self, part: SchemaPart, name: Any) -> SchemaPart:  # noqa: ANN401 - what a stranger's document holds
        """A child that a mapping names: by a reference, or by its name in the document."""
        text = str(name)
        for child in self._declared():
            if child.name == text:
                return child
        return self._references.target(part, text)

    def _direct(self, part: SchemaPart) -> list[SchemaPart]:
        if self._found is None:
            self._found = defaultdict(list)
            for child in self._declared():
                for parent in self._parents(child):
                    self._found[id(parent)].append(child)
        return self._found.get(id(part.schema), [])

    def _declared(self) -> Iterator[SchemaPart]:
        for table in _TABLES:
            holder: Any = self._references.document
            for word in table:
                holder = holder.get(word) if isinstance(holder, dict) else None
            if isinstance(holder, dict):
                root = self._references.root("/" + "/".join(table))
                for name in holder:
                    below = root.below(name)
                    yield SchemaPart(below.schema, below.resolver, below.place, name)

    def _parents(self, child: SchemaPart) -> Iterator[Any]:
        """What a schema holds by `allOf`."""
        listed = child.schema.get("allOf") if isinstance(child.schema, dict) else None
        for at, entry in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(entry, dict) and isinstance(entry.get("$ref"), str):
                yield self.followed(child.below("allOf", at)).schema

    def followed(self, part: SchemaPart) -> SchemaPart:
        """What a part is, behind references that say nothing else."""
        for _ in range(100):
            if not (isinstance(part.schema, dict) and isinstance(part.schema.get("$ref"), str)):
                break
            part = self._references.target(part, part.schema["$ref"])
        return part
