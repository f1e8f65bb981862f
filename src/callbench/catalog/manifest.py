"""An adapter's manifest, adapter.toml: read it, check it, and expand its matrix into stacks."""

import functools
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from callbench.catalog import external as spec
from callbench.catalog.external import External
from callbench.model.card import RequestTable, StackCard
from callbench.model.cell import Stack
from callbench.model.errors import BadInput
from callbench.model.process_tree import HOST
from callbench.model.request import FILES, KEY, Request
from callbench.model.service.imported import Imported
from callbench.model.situation import Callers
from callbench.model.version import CONTRACT

_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
_MATRIX_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Lack(_Strict):
    """A check of the suite that is known to fail, with the reason."""

    check: str
    why: str


class WhenLost(_Strict):
    """What a client's library does if its server is lost during a call; `verify` compares the behaviour with this.

    Attributes:
        killed: the server's process is killed. `error`: the call fails; `hang`: only its time-out ends it.
        cut: the connection is reset while the server lives. `retry`: the library repeats the call, which succeeds and
            is executed twice; `twice`: it is executed twice and fails; `answered`: nothing is noticed; `no connection`:
            there is none.
        back: whether the same client can call a restarted server at the same address; missing if unknown.
    """

    killed: Literal["error", "hang"]
    cut: Literal["error", "hang", "retry", "twice", "answered", "no connection"]
    back: bool | None = None


class MessageFacts(_Strict):
    """What is known of a message beyond what a measurement shows.

    Attributes:
        text: whether a person can read it without a program.
        languages: those with a library that is kept up; missing: every common one, and so browsers.
        source: who says so.
    """

    text: bool
    languages: tuple[str, ...] | None = None
    source: str


class ReferenceCall(_Strict):
    """The call that a reference stack makes in every batch of a run."""

    call: str
    arguments: dict[str, object] = Field(default_factory=dict)


class Card(_Strict):
    """A part of the fairness card. Missing values come from the level above.

    Attributes:
        own: whether the stack carries the calls of a service of the user's own; `only`: it carries no others.
        stand_in: the original that cannot run here and that the stack stands in for, as `COM of Windows, in Wine`.
        reach: `host` if what the channel carries never leaves the host.
        callers: who can call over the channel, the widest circle (`callbench.model.situation.Callers`).
        tls: whether the channel encrypts.
        format: what is known of the message; said once, for every stack that has it.
        coding: the content coding of the channel's bodies; said once, likewise.
        dissector: the protocol that tshark reads on the channel; said once, likewise.
        usual_in: which studies that Callbench writes by itself have the channel: that of an imported `service`, and the
            native stacks that an `advice` on calls over a network chooses from.
        message_options: connection options that change the message alone, so an echo of the channel has none of them.
        no_echo_with: connection options with which a call waits for more than its channel, so it has no echo.
        times_codec: whether messages are timed on it, since nothing but them takes time.
        reference: the call of a stack that every batch drives, so that batches can be compared.
        example: a command line that calls Sum(1, 2) as other programs do (`callbench.catalog.example_call`).
        curl: what curl is given to reach an address of the channel.
    """

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
    name_server: Literal["beside the server"] | None = None
    options: dict[str, object] | None = None
    note: str | None = None
    when_lost: WhenLost | None = None
    explains: dict[Literal["1.1 ms", "10 ms", "40 ms", "100 ms", "200 ms"], str] | None = None
    slow: str | None = None
    stand_in: str | None = None
    own: Literal[True, "only"] | None = None
    compiles: bool | None = None
    busy_us: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    closes_idle_s: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    slice_ms: float | None = Field(default=None, ge=20, le=10_000, allow_inf_nan=False)
    reach: Literal["host"] | None = None
    callers: Callers | None = None
    tls: Literal[True] | None = None
    format: MessageFacts | None = None
    coding: Literal["gzip", "zstd"] | None = None
    dissector: str | None = None
    usual_in: tuple[Literal["service", "advice"], ...] | None = None
    message_options: tuple[str, ...] | None = None
    no_echo_with: tuple[str, ...] | None = None
    times_codec: Literal[True] | None = None
    reference: ReferenceCall | None = None
    example: str | None = None
    curl: str | None = None
    message: str | None = None
    channel: str | None = None
    lacks: tuple[Lack, ...] = ()

    def given_members(self) -> dict[str, object]:
        """Return the given members, without `lacks` and `library`, which are merged differently."""
        return self.model_dump(
            exclude_none=True, exclude={"lacks", "library", "name", "message", "channel", "instrument"}
        )


class StackEntry(Card):
    """One `[[stack]]`."""

    name: _Name
    instrument: bool = False


