"""A service with enough payloads to measure with: the given ones, and generated ones behind them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.file import fitted_to
from callbench.catalog.generator.fitted import Fitted
from callbench.catalog.generator.from_schema import from_schema
from callbench.catalog.generator.within_limits import WithinLimits
from callbench.model.errors import BadInput
from callbench.model.service.imported import MOST_CALLS, Imported, Json, Pair
from callbench.model.service.schema import OwnCall

PAYLOADS = 64
"""Payloads of a call. The load loop takes as many different ones in rotation."""
_WITHOUT_SAMPLES = 640
_DRAWN = 4
_BYTES = 8 * 2**20


def filled(service: Imported, count: int = PAYLOADS) -> tuple[Imported, Mapping[str, Fitted]]:
    """The service with up to `count` different payloads a call, and the generators of the calls that have samples.

    Samples are never left out. Fewer payloads are generated if they are large, or if there are dozens of calls. A
    service that no run measures whole gets few: to fit a generator takes seconds a call.
    """
    if len(service.schema.calls) > MOST_CALLS:
        return _drawn(service), {}
    payloads, generators, notes = dict(service.payloads), {}, []
    alone = [call for call in service.schema.calls if not service.payloads.get(call.name)]
    limits = WithinLimits(service.schema)
    for call in service.schema.calls:
        given = service.payloads.get(call.name, ())
        try:
            fitted = fitted_to(service, call)
        except BadInput as error:
            notes.append(_without(call, error))
            continue
        if given:
            generators[call.name] = fitted
        wanted = count if given else min(count, _WITHOUT_SAMPLES // len(alone))
        if given:
            generator = Generator(fitted, service.schema)
            names = (call.request, call.answer)
            samples = (limits.settled(names, generator.sample(number)) for number in range(2 * wanted))
            payloads[call.name] = _more(given, samples, wanted)
        else:
            # Those that are drawn keep to the schema's limits. Others that are made of them need not.
            payloads[call.name] = _more((), fitted.skeletons, wanted)
        more = len(payloads[call.name]) - len(given)
        if given and more:
            notes.append(f"{call.name}: {len(given)} given and {more} generated payloads.")
    made = [call for call in alone if payloads.get(call.name)]
    notes += _from_schema(made)
    generated = (*service.generated, *(call.name for call in made))
    return replace(service, payloads=payloads, notes=(*service.notes, *notes), generated=generated), generators


def _drawn(service: Imported) -> Imported:
    """A large service with its samples alone, and a few payloads of each call that has none."""
    payloads, notes = dict(service.payloads), []
    alone = [call for call in service.schema.calls if not service.payloads.get(call.name)]
    for call in alone:
        try:
            drawn = from_schema(service.schema, (call.request, call.answer), skeletons=_DRAWN).skeletons
        except BadInput as error:
            notes.append(_without(call, error))
            continue
        payloads[call.name] = tuple(Pair(request, answer) for request, answer in drawn)
    made = [call for call in alone if payloads.get(call.name)]
    notes += _from_schema(made)
    notes.append(
        f"{len(service.schema.calls):,} calls are more than one run can measure, so payloads are few."
        " Import the document again with --call NAME for each call that matters."
    )
    generated = (*service.generated, *(call.name for call in made))
    return replace(service, payloads=payloads, notes=(*service.notes, *notes), generated=generated)


def _without(call: OwnCall, error: BadInput) -> str:
    return f"{call.name} has no payloads: {error}."


def _from_schema(calls: Sequence[OwnCall]) -> list[str]:
    names = [call.name for call in calls]
    if not names:
        return []
    named = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if names[3:] else "")
    return [f"Payloads without samples are made from the schema, so their sizes are not yours: {named}."]


def _more(given: tuple[Pair, ...], others: Iterable[Sequence[Json]], count: int) -> tuple[Pair, ...]:
    pairs = list(given)
    texts = [json.dumps([pair.request, pair.answer]) for pair in pairs]
    seen, size = set(texts), sum(map(len, texts))
    for request, answer in others:
        if len(pairs) >= count or size > _BYTES:
            break
        text = json.dumps([request, answer])
        if text not in seen:
            seen.add(text)
            size += len(text)
            pairs.append(Pair(request, answer))
    return tuple(pairs)
