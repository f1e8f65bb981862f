"""Examples of a call that lack its request, its answer or a parameter: that is made from the schema, and said."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from callbench.catalog.generator.from_schema import from_schema
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import OwnCall, Schema


@dataclass(frozen=True)
class HalfGiven:
    """What a document has of a call.

    Attributes:
        pairs: the examples; at least one. A side that has none is null.
        lacks: `request` or `answer` if the examples are of the other side alone; otherwise empty.
        keys: parameters of the request that are required and have no example.
    """

    pairs: Sequence[Pair]
    lacks: str = ""
    keys: tuple[str, ...] = ()


def completed(schema: Schema, halves: Mapping[str, HalfGiven]) -> Iterator[tuple[str, list[Pair], str]]:
    """Complete the examples of each call. Gives its name, the pairs, and a sentence about them."""
    for call in schema.calls:
        half = halves.get(call.name)
        if half is None:
            continue
        count = len(half.pairs)
        try:
            requests = (
                _made(schema, call.request, "request") if half.keys or half.lacks == "request" else [None] * count
            )
            answers = _made(schema, call.answer, "answer") if half.lacks == "answer" else [None] * count
        except BadInput:
            continue
        pairs = []
        for pair, request, answer in zip(half.pairs, requests, answers, strict=False):
            asked = request if half.lacks == "request" else _with(pair.request, request, half.keys)
            pairs.append(Pair(asked, answer if half.lacks == "answer" else pair.answer))
        yield call.name, pairs, " ".join(_said(call, half))


def _made(schema: Schema, message: str, side: str) -> list[Json]:
    return [drawn for (drawn,) in from_schema(schema, (message,), sides=(side,)).skeletons]


def _with(request: Json, made: Json, keys: Sequence[str]) -> Json:
    """A request, with the parameters that it lacks."""
    if not isinstance(request, dict) or not isinstance(made, dict):
        return request
    return {**{key: made[key] for key in keys}, **request}


def _said(call: OwnCall, half: HalfGiven) -> Iterator[str]:
    made = "made from the schema, so its size is not yours."
    if half.lacks:
        given = "answer" if half.lacks == "request" else "request"
        yield f"{call.name} has examples of its {given} alone. Its {half.lacks} is {made}"
    for key in half.keys:
        yield f"{call.name} has no example of its parameter {key}. It is {made}"
