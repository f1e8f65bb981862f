"""WSDL 1.1 with its XSD: each operation is a call; the library xmlschema reads the types."""

import re
import tempfile
import urllib.parse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree
from xmlschema import XMLSchema10, XMLSchemaModelError
from xmlschema.validators import XsdElement, XsdType

from callbench.catalog.imports.reference_reader import ReferenceReader
from callbench.catalog.imports.source import Options, Source, today
from callbench.catalog.imports.wsdl.gather import WSDL, WsdlDocuments
from callbench.catalog.imports.wsdl.types import Types
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal, snake
from callbench.model.service.imported import Imported
from callbench.model.service.schema import OwnCall, Schema

_XSD = "http://www.w3.org/2001/XMLSchema"
# A default of the wrong type, and how often a global element occurs.
_HARMLESS = re.compile(
    r"^'?(default|fixed)'? value .* is not compatible"
    r"|^use of attribute '(min|max)Occurs' is prohibited"
    r"|^attribute '(min|max)Occurs' is not allowed in a global element"
)

# What a binding puts beside the body.
_BESIDE = {
    "header": ("SOAP has a part in its header.", "A part of the call's own message is a field; another is left out."),
    "multipartRelated": ("The call has attachments (MIME).", "A part of the call's own message is a field."),
}


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads a WSDL.

    Raises:
        BadInput: it is wrong, or imports what is missing or not allowed.
    """
    source = sources[0]
    reach = ReferenceReader(source, options)
    with tempfile.TemporaryDirectory(prefix="callbench-") as made:
        gathered = WsdlDocuments(Path(made), reach)
        gathered.wsdl(source.name, reach.base, source.content)
        types = Types()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                schema = XMLSchema10(
                    str(gathered.finish()), allow="local", defuse="always", use_fallback=False, validation="lax"
                )
            wrong = [*dict.fromkeys(gathered.notes), *_wrong(schema, gathered)]
            document = _Document(gathered.definitions, schema, types)
            calls = tuple(document.calls())
            types.finish()
        except BadInput:
            raise
        except Exception as error:  # noqa: BLE001 - the library expects what the specification asks for
            place = _place(error, gathered) or source.name
            raise BadInput(f"{place}: its types cannot be read: {_reason(error, gathered)}; mend it") from None
    if not calls:
        raise BadInput(f"{source.name}: there is no operation; add a portType with one")
    messages, enumerations = types.builder.types()
    services = document.services
    name = options.name or snake(services[0] if len(services) == 1 else source.stem, "service")
    made_of = Schema(name, messages, calls, enumerations, types.builder.losses.all)
    notes = ("JSON has the local names of elements and attributes; XML's namespaces are left out.", *wrong)
    return Imported(made_of, source.name, "wsdl 1.1", today(), notes=notes)


def _wrong(schema: XMLSchema10, gathered: WsdlDocuments) -> list[str]:
    """Sentences about what is wrong with the types and changes no message: lenient clients take it too.

    Raises:
        XMLSchemaException: something else is wrong.
    """
    notes = []
    for error in [error for xsd in schema.maps.iter_schemas() for error in xsd.all_errors]:
        reason = _reason(error, gathered)
        if not _is_harmless(error, reason):
            raise error
        notes.append(f"{_place(error, gathered) or 'The types'}: {reason}; it is read over, as lenient clients do.")
    return list(dict.fromkeys(notes))


def _is_harmless(error: BaseException, reason: str) -> bool:
    element = getattr(error, "elem", None)
    in_pattern = element is not None and element.tag == f"{{{_XSD}}}pattern"
    ambiguous = isinstance(error, XMLSchemaModelError) and reason.startswith("Unique Particle Attribution")
    return in_pattern or ambiguous or _HARMLESS.search(reason) is not None


class _Document:
    """The operations of all WSDL documents of an import.

    Attributes:
        services: the names of the services.
    """

    def __init__(self, roots: Sequence[tuple[str, etree._Element]], schema: XMLSchema10, types: Types) -> None:
        """Finds messages and services."""
        self._roots = roots
        self._schema = schema
        self._types = types
        self._messages = {
            (root.get("targetNamespace", ""), message.get("name", "")): (file, message)
            for file, root in roots
            for message in root.iterfind(f"{WSDL}message")
        }
        self.services = [service.get("name", "") for _, root in roots for service in root.iterfind(f"{WSDL}service")]
        self._path = next(self._addresses(), "")

    def _addresses(self) -> Iterator[str]:
        for _, root in self._roots:
            for port in root.iterfind(f"{WSDL}service/{WSDL}port"):
                for child in port:
                    if isinstance(child.tag, str) and child.tag.endswith("}address") and child.get("location"):
                        yield urllib.parse.urlsplit(child.get("location", "")).path or "/"

    def calls(self) -> Iterator[OwnCall]:
        """The operations of all port types. Those of the same name and messages are one."""
        taken = Names()
        seen = set()
        for file, root in self._roots:
            for bound in root.iterfind(f"{WSDL}binding/{WSDL}operation/*/*"):
                what = _BESIDE.get(etree.QName(bound.tag).localname) if isinstance(bound.tag, str) else None
                if what is not None:
                    self._types.builder.losses.add(f"{file}, line {bound.sourceline}", what)
            for operation in root.iterfind(f"{WSDL}portType/{WSDL}operation"):
                name = pascal(operation.get("name", ""), "Call")
                sides = [operation.find(f"{WSDL}{side}") for side in ("input", "output")]
                key = (name, *(side.get("message") if side is not None else None for side in sides))
                if key in seen:
                    continue
                seen.add(key)
                name = taken.take(name)
                self._say(operation, f"{file}, line {operation.sourceline} {name}", one_way=sides[1] is None)
                request = self._side(sides[0], file, f"{name}Request")
                yield OwnCall(name, request, self._side(sides[1], file, f"{name}Answer"), "POST", self._path)

    def _say(self, operation: etree._Element, place: str, *, one_way: bool) -> None:
        losses = self._types.builder.losses
        if operation.find(f"{WSDL}fault") is not None:
            losses.add(place, ("The call can end with a fault.", "Only answers are measured."))
        if one_way:
            losses.add(place, ("The call has no answer (one-way).", "It is measured with an empty answer."))

    def _side(self, side: etree._Element | None, file: str, hint: str) -> str:
        """The message of a request or an answer."""
        if side is None:
            return self._types.parts({}, hint)
        place = f"{file}, line {side.sourceline}"
        name = side.get("message", "")
        entry = self._messages.get(_qualified(side, name, place))
        if entry is None:
            raise BadInput(f"{place}: there is no message {name!r:.60}; define it")
        file, message = entry
        parts: dict[str, XsdElement | XsdType] = {}
        for part in message.iterfind(f"{WSDL}part"):
            parts[part.get("name", "")] = self._part(part, f"{file}, line {part.sourceline}")
        only = next(iter(parts.values())) if len(parts) == 1 else None
        if isinstance(only, XsdElement):
            return self._types.element(only, pascal(only.local_name))
        return self._types.parts(parts, hint)

    def _part(self, part: etree._Element, place: str) -> XsdElement | XsdType:
        for word, known in (("element", self._schema.maps.elements), ("type", self._schema.maps.types)):
            name = part.get(word)
            if name is None:
                continue
            space, local = _qualified(part, name, place)
            try:
                component = known[f"{{{space}}}{local}" if space else local]
            except KeyError:
                raise BadInput(f"{place}: there is no {word} {name!r:.60}; define or import it") from None
            if isinstance(component, XsdElement | XsdType):
                return component
        raise BadInput(f"{place}: a part needs an element or a type; add one")


def _qualified(element: etree._Element, name: str, place: str) -> tuple[str, str]:
    """The namespace and the local name of a name with a prefix."""
    prefix, _, local = name.rpartition(":")
    if prefix and prefix not in element.nsmap:
        raise BadInput(f"{place}: the prefix {prefix!r:.60} is not declared; declare it")
    return element.nsmap.get(prefix or None) or "", local


def _place(error: BaseException, gathered: WsdlDocuments) -> str:
    """The document and the element at which types cannot be read, as far as the library names them."""
    document = gathered.origin(str(getattr(error, "schema_url", "")))
    element = getattr(error, "elem", None)
    if not document or element is None:
        return document
    name = element.get("name") or element.get("ref")
    return f"{document}, {etree.QName(element.tag).localname}" + (f" {name!r:.60}" if name else "")


def _reason(error: BaseException, gathered: WsdlDocuments) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "message", None) or error
    text = " ".join(str(reason).split()).partition(" Schema component:")[0].rstrip(".:")
    return gathered.with_origins(text)[:300] or type(error).__name__
