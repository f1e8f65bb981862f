"""An adapter's manifest, adapter.toml: read, checked, and its matrix written out into stacks."""

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from callbench.catalog import external as spec
from callbench.catalog.external import External
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.model.process_tree import HOST
from callbench.model.request import FILES, KEY, Request
from callbench.model.version import CONTRACT

_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
_MATRIX_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Lack(_Strict):
    """A check of the suite that is known to fail, and why."""

    check: str
    why: str


class WhenLost(_Strict):
    """What a client's library does where its server is lost in the middle of a call; `verify` holds it against that.

    Attributes:
        killed: the server's process is killed. `error`: the call fails; `hang`: only its time-out ends it.
        cut: the connection is reset while the server lives. `retry`: the library calls again by itself and the caller
            is answered, so that the call is executed twice; `twice`: it is executed twice, and fails all the same;
            `answered`: nothing is noticed; `no connection`: there is none.
        back: whether the same client can call again when a server is back at the same place; left out where nobody
            can tell.
    """

    killed: Literal["error", "hang"]
    cut: Literal["error", "hang", "retry", "twice", "answered", "no connection"]
    back: bool | None = None


class Card(_Strict):
    """The fairness card, in part: what is not said here comes from the level above."""

    about: str | None = None
    library: str | None = None
    server_model: str | None = None
    clients: str | None = None
    region: str | None = None
    connections_per_client: int | None = Field(default=None, ge=0)
    waits: str | None = None
    nagle: str | None = None
    tuning: str | None = None
    protocol: _Name | None = None
    roles: Literal["both", "server-only", "client-only", "in-process"] | None = None
    request: Request | None = None
    external: External | None = None
    counts: bool | None = None
    backend: Annotated[str, Field(pattern=r"^[^/]+/.+$")] | None = None
    options: dict[str, Any] | None = None
    note: str | None = None
    when_lost: WhenLost | None = None
    explains: dict[Literal["1.1 ms", "10 ms", "40 ms", "100 ms", "200 ms"], str] | None = None
    slow: str | None = None
    compiles: bool | None = None
    busy_us: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    slice_ms: float | None = Field(default=None, ge=20, le=10_000, allow_inf_nan=False)
    message: str | None = None
    channel: str | None = None
    lacks: tuple[Lack, ...] = ()

    def said(self) -> dict[str, Any]:
        """The members that are given, without `lacks` and `library`, which are merged in their own way."""
        return self.model_dump(
            exclude_none=True, exclude={"lacks", "library", "name", "message", "channel", "instrument"}
        )


class StackEntry(Card):
    """One `[[stack]]`."""

    name: _Name
    instrument: bool = False


class Matrix(_Strict):
    """Each message over each channel; `stack` has what is to be said of one of them alone, under its name."""

    message: dict[Annotated[str, Field(pattern=_MATRIX_NAME)], Card] = Field(min_length=1)
    channel: dict[Annotated[str, Field(pattern=_MATRIX_NAME)], Card] = Field(min_length=1)
    stack: dict[_Name, Card] = Field(default_factory=dict)


class _File(_Strict):
    contract: int
    name: Annotated[str, Field(pattern=_MATRIX_NAME)]
    language: str
    version: str = ""
    about: str = ""
    program: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    setup: str = ""
    needs: str = ""
    start_seconds: float = Field(default=10, gt=0, le=600)
    compiles: bool = False
    serve_all: bool = False
    hosted: bool = False
    instrument: bool = False
    libraries: dict[str, str] = Field(default_factory=dict)
    card: Card = Field(default_factory=Card)
    stack: tuple[StackEntry, ...] = ()
    matrix: Matrix | None = None


@dataclass(frozen=True)
class Manifest:
    """What an adapter says of itself before it is started.

    Attributes:
        program: argv; the first element is absolute, or a name to be found in PATH, and so is the runner of a host.
        setup: the command that makes the program runnable.
        needs: what that command needs or installs, for people; empty where nothing is worth saying.
        start_seconds: how long `hello` may take.
        compiles: whether its runtime compiles while it runs, so that it is faster after some seconds.
        serve_all: whether its program can hold all its stacks at once (feature `serve-all`).
        hosted: whether the program is a host that only speaks for what it starts: its own memory is not the stack's.
        stacks: every stack, as if it were available; the catalogue knows whether it is.
    """

    file: Path
    name: str
    language: str
    about: str
    program: tuple[str, ...]
    setup: str
    start_seconds: float
    stacks: tuple[Stack, ...]
    compiles: bool = False
    serve_all: bool = False
    hosted: bool = False
    needs: str = ""

    @property
    def both(self) -> "Programs":
        """This one on both sides."""
        return Programs(self, self)


