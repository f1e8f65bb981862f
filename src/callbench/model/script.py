"""What the load driver sends: one request, or sessions of several, each as often as its weight says."""

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator


def _path(text: str) -> str:
    if not re.fullmatch(r"/[!-~]*", text):
        raise ValueError(f"the path {text!r} must begin with / and hold no blanks: /hello?to=me")
    return text


UrlPath = Annotated[str, AfterValidator(_path)]
_Status = Annotated[int, Field(ge=100, le=599)]


class RequestSpec(BaseModel):
    """What is sent, and which answers to it are right. What is not given is as the driver has it.

    Attributes:
        expect_body: byte by byte, in every answer.
        expect_json: by JSON path (RFC 9535): each selects something in every answer, and all of it is this value.
        expect_path: JSON paths; each selects something in every answer.
        expect_match: a regular expression that is found in every answer's body.
        expect_schema: a JSON Schema that every answer's body keeps to.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: str | None = None
    headers: tuple[tuple[str, str], ...] | None = None
    body: str | None = None
    body_file: str | None = None
    body_hex: str | None = None
    variables: bool | None = None
    expect_status: tuple[_Status, ...] | None = None
    expect_body: str | None = None
    expect_body_file: str | None = None
    expect_body_hex: str | None = None
    expect_json: Annotated[dict[str, object], Field(min_length=1)] | None = None
    expect_path: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    expect_match: str | None = None
    expect_schema: dict[str, object] | None = None
    expect_schema_file: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        """A text is given, or a file of it, or its bytes."""
        for name in ("body", "expect_body"):
            if sum(getattr(self, key) is not None for key in (name, f"{name}_file", f"{name}_hex")) > 1:
                raise ValueError(f"{name}, {name}_file and {name}_hex exclude each other")
        if self.expect_schema is not None and self.expect_schema_file is not None:
            raise ValueError("expect_schema and expect_schema_file exclude each other")
        return self


class Bodies(BaseModel):
    """A body, or the bodies of a file.

    Attributes:
        text: the body itself.
        file: a file that is one body.
        lines: a file of which each line is a body.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str | None = None
    file: str | None = None
    lines: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(given is not None for given in (self.text, self.file, self.lines)) != 1:
            raise ValueError("a body is a text, a file, or lines of a file")
        return self


def _fields(text: str) -> str:
    if not re.fullmatch(r"[1-9]\d{0,8}(\.[1-9]\d{0,8})*", text):
        raise ValueError(f'{text!r} is not a path of field numbers: field = "1", or "2.1" for field 1 of field 2')
    return text


class Extraction(BaseModel):
    """Where a value is found in an answer: in its body by a path, or in its head.

    Attributes:
        field: the numbers of fields of a protobuf message.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    json_: Annotated[str | None, Field(alias="json")] = None
    field: Annotated[str, AfterValidator(_fields)] | None = None
    header: str | None = None
    cookie: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(given is not None for given in (self.json_, self.field, self.header, self.cookie)) != 1:
            raise ValueError(
                'a value is taken from one place: "$.token", { header = "NAME" }, { cookie = "NAME" }, { field = "1" }'
            )
        return self


class Step(RequestSpec):
    """One request of a session.

    Attributes:
        path: where it goes; None: the server's own path.
        paths: several, used in rotation.
        bodies: several, used in rotation.
        take: by name, what later steps of the session use as `{name}`.
    """

    path: UrlPath | None = None
    paths: Annotated[tuple[UrlPath, ...], Field(min_length=1)] | None = None
    bodies: Annotated[tuple[Bodies, ...], Field(min_length=1)] | None = None
    take: Annotated[dict[Annotated[str, Field(pattern="^[A-Za-z0-9_]+$")], Extraction], Field(min_length=1)] | None = (
        None
    )


class Session(BaseModel):
    """Requests that a client makes in their order; with one step, an endpoint.

    Attributes:
        name: for results and messages; "": the driver names it by method and path.
        weight: how often it is begun, in proportion to the others' weights.
        once: steps that each client makes once, before the others: a login.
        steps: those that it makes each time.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = ""
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    once: tuple[Step, ...] | None = None
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]


class Script(BaseModel):
    """Several requests instead of one: what the option `script` of the load driver is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sessions: Annotated[tuple[Session, ...], Field(min_length=1)]

    def option(self) -> dict[str, Any]:
        """As the driver takes it."""
        return self.model_dump(exclude_none=True, by_alias=True)
