"""Protocol Buffers: a `.proto` of proto2, proto3 or an edition, with its imports, read by protobuf's own compiler."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import google.api.annotations_pb2
from google.api.annotations_pb2 import http as http_option
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions

from callbench.catalog.imports.proto_json import ProtobufJson
from callbench.catalog.imports.reference_reader import ReferenceReader, beside
from callbench.catalog.imports.source import Options, Source, today
from callbench.catalog.own.descriptors import Descriptors
from callbench.catalog.own.protoc import bundled, compiled
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal
from callbench.model.service.imported import Imported
from callbench.model.service.schema import Kind, Loss, Message, OwnCall, Schema

# A text outside of imports can look like a comment, and a comment like an import: they are read in one go.
_QUOTED = r"""(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')"""
# One without an end is passed over too: else the rest of the file would be read from each of its quotes.
_PASSED = r"""(?:"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)"""
_IMPORT = re.compile(rf"\bimport\s+(?:(?:public|weak|option)\s+)?(?P<names>{_QUOTED}(?:\s*{_QUOTED})*)\s*;|{_PASSED}")
LONGEST_NAME = 250
_COMMENT = re.compile(rf"(?P<text>{_PASSED})|/\*.*?\*/|//[^\n]*", re.DOTALL)


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads a `.proto`.

    Raises:
        BadInput: the compiler refuses it, an import is missing or not allowed, or it has groups.
    """
    source = sources[0]
    reach = ReferenceReader(source, options)
    name = PurePosixPath(source.path.name if source.path else f"{source.stem}.proto").name
    roots = [*([source.path.parent] if source.path else []), *options.files]
    notes: tuple[str, ...] = ()
    with tempfile.TemporaryDirectory(prefix="callbench-") as made:
        folder = Path(made)
        _gather(folder, name, source.text, roots, reach)
        try:
            descriptors = Descriptors(compiled(folder, name, [_published()]))
            calls, losses = _calls(descriptors)
            if not calls:
                calls = _echoes(descriptors, source.name)
                notes = ("The file has no service: a call for each message echoes it.",)
            messages, enumerations = descriptors.types()
        except BadInput as error:
            raise BadInput(str(error).replace(f"{folder}/{name}", source.name).replace(f"{folder}/", "")) from None
    services = list(descriptors.file.services_by_name)
    title = options.name or (services[0] if len(services) == 1 else source.stem)
    losses = (*_whole_numbers(messages), *descriptors.losses, *losses)
    schema = Schema(title, messages, calls, enumerations, losses)
    own_json = ProtobufJson(descriptors, schema).read
    return Imported(schema, source.name, f"protobuf {_edition(source)}", today(), notes=notes, own_json=own_json)


def _published() -> Path:
    """The folder that has `google/api/annotations.proto` and its like."""
    return Path(google.api.annotations_pb2.__file__).parents[2]


def _gather(folder: Path, name: str, text: str, roots: Sequence[Path], reach: ReferenceReader) -> None:
    """Copies a file and what it imports, each under the name that it is imported by.

    The compiler then sees nothing but what may be read.
    """
    waiting = [(name, text)]
    known = {name}
    while waiting:
        name, text = waiting.pop()
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
        for imported in _imports(text):
            if not _plain(imported):
                raise BadInput(f"{name} imports {imported!r}, outside its folder; copy it, or use --allow-files FOLDER")
            if imported in known or any((given / imported).is_file() for given in (bundled(), _published())):
                continue
            known.add(imported)
            file_beside = beside(roots, imported)
            if not roots or not file_beside.exists():
                raise BadInput(f"{name} imports {imported!r}, which is not there; copy it, or use --allow-files FOLDER")
            file = reach.file(file_beside, name)
            waiting.append((imported, Source(imported, file).text))


def _plain(name: str) -> bool:
    path = PurePosixPath(name)
    written = str(path) == name and name.isprintable() and len(name) < LONGEST_NAME
    return not path.is_absolute() and ".." not in path.parts and written and "\\" not in name


def _imports(text: str) -> Iterator[str]:
    for match in _IMPORT.finditer(_without_comments(text)):
        if match["names"]:
            # Texts that follow each other are one.
            yield "".join(part[1:-1] for part in re.findall(_QUOTED, match["names"]))


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda match: match["text"] or " ", text)


def _edition(source: Source) -> str:
    match = re.search(r'^\s*(?:syntax|edition)\s*=\s*["\'](\w+)', _without_comments(source.text), re.MULTILINE)
    return match.group(1) if match else "proto2"


def _calls(descriptors: Descriptors) -> tuple[tuple[OwnCall, ...], tuple[Loss, ...]]:
    """The calls of all services of a file. One that streams is measured as a call of one message each way."""
    calls, losses = [], []
    taken = Names()
    for service in descriptors.file.services_by_name.values():
        for method in service.methods:
            name = taken.take(pascal(method.name) if "_" in method.name else method.name)
            verb, path = _http(method)
            calls.append(
                OwnCall(name, descriptors.name(method.input_type), descriptors.name(method.output_type), verb, path)
            )
            if method.client_streaming or method.server_streaming:
                both = "client and server" if method.client_streaming and method.server_streaming else "one side"
                losses.append(
                    Loss(
                        f"{descriptors.file.name} {method.full_name}",
                        f"The call streams messages ({both}).",
                        "It is measured with one message each way.",
                    )
                )
    return tuple(calls), tuple(losses)


def _echoes(descriptors: Descriptors, name: str) -> tuple[OwnCall, ...]:
    """A call for each message of a file without services."""
    own = [descriptors.name(message) for message in descriptors.file.message_types_by_name.values()]
    if not own:
        raise BadInput(f"{name}: there is neither a service nor a message; add one")
    return tuple(OwnCall(f"Echo{name}", name, name) for name in own)


def _http(method: MethodDescriptor) -> tuple[str, str]:
    """The method and the path of a call for which `google.api.http` gives them."""
    written = method.GetOptions().SerializeToString()
    rule = MethodOptions.FromString(written).Extensions[http_option]
    kind = rule.WhichOneof("pattern")
    if kind is None:
        return "", ""
    if kind == "custom":
        return rule.custom.kind, rule.custom.path
    return kind.upper(), str(getattr(rule, kind))


def _whole_numbers(messages: Sequence[Message]) -> Iterator[Loss]:
    for message in messages:
        for field in message.fields:
            if field.kind in {Kind.INT64, Kind.UINT64}:
                field_name = f"{message.name}.{field.name}"
                yield Loss(field_name, "Protobuf's own JSON writes 64-bit integers as text.", "Here they are numbers.")
