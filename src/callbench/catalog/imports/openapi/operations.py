"""The operations of a document, as calls: what all versions of OpenAPI have in common."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from callbench.catalog.imports.chosen import is_chosen
from callbench.catalog.imports.json_schema.mapper import Key, Mapper
from callbench.catalog.imports.json_schema.node import SchemaPart, node
from callbench.catalog.imports.json_schema.references import References
from callbench.catalog.imports.openapi.half_given import HalfGiven
from callbench.catalog.imports.reference_reader import ReferenceReader
from callbench.catalog.imports.source import Options, Source
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import Names, pascal
from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import OwnCall

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
MOST_EXAMPLES = 100
# Headers that belong to HTTP, not to the call: the specification says that parameters of these names are ignored.
_IGNORED = {"accept", "content-type", "authorization"}
_WEBHOOKS = ("The server calls its clients (webhooks).", "Only what clients call is measured.")
_CALLBACKS = ("The server calls back.", "Its calls are left out.")
_ABSENT = object()
_IN_HTTP = {
    "header": ("HTTP has the parameter in a header.", "It is a key of the request."),
    "cookie": ("HTTP has the parameter in a cookie.", "It is a key of the request."),
}
_HEADERS = ("The answer has headers.", "They are left out.")
_SECURITY = ("Clients say who they are.", "What they send for it is left out.")
_NO_PARAMETER = ("The path has a part in braces that is no parameter.", "The request has no key for it.")
_NO_BODY = ("The request can be without a body.", "It always has one.")

Examples: TypeAlias = dict[str, Json]
"""Examples of a body by name."""


@dataclass(frozen=True)
class Body:
    """A body: its schema, its examples, and whether it is always there."""

    schema: SchemaPart | None
    examples: Examples
    required: bool = True


NO_BODY = Body(None, {})


class Operations(ABC):
    """Reads the operations of a document.

    Attributes:
        mapper: makes the messages.
        pairs: the examples of each call.
        halves: the examples of calls that have them of the request or the answer alone.
        names: of all calls, also of those that the user does not want.
    """

    def __init__(self, source: Source, options: Options) -> None:
        """Reads the document and what it refers to."""
        version = source.document.get("openapi") if isinstance(source.document, dict) else None
        alone = not str(version).startswith(("3.1", "3.2"))
        self._references = References(source, ReferenceReader(source, options), schemas=False, alone=alone)
        self.mapper = Mapper(self._references, one_way=True)
        self.pairs: dict[str, Sequence[Pair]] = {}
        self.halves: dict[str, HalfGiven] = {}
        self.names: list[str] = []
        self._wanted = options.calls
        self._names = Names()

    def calls(self) -> Iterator[OwnCall]:
        """The operations as calls. Those that the user does not want are not read: large documents have thousands."""
        root = self._references.root()
        for word in ("webhooks", "x-webhooks"):
            if root.schema.get(word):
                self.mapper.losses.add(root.below(word).place, _WEBHOOKS)
        if root.schema.get("security"):
            self.mapper.losses.add(root.below("security").place, _SECURITY)
        for path, item in self.table(root, "paths").items():
            at = self.followed(item)
            for method, operation in self._operations(at):
                call = self._call(path, method, at, self.followed(operation))
                if call is not None:
                    yield call

    @abstractmethod
    def _given(self, item: SchemaPart, operation: SchemaPart) -> tuple[list[SchemaPart], Body]:
        """The parameters of an operation and its body."""

    @abstractmethod
    def _schema(self, parameter: SchemaPart) -> SchemaPart:
        """The schema of a parameter."""

    @abstractmethod
    def _answered(self, operation: SchemaPart, answer: SchemaPart) -> Body:
        """The body of an answer."""

    def _operations(self, item: SchemaPart) -> Iterator[tuple[str, SchemaPart]]:
        """The operations of a path, by method."""
        for method in METHODS:
            if method in item.schema:
                yield method, item.below(method)
        yield from self.table(item, "additionalOperations").items()

    def _call(self, path: str, method: str, item: SchemaPart, operation: SchemaPart) -> OwnCall | None:
        given = operation.schema.get("operationId")
        name = self._names.take(pascal(given if isinstance(given, str) else f"{method} {path}", "Call"))
        self.names.append(name)
        if not is_chosen(name, self._wanted):
            return None
        if operation.schema.get("callbacks"):
            self.mapper.losses.add(operation.place, _CALLBACKS)
        if operation.schema.get("security"):
            self.mapper.losses.add(operation.below("security").place, _SECURITY)
        parameters, body = self._given(item, operation)
        named = {parameter.schema["name"] for parameter in parameters if parameter.schema.get("in") == "path"}
        if set(re.findall(r"\{([^{}]*)\}", path)) - named:
            self.mapper.losses.add(operation.place, _NO_PARAMETER)
        request = self._request(name, parameters, body)
        answer = self._answer(operation)
        message = f"{name}Answer"
        made = self.mapper.message(node(answer.schema), message) if answer.schema else self.mapper.compound([], message)
        self._examples(name, parameters, body, answer)
        return OwnCall(name, request, made, method.upper(), path)

    def parameters(self, item: SchemaPart, operation: SchemaPart) -> list[SchemaPart]:
        """The parameters of a path and of its operation, each once; the operation's come first."""
        found = {}
        for parameter in [*self._list(item, "parameters"), *self._list(operation, "parameters")]:
            place, key = parameter.schema.get("in"), parameter.schema.get("name")
            if isinstance(key, str) and not (place == "header" and key.lower() in _IGNORED):
                found[str(place), key] = parameter
        return list(found.values())

    def _request(self, name: str, parameters: list[SchemaPart], body: Body) -> str:
        if body.schema is not None and not body.required:
            self.mapper.losses.add(body.schema.place, _NO_BODY)
        if body.schema is not None and not parameters:
            return self.mapper.message(node(body.schema), f"{name}Request")
        keys = []
        for key, parameter in _named(parameters).items():
            place = str(parameter.schema.get("in"))
            if place in _IN_HTTP:
                self.mapper.losses.add(parameter.place, _IN_HTTP[place])
            keys.append(Key(key, node(self._schema(parameter)), required=parameter.schema.get("required") is True))
        if body.schema is not None:
            keys.append(Key(_body_key(parameters), node(body.schema), required=True))
        return self.mapper.compound(keys, f"{name}Request")

    def _answer(self, operation: SchemaPart) -> Body:
        """The body of the first answer that says that the call went well."""
        answers = self.table(operation, "responses")
        good = [*sorted(status for status in answers if status.startswith("2")), *({"default"} & set(answers))]
        if answers and not good:
            loss = ("No answer that succeeds is described.", "The answer is an empty message.")
            self.mapper.losses.add(operation.place, loss)
        elif len(answers) > 1:
            loss = ("There are several answers.", "The first that succeeds is measured.")
            self.mapper.losses.add(operation.place, loss)
        if not good:
            return NO_BODY
        answer = self.followed(answers[good[0]])
        if answer.schema.get("headers"):
            self.mapper.losses.add(answer.below("headers").place, _HEADERS)
        return self._answered(operation, answer)

    def _examples(self, name: str, parameters: list[SchemaPart], body: Body, answer: Body) -> None:
        """Keep the examples of a call: of both sides, of one, or none."""
        requests, lacking = self._requests(parameters, body)
        answers = answer.examples if answer.schema is not None else {"": {}}
        if requests and answers:
            pairs = _paired(requests, answers)
            if lacking:
                self.halves[name] = HalfGiven(pairs, keys=lacking)
            else:
                self.pairs[name] = pairs
        elif answers and answer.schema is not None:
            self.halves[name] = HalfGiven([Pair(None, given) for given in _first(answers)], lacks="request")
        elif requests and any(requests.values()):
            self.halves[name] = HalfGiven([Pair(given, None) for given in _first(requests)], "answer", lacking)

    def _requests(self, parameters: list[SchemaPart], body: Body) -> tuple[dict[str, Json], tuple[str, ...]]:
        """The examples of a request, by name, and the parameters that are required and have none.

        A request without a body has no example if one of its parameters lacks one.
        """
        given: dict[str, Json] = {}
        lacking = []
        for key, parameter in _named(parameters).items():
            example = _example(parameter.schema, self.target(self._schema(parameter)).schema)
            if example is not _ABSENT:
                given[key] = example  # type: ignore[assignment]
            elif parameter.schema.get("required") is True:
                lacking.append(key)
        if body.schema is None:
            return ({} if lacking else {"": given}), ()
        key = _body_key(parameters)
        made = {name: {**given, key: value} if parameters else value for name, value in body.examples.items()}
        return made, tuple(lacking)

    def followed(self, of: SchemaPart) -> SchemaPart:
        """An object, or what its `$ref` names.

        Raises:
            BadInput: it is no object, or a circle of references.
        """
        part = self.target(of)
        if not isinstance(part.schema, dict):
            raise BadInput(f"{part.place} must be an object; mend it")
        return part

    def target(self, part: SchemaPart) -> SchemaPart:
        """A part, or what its `$ref` names."""
        for _ in range(100):
            if not (isinstance(part.schema, dict) and isinstance(part.schema.get("$ref"), str)):
                return part
            part = self._references.target(part, part.schema["$ref"])
        raise BadInput(f"{part.place} refers to itself; mend the reference")

    def table(self, part: SchemaPart, word: str) -> dict[str, SchemaPart]:
        """The parts below a word, without extensions."""
        value = part.schema.get(word, {})
        if not isinstance(value, dict):
            raise BadInput(f"{part.place}: {word} must be an object; mend it")
        return {key: part.below(word, key) for key in value if not key.startswith("x-")}

    def _list(self, part: SchemaPart, word: str) -> list[SchemaPart]:
        value = part.schema.get(word, [])
        if not isinstance(value, list):
            raise BadInput(f"{part.place}: {word} must be a list; mend it")
        return [self.followed(part.below(word, index)) for index in range(len(value))]


