"""Thrift: a `.thrift` with what it includes. Structs, unions, exceptions, enumerations, types and services."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from lark import Token, Tree

from callbench.catalog.imports import grammar
from callbench.catalog.imports import losses as lost
from callbench.catalog.imports.builder import Builder, ObjectKey, ValueType
from callbench.catalog.imports.reference_reader import ReferenceReader, beside
from callbench.catalog.imports.source import Options, Source, today
from callbench.catalog.own.check import MAP_KEYS
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal, snake
from callbench.model.service.imported import Imported
from callbench.model.service.limits import NO_LIMITS, Limits
from callbench.model.service.schema import NARROW, PAIRS, THRIFT_UUID, Encoding, Kind, OwnCall, Schema, Shape

_BASE = {
    "bool": (Kind.BOOL, Encoding.VARINT),
    "byte": (Kind.INT32, Encoding.ZIGZAG),
    "i8": (Kind.INT32, Encoding.ZIGZAG),
    "i16": (Kind.INT32, Encoding.ZIGZAG),
    "i32": (Kind.INT32, Encoding.ZIGZAG),
    "i64": (Kind.INT64, Encoding.ZIGZAG),
    "double": (Kind.DOUBLE, Encoding.VARINT),
    "string": (Kind.STRING, Encoding.VARINT),
    "slist": (Kind.STRING, Encoding.VARINT),
    "binary": (Kind.BYTES, Encoding.VARINT),
    "uuid": (Kind.STRING, Encoding.VARINT),
}
_NARROW = {
    "i64": lost.WHOLE,
    "uuid": ("The value is a UUID.", "Only Thrift writes it in 16 bytes. It is text."),
}
_FORMS = {"byte": "i8", "i8": "i8", "i16": "i16", "uuid": THRIFT_UUID}
_DEEPEST = 100


@dataclass
class _File:
    """A file: what it defines by name, and the files that it includes by theirs."""

    name: str
    definitions: dict[str, "Tree[Token]"] = field(default_factory=dict)
    included: dict[str, "_File"] = field(default_factory=dict)


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads a `.thrift`.

    Raises:
        BadInput: it is wrong, an included file is missing or not allowed, or a type is not defined.
    """
    source = sources[0]
    reader = _Reader(ReferenceReader(source, options), options)
    file = reader.file(source.name, source.path, source.text)
    calls = reader.calls(file)
    notes: tuple[str, ...] = ()
    for name, tree in file.definitions.items():
        if tree.data == "struct":
            reader.named(name, file, 0)
    if not calls:
        calls = reader.echoes(file)
        notes = ("The file has no service: a call for each struct echoes it.",)
    reader.finish()
    messages, enumerations = reader.builder.types()
    services = [name for name, tree in file.definitions.items() if tree.data == "service"]
    title = options.name or snake(services[0] if len(services) == 1 else source.stem, "service")
    schema = Schema(title, messages, tuple(calls), enumerations, reader.builder.losses.all)
    return Imported(schema, source.name, "thrift", today(), notes=notes)


