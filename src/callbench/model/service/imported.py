"""What an importer makes of a user's document: the schema, and pairs of request and answer for each call."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from callbench.model.service.schema import Schema

MOST_CALLS = 50
"""Calls of a service that one run measures: a run of more takes hours."""

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """A request and its answer, in JSON as the user wrote them: keys are `Field.json_name`.

    The JSON of a wrapped message is that of its only field. A call without a body has `{}`.
    """

    request: Json
    answer: Json


@dataclass(frozen=True, slots=True)
class Imported:
    """A service of the user's own: what an importer returns, and what a folder on disk holds.

    Attributes:
        source: the file or URL, as the user named it.
        form: what was recognised: `openapi 3.1`, `wsdl`, `har` ...
        date: the day of the import.
        payloads: by call, in the order of the source. A call without samples may be absent.
        unanswered: calls of which a request has no answer, so the server sends the request back.
        generated: calls without samples, whose payloads are made from the schema.
        notes: sentences for the user that are no losses: what was left out, and why.
        own_json: reads a value of a message in the JSON of the source's own format, if that differs from the service's.
            It gives the service's, and the places of keys that the message lacks, or raises `BadInput`.
    """

    schema: Schema
    source: str
    form: str
    date: dt.date
    payloads: Mapping[str, tuple[Pair, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    own_json: Callable[[str, Json], tuple[Json, list[str]]] | None = field(default=None, compare=False, repr=False)
