"""The profile of a link: its effect on frames in each direction. A file in links/, or a part of a study."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from callbench.catalog.reach import LOOPBACK, PAIR, REAL
from callbench.model.errors import BadInput
from callbench.model.installation import home
from callbench.model.suggestions import unknown
from callbench.stats.wire.link import WAYS, Between, Way, Wire, ways

MTU = 1500
_MS = 1_000_000

Delay = Annotated[float, Field(ge=0, le=60_000, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
Rate = Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)]


class Direction(BaseModel):
    """One direction. Missing values are those for both directions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    delay_ms: Delay | None = None
    jitter_ms: Delay | None = None
    rate_mbit: Rate | None = None
    overhead_bytes: Annotated[int, Field(ge=-14, le=1000)] | None = None
    queue_packets: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    queue_kib: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    loss: Share | None = None
    duplicate: Share | None = None
    reorder: Share | None = None
    reorder_by_ms: Delay | None = None


class LinkPart(Direction):
    """A profile: `[links.NAME]` of a study, or a file of links/."""

    about: str = ""
    source: str = ""
    mtu: Annotated[int, Field(ge=576, le=9000)] = MTU
    offload: bool | None = None
    maker: Literal["kernel", "emulator"] | None = None
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    to_server: Direction = Direction()
    to_client: Direction = Direction()

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for name in ("to_server", "to_client"):
            way = self.way(name)
            if (way.jitter_ms or 0) > (way.delay_ms or 0):
                raise ValueError(
                    f"jitter_ms is {way.jitter_ms or 0:g} and must not exceed delay_ms, {way.delay_ms or 0:g}"
                )
            if way.reorder and not way.reorder_by_ms:
                raise ValueError(
                    "reorder needs reorder_by_ms: how long a frame is held back, so that others overtake it"
                )
            if self.offload and way.rate_mbit:
                raise ValueError("offload keeps frames of 64 KiB, which no line of a given rate carries: leave out one")
        return self

    def way(self, name: str) -> Direction:
        """Return one direction, with the values for both filled in."""
        both = {key: value for key, value in self if key in Direction.model_fields and value is not None}
        own = getattr(self, name).model_dump(exclude_none=True)
        return Direction.model_construct(**{**both, **own})


@dataclass(frozen=True)
class Link:
    """A link between two hosts.

    Attributes:
        wire: its definition for the network lab: the members of the request `make`.
    """

    name: str
    about: str
    source: str
    wire: Wire

    @classmethod
    def of(cls, name: str, part: LinkPart) -> Self:
        """Create it from a profile."""
        to_server, to_client = (_wired(part.way(key)) for key in WAYS)
        link: Between = {
            "to_server": to_server,
            "to_client": to_client,
            "seed": part.seed,
            "offload": part.offload,
        }
        if part.maker:
            link["maker"] = part.maker
        return cls(name, part.about, part.source, {"mtu": part.mtu, "link": link})

    def describe(self, way: Literal["to_server", "to_client"]) -> str:
        """Describe one direction: `25 ms, 100 Mbit/s, 1 % lost`."""
        values = dict(zip(WAYS, ways(self.wire), strict=True))[way]
        words = []
        if delay_ns := values.get("delay_ns"):
            jitter = f" ± {jitter_ns / _MS:g}" if (jitter_ns := values.get("jitter_ns")) else ""
            words.append(f"{delay_ns / _MS:g}{jitter} ms")
        if rate_bps := values.get("rate_bps"):
            words.append(f"{rate_bps / 1e6:g} Mbit/s")
        shares = (values.get("loss"), "lost"), (values.get("duplicate"), "twice"), (values.get("reorder"), "overtaken")
        words += [f"{100 * share:g} % {what}" for share, what in shares if share]
        return ", ".join(words)


BARE = Link(PAIR, "two hosts and a cable between them, as fast as the machine", "", {"mtu": MTU, "link": None})


def _wired(way: Direction) -> Way:
    """Return a direction in the engine's units: nanoseconds, bits per second, bytes."""
    wired: Way = {
        "delay_ns": round((way.delay_ms or 0) * _MS),
        "jitter_ns": round((way.jitter_ms or 0) * _MS),
        "overhead_bytes": way.overhead_bytes or 0,
        "loss": way.loss or 0.0,
        "duplicate": way.duplicate or 0.0,
        "reorder": way.reorder or 0.0,
        "reorder_by_ns": round((way.reorder_by_ms or 0) * _MS),
    }
    if way.queue_packets is not None:
        wired["queue_packets"] = way.queue_packets
    if way.queue_kib is not None:
        wired["queue_bytes"] = way.queue_kib * 1024
    if way.rate_mbit is not None:
        wired["rate_bps"] = max(1, round(way.rate_mbit * 1e6))
    return wired


def part_of(wire: Wire) -> LinkPart:
    """Return the profile of a link that is more than a cable, from its definition for the network lab."""
    link = wire.get("link") or {}
    chosen = {key: value for key, value in link.items() if key not in WAYS and value is not None}
    to_server, to_client = (_unwired(way) for way in ways(wire))
    return LinkPart.model_validate({"mtu": wire["mtu"], **chosen, "to_server": to_server, "to_client": to_client})


def _unwired(way: Way) -> dict[str, object]:
    """Return a direction in the units of a profile."""
    values = {
        "delay_ms": way.get("delay_ns", 0) / _MS,
        "jitter_ms": way.get("jitter_ns", 0) / _MS,
        "reorder_by_ms": way.get("reorder_by_ns", 0) / _MS,
        "rate_mbit": (way.get("rate_bps") or 0) / 1e6,
        "queue_kib": way.get("queue_bytes", 0) // 1024,
        "overhead_bytes": way.get("overhead_bytes"),
        "queue_packets": way.get("queue_packets"),
        "loss": way.get("loss"),
        "duplicate": way.get("duplicate"),
        "reorder": way.get("reorder"),
    }
    return {key: value for key, value in values.items() if value}


@cache
def builtin_links() -> Mapping[str, Link]:
    """Return the built-in links, the plain pair of hosts first.

    Raises:
        BadInput: a file in links/ is wrong.
    """
    found = {PAIR: BARE}
    for file in sorted((home() / "links").glob("*.toml")):
        try:
            part = LinkPart.model_validate(tomllib.loads(file.read_text()))
        except (ValueError, ValidationError) as failure:
            raise BadInput(f"{file}: {' '.join(str(failure).split())}") from failure
        found[file.stem] = Link.of(file.stem, part)
    return found


def known_links(own: Mapping[str, LinkPart]) -> dict[str, Link]:
    """Return the built-in links and a study's own.

    Raises:
        BadInput: a study's link has the name of a built-in one.
    """
    links = dict(builtin_links())
    for name, part in own.items():
        if name in links or name in {LOOPBACK, REAL}:
            raise BadInput(f"links.{name}: there is a link of this name already; choose another")
        links[name] = Link.of(name, part)
    return links


def find(name: str, own: Mapping[str, LinkPart] | None = None) -> Link:
    """Return a link by its name.

    Raises:
        BadInput: it does not exist; the sentence suggests similar names.
    """
    links = known_links(own or {})
    if name not in links:
        raise BadInput(unknown("link", name, [LOOPBACK, *links], "callbench list links"))
    return links[name]
