"""`$ref` within a document and across files, by the library of the JSON Schema project."""

import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator, Draft6Validator, Draft7Validator, Draft202012Validator
from referencing import Registry, Resource, Specification
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, Schema

from callbench.catalog.imports import document
from callbench.catalog.imports.json_schema.node import SchemaPart
from callbench.catalog.imports.reference_reader import ReferenceReader
from callbench.catalog.imports.source import Source
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

_META_SCHEMAS: dict[str, Json] = {
    str(draft.META_SCHEMA.get("$id", draft.META_SCHEMA.get("id"))).rstrip("#"): draft.META_SCHEMA
    for draft in (Draft4Validator, Draft6Validator, Draft7Validator)
}
"""The schemas of schemas, for a value that is one. They come with the library, so nothing is fetched for them."""


class References:
    """The documents of an import, and what their references name."""

    def __init__(self, source: Source, reach: ReferenceReader, *, schemas: bool = True, alone: bool = False) -> None:
        """Reads the source, and the files that it refers to as far as that is allowed.

        Args:
            source: the document.
            reach: what may be read.
            schemas: whether the documents are schemas as a whole. Of others, only pointers are followed, no names:
                what looks like a schema's word there can be anything.
            alone: whether a reference stands for the whole object that it is in, as before OpenAPI 3.1.
        """
        self.alone = alone
        self._schemas = schemas
        self._source = source
        self._reach = reach
        self._place = source.name
        self._base = reach.base
        self._resources: dict[str, Resource[Schema]] = {}
        self.document: Json = source.document
        root = self._resource(self.document)
        registry: Registry[Schema] = Registry(retrieve=self._retrieved)  # type: ignore[call-arg]
        registry = registry.with_resource(reach.base, root)
        # Whatever may be read is read once, here. A reference that may not be followed is an error only if it is used.
        waiting = [(reach.base, self.document)]
        while waiting:
            base, value = waiting.pop()
            for address in _addresses(base, value):
                if address not in self._resources and address != reach.base:
                    try:
                        resource = self._retrieved(address)
                    except BadInput:
                        continue
                    registry = registry.with_resource(address, resource)
                    waiting.append((address, resource.contents))  # type: ignore[arg-type]
        try:
            text = root.id() if schemas else self.document.get("$self") if isinstance(self.document, dict) else None
            self._base = urllib.parse.urljoin(reach.base, text) if isinstance(text, str) else reach.base
            self._registry = registry.with_resource(self._base, root).crawl()
        except Exception as error:  # noqa: BLE001 - the library expects what the specification asks for
            text = _misplaced(source.name, self.document) or f"{source.name} is no valid JSON Schema ({error})"
            raise BadInput(f"{text}; mend it") from None

    def root(self, pointer: str = "") -> SchemaPart:
        """The part of the source at a pointer, `/components/schemas`."""
        schema: Any = self.document
        for step in pointer.split("/")[1:]:
            schema = schema[step.replace("~1", "/").replace("~0", "~")]
        return SchemaPart(schema, self._registry.resolver(self._base), f"{self._source.name}#{pointer}")

    def embedded(self, part: SchemaPart) -> SchemaPart:
        """A part that is a document of its own: its references begin at itself."""
        address = f"{self._reach.base}?part={urllib.parse.quote(part.place)}"
        registry = self._registry.with_resource(address, self._resource(part.schema))
        try:
            return SchemaPart(part.schema, registry.crawl().resolver(address), part.place)
        except Exception as error:  # noqa: BLE001 - the library expects what the specification asks for
            text = _misplaced(part.place, part.schema) or f"{part.place} is no valid JSON Schema ({error})"
            raise BadInput(f"{text}; mend it") from None

    def target(self, part: SchemaPart, reference: str) -> SchemaPart:
        """What a reference of a part names.

        Raises:
            BadInput: it names nothing, or may not be followed.
        """
        self._place = part.place
        try:
            resolved = part.resolver.lookup(reference)
        except Unresolvable as error:
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, BadInput):
                cause = cause.__cause__
            if cause is not None:
                raise cause from None
            raise BadInput(f"{part.place}: nothing is at {reference!r}; mend the reference") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise BadInput(f"{part.place}: {reference!r} is no reference; mend it") from None
        address, _, pointer = reference.partition("#")
        within = part.place.partition("#")[0]
        place = f"{urllib.parse.urljoin(within, address) if address else within}#{pointer}"
        last = urllib.parse.unquote(pointer.rpartition("/")[2] or address.rpartition("/")[2].partition(".")[0])
        return SchemaPart(resolved.contents, resolved.resolver, place, last.replace("~1", "/").replace("~0", "~"))

    def _retrieved(self, address: str) -> Resource[Schema]:
        if address not in self._resources:
            value = _META_SCHEMAS.get(address)
            if value is None:
                content = self._reach.content(self._nearby(address), self._place)
                value = document.parsed(self._reach.name(address), content)
            self._resources[address] = self._resource(value)
        return self._resources[address]

    def _nearby(self, address: str) -> str:
        """Where a document is that is named by the `$id` of the source: beside the source, if it is there."""
        folder, here = urllib.parse.urljoin(self._base, "."), urllib.parse.urljoin(self._reach.base, ".")
        if folder != here and address.startswith(folder):
            beside = here + address.removeprefix(folder)
            if Path(urllib.request.url2pathname(urllib.parse.urlsplit(beside).path)).is_file():
                return beside
        return address

    def _resource(self, value: Any) -> Resource[Schema]:  # noqa: ANN401 - whatever a document holds
        if not self._schemas:
            return Specification.OPAQUE.create_resource(value)
        specification: Specification[Any] = DRAFT202012
        try:
            return Resource.from_contents(value, default_specification=specification)
        except Exception:  # noqa: BLE001 - a `$schema` that nobody knows is read as the newest
            return specification.create_resource(value)


def _addresses(base: str, value: Json) -> Iterator[str]:
    """The other documents that a document refers to."""
    waiting: list[Json] = [value]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict | list) or id(node) in seen:
            continue
        seen.add(id(node))
        waiting += node.values() if isinstance(node, dict) else node
        reference = node.get("$ref") if isinstance(node, dict) else None
        if isinstance(reference, str) and not reference.startswith("#"):
            try:
                yield urllib.parse.urljoin(base, reference).partition("#")[0]
            except ValueError:
                continue


def _misplaced(place: str, value: Any) -> str:  # noqa: ANN401 - whatever a document holds
    """The first place at which a schema is neither an object nor a boolean."""
    error = next(iter(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(value)), None)
    if error is None:
        return ""
    pointer = "".join(f"/{step}" for step in error.absolute_path)
    return f"{place}{'' if '#' in place else '#'}{pointer} is no valid JSON Schema"
