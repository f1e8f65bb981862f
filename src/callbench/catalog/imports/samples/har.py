"""HAR files: what a browser recorded (HTTP Archive 1.2)."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.samples.recorded import RecordedExchange, sample
from callbench.catalog.imports.samples.secrets import Secrets
from callbench.catalog.imports.source import Source
from callbench.model.errors import BadInput

_LARGEST = 256 * 2**20


def exchanges(source: Source, secrets: Secrets, left_out: LeftOut) -> Iterator[Exchange]:
    """The samples of a HAR file.

    Raises:
        BadInput: it is none, or too large.
    """
    entries = _entries(source)
    for number, entry in enumerate(entries):
        place = f"{source.name}#/log/entries/{number}"
        try:
            recorded = _recorded(entry, place)
            for side in ("request", "response"):
                for header in entry[side].get("headers", ()):
                    secrets.header(str(header["name"]))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise BadInput(f"{place} is no entry of a HAR file ({error!r}): record it again") from None
        found = sample(recorded, left_out)
        if found is not None:
            yield found


def _entries(source: Source) -> list[Any]:
    with source.open() as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise BadInput(f"{source.name} is larger than {_LARGEST // 2**20} MiB; record fewer requests")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{source.name} is not JSON: {error or 'it is nested too deeply'}") from None
    log = document.get("log") if isinstance(document, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise BadInput(f"{source.name} is no HAR file: it has no list at #/log/entries")
    return entries


def _recorded(entry: Any, place: str) -> RecordedExchange:  # noqa: ANN401 - what a stranger's JSON holds
    request, response = entry["request"], entry["response"]
    posted, content = request.get("postData") or {}, response.get("content") or {}
    text = content.get("text") or ""
    answer = base64.b64decode(text) if content.get("encoding") == "base64" else text.encode()
    return RecordedExchange(
        place=place,
        method=str(request["method"]).upper(),
        url=str(request["url"]),
        request_type=str(posted.get("mimeType") or ""),
        request=str(posted.get("text") or "").encode(),
        status=int(response["status"]),
        answer_type=str(content.get("mimeType") or ""),
        answer=answer,
    )
