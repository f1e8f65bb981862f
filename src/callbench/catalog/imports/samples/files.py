"""Samples in files: `NAME.json`, `NAME.request.json` with `NAME.answer.json`, JSON lines, and folders of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from callbench.catalog.imports.samples import body
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.samples.recorded import PARAMETERS_BESIDE_A_BODY
from callbench.catalog.imports.samples.templates import template
from callbench.catalog.imports.source import Source
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

LINES = (".jsonl", ".ndjson", ".log")
_REQUEST, _ANSWER = ".request.json", ".answer.json"
# Bytes of a line that are read at once.
_PART = 2**16
# `order-1` and `order-2` are samples of one call.
_NUMBER = re.compile(r"(?<=[^\W\d_])[-_. ]?\d+\Z")
_ANSWERS = ("answer", "response")
_PAIR = {"request", "answer", "response", "method", "path", "url", "call", "status"}
_GOOD = range(200, 300)


def exchanges(sources: Sequence[Source], left_out: LeftOut) -> Iterator[Exchange]:
    """The samples of files with one each. A request and its answer are one sample.

    Raises:
        BadInput: a file cannot be read.
    """
    given = {source.name for source in sources}
    for source in sources:
        if source.name.endswith(_ANSWER):
            request = _beside(source, _ANSWER, _REQUEST)
            if request is None:
                value = _read(source)
                yield Exchange(call_of(source), {}, value, f"{source.name}#", f"{source.name}#")
            elif request.name not in given:
                yield _pair(request, source)
        elif source.name.endswith(_REQUEST):
            yield _pair(source, _beside(source, _REQUEST, _ANSWER))
        else:
            exchange = of_value(_read(source), call_of(source), f"{source.name}#", left_out)
            if exchange is not None:
                yield exchange


def in_lines(source: Source, left_out: LeftOut) -> Iterator[Exchange]:
    """The samples of a log: a body on each line, or an object with `request` and `answer`. It is read line by line.

    A line that cannot be read is left out and counted.

    Raises:
        BadInput: most lines cannot be read; the sentence is about the first of them.
    """
    read = unread = 0
    first: BadInput | None = None
    with source.open() as lines:
        for number, line in enumerate(_lines(lines), 1):
            if not line.strip():
                continue
            place = f"{source.name}, line {number}"
            try:
                exchange = of_value(body.parsed(line, place), call_of(source), f"{place}#", left_out)
            except BadInput as error:
                unread += 1
                first = first or error
                continue
            read += 1
            if exchange is not None:
                yield exchange
    if first is not None:
        if unread > read:
            raise BadInput(f"{first}; if it is an access log, it has no bodies: give it to the option --log of load")
        left_out.count(f"line that cannot be read (the first: {str(first)[:200].rstrip('.')})", unread)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file. One that is too long for a body is cut a little behind what a body may have."""
    while line := file.readline(_PART):
        parts, size = [line], len(line)
        # A reader takes memory for all that it may return, so a long line is read in parts.
        while not line.endswith(b"\n") and size <= body.LARGEST and (line := file.readline(_PART)):
            parts.append(line)
            size += len(line)
        yield b"".join(parts)


def of_value(value: Json, call: str, place: str, left_out: LeftOut) -> Exchange | None:
    """A body, or an object of a request and an answer, and perhaps `method`, `path` (or `url`), `status` and `call`.

    Args:
        value: of a file or a line.
        call: what to call it, if the value says nothing else.
        place: of the value, for messages.
        left_out: counts what is no sample.

    Returns:
        The sample; None if the call failed, which is counted.

    Raises:
        BadInput: its path is none.
    """
    if not isinstance(value, dict) or not _is_pair(value):
        return Exchange(call, value, None, place, place, has_answer=False)
    status = value.get("status")
    if isinstance(status, int) and status not in _GOOD:
        left_out.count(f"answer with status {status}")
        return None
    answers = [key for key in _ANSWERS if key in value]
    key = answers[0] if answers else ""
    exchange = Exchange(
        str(value.get("call", call)),
        value.get("request", {}),
        value.get(key),
        f"{place}/request",
        f"{place}/{key}",
        bool(answers),
    )
    path = value.get("path", value.get("url"))
    if not isinstance(path, str):
        return exchange
    try:
        templated, given = template(path)
    except ValueError:
        raise BadInput(f"{place}/path is no path of a URL: {path[:100]!r}") from None
    bodiless = exchange.request in ({}, None)
    method = str(value.get("method", "GET" if "request" not in value else "POST")).upper()
    if given and not bodiless:
        left_out.count(PARAMETERS_BESIDE_A_BODY)
    return replace(
        exchange,
        call=str(value.get("call", f"{method.lower()} {templated}")),
        request=given if bodiless else exchange.request,
        method=method,
        path=templated,
        url=path,
        bodiless=bodiless,
        parameters=bodiless,
    )


def _is_pair(value: dict[str, Json]) -> bool:
    """Whether an object is a request with its answer, and no body. A request without a body can be its path alone."""
    called = {"path", "url"} & value.keys() and set(_ANSWERS) & value.keys()
    return value.keys() <= _PAIR and ("request" in value or bool(called))


def call_of(source: Source) -> str:
    """What to call the call of a file: its name without suffix and number."""
    name = source.stem
    for suffix in (_REQUEST, _ANSWER):
        name = name.removesuffix(suffix.removesuffix(".json"))
    return _NUMBER.sub("", name) or "call"


def _pair(request: Source, answer: Source | None) -> Exchange:
    value = None if answer is None else _read(answer)
    place = f"{(answer or request).name}#"
    return Exchange(call_of(request), _read(request), value, f"{request.name}#", place, answer is not None)


def _beside(source: Source, suffix: str, other: str) -> Source | None:
    """The file with the other half of a sample, if there is one."""
    if source.path is None:
        return None
    path = source.path.with_name(source.path.name.removesuffix(suffix) + other)
    return Source(source.name.removesuffix(suffix) + other, path) if path.is_file() else None


def _read(source: Source) -> Json:
    with source.open() as file:
        return body.parsed(file.read(body.LARGEST + 1), source.name)