@dataclass(frozen=True)
class Programs:
    """What plays each side of a stack: one program, but for a mixed one.

    Attributes:
        request: how the client calls the server, where the server's card has to tell it; else None.
        counts: whether the server can say what it answered.
        backend: what plays the stack that stands behind the server, and that stack's name, or None.
        warm_up_limit_s: after how many seconds a warm-up is to end in any case; None: as is usual.
        card_compiles: whether the stack's card says that a side's runtime compiles while it runs.
    """

    client: Manifest
    server: Manifest
    request: Mapping[str, Any] | None = None
    counts: bool = True
    backend: "tuple[Manifest, str] | None" = None
    warm_up_limit_s: float | None = None
    card_compiles: bool = False

    @property
    def compiles(self) -> bool:
        """Whether the runtime of a side, or of what stands behind, compiles while it runs."""
        behind = [] if self.backend is None else [self.backend[0]]
        return self.card_compiles or any(one.compiles for one in (self.client, self.server, *behind))


def read(file: Path) -> Manifest:
    """Reads one adapter.toml.

    Raises:
        BadInput: the file cannot be read or is wrong; the sentence names file and key.
    """
    try:
        raw = tomllib.loads(file.read_text())
    except OSError as failure:
        raise BadInput(f"cannot read {file}: {failure.strerror}") from failure
    except ValueError as failure:
        raise BadInput(f"{file} is not TOML: {failure}") from failure
    wanted = raw.get("contract")
    if isinstance(wanted, int) and wanted != CONTRACT:
        raise BadInput(f"{file} is for contract version {wanted}; this Callbench speaks version {CONTRACT}")
    return of(raw, file)


