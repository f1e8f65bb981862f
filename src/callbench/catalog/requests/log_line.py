"""A line of an access log: the common and the combined log format, one of a proxy, or a JSON object."""

import json
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass

from callbench.catalog import user_json
from callbench.catalog.requests import proxy_log
from callbench.model.errors import BadInput

# host ident user [time] "request" status bytes, then whatever a server adds. Apache HTTP Server, mod_log_config.
# A status is 000 or - if no answer was sent.
_COMMON = re.compile(r'\S+ \S+ .{1,200}? \[[^\]]*\] "((?:[^"\\]|\\.)*+)" (\d{3}|-) (?:\d+|-)(?: .*)?')
_REQUEST = re.compile(r"([A-Z][A-Z-]*) (\S+)(?: HTTP/\d(?:\.\d)?)?")
# Nginx writes bytes that would break a line as \x22; Apache writes some of them as in C.
_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_IN_C = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "b": "\b", "a": "\a"}
_NO_STATUS = 0
# Where servers and proxies write it in JSON; dots lead into objects.
_REQUESTS = ("request", "request_line")
_METHODS = (
    "method",
    "request_method",
    "requestMethod",
    "verb",
    "request.method",
    "http.method",
    "httpRequest.requestMethod",
    "http.request.method",
    "req.method",
    "RequestMethod",
)
_PATHS = ("path", "uri", "target", "url", "request_uri", "requestUrl", "request.uri", "request.path", "request.url",
          "http.target", "httpRequest.requestUrl", "url.original", "url.path", "req.url", "RequestPath")  # fmt: skip
_QUERIES = ("query", "query_string", "queryString", "querystring", "args", "request.query", "url.query")
_STATUSES = ("status", "status_code", "statusCode", "code", "response.status", "http.status_code", "httpRequest.status",
             "response_code", "responseCode", "response_status", "response.status_code", "response.statusCode",
             "http.response.status_code", "res.statusCode", "res.status", "DownstreamStatus")  # fmt: skip
_BODIES = ("body", "request_body", "requestBody", "request.body")


@dataclass(frozen=True)
class LoggedRequest:
    """A request that was logged.

    Attributes:
        method: None: what was asked is no request of HTTP.
        target: path and query, beginning with /; None if the request is not HTTP.
        status: of the answer, 0 if none was sent; None: the log has no statuses.
        body: as far as the log has it.
        host: that a whole URL named, with its port; "" if the log has a path alone.
    """

    method: str | None
    target: str | None
    status: int | None
    body: str | None = None
    host: str = ""


def is_json(line: str) -> bool:
    """Whether a log that has this line is one of JSON objects."""
    return line.lstrip().startswith("{")


def common(line: str, place: str) -> LoggedRequest:
    """Read a line of the common or the combined log format, or of a proxy's.

    Args:
        line: without its end.
        place: file and number, for the sentence.

    Raises:
        BadInput: it is none.
    """
    match = _COMMON.fullmatch(line)
    parts = proxy_log.parts(line) if match is None else (match[1], match[2])
    if parts is None:
        raise BadInput(
            f'{place} is not in the common or combined log format, such as 1.2.3.4 - - [TIME] "GET /x HTTP/1.1" 200 5'
        )
    return of_parts(*parts, place)


def of_parts(request: str, status: str, place: str) -> LoggedRequest:
    """Read what a log has of a request.

    Args:
        request: its first line, escaped as servers do.
        status: three digits or a dash.
        place: file and number, for the sentence.

    Raises:
        BadInput: it is no request, and did not fail.
    """
    return _entry(_unescaped(request), _NO_STATUS if status == "-" else int(status), None, place)


