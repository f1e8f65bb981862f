"""The bytes of each call in each format, plain and compressed, as the mean of its payloads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from callbench.catalog.encoders.codings import CODINGS
from callbench.catalog.encoders.encoder import FORMATS, CannotCarryError, Encoder, encoder
from callbench.model.errors import CallbenchError
from callbench.model.service.imported import MOST_CALLS, Imported, Json, Pair
from callbench.model.service.schema import OwnCall

MOST_BYTES = 4 << 20
"""Of the payloads of a call, in JSON: further payloads are left out, so that a large service takes seconds."""


@dataclass(frozen=True, slots=True)
class FormatBytes:
    """Bytes of a call in one format.

    Attributes:
        format: a name of `FORMATS`.
        request: mean bytes of the request, by the name of the coding.
        answer: the same of the answer.
    """

    format: str
    request: Mapping[str, float]
    answer: Mapping[str, float]

    @property
    def least(self) -> float:
        """The bytes of request and answer, each with the coding that makes it shortest."""
        return min(self.request.values()) + min(self.answer.values())


@dataclass(frozen=True, slots=True)
class CallBytes:
    """Bytes of a call.

    Attributes:
        call: its name.
        payloads: how many were encoded.
        samples: whether they are the user's; otherwise some or all of them are generated.
        formats: the shortest first.
        cannot: by format, why it cannot carry one of the payloads.
    """

    call: str
    payloads: int
    samples: bool
    formats: Sequence[FormatBytes]
    cannot: Mapping[str, str]


def byte_table(service: Imported, samples: Mapping[str, int]) -> Iterator[CallBytes]:
    """The bytes of each call that has payloads: of its samples, or else of all its payloads.

    A service of more calls than one run measures has them of its first ones.

    Args:
        service: with its payloads.
        samples: how many of the first payloads of a call are the user's own, by call.
    """
    schema = service.schema
    unusable: dict[str, str] = {}
    encoders: dict[str, Encoder] = {}
    for name in FORMATS:
        try:
            encoders[name] = encoder(name, schema)
        except (CannotCarryError, CallbenchError) as error:
            unusable[name] = str(error)
    for call in schema.calls[:MOST_CALLS]:
        pairs, count = service.payloads.get(call.name, ()), samples.get(call.name, 0)
        if pairs:
            counted = _bounded(pairs[:count] if count else pairs)
            formats, cannot = _of_call(call, counted, encoders)
            yield CallBytes(call.name, len(counted), bool(count), formats, {**unusable, **cannot})


def _of_call(
    call: OwnCall, pairs: Sequence[Pair], encoders: Mapping[str, Encoder]
) -> tuple[Sequence[FormatBytes], Mapping[str, str]]:
    formats, cannot = [], {}
    for name, of_format in encoders.items():
        try:
            request = _means(of_format, call.request, [pair.request for pair in pairs])
            answer = _means(of_format, call.answer, [pair.answer for pair in pairs])
        except CannotCarryError as error:
            cannot[name] = str(error)
        else:
            formats.append(FormatBytes(name, request, answer))
    return sorted(formats, key=lambda row: row.least), cannot


def _means(of_format: Encoder, message: str, values: Sequence[Json]) -> dict[str, float]:
    bodies = [of_format.encode(message, value) for value in values]
    return {name: fmean(len(code(body)) for body in bodies) for name, code in CODINGS.items()}


def _bounded(pairs: Sequence[Pair]) -> Sequence[Pair]:
    """The first payloads, at least one, up to the limit of bytes."""
    total = 0
    bounded: list[Pair] = []
    for pair in pairs:
        total += len(str(pair.request)) + len(str(pair.answer))
        if bounded and total > MOST_BYTES:
            break
        bounded.append(pair)
    return bounded
