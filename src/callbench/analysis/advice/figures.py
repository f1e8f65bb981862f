"""What a record has of each stack and call that a prediction is made of: processor parts, wire account, latencies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from callbench.analysis.cells.results import Result, Results
from callbench.analysis.wire.counts import STEADY
from callbench.catalog.mixed import PROTOCOL
from callbench.catalog.reach import LOOPBACK
from callbench.model.card import PlannedStacks, StackCard, card_of
from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.wire.link import Wire, Wires, ways

LATENCIES = ("mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us")


@dataclass(frozen=True)
class OverLink:
    """One stack with one call, as it was measured over a link.

    Attributes:
        latency_us: by metric and fork.
        server_us: processor time of a call on the server's side, by fork; empty where it was not seen.
        client_us: likewise on the client's side.
        least_us: by `server_us` and `client_us`, where a clock that ticks could not tell the time, and the values are
            upper bounds: what it is not below.
    """

    latency_us: Mapping[str, ByBlock]
    server_us: ByBlock
    client_us: ByBlock
    least_us: Mapping[str, ByBlock] = field(default_factory=dict)


@dataclass(frozen=True)
class AddedTime:
    """The processor time that links add to a call, by fork; `reach` is how far the whole can be off, as a log.

    Where it is known from an upper bound, it is one: `least_us` is as of `OverLink`.
    """

    server_us: ByBlock
    client_us: ByBlock
    reach: float
    least_us: Mapping[str, ByBlock] = field(default_factory=dict)


@dataclass(frozen=True)
class Figures:
    """One stack with one call, on this machine.

    Attributes:
        message: what the card says of it, and channel likewise.
        here: without a link.
        account: the wire ledger of a steady call, to the server and to the client; empty where it was not counted.
        payload: bytes of data of a call, both ways; None where its bytes were not counted.
        answer: those of its answer, likewise.
        over: what was measured over a link, by the name of the situation's link.
        doubt: why the record does not rank it, or "".
        at_most: whether its times are upper bounds, because its rate is a lower one.
        language: of the stack; "" where it is not known.
        protocol: what its card says that it speaks, or "": two stacks with the same one understand each other.
        card: what its manifest says of it.
        kind: what it shares with the stacks that differ alike from run to run.
        added: the processor time that the links of the situation add to a call; None where that is not known.
    """

    stack: str
    group: str
    call: str
    message: str
    channel: str
    here: OverLink
    account: Sequence[Mapping[str, float]] = ()
    payload: float | None = None
    answer: float | None = None
    over: Mapping[str, OverLink] = field(default_factory=dict)
    doubt: str = ""
    language: str = ""
    protocol: str = ""
    at_most: bool = False
    card: StackCard = field(default_factory=StackCard)
    kind: str = ""
    added: AddedTime | None = None


# By stack and group.
Every = Mapping[tuple[str, str], Figures]


def read(
    results: Results,
    wires: Wires,
    links: Wires,
    cards: PlannedStacks,
) -> Every:
    """Gather the figures of every stack with every call: closed loops of the fewest clients.

    A cell over a link belongs to the cell of the same stack, call and arguments without one.

    Args:
        results: what the record found.
        wires: its links, as its plan has them.
        links: those of the situation, by name, likewise.
        cards: the stacks of its plan by id.
    """
    closed = [cell for cell in results.cells if cell.rate is not None and not cell.open_loop and cell.excluded is None]
    found: dict[tuple[str, str], Figures] = {}
    for cell in _fewest([cell for cell in closed if cell.attributes["link"] == LOOPBACK]):
        ledger = results.ledgers.get(cell.id)
        account = tuple(ledger.phases[STEADY]) if ledger and ledger.phases else ()
        names = cell.attributes
        card = card_of(cards, names["stack"])
        found[names["stack"], names["group"]] = Figures(
            stack=names["stack"],
            group=names["group"],
            call=names["call"],
            message=names["message"],
            channel=names["channel"],
            here=_of(cell),
            account=account,
            payload=float(ledger.request_payload + ledger.answer_payload) if ledger else None,
            answer=float(ledger.answer_payload) if ledger else None,
            over={name: _of(twin) for name, wire in links.items() if (twin := _same(cell, closed, wires, wire))},
            doubt="; ".join(cell.doubts),
            language=names["language"],
            protocol=str(card.get(PROTOCOL) or ""),
            at_most=cell.at_least,
            card=card,
            kind=cell.kind,
        )
    return found


def _fewest(cells: Sequence[Result]) -> list[Result]:
    """Keep, of each stack and group, the cell with the fewest clients."""
    kept: dict[tuple[str, str], Result] = {}
    for cell in cells:
        key = cell.attributes["stack"], cell.attributes["group"]
        if key not in kept or int(cell.attributes["clients"]) < int(kept[key].attributes["clients"]):
            kept[key] = cell
    return list(kept.values())


def _same(cell: Result, cells: Sequence[Result], wires: Wires, wire: Wire) -> Result | None:
    """Find the cell that differs in nothing but a link, and that link is this one."""
    names = ("stack", "call", "clients")
    for candidate in cells:
        lies_over = wires.get(candidate.attributes["link"])
        if (
            lies_over is not None
            and _plain(lies_over) == _plain(wire)
            and all(candidate.attributes[name] == cell.attributes[name] for name in names)
            and candidate.arguments == cell.arguments
            and candidate.options == cell.options
        ):
            return candidate
    return None


def _plain(wire: Wire) -> tuple[object, ...]:
    """What a link does to frames, without what was left to its default."""
    return wire.get("mtu"), *({key: value for key, value in way.items() if value} for way in ways(wire))


def _of(cell: Result) -> OverLink:
    latencies = {name: dict(values) for name in LATENCIES if (values := cell.by_fork.get(name))}
    spent, least = {}, {}
    for side in ("server", "client"):
        cost = cell.costs.get(f"{side}_cpu_us")
        spent[side] = dict(cost.by_fork) if cost is not None else {}
        if cost is not None and not spent[side]:
            spent[side] = dict.fromkeys(cost.pieces, cost.most_us)
            least[f"{side}_us"] = dict.fromkeys(cost.pieces, 0.0)
    return OverLink(latencies, spent["server"], spent["client"], least)
