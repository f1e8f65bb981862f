"""Cap'n Proto: a `.capnp` with what it imports. It can have everything but generic types."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lark import Token, Tree

from callbench.catalog.imports import losses as lost
from callbench.catalog.imports.builder import Builder, ObjectKey, ValueType
from callbench.catalog.imports.capnp.scope import Scope, Scopes
from callbench.catalog.imports.reference_reader import ReferenceReader
from callbench.catalog.imports.source import Options, Source, today
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal, snake
from callbench.model.service.imported import Imported
from callbench.model.service.limits import NO_LIMITS, Limits
from callbench.model.service.schema import Kind, OwnCall, Schema, Shape

_BASE = {
    "Bool": Kind.BOOL,
    "Int8": Kind.INT32,
    "Int16": Kind.INT32,
    "Int32": Kind.INT32,
    "Int64": Kind.INT64,
    "UInt8": Kind.UINT32,
    "UInt16": Kind.UINT32,
    "UInt32": Kind.UINT32,
    "UInt64": Kind.UINT64,
    "Float32": Kind.FLOAT,
    "Float64": Kind.DOUBLE,
    "Text": Kind.STRING,
    "Data": Kind.BYTES,
}
# Integers that are narrower than any of this program's: what is generated keeps to them.
_NARROW = {
    "Int8": Limits(least=-(2**7), most=2**7 - 1),
    "Int16": Limits(least=-(2**15), most=2**15 - 1),
    "UInt8": Limits(most=2**8 - 1),
    "UInt16": Limits(most=2**16 - 1),
}
_POINTERS = {"AnyPointer", "AnyStruct", "AnyList"}
_CAPABILITY = "Capability"
_OTHERS = {"List", "Void", _CAPABILITY}


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads a `.capnp`.

    Raises:
        BadInput: it is wrong, has generic types, or imports what is missing or not allowed.
    """
    source = sources[0]
    scopes = Scopes(ReferenceReader(source, options), options, {*_BASE, *_POINTERS, *_OTHERS})
    file = scopes.file(source.name, source.path, source.text)
    reader = _Reader(scopes)
    interfaces = [scope for scope in file.everything() if scope.tree.data == "interface"]
    structs = [scope for scope in file.everything() if scope.tree.data == "struct"]
    taken = Names()
    calls = [call for interface in interfaces for call in reader.calls(interface, taken)]
    messages = [reader.struct(struct) for struct in structs]
    notes: tuple[str, ...] = ()
    if not calls:
        if not messages:
            raise BadInput(f"{source.name}: there is neither an interface nor a struct; add one")
        calls = [OwnCall(taken.take(f"Echo{name}"), name, name) for name in messages]
        notes = ("The file has no interface: a call for each struct echoes it.",)
    reader.finish()
    types, enumerations = reader.builder.types()
    title = options.name or snake(interfaces[0].name if len(interfaces) == 1 else source.stem, "service")
    schema = Schema(title, types, tuple(calls), enumerations, reader.builder.losses.all)
    return Imported(schema, source.name, "cap'n proto", today(), notes=notes)


@dataclass(frozen=True)
class _Body:
    """What becomes the fields of a message.

    Attributes:
        union: whether at most one of them is set.
    """

    name: str
    members: "Sequence[Tree[Token]]"
    scope: Scope
    union: bool