class MatrixChannel(Card):
    """One `[matrix.channel.NAME]`.

    Attributes:
        carries: the messages that go over the channel, where not all do.
    """

    carries: tuple[str, ...] | None = None

    def given_members(self) -> dict[str, object]:
        """Return the given members of the card."""
        return {name: value for name, value in super().given_members().items() if name != "carries"}


class Matrix(_Strict):
    """Each message over each channel that carries it; `stack` has additions for single stacks, by name."""

    message: dict[Annotated[str, Field(pattern=_MATRIX_NAME)], Card] = Field(min_length=1)
    channel: dict[Annotated[str, Field(pattern=_MATRIX_NAME)], MatrixChannel] = Field(min_length=1)
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
    """The description of an adapter.

    Attributes:
        program: the command line. Its first element is absolute or a name in PATH; the same holds for the runner of a
            host.
        setup: the command that makes the program runnable.
        needs: what that command needs or installs, in words; may be empty.
        start_seconds: how long the hello message may take.
        compiles: whether its runtime compiles while it runs, so that it becomes faster after some seconds.
        serve_all: whether its program can serve all stacks at once (feature `serve-all`).
        hosted: whether the program is a host that only represents a runner: its own memory does not count.
        stacks: every stack; the catalogue knows which are available.
        service: the imported service whose calls its program has besides, or None.
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
    service: Imported | None = None

    @property
    def both(self) -> "Programs":
        """This manifest for both sides."""
        return Programs(self, self)

    @property
    def served(self) -> frozenset[str]:
        """The stacks that its program has: without a service of the user's own, it lacks those for such calls alone."""
        return frozenset(stack.id for stack in self.stacks if self.service is not None or not stack.own_only)


@dataclass(frozen=True)
class Programs:
    """The programs of a stack's sides: one program, except for mixed stacks.

    Attributes:
        request: how the client calls the server, from the server's card; else None.
        counts: whether the server can count its answers.
        backend: the adapter of the backend and the name of its stack, or None.
        warm_up_limit_s: seconds after which a warm-up ends in any case; None: the usual limits.
        card_compiles: whether the stack's card says that a side's runtime compiles.
    """

    client: Manifest
    server: Manifest
    request: RequestTable | None = None
    counts: bool = True
    backend: "tuple[Manifest, str] | None" = None
    warm_up_limit_s: float | None = None
    card_compiles: bool = False

    @property
    def compiles(self) -> bool:
        """Whether the runtime of a side or of the backend compiles while it runs."""
        behind = [] if self.backend is None else [self.backend[0]]
        return self.card_compiles or any(side.compiles for side in (self.client, self.server, *behind))


def read(file: Path) -> Manifest:
    """Read an adapter.toml.

    Raises:
        BadInput: the file cannot be read or is wrong; the sentence names file and key.
    """
    try:
        raw = _loaded(file.read_text())
    except OSError as failure:
        raise BadInput(f"cannot read {file}: {failure.strerror}") from failure
    except ValueError as failure:
        raise BadInput(f"{file} is not TOML: {failure}") from failure
    wanted = raw.get("contract")
    if isinstance(wanted, int) and wanted != CONTRACT:
        raise BadInput(f"{file} is for contract version {wanted}; this Callbench speaks version {CONTRACT}")
    return of(raw, file)


@functools.lru_cache(maxsize=64)
def _loaded(text: str) -> Mapping[str, object]:
    """Parse a text once, however often it is read. Nobody alters what is returned."""
    return tomllib.loads(text)


