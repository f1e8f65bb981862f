"""The description of the API in OpenAPI 3.1, made from its operations and the types of their messages."""

import re
from collections.abc import Sequence

from pydantic import BaseModel

from callbench.model.version import VERSION
from callbench.web.api import schemas
from callbench.web.api.messages import Failure, NothingAsked
from callbench.web.api.operation import JSON, ZIP, Operation, Upload
from callbench.web.failing import STATUSES

_ABOUT = (
    "What the page of Callbench does, for programs. The first address that `callbench ui` printed gives a cookie,"
    " which each request needs. A POST also needs the header Origin. A method that an address does not have gets 405."
)
_BINARY = {ZIP: {"type": "string", "contentMediaType": ZIP}}


def description(operations: Sequence[Operation | Upload], address: str, cookie: str) -> dict[str, object]:
    """Return the document.

    Args:
        operations: what there is.
        address: of the page, such as `http://127.0.0.1:8090`.
        cookie: the name of its cookie.
    """
    paths: dict[str, dict[str, object]] = {}
    for each in operations:
        method = "post" if isinstance(each, Upload) else each.method.lower()
        paths.setdefault(f"/api{each.path}", {})[method] = _operation(each)
    return {
        "openapi": "3.1.1",
        "info": {"title": "Callbench", "version": VERSION, "description": _ABOUT},
        "servers": [{"url": address}],
        "security": [{"cookie": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"cookie": {"type": "apiKey", "in": "cookie", "name": cookie}},
            "schemas": {**schemas.of_models(_messages(operations)), **schemas.of_records()},
        },
    }


def _messages(operations: Sequence[Operation | Upload]) -> list[type[BaseModel]]:
    answers = [each.answers for each in operations if each.answers is not None]
    asked = [each.asks for each in operations if isinstance(each, Operation) and _has_body(each)]
    return list(dict.fromkeys([Failure, *answers, *asked]))


def _has_body(each: Operation) -> bool:
    return each.method == "POST" and each.asks is not NothingAsked


def _operation(each: Operation | Upload) -> dict[str, object]:
    summary, _, about = each.about.partition("\n\n")
    made: dict[str, object] = {"operationId": each.id, "summary": summary, "parameters": _parameters(each)}
    if about:
        made["description"] = " ".join(about.split())
    if isinstance(each, Upload):
        made["requestBody"] = {"required": True, "content": {ZIP: {"schema": _BINARY[ZIP]}}}
    elif _has_body(each):
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": schemas.reference(each.asks.__name__)}}}
    failure = {JSON: {"schema": schemas.reference(Failure.__name__)}}
    listed = {400, 500, *(each.more if isinstance(each, Operation) else ()), *([404] if "{" in each.path else [])}
    refusal = {"text/plain": {"schema": {"type": "string"}}}
    made["responses"] = {
        "200": {"description": "Done.", "content": _content(each)},
        **{str(status): {"description": says, "content": failure} for status, says in STATUSES if status in listed},
        "403": {"description": "The cookie is missing, or the request comes from another page.", "content": refusal},
        "421": {"description": "The name of the host is another than this page's.", "content": refusal},
    }
    return made


def _content(each: Operation | Upload) -> dict[str, object]:
    if each.answers is not None:
        return {JSON: {"schema": schemas.reference(each.answers.__name__)}}
    choices = [schemas.reference(name) for name in each.prints]
    if choices:
        return {JSON: {"schema": choices[0] if len(choices) == 1 else {"anyOf": choices}}}
    return {each.media: {"schema": _BINARY.get(each.media, {"type": "string"})}}


def _parameters(each: Operation | Upload) -> list[dict[str, object]]:
    text = {"type": "string"}
    found: list[dict[str, object]] = [
        {"name": name, "in": "path", "required": True, "schema": text} for name in re.findall(r"{(\w+)}", each.path)
    ]
    if isinstance(each, Upload) or each.method == "POST":
        about = "the address of the page"
        return [*found, {"name": "Origin", "in": "header", "required": True, "description": about, "schema": text}]
    schema = each.asks.model_json_schema()
    for name, member in schema.get("properties", {}).items():
        about = member.pop("description", "")
        required = name in schema.get("required", ())
        found.append({"name": name, "in": "query", "required": required, "description": about, "schema": member})
    return found