class _Reader:
    """Reads files and their types."""

    def __init__(self, reach: ReferenceReader, options: Options) -> None:
        """Nothing is read yet."""
        self.builder = Builder()
        self._reach = reach
        self._options = options
        self._files: dict[Path, _File] = {}
        self._waiting: list[tuple[str, list[Tree[Token]], _File, bool]] = []

    def file(self, name: str, path: Path | None, text: str) -> _File:
        """A file and all that it includes."""
        file = _File(name)
        if path is not None:
            self._files[path.resolve()] = file
        for tree in grammar.tree("thrift", name, text).children:
            assert isinstance(tree, Tree)  # noqa: S101 - the grammar says so
            if tree.data == "include":
                self._include(file, path, str(tree.children[0])[1:-1])
            elif tree.data != "skipped":
                defined = tree.children[1] if tree.data in {"typedef", "struct"} else tree.children[0]
                if str(defined) in file.definitions:
                    raise BadInput(f"{name}, line {tree.meta.line}: {defined} is defined twice; rename one of them")
                file.definitions[str(defined)] = tree
        return file

    def _include(self, file: _File, path: Path | None, name: str) -> None:
        folders = [*([path.parent] if path is not None else []), *self._options.files]
        true = self._reach.file(beside(folders, name), file.name)
        if true not in self._files:
            if len(self._files) > _DEEPEST:
                raise BadInput(f"{file.name} includes more than {_DEEPEST} files; put them into one")
            self.file(name, true, Source(name, true).text)
        stem = PurePosixPath(name).name.removesuffix(".thrift")
        if file.included.get(stem, self._files[true]) is not self._files[true]:
            raise BadInput(f"{file.name} includes two files that are called {stem}; rename one of them")
        file.included[stem] = self._files[true]

    def calls(self, file: _File) -> list[OwnCall]:
        """The functions of all services of a file, and of those that they extend."""
        taken = Names()
        calls = []
        known: set[int] = set()
        for service in [tree for tree in file.definitions.values() if tree.data == "service"]:
            for function, within in self._functions(service, file):
                if id(function) in known:
                    continue
                known.add(id(function))
                calls.append(self._call(function, within, taken))
        return calls

    def _functions(self, service: "Tree[Token]", file: _File) -> list[tuple["Tree[Token]", _File]]:
        found = []
        seen = set()
        while id(service) not in seen:
            seen.add(id(service))
            found += [(function, file) for function in service.find_data("function")]
            parent: object = service.children[1]
            if parent is None:
                return found
            file, name = self._owner(str(parent), file, service)
            service = file.definitions[name]
            if service.data != "service":
                raise BadInput(f"{file.name}, line {service.meta.line}: {name} is no service; extend one")
        raise BadInput(f"{file.name}, line {service.meta.line}: the service extends itself; mend it")

    def _call(self, function: "Tree[Token]", file: _File, taken: Names) -> OwnCall:
        oneway, returned, name = function.children[:3]
        fields = [child for child in function.children[3:] if isinstance(child, Tree) and child.data == "field"]
        call = taken.take(pascal(str(name)))
        place = f"{file.name}, line {function.meta.line} {name}"
        if oneway is not None:
            self.builder.losses.add(place, ("The call has no answer (oneway).", "It is measured with an empty answer."))
        if any(isinstance(child, Tree) and child.data == "throws" for child in function.children):
            self.builder.losses.add(place, ("The call can end with an exception.", "Only answers are measured."))
        request = self.builder.begin(("request", call), f"{call}Request")
        self._waiting.append((request, fields, file, False))
        assert isinstance(returned, Tree)  # noqa: S101 - the grammar says so
        if not returned.children:
            answer = self.builder.begin(("answer", call), f"{call}Answer")
            self.builder.message(answer, [])
            return OwnCall(call, request, answer)
        typed = self._typed(_tree(returned.children[0]), file, f"{call}Answer", 0)
        if typed.kind is Kind.MESSAGE and typed.shape is Shape.ONE:
            return OwnCall(call, request, typed.type_name)
        return OwnCall(call, request, self.builder.wrapped(("answer", call), typed, f"{call}Answer"))

    def echoes(self, file: _File) -> list[OwnCall]:
        """A call for each struct of a file without services.

        Raises:
            BadInput: there is none.
        """
        structs = [name for name, tree in file.definitions.items() if tree.data == "struct"]
        if not structs:
            raise BadInput(f"{file.name}: there is neither a service nor a struct; add one")
        taken = Names()
        messages = [self.named(name, file, 0).type_name for name in structs]
        return [OwnCall(taken.take(f"Echo{name}"), name, name) for name in messages]

    def finish(self) -> None:
        """Gives the messages that were named their fields."""
        while self._waiting:
            name, fields, file, union = self._waiting.pop(0)
            self._fill(name, fields, file, union=union)

    def _fill(self, name: str, fields: "list[Tree[Token]]", file: _File, *, union: bool) -> None:
        entries = []
        numbers = []
        for entry in fields:
            number, requirement, declared = entry.children[:3]
            key = next(str(child) for child in entry.children[3:] if isinstance(child, Token) and child.type == "NAME")
            place = f"{file.name}, line {entry.meta.line} {key}"
            typed = self._typed(_tree(declared), file, name + pascal(key), 0)
            if union and typed.shape is not Shape.ONE:
                typed = ValueType(Kind.MESSAGE, type_name=self.builder.wrapped((name, key), typed, name + pascal(key)))
            if entry.children[4:5] and isinstance(entry.children[4], Tree) and entry.children[4].data == "value":
                self.builder.losses.add(place, lost.DEFAULT)
            if str(requirement) == "optional" and typed.shape is not Shape.ONE:
                self.builder.losses.add(place, lost.ABSENT_LIST)
            entries.append(ObjectKey(key, typed, str(requirement) != "optional", "value_of" if union else ""))
            numbers.append(_whole(number) if number is not None else 0)
        keys = [entry.key for entry in entries]
        if len(set(keys)) < len(keys):
            raise BadInput(f"{file.name}: a field of {name} occurs twice; rename one of them")
        given = [number for number in numbers if number]
        if len(set(given)) < len(given):
            raise BadInput(f"{file.name}: two fields of {name} have one number; number them anew")
        fine = len(set(numbers)) == len(numbers) and all(0 < number < 19000 for number in numbers)
        if not fine:
            mapped = "The fields are counted from 1, also in the table of bytes."
            what = ("A number of a field is missing, below 1 or above 18,999.", mapped)
            self.builder.losses.add(f"{file.name}: {name}", what)
        self.builder.message(name, entries, numbers if fine else ())

    def _typed(self, tree: "Tree[Token]", file: _File, hint: str, depth: int) -> ValueType:
        of = tree.children[0]
        place = f"{file.name}, line {tree.meta.line}"
        if depth > _DEEPEST:
            raise BadInput(f"{place}: the type refers to itself, or is nested too deeply; mend it")
        if isinstance(of, Token):
            return self._by_name(str(of), file, tree, hint, depth)
        if of.data == "map":
            key = self._typed(_tree(of.children[0]), file, f"{hint}Key", depth + 1)
            value = self._typed(_tree(of.children[1]), file, f"{hint}Value", depth + 1)
            if key.shape is Shape.ONE and key.kind in MAP_KEYS:
                held = self.builder.held(value, Shape.MAP, (file.name, hint, depth), f"{hint}Value")
                return replace(held, key=key.kind, key_format=key.format)
            return self._pairs(key, value, place, hint)
        if of.data == "set":
            self.builder.losses.add(place, ("A set has no order and no doubles.", "It is a list."))
        inner = self._typed(_tree(of.children[0]), file, f"{hint}Item", depth + 1)
        held = self.builder.held(inner, Shape.MANY, (file.name, hint, depth), f"{hint}Item")
        return replace(held, limits=replace(held.limits, unique=of.data == "set"))

    def _pairs(self, key: ValueType, value: ValueType, place: str, hint: str) -> ValueType:
        """A map whose keys are no text and no numbers, as a list of pairs."""
        mapped = "It is a list of objects with key and value. The table of bytes has Thrift's map."
        loss = ("The keys of a map are neither text nor whole numbers.", mapped)
        self.builder.losses.add(place, loss)
        name = self.builder.begin(("pair", place, hint), f"{hint}Entry")
        self.builder.message(name, [ObjectKey("key", key), ObjectKey("value", value)])
        return ValueType(Kind.MESSAGE, Shape.MANY, name, format=PAIRS)

    def _by_name(self, name: str, file: _File, tree: "Tree[Token]", hint: str, depth: int) -> ValueType:
        if name in _BASE:
            kind, encoding = _BASE[name]
            if name in _NARROW:
                self.builder.losses.add(f"{file.name}, line {tree.meta.line}", _NARROW[name])
            form = _FORMS.get(name, "")
            values = NARROW.get(form)
            limits = NO_LIMITS if values is None else Limits(least=values.start, most=values.stop - 1)
            return ValueType(kind, encoding=encoding, format=form, limits=limits)
        file, short = self._owner(name, file, tree)
        definition = file.definitions[short]
        if definition.data == "typedef":
            return self._typed(_tree(definition.children[0]), file, hint, depth + 1)
        return self.named(short, file, definition.meta.line)

    def named(self, name: str, file: _File, line: int) -> ValueType:
        """A struct, a union, an exception or an enumeration."""
        definition = file.definitions[name]
        key = (id(file), name)
        if definition.data == "enum":
            return self.builder.enumeration(key, name, _values(definition, file))
        if definition.data != "struct":
            raise BadInput(f"{file.name}, line {line}: {name} is a {definition.data}, not a type; name a struct")
        known = self.builder.known(key)
        if known is None:
            known = self.builder.begin(key, name)
            fields = [child for child in definition.children if isinstance(child, Tree) and child.data == "field"]
            self._waiting.append((known, fields, file, str(definition.children[0]) == "union"))
        return replace(ValueType(Kind.MESSAGE), type_name=known)

    def _owner(self, name: str, file: _File, tree: "Tree[Token]") -> tuple[_File, str]:
        """The file that defines a name, and the name there."""
        if name in file.definitions:
            return file, name
        # A file is named after itself without `.thrift`, and its name can have dots.
        before, _, short = name.rpartition(".")
        other = file.included.get(before)
        if other is None or short not in other.definitions:
            raise BadInput(f"{file.name}, line {tree.meta.line}: there is no {name!r}; define or include it")
        return other, short


def _values(definition: "Tree[Token]", file: _File) -> list[tuple[str, int]]:
    values: dict[str, int] = {}
    following = 0
    for declared in definition.find_data("enum_value"):
        name, number = str(declared.children[0]), declared.children[1]
        following = _whole(number) if number is not None else following
        if name in values:
            raise BadInput(f"{file.name}, line {declared.meta.line}: {name} occurs twice; rename one of them")
        values[name] = following
        following += 1
    return list(values.items())


def _whole(written: object) -> int:
    """A whole number, in tens or as `0x1f`."""
    text = str(written)
    return int(text, 16) if "x" in text else int(text)


def _tree(of: "Tree[Token] | Token | None") -> "Tree[Token]":
    assert isinstance(of, Tree)  # noqa: S101 - the grammar says so
    return of
