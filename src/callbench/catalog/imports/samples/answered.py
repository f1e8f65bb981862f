"""Answers that a user gives for a document with a schema: they stand in the place of examples and made ones."""

from collections.abc import Sequence
from dataclasses import replace

from callbench.catalog.generator.from_schema import from_schema
from callbench.catalog.imports.given_answer import by_call
from callbench.catalog.imports.samples.given import fitting
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.catalog.imports.source import Options
from callbench.catalog.own.conform import Conformance
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import OwnCall

DRAWN = 16
"""Requests that are made from the schema where the document has none."""


def with_answers(service: Imported, options: Options) -> Imported:
    """The service with the answers that the user gave. Requests stay; without any, they are made from the schema.

    Raises:
        BadInput: an answer is of no call or contradicts the schema, or no request can be made.
    """
    secrets, against = SampleSecrets(keep=options.secrets), Conformance(service.schema)
    calls = {call.name: call for call in service.schema.calls}
    payloads, made = dict(service.payloads), list(service.generated)
    for name, values in by_call(options.answers, list(calls), (), service.source).items():
        given = [_fitted(service, against, calls[name], secrets.without(value), place) for value, place in values]
        requests = [pair.request for pair in payloads.get(name, ())]
        if not requests:
            requests = [
                drawn for (drawn,) in from_schema(service.schema, (calls[name].request,), skeletons=DRAWN).skeletons
            ]
            made.append(name)
        payloads[name] = _in_turn(requests, given)
    notes = (*service.notes, *secrets.notes())
    unanswered = tuple(name for name in service.unanswered if name not in payloads)
    return replace(service, payloads=payloads, notes=notes, unanswered=unanswered, generated=tuple(dict.fromkeys(made)))


def _in_turn(requests: Sequence[Json], answers: Sequence[Json]) -> tuple[Pair, ...]:
    turns = range(max(len(requests), len(answers)))
    return tuple(Pair(requests[turn % len(requests)], answers[turn % len(answers)]) for turn in turns)


def _fitted(service: Imported, against: Conformance, call: OwnCall, value: Json, place: str) -> Json:
    try:
        fits, left_out = fitting(service, against, call.answer, value)
    except BadInput as error:
        raise BadInput(f"{place}: {error} (message {call.answer} of {service.source}): correct one of them") from None
    if left_out:
        raise BadInput(f"{place}: message {call.answer} of {service.source} has no {left_out[0]}: take it out")
    return fits
