"""Samples for a schema that was imported: they become its payloads, and must keep to it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from callbench.catalog.imports.samples import described, forms
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.samples.random_sample import RandomSample
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.catalog.imports.source import Options, Source
from callbench.catalog.own.conform import Conformance
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import pascal
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import OwnCall


def with_samples(service: Imported, sources: Sequence[Source], options: Options) -> Imported:
    """The service with samples as payloads, instead of those that its schema brought.

    Args:
        service: without samples, or with other ones.
        sources: of samples, in any form.
        options: what the user allows.

    Raises:
        BadInput: a sample contradicts the schema, or is of no call. The sentence names both places.
    """
    secrets, left_out = SampleSecrets(keep=options.secrets), LeftOut()
    against = Conformance(service.schema)
    kept: dict[str, RandomSample] = defaultdict(RandomSample)
    unknown: set[str] = set()
    unanswered: dict[str, None] = {}
    for exchange in forms.exchanges(sources, "", secrets, left_out):
        call = _call(service, exchange)

        def side(message: str, values: Iterable[Json], place: str) -> Json:
            error: BadInput | None = None
            for value in values:
                try:
                    fits, keys = fitting(service, against, message, secrets.without(value))
                except BadInput as why:
                    error = error or why
                    continue
                unknown.update(f"{message}{key.removeprefix('$')}" for key in keys[:10])
                return fits
            raise BadInput(f"{place}: {error} (message {message} of {service.source}): correct one of them")

        request = side(call.request, described.requests(service.schema, call, exchange), exchange.request_place)
        answer = side(call.answer, [exchange.answer], exchange.answer_place) if exchange.has_answer else None
        if not exchange.has_answer:
            if call.request != call.answer:
                raise BadInput(
                    f"{exchange.request_place} has no answer, but {call.name} of {service.source} needs one:"
                    ' give {"request": ..., "answer": ...}'
                )
            answer = request
            unanswered[call.name] = None
        kept[call.name].add(Pair(request, answer))
    notes = [*service.notes, *left_out.notes(), *secrets.notes()]
    if unknown:
        named = ", ".join(sorted(unknown)[:5])
        notes.append(f"Keys of samples that the schema does not have are left out: {named}.")
    notes += [note for name, of in kept.items() for note in of.notes(name)]
    payloads = {**service.payloads, **{name: tuple(of.pairs) for name, of in kept.items()}}
    return replace(service, payloads=payloads, notes=tuple(notes), unanswered=tuple(unanswered))


def fitting(service: Imported, against: Conformance, message: str, value: Json) -> tuple[Json, list[str]]:
    """The value as the service has it, perhaps from the format's own JSON, and the places of keys left out."""
    if service.own_json is None:
        return against.kept(message, value)
    try:
        own, keys = service.own_json(message, value)
        return against.kept(message, own)[0], keys
    except BadInput as error:
        try:
            return against.kept(message, value)
        except BadInput as other:
            raise BadInput(f"{other}, and {error}") from None


def _call(service: Imported, exchange: Exchange) -> OwnCall:
    """The call of a sample: of the same method and path, of the same name, or the only one."""
    calls = service.schema.calls
    nearest = described.call_of(calls, exchange) if exchange.url else None
    if nearest is not None:
        return nearest
    for call in calls:
        if pascal(call.name).lower() == pascal(exchange.call, "Call").lower():
            return call
    if len(calls) == 1:
        return calls[0]
    place_text = f"{exchange.method} {exchange.path}".strip() or exchange.call
    names = ", ".join(call.name for call in calls[:5])
    raise BadInput(
        f"{exchange.request_place} is of no call ({place_text}): {service.source} has {names or 'none'};"
        " name the file after its call, or give the key `call`"
    )
