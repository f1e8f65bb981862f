"""The formats that can be imported, and how each is recognised: by its name first, by what is in it otherwise.

A format is a module of this package (or a package) with one function:

    def read(sources: Sequence[Source], options: Options) -> Imported

It raises `BadInput` with one sentence that names the place.
"""

import functools
import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from callbench.catalog.imports import mcp, other_documents
from callbench.catalog.imports.chosen import with_calls
from callbench.catalog.imports.fleet import named
from callbench.catalog.imports.samples import forms
from callbench.catalog.imports.samples.answered import with_answers
from callbench.catalog.imports.samples.files import LINES as LOGS
from callbench.catalog.imports.samples.given import with_samples
from callbench.catalog.imports.source import Options, Source
from callbench.catalog.imports.source import source as named_source
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json
from callbench.model.service.schema import Loss


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        name: what `--from` calls it, and its module here.
        title: what people call it.
        recognised: whether a document is in this format.
        many: whether several documents make one service.
    """

    name: str
    title: str
    recognised: Callable[[Source], bool]
    many: bool = False

    def read(self, sources: Sequence[Source], options: Options) -> Imported:
        """Reads the documents.

        Raises:
            BadInput: they are wrong, too large, or refer to what the user did not allow.
        """
        importer = importlib.import_module(f"callbench.catalog.imports.{self.name}")
        try:
            described: Imported = importer.read(sources, options)
        except BadInput as error:
            raise BadInput(_printable(str(error))) from None
        losses = tuple(
            Loss(_printable(loss.place), _printable(loss.problem), _printable(loss.mapped))
            for loss in described.schema.losses
        )
        notes = tuple(map(_printable, described.notes))
        return replace(described, schema=replace(described.schema, losses=losses), notes=notes)


def _printable(text: str) -> str:
    """A sentence on one line. Names out of a document can have line ends, and what a terminal takes for commands."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


@functools.lru_cache(maxsize=4)
def _object(source: Source) -> dict[str, Json]:
    """The JSON or YAML object in a document; empty if there is none."""
    if source.suffix in LOGS:
        # A log may be larger than memory.
        return {}
    if (
        source.suffix not in {".json", ".yaml", ".yml", ".avsc", ".avpr", ".har", ""}
        and source.head.lstrip()[:1] != b"{"
    ):
        return {}
    try:
        value = source.document
    except BadInput:
        return {}
    return value if isinstance(value, dict) else {}


def _tools(source: Source) -> bool:
    value = _object(source)
    inner = value.get("result", value)
    tools = inner.get("tools") if isinstance(inner, dict) else None
    if tools == [] and set(value) <= {"tools", "nextCursor", "_meta", "jsonrpc", "id", "result"}:
        return True
    if isinstance(tools, list) and any(isinstance(tool, dict) and "inputSchema" in tool for tool in tools):
        return True
    return source.suffix in {".json", ".jsonl", ".txt", ".sse", ".log", ""} and mcp.is_tool_list(source)


def _avro(source: Source) -> bool:
    value = _object(source)
    types = value.get("type") in ("record", "enum", "fixed") and "name" in value
    return source.suffix in {".avsc", ".avpr"} or types or ("protocol" in value and "messages" in value)


_SCHEMA_WORDS = {"$schema", "$defs", "definitions", "$ref", "allOf", "anyOf", "oneOf"}
_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")


def _json_schema(source: Source) -> bool:
    value = _object(source)
    typed = value.get("type") in _TYPES and not {"properties", "items", "additionalProperties"}.isdisjoint(value)
    is_schema = any(isinstance(value.get(word), dict | list | str) for word in ("$schema", "$defs"))
    return is_schema or typed or (bool(value) and set(value) <= {*_SCHEMA_WORDS, "$id", "title", "description", "type"})


def _har(source: Source) -> bool:
    log = _object(source).get("log") if b'"log"' in source.head else None
    return source.suffix == ".har" or (isinstance(log, dict) and "entries" in log)


def _matches(source: Source, pattern: bytes) -> bool:
    return re.search(pattern, source.head, re.MULTILINE) is not None


