"""Classes for SOAP as wsdl2java writes them for JAXB, and the port: the interface, and what answers."""

import re

from callbench.adapter.generators.java.calls import calls, type_of
from callbench.adapter.generators.java.classes import PlainMembers, always, message_class
from callbench.adapter.generators.java.jackson import text
from callbench.adapter.generators.java.names import FORBIDDEN, constants, members
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape

PACKAGE = "org.callbench.own.cxf"
_BIND = "jakarta.xml.bind.annotation"
_WEB = "jakarta.jws"
_NCNAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_UNSIGNED = {Kind.UINT32: "unsignedInt", Kind.UINT64: "unsignedLong"}
_STARTS = {Shape.MANY: "new java.util.ArrayList<>()", Shape.MAP: "new java.util.LinkedHashMap<>()"}
_OF_OBJECT = frozenset({"wait", "notify", "notifyAll", "getClass", "hashCode", "toString", "clone", "finalize"})
_MEMBERS = PlainMembers(PACKAGE)


def sources(schema: Schema) -> dict[str, str]:
    """The files, by their paths. The names of the schema are safe in Java."""
    folder = PACKAGE.replace(".", "/")
    space = text(types_namespace(schema))
    files = {
        f"{folder}/Calls.java": calls(schema, PlainMembers(PACKAGE)),
        f"{folder}/Port.java": _port(schema),
        f"{folder}/Answering.java": _answering(schema),
        f"{folder}/types/package-info.java": f"@{_BIND}.XmlSchema(namespace = {space},\n"
        f"    elementFormDefault = {_BIND}.XmlNsForm.QUALIFIED)\npackage {PACKAGE}.types;\n",
    }
    for message in schema.messages:
        files[f"{folder}/types/{message.name}.java"] = message_class(message, _Jaxb())
    for enumeration in schema.enumerations:
        files[f"{folder}/types/{enumeration.name}.java"] = _enumeration(enumeration)
    return files


def namespace(schema: Schema) -> str:
    """The namespace of the service, and of the elements that stand for its calls."""
    return f"urn:callbench:own:{schema.name}"


def types_namespace(schema: Schema) -> str:
    """The namespace of the types. A call and a message often have one name, and each is a type for CXF."""
    return f"{namespace(schema)}:types"


def element(field: Field) -> str:
    """The name of a field's element: its key in JSON if XML takes it, otherwise its name in the schema."""
    return field.json_name if _NCNAME.match(field.json_name) else field.name


class _Jaxb:
    """Annotations of JAXB."""

    package = PACKAGE
    any_value = "java.lang.String"

    def of_class(self, message: Message) -> str:
        names = members(message)
        order = ", ".join(f'"{names[field.name]}"' for field in message.fields)
        return (
            f"@{_BIND}.XmlAccessorType({_BIND}.XmlAccessType.FIELD)\n"
            f'@{_BIND}.XmlType(name = "{message.name}", propOrder = {{{order}}})\n'
        )

    def of_field(self, _message: Message, field: Field) -> str:
        required = ", required = true" if always(field) else ""
        lines = f"  @{_BIND}.XmlElement(name = {text(element(field))}{required})\n"
        if field.kind in _UNSIGNED and field.shape is not Shape.MAP:
            lines += f'  @{_BIND}.XmlSchemaType(name = "{_UNSIGNED[field.kind]}")\n'
        return lines

    def start(self, field: Field) -> str:
        return _STARTS.get(field.shape, "")

    def more(self, _message: Message) -> str:
        return ""


def _enumeration(enumeration: Enumeration) -> str:
    values = ",\n".join(
        f"  @{_BIND}.XmlEnumValue({text(name)})\n  {constant}"
        for (name, _), constant in zip(enumeration.values, constants(enumeration), strict=True)
    )
    return (
        f'package {PACKAGE}.types;\n\n@{_BIND}.XmlType(name = "{enumeration.name}")\n@{_BIND}.XmlEnum\n'
        f"public enum {enumeration.name} {{\n{values}\n}}\n"
    )


def _method(call: OwnCall) -> str:
    answer, request = type_of(_MEMBERS, call.answer), type_of(_MEMBERS, call.request)
    name = f"{call.name}_" if call.name in FORBIDDEN | _OF_OBJECT else call.name
    return f"{answer} {name}(%s{request} request)"


def _port(schema: Schema) -> str:
    space = text(namespace(schema))
    parameter = f'@{_WEB}.WebParam(name = "request", targetNamespace = {space}) '
    methods = "\n".join(
        f'  @{_WEB}.WebMethod(operationName = "{call.name}")\n'
        f'  @{_WEB}.WebResult(name = "result", targetNamespace = {space})\n'
        f"  {_method(call) % parameter};\n"
        for call in schema.calls
    )
    return (
        f"package {PACKAGE};\n\n"
        f'@{_WEB}.WebService(name = "Port", targetNamespace = {space})\n'
        f"public interface Port {{\n  java.lang.String NAMESPACE = {space};\n\n{methods}}}\n"
    )


def _answering(schema: Schema) -> str:
    methods = "\n".join(
        f"  @java.lang.Override\n  public {_method(call) % ''} {{\n"
        f'    return ({type_of(_MEMBERS, call.answer)}) answers.apply("{call.name}", request);\n  }}\n'
        for call in schema.calls
    )
    function = "java.util.function.BiFunction<java.lang.String, java.lang.Object, java.lang.Object>"
    return (
        f"package {PACKAGE};\n\npublic class Answering implements Port {{\n  private final {function} answers;\n\n"
        f"  public Answering({function} answers) {{\n    this.answers = answers;\n  }}\n\n{methods}}}\n"
    )
