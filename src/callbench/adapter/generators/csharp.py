"""C# for an imported service: classes as a person writes them for Newtonsoft's JSON and for WCF, and its calls.

A message is a class with a property for each field. One that stands for its only field is a list or map of its own,
or the type of the field itself. The calls are a table, and a contract of WCF. WCF knows no value without a type: what
holds any JSON is no data contract, and its calls are not in the contract.
"""

import json
from collections.abc import Iterator

from callbench.model.service.identifiers import Names, pascal
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape

_LIST = "global::System.Collections.Generic.List"
_MAP = "global::System.Collections.Generic.Dictionary"
_ANY = "global::Newtonsoft.Json.Linq.JToken"
_NO_VALUE = "global::Newtonsoft.Json.Linq.JValue.CreateNull()"
_PROPERTY = "global::Newtonsoft.Json.JsonProperty"
_ALWAYS = "NullValueHandling = global::Newtonsoft.Json.NullValueHandling.Include"
_BY_NAME = "global::Newtonsoft.Json.JsonConverter(typeof(global::Newtonsoft.Json.Converters.StringEnumConverter))"
_SERIALIZATION = "global::System.Runtime.Serialization"
_VALUE = f"{_SERIALIZATION}.EnumMember"
_WCF = "global::System.ServiceModel"
NAMESPACE = "urn:callbench:SpeedService"
"""Of the elements of XML: that of the .NET adapter's own contract."""
_TYPES = {
    Kind.BOOL: "bool",
    Kind.INT32: "int",
    Kind.INT64: "long",
    Kind.UINT32: "uint",
    Kind.UINT64: "ulong",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.STRING: "string",
    Kind.BYTES: "byte[]",
    Kind.JSON: _ANY,
}
# What is null unless it is given something; of all others the default is what the schema says.
_EMPTY = {"string": '""', "byte[]": "new byte[0]", _ANY: _NO_VALUE}
# What every class has already.
_OBJECT = frozenset({"Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString"})
_CALLS, _CONTRACT, _ANSWERING = "Calls", "IContract", "Answering"


def source(schema: Schema) -> str:
    """The file with the types and calls of a service."""
    return _Source(schema).written()