class _Reader:
    """Makes messages of scopes."""

    def __init__(self, scopes: Scopes) -> None:
        """Nothing is made yet."""
        self.builder = Builder()
        self._scopes = scopes
        self._waiting: list[_Body] = []

    def calls(self, interface: Scope, taken: Names) -> Iterator[OwnCall]:
        """The methods of an interface."""
        _refuse_generic(interface, interface.tree)
        for method in _trees(interface.tree, "method"):
            name = taken.take(pascal(str(method.children[0])))
            tree = [child for child in method.children if isinstance(child, Tree) and child.data in {"listed", "whole"}]
            place = f"{interface.at(method)} {interface.name}.{method.children[0]}"
            _refuse_generic(interface, method)
            if any(isinstance(child, Tree) and child.data == "stream" for child in method.children):
                loss = ("The call streams.", "It is measured with one message each way.")
                self.builder.losses.add(place, loss)
            request = self._side(tree[0], interface, f"{name}Request")
            answer = self._side(tree[1] if len(tree) > 1 else None, interface, f"{name}Answer")
            yield OwnCall(name, request, answer)

    def _side(self, tree: "Tree[Token] | None", scope: Scope, hint: str) -> str:
        """The message of the parameters or the results of a method."""
        if tree is not None and tree.data == "whole":
            typed = self._typed(_tree(tree.children[0]), scope, hint)
            if typed is not None and typed.kind is Kind.MESSAGE and typed.shape is Shape.ONE:
                return typed.type_name
            raise BadInput(f"{scope.at(tree)}: parameters and results are structs; name one")
        name = self.builder.begin(("side", hint), hint)
        self._waiting.append(_Body(name, _trees(tree, "parameter") if tree is not None else (), scope, union=False))
        return name

    def struct(self, scope: Scope) -> str:
        """The message of a struct."""
        known = self.builder.known(scope)
        if known is None:
            _refuse_generic(scope, scope.tree)
            known = self.builder.begin(scope, scope.name)
            self._waiting.append(_Body(known, _members(scope.tree), scope, union=False))
        return known

    def finish(self) -> None:
        """Gives the messages that were named their fields."""
        while self._waiting:
            body = self._waiting.pop(0)
            entries, numbers = [], []
            for entry, number in self._entries(body, body.members, "value_of" if body.union else ""):
                entries.append(entry)
                numbers.append(number + 1)
            if len({entry.key for entry in entries}) < len(entries):
                raise BadInput(f"{body.scope.file}: a field of {body.name} occurs twice; rename one of them")
            fine = len(set(numbers)) == len(numbers) and all(0 < number < 19000 for number in numbers)
            self.builder.message(body.name, entries, numbers if fine else ())

    def _entries(self, body: _Body, members: "Sequence[Tree[Token]]", oneof: str) -> Iterator[tuple[ObjectKey, int]]:
        for member in members:
            if member.data == "unnamed":
                yield from self._entries(body, _members(member), "value_of")
                continue
            key = str(member.children[0])
            if member.data in {"union", "group"}:
                name = self.builder.begin((body.name, key), body.name + pascal(key))
                self._waiting.append(_Body(name, _members(member), body.scope, union=member.data == "union"))
                yield ObjectKey(key, ValueType(Kind.MESSAGE, type_name=name), oneof=oneof), _first_ordinal(member)
                continue
            tree = next(_tree(child) for child in member.children if isinstance(child, Tree) and child.data == "type")
            typed = self._typed(tree, body.scope, body.name + pascal(key))
            place = f"{body.scope.at(member)} {body.name}.{key}"
            if typed is None:
                what = ("The field refers to an object (a capability), which no message can hold.", "It is left out.")
                self.builder.losses.add(place, what)
                continue
            if typed.kind is Kind.MESSAGE and typed.type_name == self.builder.known("Void") and not oneof:
                self.builder.losses.add(place, ("The field is Void.", "It is left out."))
                continue
            if any(isinstance(child, Tree) and child.data == "value" for child in member.children):
                self.builder.losses.add(place, lost.DEFAULT)
            if oneof and typed.shape is not Shape.ONE:
                wrapped = self.builder.wrapped((body.name, key), typed, body.name + pascal(key))
                typed = ValueType(Kind.MESSAGE, type_name=wrapped)
            # A pointer to a struct can be null. All else has a value.
            yield ObjectKey(key, typed, typed.kind is not Kind.MESSAGE, oneof), _first_ordinal(member)

    def _typed(self, tree: "Tree[Token]", scope: Scope, hint: str) -> ValueType | None:
        """The type that a tree names; none for an interface, whose objects stay with their server."""
        target = _tree(tree.children[0])
        arguments = [_tree(child) for child in tree.children[1:]]
        inner = [_tree(argument) for argument in arguments[0].children] if arguments else []
        named = self._scopes.found(target, scope)
        if named.builtin and named.name == "List" and len(inner) == 1:
            of = self._typed(inner[0], scope, f"{hint}Item")
            return self.builder.held(of, Shape.MANY, (scope, hint), f"{hint}Item") if of is not None else None
        if arguments:
            raise BadInput(f"{scope.at(tree)}: the generic type {named.name} is not supported; write a struct for it")
        if named.builtin:
            return self._builtin(named.name, scope.at(tree))
        if named.tree.data == "enum":
            return self.builder.enumeration(named, named.name, _enumerants(named))
        if named.tree.data == "struct":
            return ValueType(Kind.MESSAGE, type_name=self.struct(named))
        if named.tree.data == "interface":
            return None
        raise BadInput(f"{scope.at(tree)}: {named.name or named.file} is no type; name a struct")

    def _builtin(self, name: str, place: str) -> ValueType | None:
        if name in _BASE:
            if name in {"Int64", "UInt64"}:
                self.builder.losses.add(place, lost.WHOLE)
            return ValueType(_BASE[name], limits=_NARROW.get(name, NO_LIMITS))
        if name == "Void":
            return ValueType(Kind.MESSAGE, type_name=self._void())
        if name in _POINTERS:
            self.builder.losses.add(place, lost.ANY)
            return ValueType(Kind.JSON)
        if name == _CAPABILITY:
            return None
        raise BadInput(f"{place}: {name} has one type in brackets; write List(Text), for example")

    def _void(self) -> str:
        known = self.builder.known("Void")
        if known is None:
            known = self.builder.begin("Void", "Void")
            self.builder.message(known, [])
        return known


def _enumerants(scope: Scope) -> list[tuple[str, int]]:
    values = [(str(enumerant.children[0]), _first_ordinal(enumerant)) for enumerant in _trees(scope.tree, "enumerant")]
    names = [name for name, _ in values]
    if not values or len(set(names)) < len(names):
        raise BadInput(f"{scope.at(scope.tree)}: an enumeration has values, each once")
    return sorted(values, key=lambda value: value[1])


def _first_ordinal(tree: "Tree[Token]") -> int:
    """The number of a field; of a group or a union, the first in it. What has none is counted later."""
    first = next(iter(tree.find_data("ordinal")), None) if tree.data not in {"group", "union"} else None
    if first is None:
        numbers = [int(str(ordinal.children[0])) for ordinal in tree.find_data("ordinal")]
        return min(numbers, default=-1)
    return int(str(first.children[0]))


def _members(tree: "Tree[Token]") -> "list[Tree[Token]]":
    return _trees(tree, "field", "union", "unnamed", "group")


def _trees(tree: "Tree[Token]", *kinds: str) -> "list[Tree[Token]]":
    return [child for child in tree.children if isinstance(child, Tree) and child.data in kinds]


def _refuse_generic(scope: Scope, tree: "Tree[Token]") -> None:
    if _trees(tree, "generic"):
        raise BadInput(f"{scope.at(tree)}: generic types are not supported; write a struct for each use")


def _tree(of: "Tree[Token] | Token | None") -> "Tree[Token]":
    assert isinstance(of, Tree)  # noqa: S101 - the grammar says so
    return of