FORMATS: tuple[Format, ...] = (
    Format("capture", "capture of packets", lambda source: source.head.startswith(forms.CAPTURES)),
    Format(
        "proto",
        "Protocol Buffers",
        lambda source: source.suffix == ".proto" or _matches(source, rb'^\s*(syntax|edition)\s*=\s*"'),
    ),
    Format("thrift", "Thrift", lambda source: source.suffix == ".thrift"),
    Format(
        "capnp",
        "Cap'n Proto",
        lambda source: source.suffix == ".capnp" or _matches(source, rb"^@0x[0-9a-f]{16};"),
    ),
    Format(
        "wsdl", "WSDL", lambda source: source.suffix == ".wsdl" or _matches(source, rb"<([\w.-]+:)?definitions[\s>]")
    ),
    Format("har", "HTTP archive", _har),
    Format("openapi", "OpenAPI", lambda source: bool({"openapi", "swagger"} & set(_object(source)))),
    Format("mcp", "tool list of an MCP server", _tools),
    Format("avro", "Avro", _avro),
    Format("json_schema", "JSON Schema", _json_schema),
    Format("samples", "samples in JSON", lambda source: source.suffix == ".json" or bool(_object(source)), many=True),
    Format("log", "log of requests", lambda source: source.suffix in LOGS, many=True),
)


RECORDED = frozenset({"capture", "har", "log", "samples"})
"""The formats of what was sent and answered, where an answer can be missing."""


def format_named(name: str) -> Format:
    """The format of this name.

    Raises:
        BadInput: there is none.
    """
    for candidate in FORMATS:
        if candidate.name == name.replace("-", "_"):
            return candidate
    raise BadInput(f"there is no format {name!r}; use one of {', '.join(known.name for known in FORMATS)}")


def recognised(source: Source) -> Format:
    """The format of a document.

    Raises:
        BadInput: it is compressed, empty or not recognised. The sentence says what does not parse, if that is why.
    """
    source.refuse_compressed()
    if not source.head.strip():
        raise BadInput(f"{source.name} is empty; name a file with a schema or samples")
    for candidate in FORMATS:
        if candidate.recognised(source):
            other = other_documents.title(source.document) if candidate.name == "samples" else ""
            if other:
                raise BadInput(
                    f"{source.name} looks like {other}, which is not read; give a format that"
                    " the help of import names, or take it as a sample with --from samples"
                )
            return candidate
    if source.suffix in {".json", ".yaml", ".yml"}:
        source.document  # noqa: B018 - it says what is wrong
    other = other_documents.title_of_name(source.suffix)
    if other:
        raise BadInput(
            f"{source.name} looks like {other}, which is not read; give a format that the help of import names"
        )
    raise BadInput(f"cannot recognise the format of {source.name}; name it with --from")


def imported(sources: Sequence[Source], options: Options, of: Format | None = None) -> Imported:
    """The service that documents describe.

    Args:
        sources: at least one.
        options: what the user allows.
        of: the format, if the user named it.

    Raises:
        BadInput: a document is wrong, several were given of a format that takes one, or an answer does not fit.
    """
    for source in sources:
        source.refuse_compressed()
    chosen = of or recognised(sources[0])
    if len(sources) > 1 and not chosen.many:
        raise BadInput(f"{sources[1].name} is too many: the format {chosen.name} takes one document at a time")
    described = chosen.read(sources, options)
    # Of what was recorded, the schema of an answer is not known before.
    return with_answers(described, options) if options.answers and chosen.name not in RECORDED else described


def service(names: Sequence[str], options: Options, of: Format | None = None) -> Imported:
    """The service that files, URLs or a folder of samples describe, or one of those that come along.

    Args:
        names: as the user gave them.
        options: what the user allows.
        of: the format, if the user named it.

    Raises:
        BadInput: a name is of nothing, or a document is wrong.
    """
    if names[0].startswith(named.PREFIX):
        if len(names) > 1 or of is not None:
            raise BadInput(f"{names[0]} is imported alone, and has no other format")
        return _completed(named.imported(names[0]), options)
    folder = Path(names[0])
    if len(names) == 1 and folder.is_dir():
        options = replace(options, name=options.name or folder.resolve().name)
        described = (of or format_named("samples")).read(_samples_in(folder), options)
    else:
        described = imported([named_source(name) for name in names], options, of)
    return _completed(described, options)


def of_tools(tools: Source, options: Options) -> Imported:
    """The service of an MCP server.

    Args:
        tools: what it answers to `tools/list`.
        options: what the user allows.

    Raises:
        BadInput: the answer is wrong, or the user's samples contradict it.
    """
    return _completed(format_named("mcp").read([tools], options), options)


def _completed(described: Imported, options: Options) -> Imported:
    """The service with the samples that the user gave, and of its calls those that the user wants."""
    given = [
        sample
        for path in options.samples
        for sample in (_samples_in(path) if path.is_dir() else [named_source(str(path))])
    ]
    return with_calls(with_samples(described, given, options) if given else described, options.calls)


def _samples_in(folder: Path) -> list[Source]:
    """The files of a folder that are samples by their names. Folders in it are not looked into."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in forms.SUFFIXES and file.is_file())
    if not files:
        raise BadInput(f"{folder} has no samples; their names end with {', '.join(forms.SUFFIXES)}")
    return [Source(str(file), file) for file in files]
