"""Recorded requests as an OpenAPI document describes them: its paths, and its names for their parameters."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import parse_qs, unquote, urlsplit

from callbench.catalog.imports.samples.exchange import Exchange
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, OwnCall, Schema, Shape

_WHOLE = {Kind.INT32, Kind.INT64, Kind.UINT32, Kind.UINT64}
_NUMBERS = {Kind.FLOAT, Kind.DOUBLE}
_TRUTH = {"true": True, "false": False}


def call_of(calls: Sequence[OwnCall], exchange: Exchange) -> OwnCall | None:
    """The call whose path a recorded path fits, from its end: a server can be mounted below another path.

    Of several, it is the one with the longest path, and of those the one with the fewest parameters.
    """
    parts = _parts(exchange.url)
    nearest = None
    best = (-1, -1)
    for call in calls:
        template = call.path.strip("/").split("/")
        tail = parts[len(parts) - len(template) :] if len(template) <= len(parts) else []
        if not call.path or call.method.upper() != exchange.method or not tail:
            continue
        matches = sum(part == expected for part, expected in zip(tail, template, strict=True))
        if matches + sum(_is_parameter(part) for part in template) == len(template) and (len(template), matches) > best:
            nearest, best = call, (len(template), matches)
    return nearest


def requests(schema: Schema, call: OwnCall, exchange: Exchange) -> Iterator[Json]:
    """What the request of an exchange can be, the likeliest first: with the document's parameters, or as recorded."""
    message = schema.message(call.request)
    if exchange.url and not message.wrapped:
        fields = {field.json_name: field for field in message.fields}
        template = call.path.strip("/").split("/")
        values: dict[str, Sequence[str]] = dict(
            parse_qs(urlsplit(exchange.url).query, keep_blank_values=True, max_num_fields=1000)
        )
        for name, part in zip(reversed(template), reversed(_parts(exchange.url)), strict=False):
            if _is_parameter(name):
                values[name[1:-1]] = [unquote(part)]
        made = _made(fields, values)
        if exchange.bodiless:
            yield made
        elif exchange.parameters and isinstance(exchange.request, dict):
            yield {**made, **_made(fields, {name: _texts(value) for name, value in exchange.request.items()})}
        else:
            body = next((key for key in ("body", "request_body") if key in fields and key not in made), "")
            if body:
                yield {**made, body: exchange.request}
            elif not made.keys().isdisjoint(fields) and isinstance(exchange.request, dict):
                yield {**made, **exchange.request}
    yield exchange.request


def _parts(url: str) -> list[str]:
    return urlsplit(url).path.strip("/").split("/")


def _is_parameter(part: str) -> bool:
    return part.startswith("{") and part.endswith("}")


def _texts(value: Json) -> list[str]:
    """The texts of a form's field, which are one or several."""
    return [str(text) for text in value] if isinstance(value, list) else [str(value)]


def _made(fields: Mapping[str, Field], values: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """A request of parameters. One that the document lacks stays, so that a sentence says that it is left out."""
    return {
        name: _value(fields[name], texts) if name in fields else [*texts] if len(texts) > 1 else texts[0]
        for name, texts in values.items()
    }


def _value(field: Field, texts: Sequence[str]) -> Json:
    if field.shape is Shape.MANY or len(texts) > 1:
        # Several where the document has one contradict it, and the sentence then says so.
        return [_scalar(field, text) for text in texts]
    return _scalar(field, texts[0])


def _scalar(field: Field, text: str) -> Json:
    """A text of a URL as its field has it; if it cannot be, as it is, so that the sentence shows it."""
    try:
        if field.kind in _WHOLE:
            return int(text)
        if field.kind in _NUMBERS:
            return float(text)
    except ValueError:
        return text
    return _TRUTH.get(text, text) if field.kind is Kind.BOOL else text
