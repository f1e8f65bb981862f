"""Avro: a schema (`.avsc`) or a protocol with messages (`.avpr`), both in JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from callbench.catalog.imports import losses as lost
from callbench.catalog.imports.builder import Builder, ObjectKey, ValueType
from callbench.catalog.imports.reference_reader import ReferenceReader, beside
from callbench.catalog.imports.source import Options, Source, today
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal, snake
from callbench.model.service.imported import Imported
from callbench.model.service.schema import NULL, UNION, Encoding, Kind, OwnCall, Schema, Shape, fixed_format

_PRIMITIVES = {
    "boolean": (Kind.BOOL, Encoding.VARINT),
    "int": (Kind.INT32, Encoding.ZIGZAG),
    "long": (Kind.INT64, Encoding.ZIGZAG),
    "float": (Kind.FLOAT, Encoding.VARINT),
    "double": (Kind.DOUBLE, Encoding.VARINT),
    "bytes": (Kind.BYTES, Encoding.VARINT),
    "string": (Kind.STRING, Encoding.VARINT),
}
_HOLDERS = {"array": ("items", Shape.MANY), "map": ("values", Shape.MAP)}
_LOGICAL = {
    **dict.fromkeys(("date", "time-millis"), Kind.INT32),
    **dict.fromkeys(("time-micros", "timestamp-millis", "timestamp-micros", "timestamp-nanos"), Kind.INT64),
    **dict.fromkeys(("local-timestamp-millis", "local-timestamp-micros", "local-timestamp-nanos"), Kind.INT64),
    **dict.fromkeys(("decimal", "duration"), Kind.BYTES),
}
"""The types that the logical types of Avro stand for. A UUID is a text or bytes."""
_BYTES = ("Avro's own JSON writes a byte as a letter.", "JSON has bytes as base64, also in samples.")


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads an Avro schema or protocol.

    Raises:
        BadInput: it is wrong, or names a type that it does not define.
    """
    source = sources[0]
    reader = _Reader(source, options)
    document = source.document
    notes: tuple[str, ...] = ()
    if isinstance(document, dict) and "protocol" in document:
        calls, named = reader.protocol(document), document["protocol"]
        if not document.get("messages"):
            notes = ("The protocol has no messages: a call for each record echoes it.",)
    else:
        name = reader.root(document, pascal(source.stem, "Document"), place=f"{source.name}#")
        calls, named = (OwnCall("Echo", name, name),), name
        notes = ("The schema has no calls: one call echoes it.",)
    messages, enumerations = reader.builder.types()
    title = options.name or snake(str(named), "service")
    schema = Schema(title, messages, calls, enumerations, reader.builder.losses.all)
    return Imported(schema, source.name, "avro", today(), notes=notes)


