"""Documents that describe a service in a way that is not read here. They are not taken for samples of a message."""

from callbench.model.service.imported import Json

_BY_KEY = {
    "swaggerVersion": "a description of Swagger 1",
    "asyncapi": "an AsyncAPI document",
    "openrpc": "an OpenRPC document",
    "arazzo": "an Arazzo document",
    "discoveryVersion": "a description of Google's discovery service",
    "smithy": "a Smithy model",
    "__schema": "a GraphQL schema",
    "__export_format": "an export of Insomnia",
    "$EntityContainer": "a description of OData",
}


_BY_SUFFIX = {
    **dict.fromkeys((".graphql", ".graphqls", ".gql"), "a GraphQL schema"),
    ".xsd": "a schema of XML without its WSDL",
    ".wadl": "a WADL document",
    ".raml": "a RAML document",
    ".smithy": "a Smithy model",
    ".tsp": "a TypeSpec document",
    ".fbs": "a schema of FlatBuffers",
    ".avdl": "Avro's IDL (avro-tools writes it as .avpr)",
    ".asn1": "a module of ASN.1",
}


_OF_MODELS = "a list of functions for a language model"
# What else an MCP server lists, beside its tools.
_LISTS = ("prompts", "resourceTemplates", "protocolVersion")


def title_of_name(suffix: str) -> str:
    """What a file that no format recognises is, by the end of its name; empty if that says nothing."""
    return _BY_SUFFIX.get(suffix, "")


def title(document: Json) -> str:
    """What such a document is; empty if it is none that is known."""
    if isinstance(document, list):
        return _OF_MODELS if document and all(map(_is_function, document)) else ""
    if not isinstance(document, dict):
        return ""
    answered = _of_rpc(document)
    if answered:
        return answered
    info = document.get("info")
    if (
        isinstance(info, dict)
        and "item" in document
        and ("_postman_id" in info or "getpostman" in str(info.get("schema")))
    ):
        return "a collection of Postman"
    data = document.get("data")
    keys = [*document, *(data if isinstance(data, dict) and len(document) == 1 else ())]
    return next((_BY_KEY[key] for key in keys if key in _BY_KEY), "")


def _of_rpc(document: dict[str, Json]) -> str:
    """What an answer of JSON-RPC is, as MCP servers give it: an error, or no list of tools."""
    error, result = document.get("error"), document.get("result", document)
    rpc = "jsonrpc" in document
    if rpc and isinstance(error, dict):
        return f"an error of JSON-RPC ({str(error.get('message'))[:60]})"
    if not isinstance(result, dict):
        return ""
    if rpc and any(word in result for word in _LISTS):
        return "another answer of an MCP server than that to tools/list"
    return "a list of tools without their inputSchema" if _are_tools(result.get("tools"), sure=rpc) else ""


def _are_tools(entries: Json, *, sure: bool) -> bool:
    """Whether this is a list of tools of an MCP server, or of a model's interface, whose schemas have other names."""
    tools = entries if isinstance(entries, list) and entries else [None]
    return all(isinstance(tool, dict) and (sure or {"input_schema", "outputSchema"} & tool.keys()) for tool in tools)


def _is_function(entry: Json) -> bool:
    """Whether this is a tool as interfaces of language models have it."""
    return isinstance(entry, dict) and ("input_schema" in entry or (entry.get("type") == "function" and len(entry) > 1))
