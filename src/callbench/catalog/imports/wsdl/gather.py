"""A WSDL with everything that it refers to, in a folder of its own: the library for XSD then sees nothing else.

Each schema becomes a file, also those that stand in the WSDL. Locations are rewritten to these files.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

from lxml import etree

from callbench.catalog.imports.reference_reader import MOST, ReferenceReader
from callbench.model.errors import BadInput

WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
XSD = "{http://www.w3.org/2001/XMLSchema}"
_XML = "http://www.w3.org/XML/1998/namespace"
_ENCODINGS = {"http://schemas.xmlsoap.org/soap/encoding/", "http://www.w3.org/2003/05/soap-encoding"}
_WSDL2 = "{http://www.w3.org/ns/wsdl}"


def parsed(name: str, content: bytes) -> etree._Element:
    """The root of a document. A document type is refused: its entities can grow without end, or read files.

    Raises:
        BadInput: it is not XML, or has a document type.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        message = " ".join(str(error.msg).split())
        raise BadInput(f"{name}, line {error.lineno or 1}: it is not XML: {message}") from None
    except ValueError as error:
        raise BadInput(f"{name}: it is not XML: {error}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadInput(f"{name}: it has a document type (<!DOCTYPE>), which is refused; take it out")
    return root


class WsdlDocuments:
    """The documents of an import.

    Attributes:
        definitions: the roots of the WSDL documents, the first one first, with their names.
        notes: sentences about what is wrong and was mended.
    """

    def __init__(self, folder: Path, reach: ReferenceReader) -> None:
        """Nothing is gathered yet."""
        self.definitions: list[tuple[str, etree._Element]] = []
        self.notes: list[str] = []
        self._folder = folder
        self._reach = reach
        self._files: dict[str, str] = {}
        self._of_namespace: dict[str, list[str]] = {}
        self._open_imports: list[tuple[etree._Element, str]] = []
        self._roots: dict[str, etree._Element] = {}
        self._names: dict[str, str] = {}

    def wsdl(self, name: str, base: str, content: bytes) -> None:
        """A WSDL with all that it imports.

        Raises:
            BadInput: a document is wrong, or may not be read.
        """
        root = parsed(name, content)
        if root.tag.startswith(_WSDL2):
            raise BadInput(f"{name}: WSDL 2.0 is not supported; give a WSDL 1.1")
        if root.tag == f"{XSD}schema":
            self._schema(root, name, base)
            return
        if root.tag != f"{WSDL}definitions":
            raise BadInput(f"{name}: its root is <{_local(root)}>, not <definitions>; give a WSDL 1.1")
        self._files[base] = ""
        self.definitions.append((name, root))
        for schema in root.iterfind(f"{WSDL}types/{XSD}schema"):
            self._schema(schema, name, base)
        for imported in root.iterfind(f"{WSDL}import"):
            location = imported.get("location")
            if location is None:
                raise BadInput(f"{name}, line {imported.sourceline}: an import needs a location; add it")
            address = _address(base, location, name, imported)
            if address not in self._files:
                self.wsdl(
                    self._reach.name(address),
                    address,
                    self._reach.content(address, f"{name}, line {imported.sourceline}"),
                )

    def origin(self, url: str) -> str:
        """The document that a schema of the folder was taken from; nothing for those that are written here."""
        return self._names.get(url.rpartition("/")[2], "")

    def with_origins(self, text: str) -> str:
        """A text without names of the folder's files."""
        return re.sub(r"\bschema\d+\.xsd\b", lambda match: self.origin(match[0]) or match[0], text)

    def finish(self) -> Path:
        """Writes the schemas. The file that is returned imports them all."""
        for element, namespace in self._open_imports:
            if namespace in self._of_namespace:
                element.set("schemaLocation", self._one_file(namespace))
        for file, root in self._roots.items():
            self._import_what_is_named(root, self._names[file])
            (self._folder / file).write_bytes(etree.tostring(root))
        lines = [f'<schema xmlns="{XSD[1:-1]}" targetNamespace="urn:callbench:all">']
        for namespace in self._of_namespace:
            of = f' namespace="{_escaped(namespace)}"' if namespace else ""
            lines.append(f'<import{of} schemaLocation="{self._one_file(namespace)}"/>')
        everything = self._folder / "everything.xsd"
        everything.write_text("\n".join([*lines, "</schema>"]), encoding="utf-8")
        return everything

    def _import_what_is_named(self, root: etree._Element, name: str) -> None:
        """Adds imports that are missing: tools that write a WSDL leave them out between the schemas in it.

        A schema without a namespace of its own gets none: it takes the namespace of the one that includes it, and no
        schema may import its own.
        """
        target = root.get("targetNamespace")
        if not target:
            return
        present = {imported.get("namespace", "") for imported in root.iterfind(f"{XSD}import")}
        declared = {namespace for element in root.iter() for namespace in element.nsmap.values()}
        for namespace in sorted(declared & {*self._of_namespace} - present - {target}):
            if namespace in _used(root):
                self.notes.append(f"{name}: a schema uses the namespace {namespace} without an import; it is added.")
            added = etree.Element(f"{XSD}import", namespace=namespace, schemaLocation=self._one_file(namespace))
            root.insert(0, added)

    def _one_file(self, namespace: str) -> str:
        """The file of a namespace. Several are included by one that is written for it."""
        files = self._of_namespace[namespace]
        if len(files) == 1:
            return files[0]
        name = f"namespace{list(self._of_namespace).index(namespace)}.xsd"
        includes = "".join(f'<include schemaLocation="{file}"/>' for file in files)
        target = f' targetNamespace="{_escaped(namespace)}"' if namespace else ""
        text = f'<schema xmlns="{XSD[1:-1]}"{target}>{includes}</schema>'
        (self._folder / name).write_text(text, encoding="utf-8")
        return name

    def _schema(self, schema: etree._Element, name: str, base: str, *, included: bool = False) -> str:
        """Takes a schema and what it refers to."""
        if len(self._roots) > MOST:
            raise BadInput(f"{name}: more than {MOST:,} schemas belong together; put them into one")
        file = f"schema{len(self._roots)}.xsd"
        _refuse_arrays(schema, name)
        root = parsed(name, etree.tostring(schema, with_tail=False))  # with the prefixes that are declared around it
        self._roots[file] = root
        self._names[file] = name
        if not included:
            self._of_namespace.setdefault(schema.get("targetNamespace", ""), []).append(file)
        for reference, copied in zip(_references(schema), _references(root), strict=True):
            location = reference.get("schemaLocation")
            namespace = reference.get("namespace", "")
            if reference.tag == f"{XSD}import" and (location is None or namespace == _XML):
                copied.attrib.pop("schemaLocation", None)
                self._open_imports.append((copied, namespace))
                continue
            if location is None:
                raise BadInput(f"{name}, line {reference.sourceline}: an include needs a schemaLocation; add it")
            address = _address(base, location, name, reference)
            if address not in self._files:
                self._files[address] = f"schema{len(self._roots)}.xsd"
                content = self._reach.content(address, f"{name}, line {reference.sourceline}")
                other = self._reach.name(address)
                inner = parsed(other, content)
                if inner.tag != f"{XSD}schema":
                    raise BadInput(f"{other}: its root is <{_local(inner)}>, not <schema>; mend the reference")
                self._schema(inner, other, address, included=reference.tag != f"{XSD}import")
            copied.set("schemaLocation", self._files[address])
        return file


def _used(root: etree._Element) -> set[str]:
    """The namespaces of the types and elements that a schema names."""
    return {
        element.nsmap.get(name.rpartition(":")[0] or None, "")
        for element in root.iter(f"{XSD}*")
        for word in ("type", "base", "ref", "itemType", "memberTypes", "substitutionGroup")
        for name in (element.get(word) or "").split()
    }


def _refuse_arrays(schema: etree._Element, name: str) -> None:
    """Checks that no type is one of SOAP encoding's arrays, whose items stand in an attribute of WSDL."""
    for element in schema.iter(f"{XSD}restriction", f"{XSD}extension", f"{XSD}element"):
        for word in ("base", "type"):
            prefix, _, local = (element.get(word) or "").rpartition(":")
            if local == "Array" and element.nsmap.get(prefix or None) in _ENCODINGS:
                remedy = 'describe the list as a sequence of an element with maxOccurs="unbounded"'
                raise BadInput(f"{name}, line {element.sourceline}: SOAP encoding's arrays are not supported; {remedy}")


def _references(schema: etree._Element) -> Iterator[etree._Element]:
    for word in ("import", "include", "redefine"):
        yield from schema.iterfind(f"{XSD}{word}")


def _address(base: str, location: str, name: str, element: etree._Element) -> str:
    try:
        return urljoin(base, location.strip()).partition("#")[0]
    except ValueError:
        raise BadInput(f"{name}, line {element.sourceline}: {location!r:.60} is no address; mend it") from None


def _local(element: etree._Element) -> str:
    return str(etree.QName(element).localname)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