class _Reader:
    """Reads types. A name that a schema has defined can be used from then on.

    A type that no schema has defined is looked for in a file with its name, `model.Order.avsc` or `Order.avsc`, as
    fastavro does it.
    """

    def __init__(self, source: Source, options: Options) -> None:
        """Nothing is defined yet."""
        self.builder = Builder()
        self._source = source
        self._options = options
        self._files = ReferenceReader(source, options)
        self._named: dict[str, ValueType] = {}
        self._read = {str(source.path.resolve())} if source.path is not None else set()

    def protocol(self, document: Mapping[str, object]) -> tuple[OwnCall, ...]:
        """The calls of a protocol; of one without messages, a call for each record."""
        space, root = str(document.get("namespace", "")), f"{self._source.name}#"
        types = self._list(document.get("types", []), f"{root}/types")
        typed = [self.typed(declared, space, f"{root}/types/{index}", "Type") for index, declared in enumerate(types)]
        messages = document.get("messages", {})
        if not isinstance(messages, dict):
            raise self._wrong(f"{root}/messages", "this must be an object; mend it")
        taken = Names()
        if messages:
            return tuple(
                self._call(taken.take(pascal(name)), message, space, f"{root}/messages/{name}")
                for name, message in messages.items()
            )
        records = [value_type.type_name for value_type in typed if value_type.kind is Kind.MESSAGE]
        if not records:
            raise self._wrong(f"{root}/messages", "there are neither messages nor records; add one")
        return tuple(OwnCall(taken.take(f"Echo{name}"), name, name) for name in records)

    def _call(self, name: str, schema: Any, space: str, place: str) -> OwnCall:  # noqa: ANN401
        if not isinstance(schema, dict):
            raise self._wrong(place, "a message is an object")
        if schema.get("errors"):
            self.builder.losses.add(self._at(place), ("The call can end with an error.", "Only answers are measured."))
        request = self.builder.begin(("request", name), f"{name}Request")
        parameters = self._list(schema.get("request", []), f"{place}/request")
        entries = [
            self._entry(parameter, space, f"{place}/request/{at}", request) for at, parameter in enumerate(parameters)
        ]
        self.builder.message(request, self._different(entries, f"{place}/request"))
        answer = schema.get("response", NULL)
        if answer == NULL:
            nothing = self.builder.begin(("answer", name), f"{name}Answer")
            self.builder.message(nothing, [])
            return OwnCall(name, request, nothing)
        return OwnCall(name, request, self.root(answer, f"{name}Answer", space, f"{place}/response"))

    def root(self, schema: Any, hint: str, space: str = "", place: str = "") -> str:  # noqa: ANN401
        """The message for a type: a record, or one that stands for it."""
        typed = self.typed(schema, space, place, hint)
        if typed.kind is Kind.MESSAGE and typed.shape is Shape.ONE and not typed.null:
            return typed.type_name
        return self.builder.wrapped(("root", hint), typed, hint)

    def typed(self, schema: Any, space: str, place: str, hint: str) -> ValueType:  # noqa: ANN401
        """The type that a schema describes."""
        if isinstance(schema, str):
            return self._by_name(schema, space, place)
        if isinstance(schema, list):
            return self._union(schema, space, place, hint)
        if not isinstance(schema, dict) or "type" not in schema:
            raise self._wrong(place, "a type is a name, a list or an object with a type")
        kind = schema["type"]
        if isinstance(kind, str) and kind in _HOLDERS:
            word, shape = _HOLDERS[kind]
            inner = self.typed(schema.get(word), space, f"{place}/{word}", hint + pascal(word))
            return self.builder.held(inner, shape, (place, hint), hint + pascal(word))
        definitions = {"record": self._record, "error": self._record, "enum": self._enum, "fixed": self._fixed}
        defined = definitions.get(str(kind))
        if defined is not None:
            return defined(schema, space, place)
        return self._logical(self.typed(kind, space, place, hint), schema, place)

    def _fixed(self, schema: Mapping[str, object], space: str, place: str) -> ValueType:
        size = schema.get("size")
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise self._wrong(place, "a fixed type has a size, a whole number")
        self.builder.losses.add(
            self._at(place), ("The bytes have a fixed length.", "Only Avro leaves their length out.")
        )
        self.builder.losses.add(self._at(place), _BYTES)
        self._logical(ValueType(Kind.BYTES), schema, place)
        return self._define(schema, space, place, ValueType(Kind.BYTES, format=fixed_format(size)))

    def _by_name(self, name: str, space: str, place: str) -> ValueType:
        if name in _PRIMITIVES:
            kind, encoding = _PRIMITIVES[name]
            if name == "long":
                self.builder.losses.add(self._at(place), lost.WHOLE)
            if name == "bytes":
                self.builder.losses.add(self._at(place), _BYTES)
            return ValueType(kind, encoding=encoding)
        if name == NULL:
            self.builder.losses.add(
                self._at(place),
                ("The type is null alone.", "It is kept as JSON. Only the table of bytes has none, as Avro writes it."),
            )
            return ValueType(Kind.JSON, format=NULL)
        names = [name] if "." in name or not space else [f"{space}.{name}", name]
        for full in names:
            if full in self._named or self._file_of(full, place):
                return self._named[full]
        file = f"{names[0].rpartition('.')[2]}.avsc"
        raise self._wrong(
            place, f"there is no type {name!r:.60}; define it before it is used, or put it into {file:.80}"
        )

    def _file_of(self, full: str, place: str) -> bool:
        """Reads the file that is called as a type, and says whether it defined the type."""
        folders = [*([self._source.path.parent] if self._source.path is not None else []), *self._options.files]
        short = full.rpartition(".")[2]
        for name in dict.fromkeys(f"{stem}.avsc" for stem in (full, short, short.lower())):
            path = beside(folders, name)
            if "/" in name or not path.is_file():
                continue
            true = self._files.file(path, self._at(place))
            if str(true) not in self._read:
                self._read.add(str(true))
                self.typed(Source(path.name, true).document, "", f"{path.name}#", pascal(path.stem))
            if full in self._named:
                return True
        return False

    def _record(self, schema: Mapping[str, object], space: str, place: str) -> ValueType:
        name = self._text(schema, "name", place)
        message = self.builder.begin(("record", place), name.rpartition(".")[2])
        typed = self._define(schema, space, place, ValueType(Kind.MESSAGE, type_name=message))
        inner = _space(schema, space)
        fields = self._list(schema.get("fields"), f"{place}/fields")
        entries = [self._entry(field, inner, f"{place}/fields/{index}", message) for index, field in enumerate(fields)]
        self.builder.message(message, self._different(entries, place))
        return typed

    def _different(self, entries: list[ObjectKey], place: str) -> list[ObjectKey]:
        if len({entry.key for entry in entries}) < len(entries):
            raise self._wrong(place, "a name occurs twice; rename one of them")
        return entries

    def _entry(self, schema: Any, space: str, place: str, message: str) -> ObjectKey:  # noqa: ANN401
        if not isinstance(schema, dict):
            raise self._wrong(place, "a field is an object")
        name = self._text(schema, "name", place)
        if "type" not in schema:
            raise self._wrong(place, "the field has no type")
        # Avro's writers write every field, so that only readers of other schemas use it.
        if schema.get("default") is not None:
            self.builder.losses.add(self._at(place), lost.DEFAULT)
        return ObjectKey(name, self.typed(schema["type"], space, place, message + pascal(name)))

    def _enum(self, schema: Mapping[str, object], space: str, place: str) -> ValueType:
        symbols = self._list(schema.get("symbols"), f"{place}/symbols")
        if not symbols or not all(isinstance(symbol, str) for symbol in symbols) or len(set(symbols)) < len(symbols):
            raise self._wrong(place, "an enum has symbols, each a text and each once")
        name = self._text(schema, "name", place)
        values = [(symbol, number) for number, symbol in enumerate(symbols)]
        typed = self.builder.enumeration(("enum", place), name.rpartition(".")[2], values)
        return self._define(schema, space, place, typed)

    def _union(self, schema: list[Any], space: str, place: str, hint: str) -> ValueType:
        others = [branch for branch in schema if branch != NULL]
        null = len(others) < len(schema)
        if len(schema) - len(others) > 1:
            raise self._wrong(place, "the union has 'null' twice; take one of them out")
        if null and len(others) == 1:
            inner = self.typed(others[0], space, place, hint)
            if null and inner.shape is not Shape.ONE:
                # Null and an empty list are different, and Avro writes a byte for which it is.
                listed = self.builder.wrapped(("nullable", place, hint), inner, hint)
                inner = ValueType(Kind.MESSAGE, type_name=listed)
            return replace(inner, null=null)
        if not others:
            return replace(self._by_name(NULL, space, place), null=True)
        if not all(isinstance(branch, str | dict) for branch in others):
            raise self._wrong(place, "a union cannot hold a union")
        types = [self.typed(branch, space, f"{place}/{index}", f"{hint}{index}") for index, branch in enumerate(others)]
        if twice := _twice(others):
            raise self._wrong(place, f"the union has {twice!r:.60} twice; take one of them out")
        mapped = (
            "It is a oneof: JSON has an object with the key of the type. Avro has a byte for it in the table of bytes,"
            " and in the calls of a stack a byte for each type."
        )
        choice = ("One of several types is allowed.", mapped)
        self.builder.losses.add(self._at(place), choice)
        message = self.builder.begin(("union", place, hint), hint)
        taken = Names(str.lower)
        entries = []
        for branch, given in zip(others, types, strict=True):
            named = branch if isinstance(branch, str) else str(branch.get("name", branch.get("type")))
            key = taken.take(named.rpartition(".")[2])
            typed = given
            if given.shape is not Shape.ONE or given.null:
                wrapped = self.builder.wrapped(("union", place, key), given, f"{hint}{pascal(key)}")
                typed = ValueType(Kind.MESSAGE, type_name=wrapped)
            entries.append(ObjectKey(key, typed, oneof=UNION))
        self.builder.message(message, entries)
        return ValueType(Kind.MESSAGE, type_name=message, null=null)

    def _logical(self, typed: ValueType, schema: Mapping[str, object], place: str) -> ValueType:
        logical = schema.get("logicalType")
        if not isinstance(logical, str) or typed.kind is not _LOGICAL.get(logical, typed.kind):
            return typed  # Avro disregards one that is not of its type
        if logical == "decimal":
            what = ("Not every format has decimal numbers.", "It is bytes, as Avro writes them.")
            self.builder.losses.add(self._at(place), what)
        elif logical != "uuid":
            kind = "bytes" if typed.kind is Kind.BYTES else "number"
            what = (f"Not every format has a type for `{logical}`.", f"It is the {kind} that Avro writes.")
            self.builder.losses.add(self._at(place), what)
        return replace(typed, format=logical)

    def _define(self, schema: Mapping[str, object], space: str, place: str, typed: ValueType) -> ValueType:
        name = self._text(schema, "name", place)
        full = name if "." in name else f"{_space(schema, space)}.{name}".lstrip(".")
        if full in self._named:
            raise self._wrong(place, f"the type {full!r:.60} is defined twice; rename one of them")
        self._named[full] = typed
        return typed

    def _text(self, schema: Mapping[str, object], word: str, place: str) -> str:
        if not isinstance(schema.get(word), str) or not schema[word]:
            raise self._wrong(place, f"{word} must be text")
        return str(schema[word])

    def _list(self, schema: Any, place: str) -> list[Any]:  # noqa: ANN401
        if not isinstance(schema, list):
            raise self._wrong(place, "this must be a list")
        return schema

    def _at(self, place: str) -> str:
        return f"{place}/" if place.endswith("#") else place

    def _wrong(self, place: str, what: str) -> BadInput:
        return BadInput(f"{self._at(place)}: {what}")


def _twice(branches: Sequence[Any]) -> str:
    """The type that a union has more than once, of those without a name of their own; "" if there is none."""
    kinds = [branch if isinstance(branch, str) else str(branch.get("type")) for branch in branches]
    unnamed = [kind for kind in kinds if kind in _PRIMITIVES or kind in _HOLDERS]
    return next((kind for kind in unnamed if unnamed.count(kind) > 1), "")


def _space(schema: Mapping[str, object], outer: str) -> str:
    name = str(schema.get("name"))
    if "." in name:
        return name.rpartition(".")[0]
    return str(schema["namespace"]) if isinstance(schema.get("namespace"), str) else outer