def of(raw: Mapping[str, object], file: Path) -> Manifest:
    """Create a manifest from the content of its file.

    Args:
        raw: the content.
        file: for messages; relative paths are relative to its folder.

    Raises:
        BadInput: it is wrong; the sentence names file and key.
    """
    try:
        parsed = _File.model_validate(raw)
    except ValidationError as failure:
        raise BadInput(f"{file}: {_sentence(failure)}") from failure
    stacks = tuple(_stacks(parsed, file))
    if not stacks:
        raise BadInput(f"{file} has no stacks: give [[stack]] or [matrix.message.X] with [matrix.channel.Y]")
    names = [stack.id for stack in stacks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadInput(f"{file} has the stack {twice} twice")
    program = _program(parsed, stacks, file)
    # The programs to start: the program itself, and what a host starts.
    started = (0, 2) if parsed.hosted else (0,)
    program = tuple(_placed(part, file) if place in started else part for place, part in enumerate(program))
    head = (file, parsed.name, parsed.language, parsed.about, program, parsed.setup, parsed.start_seconds)
    return Manifest(*head, stacks, parsed.compiles, parsed.serve_all, parsed.hosted, parsed.needs)


def _placed(program: str, file: Path) -> str:
    """Make a program name with a slash absolute, relative to the manifest.

    Links are not resolved: a virtual environment's Python is a link, and its target does not know the environment.
    """
    return os.path.abspath(file.parent / program) if "/" in program else program  # noqa: PTH100


def _program(parsed: _File, stacks: Sequence[Stack], file: Path) -> tuple[str, ...]:
    """Return the program to start: the given one, or our own for external servers."""
    tables = {stack.id: stack.card[spec.KEY] for stack in stacks if spec.KEY in stack.card}
    if not tables:
        if parsed.program is None:
            raise BadInput(f"{file}: the key program is missing")
        _hosted(parsed, parsed.program, file)
        return tuple(part.replace("{python}", sys.executable) for part in parsed.program)
    if parsed.program is not None or len(tables) < len(stacks):
        raise BadInput(f"{file}: {next(iter(tables))} is external: then all its stacks are, and it names no program")
    return spec.program(parsed.name, parsed.language, tables)


def _hosted(parsed: _File, program: Sequence[str], file: Path) -> None:
    """Check that key and program fit together: the host's processes are recognized by its name."""
    if (Path(program[0]).name == HOST) != parsed.hosted:
        raise BadInput(
            f"{file}: hosted is {str(parsed.hosted).lower()}: it must be true where program is {HOST}, and there alone"
        )
    if parsed.hosted and (len(program) < 3 or program[1] != parsed.name):
        raise BadInput(f"{file}: program must be {HOST}, the name {parsed.name}, and then the runner's own command")


def _stacks(parsed: _File, file: Path) -> Iterator[Stack]:
    for entry in parsed.stack:
        message, channel = entry.message or parsed.card.message, entry.channel or parsed.card.channel
        if entry.external is not None:
            message, channel = message or "any", channel or spec.channel_of(entry.request)
        if not (message and channel):
            raise BadInput(f"{file}: the stack {entry.name} has no {'channel' if message else 'message'}")
        yield _stack(parsed, file, entry.name, (message, channel), [entry])
    if parsed.matrix is not None:
        alone = dict(parsed.matrix.stack)
        _carried(parsed.matrix, file)
        for message, message_card in parsed.matrix.message.items():
            for channel, channel_card in parsed.matrix.channel.items():
                if channel_card.carries is not None and message not in channel_card.carries:
                    continue
                name = f"{message}+{channel}"
                cards = [message_card, channel_card, alone.pop(name, Card())]
                yield _stack(parsed, file, name, (message, channel), cards)
        if alone:
            raise BadInput(f"{file}: the matrix has no stack {next(iter(alone))}: their names are MESSAGE+CHANNEL")


def _carried(matrix: Matrix, file: Path) -> None:
    """Refuse a channel that carries a message which the matrix does not have."""
    for name, card in matrix.channel.items():
        for message in card.carries or ():
            if message not in matrix.message:
                raise BadInput(f"{file}: the channel {name} carries {message}, which is no message of the matrix")


def _stack(parsed: _File, file: Path, name: str, axes: tuple[str, str], cards: Sequence[Card]) -> Stack:
    """Return one stack: the manifest's card, overridden by `cards` from left to right.

    Libraries and notes are added up.
    """
    levels = [parsed.card, *cards]
    libraries = dict.fromkeys(card.library for card in cards if card.library) or dict.fromkeys(
        [parsed.card.library or ""]
    )
    card: dict[str, Any] = {"roles": "both"}
    for level in levels:
        about = "; ".join(text for text in (card.get("about"), level.about) if text)
        explains = {**card.get("explains", {}), **(level.explains or {})}
        card |= (
            level.given_members() | ({"about": about} if about else {}) | ({"explains": explains} if explains else {})
        )
    card.setdefault("compiles", parsed.compiles)
    if not card["compiles"]:
        del card["compiles"]
    if card["roles"] == "in-process":
        card.pop("when_lost", None)
    if spec.KEY in card:
        card = {**spec.complete_card(cast("StackCard", card), file.parent)}
    if KEY in card:
        card[KEY] |= {key: str(file.parent.absolute() / card[KEY][key]) for key in FILES if key in card[KEY]}
    return Stack(
        id=f"{parsed.name}/{name}",
        adapter=parsed.name,
        message=axes[0],
        channel=axes[1],
        language=parsed.language,
        library=" + ".join(libraries),
        version=" + ".join(parsed.libraries[library] for library in libraries if library in parsed.libraries),
        card=cast("StackCard", card),
        lacks={lack.check: lack.why for level in levels for lack in level.lacks},
        instrument=parsed.instrument or any(isinstance(card, StackEntry) and card.instrument for card in cards),
    )


def _sentence(failure: ValidationError) -> str:
    """Return the first mistake with its key and, for an unknown key, the allowed ones."""
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
        case (*_, "format"):
            model = MessageFacts
        case (*_, "reference"):
            model = ReferenceCall
        case _:
            pass
    return set(model.model_fields)
