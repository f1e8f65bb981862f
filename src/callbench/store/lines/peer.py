"""Lines of a study that a peer drove too: rounds, and cells that were left out."""

from typing import Literal, NotRequired, TypedDict

from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.typed import Amount, Count, Positive


class GeneratorRecord(TypedDict):
    """What one generator came to in a round: `callbench.analysis.peer.agreement.GeneratorRound`."""

    rate_per_s: Positive
    median_ms: Positive
    mean_ms: Amount
    busy: Amount
    calls: Count
    errors: Count
    round_ms: Positive
    own_ms: Amount | None


class PeerRound(TypedDict):
    """What both came to on one server. `unsteady`: why the round does not count, or ""."""

    ours: GeneratorRecord
    peers: GeneratorRecord
    unsteady: str


class PeerRoundLine(PeerRound):
    """A round of a cell, and when it ended."""

    kind: Literal["round"]
    round: Count
    cell: str
    ended: NotRequired[str]


class CellLeftOutLine(TypedDict):
    """A cell is not driven any more, and why."""

    kind: Literal["excluded"]
    round: Count
    cell: str
    why: str


PeerLine = PeerRoundLine | CellLeftOutLine | NoteLine
PEER_LINES: LineTypes[PeerLine] = LineTypes("a peer's record", PeerLine)