class _Source:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        names = Names()
        for ours in (_CALLS, _CONTRACT, _ANSWERING):
            names.take(ours)
        self._messages = {message.name: message for message in schema.messages}
        self._enumerations = {enumeration.name: enumeration for enumeration in schema.enumerations}
        self._names = {name: names.take(pascal(name)) for name in (*self._messages, *self._enumerations)}
        self._without_type = schema.holding({Kind.JSON})

    def written(self) -> str:
        lines = [f"// Written by Callbench for the service {_text(self._schema.name)}: changes are lost."]
        lines += ["namespace Callbench.Generated", "{"]
        for enumeration in self._schema.enumerations:
            if not _is_text(enumeration):
                lines += [*_indented(self._enumeration(enumeration)), ""]
        for message in self._schema.messages:
            if self._is_class(message):
                lines += [*_indented(self._message(message)), ""]
        for part in (self._calls(), self._contract(), self._answering()):
            lines += [*_indented(part), ""]
        return "\n".join([*lines, "}", ""])

    def _calls(self) -> Iterator[str]:
        call = "global::Callbench.Own.OwnCall"
        yield f"public static class {_CALLS}"
        yield "{"
        yield f"    public static readonly {call}[] All ="
        yield "    {"
        for operation in self._schema.calls:
            types = f"{self._of(operation.request)}, {self._of(operation.answer)}"
            yield f"        new {call}<{types}>({_text(operation.name)}),"
        yield "    };"
        yield "}"

    def _contract(self) -> Iterator[str]:
        """The calls as WCF declares them."""
        yield f"[{_WCF}.ServiceContract(Namespace = {_text(NAMESPACE)})]"
        yield f"public interface {_CONTRACT}"
        yield "{"
        for call in self._typed():
            yield f"    [{_WCF}.OperationContract]"
            yield f"    {self._of(call.answer)} @{call.name}({self._of(call.request)} request);"
        yield "}"

    def _answering(self) -> Iterator[str]:
        """The contract for a server, with a function that answers all calls."""
        function = "global::System.Func<string, object, object>"
        yield f"public sealed class {_ANSWERING} : {_CONTRACT}"
        yield "{"
        yield f"    private readonly {function} answer;"
        yield f"    public {_ANSWERING}({function} answer) {{ this.answer = answer; }}"
        for call in self._typed():
            types = f"{self._of(call.answer)} {_CONTRACT}.@{call.name}({self._of(call.request)} request)"
            yield f"    {types} => ({self._of(call.answer)})answer({_text(call.name)}, request);"
        yield "}"

    def _typed(self) -> Iterator[OwnCall]:
        """The calls that WCF can carry."""
        return (call for call in self._schema.calls if not {call.request, call.answer} & self._without_type)

    def _data_contract(self, name: str, kind: str = "") -> str:
        """The attribute of WCF on a type."""
        return f"[{_SERIALIZATION}.{kind}DataContract(Name = {_text(name)}, Namespace = {_text(NAMESPACE)})]"

    def _enumeration(self, enumeration: Enumeration) -> Iterator[str]:
        # The library reads a name whatever its case.
        names = Names(str.lower)
        yield f"[{_BY_NAME}]"
        yield self._data_contract(enumeration.name)
        yield f"public enum {self._names[enumeration.name]}"
        yield "{"
        for value, number in enumeration.values:
            yield f"    [{_VALUE}(Value = {_text(value)})] {names.take(pascal(value, 'Value'))} = {number},"
        yield "}"

    def _message(self, message: Message) -> Iterator[str]:
        name = self._names[message.name]
        typed = message.name not in self._without_type
        if typed:
            yield self._data_contract(message.name, "Collection" if message.wrapped else "")
        if message.wrapped:
            yield f"public sealed class {name} : {self._type(message.fields[0])} {{ }}"
            return
        yield f"public sealed class {name}"
        yield "{"
        properties = Names()
        for place, field in enumerate(message.fields):
            its = properties.take(_property(field.name), _OBJECT | {name})
            settings = f", {_ALWAYS}" if field.nullable or (_plain(field) and self._may_be_null(field)) else ""
            yield f"    [{_PROPERTY}({_text(field.json_name)}{settings})]"
            if typed:
                yield f"    [{_member(field, place)}]"
            default = self._default(field)
            yield f"    public {self._type(field)} {its} {{ get; set; }}{f' = {default};' if default else ''}"
        yield "}"

    def _is_class(self, message: Message) -> bool:
        """Whether a message has a class: what stands for one value has that value's type."""
        return not message.wrapped or message.fields[0].shape in (Shape.MANY, Shape.MAP)

    def _of(self, name: str) -> str:
        """The type of a message."""
        message = self._messages[name]
        return self._names[name] if self._is_class(message) else self._type(message.fields[0])

    def _type(self, field: Field) -> str:
        """The type of a field. JSON writes every key of a map as text."""
        value_type = self._one(field)
        if field.shape is Shape.MANY:
            return f"{_LIST}<{value_type}>"
        if field.shape is Shape.MAP:
            return f"{_MAP}<string, {value_type}>"
        return (
            value_type if _plain(field) or value_type.endswith("?") or not self._is_value(field) else f"{value_type}?"
        )

    def _one(self, field: Field) -> str:
        if field.kind is Kind.MESSAGE:
            return self._of(field.type_name)
        if field.kind is Kind.ENUM:
            return "string" if _is_text(self._enumerations[field.type_name]) else self._names[field.type_name]
        return _TYPES[field.kind]

    def _is_value(self, field: Field) -> bool:
        """Whether the type of a field's value has no null of its own."""
        if field.kind is Kind.MESSAGE:
            message = self._messages[field.type_name]
            return not self._is_class(message) and self._is_value(message.fields[0])
        return self._one(field) not in _EMPTY

    def _may_be_null(self, field: Field) -> bool:
        """Whether JSON can have null for a field that is always there."""
        if field.kind is Kind.MESSAGE:
            message = self._messages[field.type_name]
            if self._is_class(message):
                return False
            inner = message.fields[0]
            return inner.shape is Shape.OPTIONAL or self._may_be_null(inner)
        return field.kind is Kind.JSON

    def _default(self, field: Field) -> str:
        """What a field is before it is set, where that is not C#'s default; otherwise empty."""
        if field.shape in (Shape.MANY, Shape.MAP):
            return f"new {self._type(field)}()"
        if not _plain(field):
            return ""
        if field.kind is Kind.MESSAGE:
            message = self._messages[field.type_name]
            return f"new {self._names[message.name]}()" if self._is_class(message) else self._default(message.fields[0])
        if field.kind is Kind.ENUM and _is_text(self._enumerations[field.type_name]):
            return _text(self._enumerations[field.type_name].values[0][0])
        return _EMPTY.get(self._one(field), "")


def _plain(field: Field) -> bool:
    """Whether a field always has one value."""
    return field.shape is Shape.ONE and not field.oneof


def _member(field: Field, place: int) -> str:
    """The attribute of WCF on a field: its order is ours, and a value that is not there is left out as in JSON."""
    absent = ", EmitDefaultValue = false" if _may_be_absent(field) and not field.nullable else ""
    return f"{_SERIALIZATION}.DataMember(Name = {_text(field.json_name or field.name)}, Order = {place}{absent})"


def _may_be_absent(field: Field) -> bool:
    return field.shape is Shape.OPTIONAL or bool(field.oneof)


def _is_text(enumeration: Enumeration) -> bool:
    """Whether the library cannot read its names.

    It takes a comma for one between flags, no name at all for null, and two that differ only in case for one.
    """
    names = [name for name, _ in enumeration.values]
    return any("," in name or not name.strip() for name in names) or len({name.lower() for name in names}) < len(names)


def _property(name: str) -> str:
    """A field's name in C#. A property with `Specified` at its end would say whether another one is written."""
    its = pascal(name, "Field")
    return f"{its}_" if its.endswith("Specified") else its


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)


def _text(text: str) -> str:
    """A literal of C#, which has the escapes of JSON."""
    return json.dumps(text)
