"""Lines of a study that a peer drove too: rounds, and cells that were left out."""

from typing import Literal, NotRequired, TypedDict

from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes


class GeneratorRecord(TypedDict):
    """What one generator came to in a round: `callbench.analysis.peer.agreement.GeneratorRound`."""

    rate_per_s: float
    median_ms: float
    mean_ms: float
    busy: float
    calls: int
    errors: int
    round_ms: float
    own_ms: float | None


class PeerRound(TypedDict):
    """What both came to on one server. `unsteady`: why the round does not count, or ""."""

    ours: GeneratorRecord
    peers: GeneratorRecord
    unsteady: str


class PeerRoundLine(PeerRound):
    """A round of a cell, and when it ended."""

    kind: Literal["round"]
    round: int
    cell: str
    ended: NotRequired[str]


class CellLeftOutLine(TypedDict):
    """A cell is not driven any more, and why."""

    kind: Literal["excluded"]
    round: int
    cell: str
    why: str


PeerLine = PeerRoundLine | CellLeftOutLine | NoteLine
PEER_LINES: LineTypes[PeerLine] = LineTypes("a peer's record", PeerLine)
