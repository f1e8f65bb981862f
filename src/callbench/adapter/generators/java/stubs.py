"""Protocol Buffers and stubs of gRPC: by protoc and grpc-java's plugin, and the class `Calls` over their getters."""

import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from callbench.adapter.generators import compiler
from callbench.adapter.generators.java.calls import calls
from callbench.adapter.generators.java.classes import always
from callbench.adapter.generators.java.names import KEYWORDS
from callbench.catalog.own.proto_text import grpc_text
from callbench.model.errors import BadInput
from callbench.model.service.grpc_name import bare_service_name, package
from callbench.model.service.identifiers import Names, default_json
from callbench.model.service.schema import Enumeration, Field, Kind, Message, Schema, Shape

_PACKAGE = "org.callbench.own.grpc"
_OUTER = "CallbenchOwnProto"
_PRIMITIVES = {
    Kind.BOOL: "boolean",
    Kind.INT32: "int",
    Kind.UINT32: "int",
    Kind.ENUM: "int",
    Kind.INT64: "long",
    Kind.UINT64: "long",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
}
_TABLE = re.compile(
    r"internal_static_(?P<message>\w+)_fieldAccessorTable = new\s+"
    r"com\.google\.protobuf\.GeneratedMessageV3\.FieldAccessorTable\(\s*"
    r"\w+,\s*new java\.lang\.String\[\] \{(?P<names>[^}]*)\}"
)


def proto(schema: Schema) -> str:
    """The file for protoc: the schema with its calls as a service. Fields and values have names that Java takes."""
    messages = tuple(_message(message) for message in schema.messages)
    text = grpc_text(
        replace(
            schema,
            messages=messages,
            enumerations=tuple(_enumeration(enumeration) for enumeration in schema.enumerations),
        )
    )
    options = (
        f'option java_package = "{_PACKAGE}.types";\noption java_multiple_files = true;\n'
        f'option java_outer_classname = "{_OUTER}";\n'
    )
    line = f"package {package(schema)};\n"
    return text.replace(line, f"{line}\n{options}", 1)


def generate(schema: Schema, adapter: Path, scratch: Path, sources: Path) -> None:
    """Writes the messages, the stubs and `Calls` into `sources`.

    Args:
        schema: with names that are safe in Java.
        adapter: the folder of the Java adapter, whose build left protoc and its plugin.
        scratch: a folder for the .proto file.
        sources: the folder of the sources.

    Raises:
        BadInput: the tools are missing.
        CallbenchError: protoc refuses the file.
    """
    (scratch / "schema.proto").write_text(proto(schema), encoding="utf-8")
    with zipfile.ZipFile(_built(adapter, "target/lib/grpc/protobuf-java-*.jar")) as jar:
        jar.extract("google/protobuf/struct.proto", scratch)
    tools = "grpc/target/protoc-plugins"
    command = [_built(adapter, f"{tools}/protoc-[0-9]*.exe"), f"-I{scratch}"]
    command += [f"--plugin=protoc-gen-grpc-java={_built(adapter, f'{tools}/protoc-gen-grpc-java-*.exe')}"]
    command += [f"--java_out={sources}", f"--grpc-java_out={sources}", "schema.proto"]
    compiler.run(command, "protoc refuses the messages of the service for Java")
    folder = sources / _PACKAGE.replace(".", "/")
    outer = (folder / "types" / f"{_OUTER}.java").read_text(encoding="utf-8")
    service = f"types.{bare_service_name(schema)}Grpc.getServiceDescriptor()"
    constant = f"  public static final io.grpc.ServiceDescriptor SERVICE =\n      {_PACKAGE}.{service};\n\n"
    text = calls(schema, _ProtoMembers(outer, package(schema)), constant)
    (folder / "Calls.java").write_text(text, encoding="utf-8")


def _built(adapter: Path, pattern: str) -> str:
    files = sorted(adapter.glob(pattern))
    if not files:
        raise BadInput(f"the Java adapter is not complete, {adapter / pattern} is missing: run `callbench setup java`")
    return str(files[-1])


def _message(message: Message) -> Message:
    """Names that differ in more than case and underscores: the plugin refuses others. No wire has names or keys."""
    taken = Names(lambda name: name.replace("_", "").lower())
    names = [taken.take(_field(field.name)) for field in message.fields]
    fields = zip(message.fields, names, strict=True)
    return replace(
        message, fields=tuple(replace(field, name=name, json_name=default_json(name)) for field, name in fields)
    )


def _field(name: str) -> str:
    """A name with a letter before digits and underscores, as Java's need one."""
    return name if name.lstrip("_")[:1].isalpha() else f"field{name}"


def _enumeration(enumeration: Enumeration) -> Enumeration:
    taken = Names()
    return replace(enumeration, values=tuple((taken.take(_value(name)), number) for name, number in enumeration.values))


def _value(name: str) -> str:
    """A name that is no keyword of Java, and none of what protoc adds: UNRECOGNIZED, and a number NAME_VALUE."""
    return f"{name}_" if name in KEYWORDS or name == "UNRECOGNIZED" or name.endswith("_VALUE") else name


class _ProtoMembers:
    """How `Calls` reads messages: by the getters, whose names are in a table of protoc's."""

    package = _PACKAGE
    forms: Mapping[Kind, str] = {Kind.STRING: "Same::text", Kind.BYTES: "org.callbench.grpc.Octets::bytes"}

    def __init__(self, outer: str, scope: str) -> None:
        """`outer` is the source of the outer class; `scope` is the package in the .proto file."""
        self._scope = scope.replace(".", "_")
        self._names = {
            entry["message"]: json.loads(f"[{entry['names'].rstrip(' ,')}]") for entry in _TABLE.finditer(outer)
        }

    def get(self, message: Message, field: Field, variable: str) -> str:
        names: list[str] = self._names[f"{self._scope}_{message.name}"]
        name = names[message.fields.index(field)]
        numbers = "Value" if field.kind is Kind.ENUM else ""
        if field.shape is Shape.MANY:
            return f"{variable}.get{name}{numbers}List()"
        if field.shape is Shape.MAP:
            return f"{variable}.get{name}{numbers}Map()"
        value = f"{variable}.get{name}{numbers}()"
        if always(field) and field.kind not in {Kind.MESSAGE, Kind.JSON}:
            return value
        return f"({variable}.has{name}() ? {value} : null)"

    def primitive(self, field: Field) -> str:
        return _PRIMITIVES.get(field.kind, "") if always(field) else ""
