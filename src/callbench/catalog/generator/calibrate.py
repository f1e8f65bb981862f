"""Lowers the share of what is replaced until generated messages compress as the samples do."""

import gzip
import json
from collections.abc import Sequence

from callbench.catalog.generator.binary import Binary
from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.fitted import Fitted, Novelty
from callbench.model.service.imported import Json
from callbench.model.service.schema import Schema

# Of the size of compressed messages (or a byte, if that is more): after words, numbers and values that repeat.
# 5 % is promised: formats differ.
_TOLERANCES = (0.02, 0.025, 0.03)
_SHARES = (1.0, 0.5, 0.25, 0.1, 0.05, 0.0)
# In the order in which they are decided: what may be replaced of words, of numbers, of values that repeat.
_WORDS = [
    *({"words": 1.0, "letters": letters} for letters in (0, 6, 4, 3, 2)),
    *({"words": share, "letters": 2} for share in (0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05)),
    {"words": 0.0, "letters": 0},
]
_LADDERS: list[list[dict[str, float]]] = [
    _WORDS,
    [{"numbers": share} for share in _SHARES],
    [{"repeats": share} for share in _SHARES],
]
_SKELETONS = 24
_MESSAGES = 48
# Bytes of JSON that are compressed for one step: tenths of a second.
_BYTES = 300_000


def calibrated(fitted: Fitted, schema: Schema) -> Fitted:
    """The generator with as much novelty as leaves its messages compressing like its skeletons, within 3 %.

    Three encodings of a message are compressed: JSON, the values alone as Avro has them, and values with field numbers.
    """
    samples = fitted.skeletons
    chosen = _chosen(samples)
    sizes = _Sizes(fitted, schema)
    goal = sizes.sum([samples[at] for at in chosen])
    turns = max(1, _MESSAGES // len(chosen)) if sum(goal) * _MESSAGES < len(chosen) * _BYTES else 1

    def fits(tried: Fitted, tolerance: float) -> bool:
        generator = Generator(tried, schema)
        made = sizes.sum([generator.from_skeleton(at, turn) for turn in range(turns) for at in chosen])
        return all(
            abs(total / turns - other) <= max(tolerance * other, len(chosen))
            for total, other in zip(made, goal, strict=True)
        )

    if fits(fitted, _TOLERANCES[-1]):
        return fitted
    best = fitted.model_copy(update={"novelty": Novelty(words=0, numbers=0, repeats=0)})
    for ladder, tolerance in zip(_LADDERS, _TOLERANCES, strict=True):
        for step in ladder:
            tried = best.model_copy(update={"novelty": best.novelty.model_copy(update=step)})
            if fits(tried, tolerance):
                best = tried
                break
    return best


def _chosen(samples: Sequence[Sequence[Json]]) -> list[int]:
    """Skeletons spread over all of them, and no more bytes than can be compressed in seconds."""
    step = max(1, len(samples) // _SKELETONS)
    chosen: list[int] = []
    used = 0
    for at in range(0, len(samples), step):
        size = len(json.dumps(samples[at], ensure_ascii=False))
        if chosen and used + size > _BYTES:
            continue
        chosen.append(at)
        used += size
    return chosen[:_SKELETONS]


class _Sizes:
    """Compressed sizes of messages."""

    def __init__(self, fitted: Fitted, schema: Schema) -> None:
        self._messages = fitted.messages
        self._binary = Binary(schema)

    def sum(self, samples: Sequence[Sequence[Json]]) -> list[int]:
        """Bytes of all samples together: in JSON, as values alone, and in protobuf."""
        return [sum(sizes) for sizes in zip(*map(self._of_one, samples), strict=True)]

    def _of_one(self, sample: Sequence[Json]) -> list[int]:
        texts = (
            json.dumps(sample, ensure_ascii=False, separators=(",", ":")).encode(),
            "\0".join(_values(list(sample))).encode(),
            b"".join(self._binary.encoded(*pair) for pair in zip(self._messages, sample, strict=True)),
        )
        return [len(gzip.compress(text, 6, mtime=0)) for text in texts]


def _values(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _values(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _values(inner)]
    return [str(value)]
