"""A file of endpoints and sessions, in TOML: docs/reference/requests.md."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from callbench.catalog.requests import bodies
from callbench.model.errors import BadInput
from callbench.model.script import Bodies, Script, Session, Step

_STEP_FILES = ("body_file", "expect_body_file", "expect_schema_file")
_NAMES = {"request": "[[request]]", "session": "[[session]]", "step": "[[session.step]]", "once": "[[session.once]]"}


class _Session(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1)]
    weight: float = 1.0
    once: list[dict[str, object]] = Field(default_factory=list)
    step: Annotated[list[dict[str, object]], Field(min_length=1)]


class _File(BaseModel):
    """The whole file.

    Attributes:
        headers: of every request that has none of the same name.
        request: endpoints: sessions of one step.
    """

    model_config = ConfigDict(extra="forbid")

    headers: dict[str, str] = Field(default_factory=dict)
    request: list[dict[str, object]] = Field(default_factory=list)
    session: list[_Session] = Field(default_factory=list)

    @field_validator("session")
    @classmethod
    def _names(cls, sessions: list[_Session]) -> list[_Session]:
        names = [session.name for session in sessions]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two sessions are called {twice[0]}")
        return sessions


def read(path: Path) -> Script:
    """Read a file of requests.

    Raises:
        BadInput: it cannot be read, or something in it is wrong; the sentence names the place.
    """
    try:
        raw = tomllib.loads(path.read_text())
    except OSError as failure:
        raise BadInput(f"{path} cannot be read: {failure.strerror}") from failure
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as failure:
        raise BadInput(f"{path} is no TOML: {failure}") from failure
    try:
        file = _File.model_validate(raw)
        sessions = [
            _endpoint(request, file.headers, path, place) for place, request in enumerate(file.request, start=1)
        ]
        sessions += [_session(session, file.headers, path) for session in file.session]
    except ValidationError as failure:
        raise BadInput(f"{path}: {_sentence(failure)}") from None
    if not sessions:
        raise BadInput(f"{path} has no [[request]] and no [[session]]")
    return Script(sessions=tuple(sessions))


def _endpoint(document: Mapping[str, Any], headers: Mapping[str, str], path: Path, place: int) -> Session:
    document = dict(document)
    weight, name = document.pop("weight", 1.0), document.pop("name", None)
    if "take" in document:
        raise BadInput(f"{path}: [[request]] {place}: take is for a session, where a later step uses the value")
    step = _step(document, headers, path, f"[[request]] {place}")
    return Session(name=str(name or ""), weight=weight, steps=(step,))


def _session(session: _Session, headers: Mapping[str, str], path: Path) -> Session:
    def steps(of: Sequence[Mapping[str, object]], kind: str) -> tuple[Step, ...]:
        places = enumerate(of, start=1)
        return tuple(
            _step(document, headers, path, f"session {session.name}, {kind} {place}") for place, document in places
        )

    return Session(
        name=session.name,
        weight=session.weight,
        once=steps(session.once, "once") or None,
        steps=steps(session.step, "step"),
    )


def _step(document: Mapping[str, Any], headers: Mapping[str, str], path: Path, place: str) -> Step:
    """Read a step as a person writes it: headers as a table, bodies as files, values by path.

    Raises:
        BadInput: something in it is wrong.
    """
    members = dict(document)
    own = members.pop("headers", {})
    if not isinstance(own, dict) or not all(isinstance(value, str) for value in own.values()):
        raise BadInput(f'{path}: {place}: headers is a table of texts: headers = {{ Accept = "text/plain" }}')
    mine = {name.lower() for name in own}
    all_headers = {**{name: value for name, value in headers.items() if name.lower() not in mine}, **own}
    if all_headers:
        members["headers"] = list(all_headers.items())
    given = members.pop("bodies", None)
    if given is not None:
        if not isinstance(given, list) or not given or not all(isinstance(body, str) for body in given):
            raise BadInput(f"{path}: {place}: bodies is a list of files, folders or texts")
        members["bodies"] = [body.model_dump(exclude_none=True) for body in _bodies(given, path, place)]
    if isinstance(members.get("take"), dict):
        members["take"] = {name: _take(value) for name, value in members["take"].items()}
    for name in _STEP_FILES:
        if isinstance(members.get(name), str):
            members[name] = str((path.parent / members[name]).absolute())
    try:
        return Step.model_validate(members)
    except ValidationError as failure:
        raise BadInput(f"{path}: {place}: {_sentence(failure)}") from None


def _bodies(given: Sequence[str], path: Path, place: str) -> list[Bodies]:
    return bodies.found(given, f"{path}: {place}: bodies", path.parent)


def _take(value: object) -> object:
    """A text is a JSON path."""
    return {"json": value} if isinstance(value, str) else value


def _sentence(failure: ValidationError) -> str:
    first = failure.errors()[0]
    words = [_NAMES.get(part, part) if isinstance(part, str) else str(part + 1) for part in first["loc"]]
    message = first["msg"].removeprefix("Value error, ")
    return f"{' '.join(words)}: {message}" if words else message
