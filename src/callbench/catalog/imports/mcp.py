"""The tool list of an MCP server: each tool is a call, with JSON Schema for its arguments and often for its result."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from callbench.catalog import user_json
from callbench.catalog.imports.document import DEEPEST
from callbench.catalog.imports.json_schema.mapper import Key, Mapper
from callbench.catalog.imports.json_schema.node import SchemaPart, node
from callbench.catalog.imports.json_schema.references import References
from callbench.catalog.imports.reference_reader import ReferenceReader
from callbench.catalog.imports.source import Options, Source, today
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal, snake
from callbench.model.service.imported import Imported, Json
from callbench.model.service.schema import OwnCall, Schema

# What the specification says of a result that has no schema of its own, as far as it is text.
_CONTENT: dict[str, object] = {
    "type": "object",
    "required": ["content"],
    "properties": {
        "content": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type"],
                "properties": {"type": {"type": "string"}, "text": {"type": "string"}},
            },
        },
        "isError": {"type": "boolean"},
    },
}


_SAVE = "save what the server answers to tools/list, as JSON or as it came"
_SAVE_ALL = "Ask for them with that cursor, and save the answers below each other, one a line."
_FIELD = re.compile(r"\s*(?:event|data|id|retry)?:")
_DATA = re.compile(r"^data: ?[{\[]", re.MULTILINE)


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads the answers of `tools/list`: a list, with or without the envelope of JSON-RPC, or saved as an event stream.

    Raises:
        BadInput: the document is wrong, or refers to what may not be followed.
    """
    source, notes = as_one_list(sources[0])
    references = References(source, ReferenceReader(source, options))
    mapper = Mapper(references)
    root = references.root()
    if isinstance(root.schema, dict) and isinstance(root.schema.get("result"), dict):
        root = root.below("result")
    tools = root.schema.get("tools") if isinstance(root.schema, dict) else None
    if not isinstance(tools, list) or not tools:
        raise BadInput(f"{root.place}/tools: there is no list of tools; {_SAVE}")
    taken = Names()
    calls = []
    unknown = SchemaPart(_CONTENT, root.resolver, f"{source.name}: a result", "ToolResult")
    for index, tool in enumerate(tools):
        at = root.below("tools", index)
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str) or "inputSchema" not in tool:
            raise BadInput(f"{at.place}: a tool has a name and an inputSchema; mend it")
        name = taken.take(pascal(tool["name"], "Tool"))
        arguments = _object(mapper, references.embedded(at.below("inputSchema")), f"{name}Arguments")
        if "outputSchema" in tool:
            result = mapper.message(node(references.embedded(at.below("outputSchema"))), f"{name}Result")
        else:
            mapper.losses.add(at.place, ("The tool does not say what it returns.", "The result is a list of texts."))
            result = mapper.message(node(unknown), "ToolResult")
        calls.append(OwnCall(name, arguments, result))
    messages, enumerations = mapper.types()
    schema = Schema(
        options.name or snake(source.stem, "service"), messages, tuple(calls), enumerations, mapper.losses.all
    )
    return Imported(schema, source.name, "mcp tools", today(), notes=notes)


def is_tool_list(source: Source) -> bool:
    """Whether a document is a list of tools and does not look like one at first: events, or several answers."""
    if b'"inputSchema"' not in source.head and b"tools" not in source.head:
        return False
    try:
        listed, _ = as_one_list(source)
    except BadInput:
        # What is wrong with a stream is said of it as a stream.
        return _is_stream(source.text)
    return listed is not source


def as_one_list(source: Source) -> tuple[Source, tuple[str, ...]]:
    """The document itself if it is one answer; otherwise one with the tools of all answers in it.

    Returns:
        The document, and sentences for the user.

    Raises:
        BadInput: it is an event stream without a list of tools.
    """
    answers, plain = _answers(source)
    pages = [page for page in map(_page, answers) if page is not None]
    # Pages follow each other: only behind the last one is there more.
    more = bool(pages) and bool(pages[-1].get("nextCursor"))
    notes = (f"The list ends with a nextCursor, so there are more tools. {_SAVE_ALL}",) if more else ()
    if plain:
        return source, notes
    if not pages:
        raise BadInput(f"{source.name}: no event of it is a list of tools; {_SAVE}")
    tools = [tool for page in pages for tool in page["tools"]]
    document = json.dumps({"tools": tools}).encode()
    return Source(source.name, data=document, title=source.stem), notes


def _answers(source: Source) -> tuple[list[Json], bool]:
    """The answers in a document, and whether it is one answer as it is."""
    if _is_stream(source.text):
        return [user_json.parsed(data, source.name, DEEPEST) for data in _events(source.text)], False
    lines = [line for line in source.text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.startswith("{") and line.rstrip().endswith("}") for line in lines):
        return [user_json.parsed(line, f"{source.name}, line {at}", DEEPEST) for at, line in enumerate(lines, 1)], False
    document = source.document
    if isinstance(document, list):
        are_tools = all(isinstance(tool, dict) and "inputSchema" in tool for tool in document)
        return ([{"tools": document}] if are_tools and document else document), False
    return [document], True


def _is_stream(text: str) -> bool:
    """Whether a document is a stream of events, and no YAML with such a key."""
    return _FIELD.match(text) is not None and _DATA.search(text) is not None


def _events(text: str) -> Iterator[str]:
    """The data of each event of a stream (WHATWG's server-sent events), but for those whose data is no JSON at all."""
    for event in re.split(r"\r?\n(?:\r?\n)+", text):
        data = [line[5:].removeprefix(" ") for line in event.splitlines() if line.startswith("data:")]
        if "".join(data).lstrip().startswith(("{", "[")):
            yield "\n".join(data)


def _page(answer: Json) -> dict[str, Any] | None:
    """The result of an answer, if it is a list of tools."""
    result = answer.get("result", answer) if isinstance(answer, dict) else None
    return result if isinstance(result, dict) and isinstance(result.get("tools"), list) else None


def _object(mapper: Mapper, part: SchemaPart, name: str) -> str:
    """The arguments of a tool. One without any has `{"type": "object"}`, which allows everything and means nothing."""
    facts = mapper.object_facts(node(part))
    if facts.types is not None and "object" not in facts.types:
        raise BadInput(f"{part.place}: the arguments of a tool are an object; mend it")
    if not facts.properties and facts.additional is None and not facts.required:
        nothing: list[Key] = []
        return mapper.compound(nothing, name)
    return mapper.message(node(part), name)
