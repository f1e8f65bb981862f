"""Takes samples one after the other and makes a service of them. Its memory does not grow with their number."""

import datetime as dt
from collections.abc import Sequence
from urllib.parse import urlsplit

from callbench.catalog.imports.given_answer import GivenAnswer, by_call
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.resolve import Resolver
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.catalog.imports.samples.varying import Call, joined
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal, snake
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Field, Kind, OwnCall, Schema, Shape

_CALLS = 500
# Stands in a pair for an answer that nobody gave; it is told by its identity.
_NOT_GIVEN: Json = {}


class Collector:
    """Samples of one service."""

    def __init__(self, secrets: SampleSecrets, *, unions: bool = False) -> None:
        """Begin.

        Args:
            secrets: what replaces them.
            unions: take values of any type where samples contradict each other; otherwise they are refused.
        """
        self._secrets = secrets
        self._unions = unions
        self._calls: dict[tuple[str, str, str], Call] = {}
        self._documents = 0

    def add(self, exchange: Exchange) -> None:
        """Take a sample.

        Raises:
            BadInput: there are too many different calls.
        """
        key = exchange.call, exchange.method, exchange.path
        if key not in self._calls and len(self._calls) >= _CALLS:
            self._join()
        call = self._calls.get(key)
        if call is None:
            if len(self._calls) >= _CALLS:
                raise BadInput(
                    f"{exchange.request_place} is the sample of call number {_CALLS + 1}; an import takes "
                    f"{_CALLS} calls: give fewer at once"
                )
            named = exchange.call != f"{exchange.method.lower()} {exchange.path}"
            call = self._calls[key] = Call(exchange.call, exchange.method, exchange.path, named)
        call.look(exchange.request, exchange.answer)
        call.ask({host} if (host := urlsplit(exchange.url).netloc) else set())
        call.bodiless &= exchange.bodiless
        call.parameters &= exchange.parameters
        request = self._secrets.without(exchange.request)
        answer = self._secrets.without(exchange.answer) if exchange.has_answer else _NOT_GIVEN
        self._documents += 1
        call.request.add(request, exchange.request_place, self._documents)
        if exchange.has_answer:
            call.answered += 1
            call.answer.add(answer, exchange.answer_place, -self._documents - 1)
        call.kept.add(Pair(request, answer))

    def _join(self) -> None:
        self._calls = {(call.name, call.method, call.path): call for call in joined(list(self._calls.values()))}

    def service(
        self, name: str, source: str, form: str, notes: list[str], answers: Sequence[GivenAnswer] = ()
    ) -> Imported:
        """The service that the samples show.

        Args:
            name: of the service.
            source: as the user named it.
            form: what was recognised.
            notes: sentences for the user, to which others are added.
            answers: that the user gave for calls whose samples have none.

        Raises:
            BadInput: there is no sample, samples contradict each other, or an answer is of no call that lacks one.
        """
        if not self._calls:
            raise BadInput(f"{source} has no request or answer in JSON: {' '.join(notes) or 'give samples in JSON'}")
        self._join()
        free = Names()
        for call in self._calls.values():
            call.name = free.take(pascal(call.name, "Call"))
        if answers:
            self._answer(answers, source)
        resolver = Resolver(unions=self._unions)
        calls = []
        notes = notes + self._secrets.notes()
        for call in self._calls.values():
            notes += [*call.notes(), *call.settle_repeated()]
            kind = "Request" if call.answered else ""
            request = resolver.message(call.request, f"{call.name}{kind}", f"{call.name} request")
            answer = request
            if call.answered:
                answer = resolver.message(call.answer, f"{call.name}Answer", f"{call.name} answer")
            if 0 < call.answered < call.kept.count:
                notes.append(_leave_out_unanswered(call))
            elif not call.answered:
                notes.append(f"{call.name}: no answer was given, so the server sends the request back.")
            notes += call.kept.notes(call.name)
            calls.append(OwnCall(call.name, request, answer, call.method, call.path))
        schema = Schema(
            snake(name, "service"),
            tuple(resolver.messages.values()),
            tuple(calls),
            tuple(resolver.enumerations.values()),
            tuple(resolver.losses),
        )
        pairs = {
            call.name: tuple(_settled(schema, own, _echoed(pair)) for pair in call.kept.pairs)
            for call, own in zip(self._calls.values(), calls, strict=True)
            if call.kept.pairs
        }
        unanswered = tuple(call.name for call in self._calls.values() if call.answered < call.kept.count)
        return Imported(
            schema=schema,
            source=source,
            form=form,
            date=dt.datetime.now(tz=dt.UTC).date(),
            payloads=pairs,
            notes=tuple(notes),
            unanswered=unanswered,
        )

    def _answer(self, answers: Sequence[GivenAnswer], source: str) -> None:
        """Put the answers that a user gave to the requests that have none, in turn."""
        lacking = {call.name: call for call in self._calls.values() if call.answered < call.kept.count}
        others = [call.name for call in self._calls.values() if call.name not in lacking]
        for name, values in by_call(answers, list(lacking), others, source).items():
            call = lacking[name]
            given = []
            for value, place in values:
                given.append(self._secrets.without(value))
                self._documents += 1
                call.answer.add(given[-1], place, -self._documents - 1)
            pairs = _answered(call.kept.pairs, given)
            call.kept.count += len(pairs) - len(call.kept.pairs)
            call.kept.pairs, call.answered = pairs, call.kept.count


