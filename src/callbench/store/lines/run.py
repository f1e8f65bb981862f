"""Every line of a run's journal that a resumed run needs; the others are read from the tables."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from callbench.store.lines.forks import (
    BatchLine,
    BatchOverLine,
    ExcludedLine,
    ForkLine,
    ForkOverLine,
    UnsteadyLine,
)
from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.rounds import RoundLine


class MessageSide(TypedDict):
    """The bytes of a message, and how long it takes to make and to read it."""

    bytes: float
    encode_ns: float
    decode_ns: float


class CodecLine(TypedDict):
    """What a message costs without a channel, by the adapter that encodes it."""

    kind: Literal["codec"]
    stack: str
    message: str
    group: str
    cell: str
    call: str
    arguments: Mapping[str, Any]
    payloads: int
    request: MessageSide
    answer: MessageSide


class CellLine(TypedDict):
    """Something about one cell: its bytes on the wire, those by a setting, or what its rate hangs on."""

    kind: Literal["ledger", "sweep", "slowdown"]
    cell: str


class OtherLine(TypedDict):
    """A line that says nothing of how far a run is."""

    kind: Literal["start", "warmed", "death", "step", "ended", "baseline", "echo", "disturbed", "trial"]


RunLine = (
    ForkLine
    | ForkOverLine
    | BatchLine
    | BatchOverLine
    | UnsteadyLine
    | ExcludedLine
    | RoundLine
    | CodecLine
    | CellLine
    | NoteLine
    | OtherLine
)

RUN_LINES: LineTypes[RunLine] = LineTypes("a run", RunLine)
