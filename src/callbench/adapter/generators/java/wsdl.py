"""The WSDL of a service: document/literal, wrapped, as most servers of SOAP have it."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from callbench.adapter.generators.java.classes import always
from callbench.adapter.generators.java.jaxb import element, namespace, types_namespace
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape

FILE = "org/callbench/own/service.wsdl"
_SCHEMA = "http://www.w3.org/2001/XMLSchema"
_WSDL = "http://schemas.xmlsoap.org/wsdl/"
_SOAP = "http://schemas.xmlsoap.org/wsdl/soap/"
_TRANSPORT = "http://schemas.xmlsoap.org/soap/http"
_TYPES = {
    Kind.BOOL: "boolean",
    Kind.INT32: "int",
    Kind.INT64: "long",
    Kind.UINT32: "unsignedInt",
    Kind.UINT64: "unsignedLong",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.STRING: "string",
    Kind.BYTES: "base64Binary",
    Kind.JSON: "string",
}


def wsdl(schema: Schema) -> str:
    """The text of the file. Any JSON value is a string, and a map is a list of entries.

    The address of the service is left open: the server writes it.
    """
    root = ET.Element(
        "wsdl:definitions",
        {
            "name": "Service",
            "targetNamespace": namespace(schema),
            "xmlns:tns": namespace(schema),
            "xmlns:types": types_namespace(schema),
            "xmlns:wsdl": _WSDL,
            "xmlns:soap": _SOAP,
            "xmlns:xs": _SCHEMA,
        },
    )
    both = ET.SubElement(root, "wsdl:types")
    types = _schema(both, types_namespace(schema))
    types.extend(_message(message) for message in schema.messages)
    types.extend(_enumeration(enumeration) for enumeration in schema.enumerations)
    wrappers = _schema(both, namespace(schema))
    ET.SubElement(wrappers, "xs:import", {"namespace": types_namespace(schema)})
    for call in schema.calls:
        wrappers.extend(_wrappers(call))
    for call in schema.calls:
        root.extend(_messages(call))
    _port(root, schema)
    _binding(root, schema)
    port = ET.SubElement(
        ET.SubElement(root, "wsdl:service", {"name": "Service"}),
        "wsdl:port",
        {"name": "Port", "binding": "tns:Binding"},
    )
    ET.SubElement(port, "soap:address", {"location": "http://127.0.0.1/"})
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _schema(types: ET.Element, space: str) -> ET.Element:
    return ET.SubElement(types, "xs:schema", {"targetNamespace": space, "elementFormDefault": "qualified"})


def _message(message: Message) -> ET.Element:
    kind = ET.Element("xs:complexType", {"name": message.name})
    sequence = ET.SubElement(kind, "xs:sequence")
    sequence.extend(_field(field) for field in message.fields)
    return kind


def _field(field: Field) -> ET.Element:
    if field.shape is Shape.MAP:
        entries = ET.Element("xs:element", {"name": element(field), "minOccurs": "0"})
        entry = _within(entries, {"name": "entry", "minOccurs": "0", "maxOccurs": "unbounded"})
        pair = ET.SubElement(ET.SubElement(entry, "xs:complexType"), "xs:sequence")
        ET.SubElement(pair, "xs:element", {"name": "key", "type": "xs:string", "minOccurs": "0"})
        ET.SubElement(pair, "xs:element", {"name": "value", "type": _type(field), "minOccurs": "0"})
        return entries
    occurs = {} if always(field) else {"minOccurs": "0"}
    if field.shape is Shape.MANY:
        occurs["maxOccurs"] = "unbounded"
    return ET.Element("xs:element", {"name": element(field), "type": _type(field), **occurs})


def _within(of: ET.Element, attributes: dict[str, str]) -> ET.Element:
    """An element with these attributes, as the only one in an element's own type."""
    return ET.SubElement(ET.SubElement(ET.SubElement(of, "xs:complexType"), "xs:sequence"), "xs:element", attributes)


def _type(field: Field) -> str:
    return f"types:{field.type_name}" if field.kind in {Kind.MESSAGE, Kind.ENUM} else f"xs:{_TYPES[field.kind]}"


def _enumeration(enumeration: Enumeration) -> ET.Element:
    kind = ET.Element("xs:simpleType", {"name": enumeration.name})
    values = ET.SubElement(kind, "xs:restriction", {"base": "xs:string"})
    for name, _ in enumeration.values:
        ET.SubElement(values, "xs:enumeration", {"value": name})
    return kind


def _wrappers(call: OwnCall) -> Iterator[ET.Element]:
    for name, member, of in ((call.name, "request", call.request), (f"{call.name}Response", "result", call.answer)):
        wrapper = ET.Element("xs:element", {"name": name})
        _within(wrapper, {"name": member, "type": f"types:{of}", "minOccurs": "0"})
        yield wrapper


def _messages(call: OwnCall) -> Iterator[ET.Element]:
    for name in (call.name, f"{call.name}Response"):
        message = ET.Element("wsdl:message", {"name": name})
        ET.SubElement(message, "wsdl:part", {"name": "parameters", "element": f"tns:{name}"})
        yield message


def _port(root: ET.Element, schema: Schema) -> None:
    port = ET.SubElement(root, "wsdl:portType", {"name": "Port"})
    for call in schema.calls:
        operation = ET.SubElement(port, "wsdl:operation", {"name": call.name})
        ET.SubElement(operation, "wsdl:input", {"message": f"tns:{call.name}"})
        ET.SubElement(operation, "wsdl:output", {"message": f"tns:{call.name}Response"})


def _binding(root: ET.Element, schema: Schema) -> None:
    binding = ET.SubElement(root, "wsdl:binding", {"name": "Binding", "type": "tns:Port"})
    ET.SubElement(binding, "soap:binding", {"style": "document", "transport": _TRANSPORT})
    for call in schema.calls:
        operation = ET.SubElement(binding, "wsdl:operation", {"name": call.name})
        ET.SubElement(operation, "soap:operation", {"soapAction": ""})
        for direction in ("input", "output"):
            ET.SubElement(ET.SubElement(operation, f"wsdl:{direction}"), "soap:body", {"use": "literal"})
