"""Examples of a call's request or answer alone: the other side is made from the schema, and that is said."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from callbench.catalog.generator.from_schema import from_schema
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import Schema


@dataclass(frozen=True)
class HalfGiven:
    """What a document has of a call.

    Attributes:
        side: `request` or `answer`.
        examples: of that side; at least one.
    """

    side: str
    examples: Sequence[Json]


def completed(schema: Schema, halves: Mapping[str, HalfGiven]) -> Iterator[tuple[str, list[Pair], str]]:
    """Complete the examples of each call. Gives its name, the pairs, and a sentence about them."""
    for call in schema.calls:
        half = halves.get(call.name)
        if half is None:
            continue
        other = "answer" if half.side == "request" else "request"
        message = call.answer if other == "answer" else call.request
        try:
            made = [drawn for (drawn,) in from_schema(schema, (message,)).skeletons]
        except BadInput:
            continue
        pairs = [
            Pair(example, drawn) if other == "answer" else Pair(drawn, example)
            for example, drawn in zip(half.examples, made, strict=False)
        ]
        sentence = (
            f"{call.name} has examples of its {half.side} alone. Its {other} is made from the schema, so its size is"
            " not yours."
        )
        yield call.name, pairs, sentence
