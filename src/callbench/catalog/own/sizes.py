"""The payloads of one call in several sizes: the user's own, and the same messages with longer or shorter lists."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.lengthened import lengthened
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import OwnCall, Schema

# One size is another one if it is so many times as long, or as short.
APART = 4.0
LARGER = (16.0, 256.0)
# Messages longer than this, in characters of JSON, are made shorter too.
LONG = 16 * 2**10
SHORTER = (1 / 16, 1 / 256)
LONGEST = 2**18
# Messages whose elements are taken: if they came again and again, the long lists would compress too well.
_OTHERS = 256


@dataclass(frozen=True)
class Sizes:
    """The payloads of a call, the smallest first.

    Attributes:
        pairs: one of each size, with the one of middle length among them.
        made: whether one of them is not the user's.
    """

    pairs: Sequence[Pair]
    made: bool


def sizes_of(schema: Schema, call: OwnCall, pairs: Sequence[Pair], generator: Generator) -> Sizes:
    """Find payloads of several sizes; one alone where no other can be made.

    Args:
        schema: of the service.
        call: whose payloads they are.
        pairs: its payloads, at least one.
        generator: of the call.
    """
    by_length = sorted(pairs, key=length)
    middle, least, most = by_length[len(pairs) // 2], by_length[0], by_length[-1]
    sizes = [least] if length(least) * APART <= length(middle) else []
    sizes += [middle]
    sizes += [most] if length(most) >= APART * length(middle) else []
    given = len(sizes)
    count = min(_OTHERS, 2 * LONGEST // length(middle))
    others = [Pair(*generator.sample(number)) for number in range(count)]
    for candidate in _made(schema, call, middle, others):
        if all(_apart(length(candidate), length(other)) for other in sizes) and length(candidate) <= LONGEST:
            sizes.append(candidate)
    return Sizes(sorted(sizes, key=length), len(sizes) > given)


def length(pair: Pair) -> int:
    """Characters of a pair in JSON."""
    return len(json.dumps([pair.request, pair.answer]))


def _apart(one: int, other: int) -> bool:
    return max(one, other) >= APART * min(one, other)


def _made(schema: Schema, call: OwnCall, middle: Pair, others: Sequence[Pair]) -> Iterator[Pair]:
    shorter = SHORTER if length(middle) > LONG else ()
    for factor in (*shorter, *(larger for larger in LARGER if length(middle) * larger <= 2 * LONGEST)):
        request = lengthened(schema, call.request, middle.request, [other.request for other in others], factor)
        answer = _answer(schema, call, (middle, request), others, factor)
        yield Pair(request, answer)


def _answer(schema: Schema, call: OwnCall, given: tuple[Pair, Json], others: Sequence[Pair], factor: float) -> Json:
    middle, request = given
    if middle.answer == middle.request and call.answer == call.request:
        # The server sends the request back.
        return request
    return lengthened(schema, call.answer, middle.answer, [other.answer for other in others], factor)
