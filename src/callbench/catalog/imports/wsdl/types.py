"""XSD's types as messages. JSON has the local names of elements and attributes; namespaces are left out."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from xmlschema.validators import XsdAnyElement, XsdAttribute, XsdComplexType, XsdElement, XsdGroup, XsdList, XsdType
from xmlschema.validators.simple_types import XsdSimpleType

from callbench.catalog.imports import losses as lost
from callbench.catalog.imports.builder import HELD, Builder, ObjectKey, ValueType
from callbench.catalog.imports.wsdl import facets
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import pascal
from callbench.model.service.limits import NO_LIMITS, Limits
from callbench.model.service.schema import Kind, Shape

# By the name of the built-in type, or of the nearest one that it is derived from.
_SIMPLE = {
    "boolean": (Kind.BOOL, ""),
    "float": (Kind.FLOAT, ""),
    "double": (Kind.DOUBLE, ""),
    "decimal": (Kind.STRING, "decimal"),
    "integer": (Kind.INT64, ""),
    "nonPositiveInteger": (Kind.INT64, ""),
    "negativeInteger": (Kind.INT64, ""),
    "long": (Kind.INT64, ""),
    "int": (Kind.INT32, ""),
    "short": (Kind.INT32, ""),
    "byte": (Kind.INT32, ""),
    "nonNegativeInteger": (Kind.UINT64, ""),
    "positiveInteger": (Kind.UINT64, ""),
    "unsignedLong": (Kind.UINT64, ""),
    "unsignedInt": (Kind.UINT32, ""),
    "unsignedShort": (Kind.UINT32, ""),
    "unsignedByte": (Kind.UINT32, ""),
    "base64Binary": (Kind.BYTES, ""),
    "hexBinary": (Kind.BYTES, ""),
    "dateTime": (Kind.STRING, "date-time"),
    "date": (Kind.STRING, "date"),
    "time": (Kind.STRING, "time"),
    "duration": (Kind.STRING, "duration"),
    "anyURI": (Kind.STRING, "uri"),
}
_UNBOUNDED = {"integer", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger", "positiveInteger"}
_MOST_VALUES = 500
_TEXT = "value"


class Types:
    """Makes messages of XSD's types, each once."""

    def __init__(self) -> None:
        """Nothing is made yet."""
        self.builder = Builder()
        self._waiting: list[tuple[str, XsdComplexType]] = []
        self._extended: set[str | None] | None = None

    def element(self, element: XsdElement, hint: str) -> str:
        """The message of an element, as a whole request or answer."""
        typed = self.of_element(element, hint)
        if typed.kind is Kind.MESSAGE and typed.shape is Shape.ONE and not typed.null:
            return typed.type_name
        return self.builder.wrapped(("element", element), typed, hint)

    def parts(self, parts: dict[str, XsdElement | XsdType], hint: str) -> str:
        """A message that has the parts of a WSDL message as its fields."""
        name = self.builder.begin(("parts", hint), hint)
        entries = []
        for key, of in parts.items():
            inner = name + pascal(key)
            typed = self.of_element(of, inner) if isinstance(of, XsdElement) else self.typed(of, inner)
            entries.append(ObjectKey(key, typed))
        self.builder.message(name, entries)
        return name

    def finish(self) -> None:
        """Gives the messages that were named their fields."""
        while self._waiting:
            name, of = self._waiting.pop(0)
            self.builder.message(name, _adjacent(self._entries(of, name)))

    def of_element(self, element: XsdElement, hint: str) -> ValueType:
        """The type of an element's value."""
        if element.type is None:
            raise BadInput(f"the element {element.local_name} has no type; add one")
        if element.type.name is None:
            hint = pascal(element.local_name) if element.is_global() else hint
        typed = self.typed(element.type, hint)
        for identity in element.identities:
            self.builder.losses.add(hint, lost.disregarded(f"xs:{identity.elem.tag.rpartition('}')[2]}"))
        return replace(typed, null=typed.null or element.nillable)

    def typed(self, of: XsdType, hint: str) -> ValueType:
        """The type of a value."""
        if isinstance(of, XsdSimpleType):
            return self._simple(of, hint)
        if not isinstance(of, XsdComplexType):
            raise BadInput(f"{hint}: its type is neither simple nor complex; mend the schema")
        if of.local_name == "anyType" and of.is_global():
            self.builder.losses.add(hint, lost.ANY)
            return ValueType(Kind.JSON)
        if isinstance(of.content, XsdSimpleType) and not of.attributes:
            return self._simple(of.content, hint)
        known = self.builder.known(of)
        if known is None:
            known = self.builder.begin(of, of.local_name or hint)
            self._waiting.append((known, of))
        return ValueType(Kind.MESSAGE, type_name=known)

    def _entries(self, of: XsdComplexType, name: str) -> list[ObjectKey]:
        losses = self.builder.losses
        if of.mixed and not of.has_simple_content():
            losses.add(name, ("Text can stand between the elements.", "The text is left out."))
        if of.abstract:
            losses.add(name, ("The type is abstract: other types take its place.", "Only its own fields are kept."))
        elif self._is_extended(of):
            losses.add(name, ("Types that are derived from it can take its place.", "Only its own fields are kept."))
        entries: dict[str, ObjectKey] = {}
        if isinstance(of.content, XsdSimpleType):
            entries[_TEXT] = ObjectKey(_TEXT, self._simple(of.content, name + pascal(_TEXT)))
        else:
            for entry in self._group(of.content, name, "", required=True, many=False):
                if entry.key in entries:
                    losses.add(f"{name}.{entry.key}", ("The element occurs in several places.", "It is one list."))
                    before = entries[entry.key].typed
                    held = self.builder.held(before, Shape.MANY, (name, entry.key), name + pascal(entry.key))
                    entries[entry.key] = ObjectKey(entry.key, before if before.shape in HELD else held)
                else:
                    entries[entry.key] = entry
        for attribute in of.attributes.values():
            if attribute.type is None or attribute.name is None or not hasattr(attribute, "use"):
                losses.add(name, ("Any attribute is allowed.", "Attributes without a name are left out."))
                continue
            if attribute.use != "prohibited":
                key = attribute.local_name if attribute.local_name not in entries else f"@{attribute.local_name}"
                typed = self._simple(attribute.type, name + pascal(key))
                self._preset(attribute, f"{name}.{key}")
                entries[key] = ObjectKey(key, typed, attribute.use == "required")
        return list(entries.values())

    def _is_extended(self, of: XsdComplexType) -> bool:
        """Whether another type of the schemas is an extension of this one."""
        if self._extended is None:
            derived = (known for known in of.maps.types.values() if isinstance(known, XsdComplexType))
            self._extended = {
                known.base_type.name for known in derived if known.base_type and known.derivation == "extension"
            }
        return of.name is not None and of.name in self._extended

    def _group(self, group: XsdGroup, name: str, oneof: str, *, required: bool, many: bool) -> Iterator[ObjectKey]:
        """The elements of a group. In a choice that occurs once, at most one is set."""
        repeated = group.max_occurs is None or group.max_occurs > 1
        losses = self.builder.losses
        if repeated:
            losses.add(name, ("A group of elements is repeated.", "Each element is a list: their order is not kept."))
        many = many or repeated
        if group.min_occurs == 0 and group.model != "choice" and len(group) > 1:
            losses.add(name, ("A group of elements can be absent.", "Each of its elements can be, without the others."))
        required = required and group.min_occurs > 0 and group.model != "choice"
        if group.model == "choice" and not many and not oneof:
            oneof = self._choice(group, name)
        for particle in group:
            if isinstance(particle, XsdGroup):
                yield from self._group(
                    particle, name, oneof if len(particle) == 1 else "", required=required, many=many
                )
            elif isinstance(particle, XsdAnyElement):
                losses.add(name, ("Any element is allowed here (xs:any).", "It is left out."))
            elif particle.max_occurs != 0:
                yield self._child(particle, name, oneof, required=required, many=many)

    def _choice(self, group: XsdGroup, name: str) -> str:
        """The name of a oneof, if the choice can be one: single elements, each once."""
        single = [isinstance(particle, XsdElement) and particle.max_occurs == 1 for particle in group]
        keys = [particle.local_name for particle in group if isinstance(particle, XsdElement)]
        if not all(single) or len(set(keys)) < len(keys) or not keys:
            self.builder.losses.add(name, lost.UNION)
            return ""
        return f"one_of_{'_'.join(keys)}"[:60] if keys[0].isidentifier() and keys[0].isascii() else ""

    def _child(self, element: XsdElement, name: str, oneof: str, *, required: bool, many: bool) -> ObjectKey:
        key = element.local_name
        typed = self.of_element(element, name + pascal(key))
        self._preset(element, f"{name}.{key}")
        if element.ref is not None and element.ref.substitution_group is None and _substituted(element):
            self.builder.losses.add(f"{name}.{key}", ("Other elements can take its place.", "They are left out."))
        if element.max_occurs is None or element.max_occurs > 1 or many:
            held = self.builder.held(replace(typed, null=False), Shape.MANY, (name, key), name + pascal(key))
            if typed.null:
                self.builder.losses.add(f"{name}.{key}", lost.NULL_ITEM)
                held = ValueType(Kind.JSON, Shape.MANY)
            # Within a group that is repeated or can be absent, its own numbers do not bound the list.
            alone = required and not many
            sizes = Limits(least_size=element.min_occurs, most_size=element.max_occurs) if alone else NO_LIMITS
            return ObjectKey(key, replace(held, limits=held.limits.both(sizes)))
        if oneof and (typed.shape in HELD or typed.null):
            wrapped = self.builder.wrapped((name, key), typed, name + pascal(key))
            typed = ValueType(Kind.MESSAGE, type_name=wrapped)
        if typed.shape in HELD and element.min_occurs == 0:
            self.builder.losses.add(f"{name}.{key}", lost.ABSENT_LIST)
        return ObjectKey(key, typed, required and element.min_occurs > 0, oneof)

    def _preset(self, of: XsdElement | XsdAttribute, place: str) -> None:
        """Notes that a value is given by the schema."""
        if of.default is not None:
            self.builder.losses.add(place, lost.DEFAULT)
        if of.fixed is not None:
            self.builder.losses.add(place, lost.disregarded("fixed"))

    def _simple(self, of: XsdSimpleType, hint: str) -> ValueType:
        if of.is_list():
            return self._list(of, hint)
        values = of.enumeration
        if values and len(values) <= _MOST_VALUES and all(isinstance(value, str) for value in values):
            names = list(dict.fromkeys(str(value) for value in values))
            numbered = [(value, number) for number, value in enumerate(names)]
            return self.builder.enumeration((of, "enum"), of.local_name or hint, numbered)
        if of.is_union():
            self.builder.losses.add(hint, ("One of several simple types is allowed.", "It is text."))
            return ValueType(Kind.STRING)
        built_in = _built_in(of)
        kind, form = _SIMPLE.get(built_in, (Kind.STRING, ""))
        if built_in in _UNBOUNDED:
            self.builder.losses.add(hint, ("The integer has no limit.", "It has 64 bits."))
        elif kind in {Kind.INT64, Kind.UINT64}:
            self.builder.losses.add(hint, lost.WHOLE)
        self.builder.losses.of_format(hint, kind, form)
        limits, disregarded = facets.facets(of, kind, form)
        disregarded += [f"xs:{name}" for name in facets.with_syntax(of)]
        if values and kind in facets.NUMBERS:
            self.builder.losses.add(hint, lost.LISTED)
            limits = replace(limits, values=tuple(values))
        elif values:
            disregarded.append("enumeration")
        self._disregard(hint, disregarded)
        return ValueType(kind, format=form, limits=limits)

    def _list(self, of: XsdSimpleType, hint: str) -> ValueType:
        """A list of simple values. One that is derived, as `NMTOKENS` is, has its items at its base."""
        base: XsdType | None = of
        while base is not None and not isinstance(base, XsdList):
            base = base.base_type
        if base is None:
            raise BadInput(f"{hint}: the list does not say what its items are; mend the schema")
        inner = self._simple(base.item_type, f"{hint}Item")
        limits, disregarded = facets.sizes(of)
        self._disregard(hint, disregarded)
        held = self.builder.held(inner, Shape.MANY, of, f"{hint}Item")
        return replace(held, limits=held.limits.both(limits))

    def _disregard(self, place: str, words: Iterable[str]) -> None:
        for word in dict.fromkeys(words):
            self.builder.losses.add(place, lost.disregarded(word))


def _built_in(of: XsdType) -> str:
    """The built-in type that a type is derived from."""
    base: XsdType | None = of
    for _ in range(100):
        if base is None:
            break
        if base.local_name in _SIMPLE and (base.name or "").startswith("{http://www.w3.org/2001/XMLSchema}"):
            return base.local_name
        base = base.base_type
    return "string"


def _substituted(element: XsdElement) -> bool:
    return bool(element.maps.substitution_groups.get(element.name))


def _adjacent(entries: list[ObjectKey]) -> list[ObjectKey]:
    """The entries, those of each oneof together."""
    groups: dict[str, list[ObjectKey]] = {}
    for number, entry in enumerate(entries):
        groups.setdefault(entry.oneof or f"#{number}", []).append(entry)
    return [entry for group in groups.values() for entry in group]
