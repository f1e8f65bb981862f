"""HAR files: what a browser recorded (HTTP Archive 1.2)."""

import base64
import binascii
import codecs
import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from callbench.catalog import user_json
from callbench.catalog.imports import document
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.samples.recorded import FORM, RecordedExchange, is_json, sample
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.catalog.imports.source import Source
from callbench.model.errors import BadInput

_LARGEST = 256 * 2**20
_OF_HTTP = re.compile(r"https?://|/", re.IGNORECASE)
_NO_BODY = {204, 205, 304}
"""Statuses of answers that never have a body."""


class _NotASampleError(Exception):
    """An entry is no sample: why, as it is counted."""


def exchanges(source: Source, secrets: SampleSecrets, left_out: LeftOut) -> Iterator[Exchange]:
    """The samples of a HAR file. An entry that cannot be read is left out and counted.

    Raises:
        BadInput: it is none, or too large.
    """
    for number, entry in enumerate(_entries(source)):
        place = f"{source.name}#/log/entries/{number}"
        try:
            recorded = _recorded(entry, place)
        except _NotASampleError as why:
            left_out.count(str(why))
            continue
        for side in ("request", "response"):
            for name, _ in _headers(entry[side]):
                secrets.header(name)
        exchange = sample(recorded, left_out)
        if exchange is not None:
            yield exchange