def of(raw: Mapping[str, Any], file: Path) -> Manifest:
    """Takes a manifest from what its file says.

    Args:
        raw: the file's content.
        file: for sentences; what is relative is so to its folder.

    Raises:
        BadInput: it is wrong; the sentence names file and key.
    """
    try:
        said = _File.model_validate(raw)
    except ValidationError as failure:
        raise BadInput(f"{file}: {_sentence(failure)}") from failure
    stacks = tuple(_stacks(said, file))
    if not stacks:
        raise BadInput(f"{file} has no stacks: give [[stack]] or [matrix.message.X] with [matrix.channel.Y]")
    names = [stack.id for stack in stacks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadInput(f"{file} has the stack {twice} twice")
    program = _program(said, stacks, file)
    # What is started: the program, and what a host starts.
    started = (0, 2) if said.hosted else (0,)
    program = tuple(_placed(part, file) if place in started else part for place, part in enumerate(program))
    place = (file, said.name, said.language, said.about, program, said.setup, said.start_seconds)
    return Manifest(*place, stacks, said.compiles, said.serve_all, said.hosted, said.needs)


def _placed(program: str, file: Path) -> str:
    """A program with a slash in its name is relative to the manifest.

    Not resolved: what a virtual environment's Python links to knows nothing of the environment.
    """
    return os.path.abspath(file.parent / program) if "/" in program else program  # noqa: PTH100


def _program(said: _File, stacks: Sequence[Stack], file: Path) -> tuple[str, ...]:
    """What is started: the program that is named, or for external servers our own."""
    tables = {stack.id: stack.card[spec.KEY] for stack in stacks if spec.KEY in stack.card}
    if not tables:
        if said.program is None:
            raise BadInput(f"{file}: the key program is missing")
        _hosted(said, said.program, file)
        return tuple(part.replace("{python}", sys.executable) for part in said.program)
    if said.program is not None or len(tables) < len(stacks):
        raise BadInput(f"{file}: {next(iter(tables))} is external: then all its stacks are, and it names no program")
    return spec.program(said.name, said.language, tables)


def _hosted(said: _File, program: Sequence[str], file: Path) -> None:
    """The key and the program go together: processes of the host are known by its name."""
    if (Path(program[0]).name == HOST) != said.hosted:
        raise BadInput(
            f"{file}: hosted is {str(said.hosted).lower()}: it must be true where program is {HOST}, and there alone"
        )
    if said.hosted and (len(program) < 3 or program[1] != said.name):
        raise BadInput(f"{file}: program must be {HOST}, the name {said.name}, and then the runner's own command")


def _stacks(said: _File, file: Path) -> Iterator[Stack]:
    for entry in said.stack:
        message, channel = entry.message or said.card.message, entry.channel or said.card.channel
        if entry.external is not None:
            message, channel = message or "any", channel or spec.channel_of(entry.request)
        if not (message and channel):
            raise BadInput(f"{file}: the stack {entry.name} has no {'channel' if message else 'message'}")
        yield _stack(said, file, entry.name, (message, channel), [entry])
    if said.matrix is not None:
        alone = dict(said.matrix.stack)
        for message, message_card in said.matrix.message.items():
            for channel, channel_card in said.matrix.channel.items():
                name = f"{message}+{channel}"
                cards = [message_card, channel_card, alone.pop(name, Card())]
                yield _stack(said, file, name, (message, channel), cards)
        if alone:
            raise BadInput(f"{file}: the matrix has no stack {next(iter(alone))}: their names are MESSAGE+CHANNEL")


def _stack(said: _File, file: Path, name: str, axes: tuple[str, str], cards: Sequence[Card]) -> Stack:
    """One stack: the manifest's card, overridden by `cards` from left to right; libraries and remarks add up."""
    levels = [said.card, *cards]
    libraries = dict.fromkeys(card.library for card in cards if card.library) or dict.fromkeys(
        [said.card.library or ""]
    )
    card: dict[str, Any] = {"roles": "both"}
    for level in levels:
        about = "; ".join(text for text in (card.get("about"), level.about) if text)
        explains = {**card.get("explains", {}), **(level.explains or {})}
        card |= level.said() | ({"about": about} if about else {}) | ({"explains": explains} if explains else {})
    card.setdefault("compiles", said.compiles)
    if not card["compiles"]:
        del card["compiles"]
    if card["roles"] == "in-process":
        card.pop("when_lost", None)
    if spec.KEY in card:
        card = spec.completed(card, file.parent)
    if KEY in card:
        card[KEY] |= {key: str(file.parent.absolute() / card[KEY][key]) for key in FILES if key in card[KEY]}
    return Stack(
        id=f"{said.name}/{name}",
        adapter=said.name,
        message=axes[0],
        channel=axes[1],
        language=said.language,
        library=" + ".join(libraries),
        version=" + ".join(said.libraries[library] for library in libraries if library in said.libraries),
        card=card,
        lacks={lack.check: lack.why for level in levels for lack in level.lacks},
        instrument=said.instrument or any(isinstance(card, StackEntry) and card.instrument for card in cards),
    )


def _sentence(failure: ValidationError) -> str:
    """The first mistake, with its key and, for an unknown key, what is allowed beside it."""
    error = failure.errors()[0]
    key = ".".join(str(step) for step in error["loc"])
    more = failure.error_count() - 1
    tail = f" (and {more} more)" if more else ""
    if error["type"] == "extra_forbidden":
        allowed = ", ".join(sorted(_allowed(error["loc"])))
        return f"the key {key} is not known: {allowed} are{tail}"
    if error["type"] == "missing":
        return f"the key {key} is missing{tail}"
    return f"{key}: {error['msg'][:1].lower()}{error['msg'][1:]}{tail}"


def _allowed(where: tuple[int | str, ...]) -> set[str]:
    model: type[BaseModel] = _File
    match where[:-1]:
        case ("stack", *_):
            model = StackEntry
        case ("matrix",):
            model = Matrix
        case ("card",) | ("matrix", _, _):
            model = Card
        case (*_, "request"):
            model = Request
        case (*_, "external"):
            model = External
        case (*_, "lacks", _):
            model = Lack
        case _:
            pass
    return set(model.model_fields)
