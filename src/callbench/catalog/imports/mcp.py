"""The tool list of an MCP server: each tool is a call, with JSON Schema for its arguments and often for its result."""

from collections.abc import Sequence
from typing import Any

from callbench.catalog.imports.json_schema.mapper import Key, Mapper
from callbench.catalog.imports.json_schema.node import Part, node
from callbench.catalog.imports.json_schema.references import References
from callbench.catalog.imports.reference_reader import ReferenceReader
from callbench.catalog.imports.source import Options, Source, today
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal, snake
from callbench.model.service.imported import Imported
from callbench.model.service.schema import OwnCall, Schema

# What the specification says of a result that has no schema of its own, as far as it is text.
_CONTENT: dict[str, Any] = {
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


def read(sources: Sequence[Source], options: Options) -> Imported:
    """Reads the answer of `tools/list`, with or without the envelope of JSON-RPC.

    Raises:
        BadInput: the document is wrong, or refers to what may not be followed.
    """
    source = sources[0]
    references = References(source, ReferenceReader(source, options))
    mapper = Mapper(references)
    root = references.root()
    if isinstance(root.schema, dict) and isinstance(root.schema.get("result"), dict):
        root = root.below("result")
    tools = root.schema.get("tools") if isinstance(root.schema, dict) else None
    if not isinstance(tools, list) or not tools:
        raise BadInput(f"{root.place}/tools: there is no list of tools; give the answer of tools/list")
    taken = Names()
    calls = []
    unknown = Part(_CONTENT, root.resolver, f"{source.name}: a result", "ToolResult")
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
    return Imported(schema, source.name, "mcp tools", today())


def _object(mapper: Mapper, part: Part, name: str) -> str:
    """The arguments of a tool. One without any has `{"type": "object"}`, which allows everything and means nothing."""
    facts = mapper.object_facts(node(part))
    if not facts.properties and facts.additional is None:
        nothing: list[Key] = []
        return mapper.compound(nothing, name)
    return mapper.message(node(part), name)