def of_json(line: str, place: str) -> LoggedRequest | None:
    """Read a JSON object: of the usual names of its members the first that is there counts.

    Returns:
        The request; None if the line is one of k6's that stands for no request.

    Raises:
        BadInput: it is none, or has no method or path.
    """
    members = user_json.parsed(_as_text(line), place)
    if not isinstance(members, dict):
        raise BadInput(f"{place} is no JSON object; a line of such a log is one")
    if members.get("type") in {"Metric", "Point"} and "metric" in members:
        tags = _member(members, ("data.tags",), objects=True)
        if members["metric"] != "http_reqs" or not isinstance(tags, dict):
            return None
        members = tags
    status = _status(_member(members, _STATUSES), place)
    body = _member(members, _BODIES, objects=True)
    text = body if isinstance(body, str) or body is None else json.dumps(body, ensure_ascii=False)
    whole = _member(members, _REQUESTS)
    if isinstance(whole, str) and " " in whole:
        return _entry(whole, status, text, place)
    method, target = _member(members, _METHODS), _member(members, _PATHS)
    for value, names, what in ((method, _METHODS, "method"), (target, _PATHS, "path")):
        if not isinstance(value, str) or not value:
            raise BadInput(f"{place} has no {what}: it is looked for as {', '.join(names)}")
    return _entry(f"{method} {_with_query(str(target), members)}", status, text, place)


def _with_query(target: str, members: Mapping[str, object]) -> str:
    """A target with the query that stands in a member of its own."""
    query = _member(members, _QUERIES)
    if not isinstance(query, str) or query in {"", "-", "?"} or "?" in target:
        return target
    return f"{target}?{query.removeprefix('?')}"


def _as_text(line: str) -> str:
    """A line whose bytes are no UTF-8 in places, with the mark for such bytes there. Nothing that is sent is in it."""
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unescaped(text: str) -> str:
    """What was asked, as it was: a server escapes what would break its log's line."""

    def plain(match: re.Match[str]) -> str:
        if match[1]:
            return bytes([int(match[1], 16)]).decode("utf-8", "surrogateescape")
        return _IN_C.get(match[2], match[2])

    return _ESCAPED.sub(plain, text)


def _entry(request: str, status: int | None, body: str | None, place: str) -> LoggedRequest:
    """Read what was asked. What failed need not be a request at all."""
    match = _REQUEST.fullmatch(_sendable(request))
    target, host = (None, "") if match is None else _target(match[2])
    if match is not None and target is not None:
        return LoggedRequest(match[1], target, status, body, host)
    if (status is not None and not 200 <= status < 400) or request.startswith(("OPTIONS *", "CONNECT ")):
        return LoggedRequest(None, None, status)
    raise BadInput(f"{place}: {request[:80]!r} is no request with a method and a path, and its status is {status}")


def _sendable(request: str) -> str:
    """What was asked with bytes in percents where a request has none as they are: control characters, and non-ASCII."""
    return "".join(
        letter if " " <= letter <= "~" else urllib.parse.quote(letter.encode("utf-8", "surrogateescape"))
        for letter in request
    )


def _target(text: str) -> tuple[str | None, str]:
    """Path and query of what was asked, and the host of a whole URL, which is what proxies are asked."""
    host = ""
    if "://" in text.partition("?")[0]:
        try:
            parts = urllib.parse.urlsplit(text)
        except ValueError:
            return None, ""
        text, host = (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), parts.netloc.rpartition("@")[2]
    return (text if re.fullmatch(r"/[!-~]*", text) else None), host


def _member(members: Mapping[str, object], names: tuple[str, ...], *, objects: bool = False) -> object:
    """Return the first of these members that exists; dots lead into objects."""
    for name in names:
        value: object = members.get(name)
        if value is None:
            value = members
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
        if value is not None and (objects or not isinstance(value, dict)):
            return value
    return None


def _status(value: object, place: str) -> int | None:
    if value is None:
        return None
    text = str(value)
    if text in {"0", "-", ""}:
        return _NO_STATUS
    if not re.fullmatch(r"\d{3}", text, re.ASCII):
        raise BadInput(f"{place}: {text[:20]!r} is no status; it is a number of three digits")
    return int(text)