def _first(examples: Mapping[str, Json]) -> list[Json]:
    return list(examples.values())[:MOST_EXAMPLES]


def _paired(requests: Mapping[str, Json], answers: Mapping[str, Json]) -> list[Pair]:
    """The examples of a request and its answer: of the same name, or else in order."""
    if len(requests) > 1 and set(requests) & set(answers):
        return [Pair(requests[name], answers[name]) for name in requests if name in answers][:MOST_EXAMPLES]
    first, second = list(requests.values()), list(answers.values())
    count = min(max(len(first), len(second)), math.lcm(len(first), len(second)), MOST_EXAMPLES)
    return [Pair(first[at % len(first)], second[at % len(second)]) for at in range(count)]


def _named(parameters: Sequence[SchemaPart]) -> dict[str, SchemaPart]:
    """The parameters by the key that they have in the request. Two of one name stand in different places."""
    named: dict[str, SchemaPart] = {}
    for parameter in parameters:
        key = parameter.schema["name"]
        named[key if key not in named else f"{key} in {parameter.schema.get('in')}"] = parameter
    return named


def _body_key(parameters: Sequence[SchemaPart]) -> str:
    keys = _named(parameters)
    candidates = ["body", "request_body", *(f"body_{number}" for number in range(len(keys)))]
    return next(key for key in candidates if key not in keys)


def of_schema(part: SchemaPart) -> dict[str, Json]:
    """The examples that a schema has itself."""
    schema: Any = part.schema
    if not isinstance(schema, dict):
        return {}
    listed = schema.get("examples")
    examples = {str(number): value for number, value in enumerate(listed)} if isinstance(listed, list) else {}
    return examples or ({"example": schema["example"]} if "example" in schema else {})


def _example(parameter: dict[str, Any], schema: Any) -> Json | object:  # noqa: ANN401
    """An example of a parameter, its default or the first of the values that it can have."""
    several = parameter.get("examples")
    if isinstance(several, dict):
        for example in several.values():
            if isinstance(example, dict) and "value" in example:
                value: Json = example["value"]
                return value
    for holder in (parameter, schema):
        if isinstance(holder, dict):
            for word in ("example", "default", "const"):
                if word in holder:
                    shown: Json = holder[word]
                    return shown
            for word in ("examples", "enum"):
                if isinstance(holder.get(word), list) and holder[word]:
                    first: Json = holder[word][0]
                    return first
    return _ABSENT