def _answered(pairs: Sequence[Pair], given: Sequence[Json]) -> list[Pair]:
    """The pairs, with an answer for each request that has none. One request gets all of them, one after the other."""
    lacking = [pair for pair in pairs if pair.answer is _NOT_GIVEN]
    turns = max(len(lacking), len(given)) if lacking else 0
    made = [Pair(lacking[turn % len(lacking)].request, given[turn % len(given)]) for turn in range(turns)]
    return [*(pair for pair in pairs if pair.answer is not _NOT_GIVEN), *made]


def _leave_out_unanswered(call: Call) -> str:
    """Leave out the samples without an answer of a call that has some: the server's answer to them is not known."""
    missing = call.kept.count - call.answered
    call.kept.pairs = [pair for pair in call.kept.pairs if pair.answer is not _NOT_GIVEN]
    call.kept.count = call.answered
    what = "1 sample has" if missing == 1 else f"{missing:,} samples have"
    return f"{call.name}: {what} no answer, unlike the others, and {'is' if missing == 1 else 'are'} left out."


def _echoed(pair: Pair) -> Pair:
    """The pair; without an answer, the server sends the request back."""
    return Pair(pair.request, pair.request) if pair.answer is _NOT_GIVEN else pair


def _settled(schema: Schema, call: OwnCall, pair: Pair) -> Pair:
    """The pair as its schema can say it: what is null in some samples and absent in others is absent."""
    return Pair(_without_nulls(schema, call.request, pair.request), _without_nulls(schema, call.answer, pair.answer))


def _without_nulls(schema: Schema, name: str, value: Json) -> Json:
    message = schema.message(name)
    if message.wrapped:
        return _field_without_nulls(schema, message.fields[0], value)
    if not isinstance(value, dict):
        return value
    fields = {field.json_name: field for field in message.fields}
    return {
        key: _field_without_nulls(schema, fields[key], inner)
        for key, inner in value.items()
        if inner is not None or fields[key].nullable or fields[key].kind is Kind.JSON
    }


def _field_without_nulls(schema: Schema, field: Field, value: Json) -> Json:
    if field.kind is not Kind.MESSAGE or value is None:
        return value
    if field.shape is Shape.MANY and isinstance(value, list):
        return [_without_nulls(schema, field.type_name, item) for item in value]
    if field.shape is Shape.MAP and isinstance(value, dict):
        return {key: _without_nulls(schema, field.type_name, item) for key, item in value.items()}
    return _without_nulls(schema, field.type_name, value)
