"""Fits a generator to samples."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from callbench.catalog.generator.fitted import Fitted, FittedPlace
from callbench.catalog.generator.walk import Leaf, Scalar, Walk
from callbench.catalog.generator.words import shape_of, words
from callbench.model.service.imported import Json
from callbench.model.service.schema import Kind, Schema

# Different values and words that are counted at a place; beyond, they are taken to be all different.
_LIMIT = 4096
# A place has few values if each comes four times in the mean.
_FEW = 4
# So many numbers of a place show their range.
_RANGE_FROM = 32
_BYTES = 2_000_000


class _PlaceCounts:
    """What is counted at one place."""

    def __init__(self) -> None:
        self.count = 0
        self.values: set[Scalar] = set()
        self.numbers = True
        self.least = float("inf")
        self.most = float("-inf")
        self.words: Counter[str] = Counter()

    def value(self, value: Scalar) -> None:
        """Count a value."""
        self.count += 1
        if len(self.values) < _LIMIT:
            self.values.add(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.least = min(self.least, value)
            self.most = max(self.most, value)
        else:
            self.numbers = False


def fit(schema: Schema, messages: Sequence[str], samples: Sequence[Sequence[Json]], seed: int = 1) -> Fitted:
    """Fit a generator, without regard to compression yet: see `calibrate`.

    Args:
        schema: of the samples.
        messages: the names of the messages that each sample has one of: request and answer.
        samples: each with a value for each of the messages. They become the skeletons: some hundreds will do.
        seed: decides everything that is drawn.
    """
    walk = Walk(schema)
    seen: dict[str, _PlaceCounts] = defaultdict(_PlaceCounts)
    fixed: set[str] = set()
    for sample in _measured(samples):
        by_place: dict[str, set[str]] = defaultdict(set)

        def count(leaf: Leaf, value: Scalar, words_at: dict[str, set[str]] = by_place) -> Scalar:
            if value is None:
                return value
            if isinstance(value, bool) or (leaf.field is not None and leaf.field.kind is Kind.ENUM and not leaf.is_key):
                fixed.add(leaf.place)
            seen[leaf.place].value(value)
            if isinstance(value, str):
                words_at[leaf.place].update(words(value))
            return value

        for name, value in zip(messages, sample, strict=True):
            walk.replaced(value, name, count)
        for place, of_place in by_place.items():
            if len(seen[place].words) < _LIMIT:
                seen[place].words.update(of_place)
    return Fitted(
        given=len(samples),
        messages=tuple(messages),
        seed=seed,
        skeletons=[list(sample) for sample in samples],
        places={place: _place(values, place in fixed) for place, values in seen.items()},
    )


def _measured(samples: Sequence[Sequence[Json]]) -> Iterator[Sequence[Json]]:
    """The samples that places are learnt from: all, or the first ones if they are large. At least two."""
    used = 0
    for number, sample in enumerate(samples):
        used += len(json.dumps(sample))
        if number > 1 and used > _BYTES:
            return
        yield sample


def _place(seen: _PlaceCounts, fixed: bool) -> FittedPlace:
    trusted = seen.numbers and seen.count >= _RANGE_FROM
    by_shape: dict[str, dict[str, int]] = defaultdict(dict)
    for word, count in seen.words.items():
        if count > 1:
            by_shape[shape_of(word)][word] = count
    return FittedPlace(
        count=seen.count,
        distinct=len(seen.values),
        least=seen.least if trusted else None,
        most=seen.most if trusted else None,
        repeats=fixed or len(seen.values) * _FEW <= seen.count,
        words=by_shape,
    )