def _entries(source: Source) -> list[Any]:
    with source.open() as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise BadInput(f"{source.name} is larger than {_LARGEST // 2**20} MiB; record fewer requests")
    # A browser records what is no text with halves of pairs. That is the matter of the one entry.
    whole = user_json.parsed(content, source.name, document.DEEPEST, half_pairs=True)
    log = whole.get("log") if isinstance(whole, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise BadInput(f"{source.name} is no HAR file: it has no list at #/log/entries; export it again as HAR")
    return entries


def _recorded(entry: Any, place: str) -> RecordedExchange:  # noqa: ANN401 - what a stranger's JSON holds
    request = _object(entry, "request", "entry without a request")
    response = _object(entry, "response", "entry without an answer")
    method, url, status = request.get("method"), request.get("url"), _whole(response.get("status"))
    if not isinstance(method, str) or not isinstance(url, str):
        raise _NotASampleError("entry without a method and an address")
    if not _OF_HTTP.match(url) and not url.startswith(("ws:", "wss:")):
        raise _NotASampleError(f"address that is none of HTTP ({url.partition(':')[0][:20]}:)")
    if url.startswith(("ws:", "wss:")) or "_webSocketMessages" in entry:
        raise _NotASampleError("WebSocket, which is no call")
    if status is None:
        raise _NotASampleError("entry without an answer")
    posted, content = request.get("postData"), response.get("content")
    posted = posted if isinstance(posted, dict) else {}
    content = content if isinstance(content, dict) else {}
    kind = _text(posted.get("mimeType"))
    return RecordedExchange(
        place=place,
        method=method.upper(),
        url=_with_query(url, request),
        request_type=kind or (FORM if posted.get("params") else ""),
        request=_asked(request, posted),
        status=status,
        answer_type=_text(content.get("mimeType")),
        answer=_answered(response, content, status),
    )


def _object(entry: Any, side: str, why: str) -> dict[str, object]:  # noqa: ANN401 - what a stranger's JSON holds
    value = entry.get(side) if isinstance(entry, dict) else None
    if not isinstance(value, dict) or not value:
        raise _NotASampleError(why)
    return value


def _with_query(url: str, request: Mapping[str, object]) -> str:
    """The address of a request. Some recorders give its parameters in a list alone."""
    listed = request.get("queryString")
    fields = [_field(field) for field in listed] if isinstance(listed, list) and "?" not in url else []
    return f"{url}?{urlencode(fields, errors='surrogatepass')}" if fields else url


def _asked(request: Mapping[str, object], posted: Mapping[str, object]) -> bytes:
    """The body of a request. That of a form can be given by its fields alone."""
    text, kind = posted.get("text"), _text(posted.get("mimeType"))
    if isinstance(text, str) and text:
        content = _bytes(text, posted, "request")
        if not _is_coded(request):
            _refuse_cut(content, text, max(_sizes(request)), kind, "request")
        return content
    fields = posted.get("params")
    if isinstance(fields, list) and fields:
        if kind and FORM not in kind:
            raise _NotASampleError(f"request with a body that is no JSON ({kind[:40]})")
        try:
            return urlencode([_field(field) for field in fields]).encode()
        except UnicodeEncodeError:
            raise _NotASampleError("request with a body that is no text") from None
    if (_whole(request.get("bodySize")) or 0) > 0:
        raise _NotASampleError("request whose body was not recorded (a size without a text)")
    return b""


def _field(field: Any) -> tuple[str, str]:  # noqa: ANN401 - what a stranger's JSON holds
    name, value = (field.get("name"), field.get("value", "")) if isinstance(field, dict) else (None, None)
    if isinstance(field, dict) and field.get("fileName") and not value:
        raise _NotASampleError("request with a form that has a file")
    if not isinstance(name, str) or not isinstance(value, str):
        raise _NotASampleError("request with a form whose fields have no names or values")
    return name, value


def _answered(response: Mapping[str, object], content: Mapping[str, object], status: int) -> bytes:
    """The body of an answer. A size without a text is no empty answer."""
    text = content.get("text")
    if isinstance(text, str) and text:
        body = _bytes(text, content, "answer")
        _refuse_cut(body, text, _whole(content.get("size")) or 0, _text(content.get("mimeType")), "answer")
        return body
    sizes = [_whole(content.get("size")), _whole(response.get("bodySize"))]
    if status in _NO_BODY or not 200 <= status < 300:
        return b""
    if any(size is not None and size > 0 for size in sizes):
        raise _NotASampleError("answer whose body was not recorded (a size without a text)")
    if text is None and 0 not in sizes and is_json(_text(content.get("mimeType"))):
        raise _NotASampleError("answer whose body was not recorded (neither a size nor a text)")
    return b""


def _bytes(text: str, of: Mapping[str, object], what: str) -> bytes:
    try:
        if of.get("encoding") == "base64":
            return base64.b64decode("".join(text.split()), validate=True)
        return text.encode()
    except UnicodeEncodeError:
        raise _NotASampleError(f"{what} with a body that is no text") from None
    except (binascii.Error, ValueError):
        raise _NotASampleError(f"{what} with a body that says it is base64, and is not") from None


def _refuse_cut(content: bytes, text: str, size: int, media_type: str, what: str) -> None:
    """Refuse a body that is shorter than the size that is given for it: its rest was not recorded.

    A text is the body in another encoding, so it is also counted in the body's own. A mark of UTF-8 is no part of it.
    """
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", media_type, re.IGNORECASE)
    lengths = [len(content), len(content) + (len(codecs.BOM_UTF8) if text[:1] in "{[" else 0)]
    if charset is not None:
        with contextlib.suppress(LookupError, UnicodeError):  # another's name of an encoding
            lengths.append(len(text.encode(charset[1])))
    if size > max(lengths) and not _is_whole(content):
        raise _NotASampleError(f"{what} whose body was cut (its text is shorter than its size)")


def _is_whole(content: bytes) -> bool:
    """Whether a body is an object or a list in JSON: none of them can be cut and still end. Recorders err in sizes."""
    with contextlib.suppress(BadInput):
        return isinstance(user_json.parsed(content, "a body", document.DEEPEST), dict | list)
    return False


def _sizes(request: Mapping[str, object]) -> Iterator[int]:
    """The sizes of a request's body, by its record and by its header; 0 where they are not known."""
    yield _whole(request.get("bodySize")) or 0
    yield _whole(_header(request, "content-length")) or 0


def _is_coded(request: Mapping[str, object]) -> bool:
    """Whether its body was compressed, so that its size says nothing of its text."""
    return _header(request, "content-encoding").strip().lower() not in {"", "identity"}


def _header(side: Mapping[str, object], name: str) -> str:
    """The value of a header, by its name in small letters; empty if there is none."""
    return next((value for named, value in _headers(side) if named.lower() == name), "")


def _headers(side: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The names and values of headers."""
    headers = side.get("headers")
    for header in headers if isinstance(headers, list) else ():
        if isinstance(header, dict) and isinstance(header.get("name"), str):
            yield header["name"], _text(header.get("value"))


def _text(value: Any) -> str:  # noqa: ANN401 - what a stranger's JSON holds
    return value if isinstance(value, str) else ""


def _whole(value: Any) -> int | None:  # noqa: ANN401 - what a stranger's JSON holds
    """A whole number, which some write as a text."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value[:20])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value)
    return None
