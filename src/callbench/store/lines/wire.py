"""Lines of bytes on the wire: those of one call, phase by phase, and those of calls over a setting."""

from typing import Literal, NotRequired, TypedDict


class WireFigures(TypedDict):
    """Packets and bytes of a phase in one direction; a steady call has the differences of two drives, divided."""

    packets: float
    link: float
    ip: float
    tcp: float
    tcp_options: float
    payload: float
    retransmitted: float
    turns: float
    data_packets: float
    retransmissions_packets: float
    acknowledgements_packets: float
    set_up_packets: float
    tear_down_packets: float
    data_headers: float
    retransmissions_headers: float
    acknowledgements_headers: float
    set_up_headers: float
    tear_down_headers: float
    tls_records: float
    tls_headers: float
    tls_tags: float
    tls_application: float
    tls_handshake: float


class AccountRow(WireFigures):
    """The same with what it is of; `connections`: how many were opened."""

    phase: str
    direction: Literal["to_server", "to_client"]
    connections: float


class LostFrames(TypedDict):
    """How far a count can be wrong: frames that were lost, and what went wrong, or None."""

    lost: int
    trouble: str | None


class CountedLedger(LostFrames):
    """What was counted of a call.

    `exact`: whether two counts of a steady call agree; `counts`: the bytes of its streams in each count. `pcap`: the
    name of the capture, or None.
    """

    accounts: list[AccountRow]
    exact: bool
    counts: list[float]
    pcap: str | None


class LedgerHead(TypedDict):
    """Whose bytes were counted, and how many of them are the data of the call and of its answer."""

    kind: Literal["ledger"]
    cell: str
    stack: str
    group: str
    request_payload: int
    answer_payload: int


class LedgerLine(LedgerHead):
    """The bytes of a cell's call; `accounts` is empty for a channel without packets, which has no more than that."""

    accounts: list[AccountRow]
    exact: bool
    counts: NotRequired[list[float]]
    lost: NotRequired[int]
    trouble: NotRequired[str | None]
    pcap: NotRequired[str | None]


class SweepPoint(TypedDict):
    """The bytes of a client's life with one value of the setting: of its streams, and of its data."""

    grid: Literal["coarse", "fine"]
    value: str
    to_server: int
    to_client: int
    payload: int


class CountedSweep(LostFrames):
    """What was counted over a setting; `reused`: whether one process lived several lives."""

    points: list[SweepPoint]
    over: str
    reused: bool


class SweepLine(CountedSweep):
    """The bytes of a cell's calls over a setting."""

    kind: Literal["sweep"]
    cell: str
    stack: str
    group: str
