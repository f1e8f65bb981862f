"""The profile of a link: its effect on frames in each direction. A file in links/, or a part of a study."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from callbench.catalog.links.wire import ways
from callbench.catalog.reach import LOOPBACK, PAIR, REAL
from callbench.model.errors import BadInput
from callbench.model.installation import home
from callbench.model.suggestions import unknown

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
    wire: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, part: LinkPart) -> Self:
        """Create it from a profile."""
        link = {key: _wired(part.way(key)) for key in ("to_server", "to_client")}
        maker = {"maker": part.maker} if part.maker else {}
        return cls(
            name,
            part.about,
            part.source,
            {"mtu": part.mtu, "link": {**link, "seed": part.seed, "offload": part.offload, **maker}},
        )

    def describe(self, way: str) -> str:
        """Describe one direction: `25 ms, 100 Mbit/s, 1 % lost`."""
        values = (self.wire["link"] or {}).get(way) or {}
        words = []
        if values.get("delay_ns"):
            jitter = f" ± {values['jitter_ns'] / _MS:g}" if values.get("jitter_ns") else ""
            words.append(f"{values['delay_ns'] / _MS:g}{jitter} ms")
        if values.get("rate_bps"):
            words.append(f"{values['rate_bps'] / 1e6:g} Mbit/s")
        for key, what in (("loss", "lost"), ("duplicate", "twice"), ("reorder", "overtaken")):
            if values.get(key):
                words.append(f"{100 * values[key]:g} % {what}")
        return ", ".join(words)


BARE = Link(PAIR, "two hosts and a cable between them, as fast as the machine", "", {"mtu": MTU, "link": None})


def _wired(way: Direction) -> dict[str, Any]:
    """Return a direction in the engine's units: nanoseconds, bits per second, bytes."""
    wired: dict[str, Any] = {
        "delay_ns": round((way.delay_ms or 0) * _MS),
        "jitter_ns": round((way.jitter_ms or 0) * _MS),
        "overhead_bytes": way.overhead_bytes or 0,
        "loss": way.loss or 0.0,
        "duplicate": way.duplicate or 0.0,
        "reorder": way.reorder or 0.0,
        "reorder_by_ns": round((way.reorder_by_ms or 0) * _MS),
        "queue_packets": way.queue_packets,
        "queue_bytes": None if way.queue_kib is None else way.queue_kib * 1024,
        "rate_bps": None if way.rate_mbit is None else max(1, round(way.rate_mbit * 1e6)),
    }
    return {key: value for key, value in wired.items() if value is not None}


# The members of a profile in its own units: their names and units in the engine.
_SCALED = {
    "delay_ms": ("delay_ns", _MS),
    "jitter_ms": ("jitter_ns", _MS),
    "reorder_by_ms": ("reorder_by_ns", _MS),
    "rate_mbit": ("rate_bps", 1_000_000),
}


def part_of(wire: Mapping[str, Any]) -> LinkPart:
    """Return the profile of a link that is more than a cable, from its definition for the network lab."""
    link = wire["link"]
    chosen = {key: link[key] for key in ("seed", "offload", "maker") if link.get(key) is not None}
    to_server, to_client = (_unwired(way) for way in ways(wire))
    return LinkPart.model_validate({"mtu": wire["mtu"], **chosen, "to_server": to_server, "to_client": to_client})


def _unwired(way: Mapping[str, Any]) -> dict[str, Any]:
    """Return a direction in the units of a profile."""
    values = {key: way[name] / scale for key, (name, scale) in _SCALED.items() if way.get(name)}
    same = ("overhead_bytes", "queue_packets", "loss", "duplicate", "reorder")
    values |= {key: way[key] for key in same if way.get(key)}
    return values | ({"queue_kib": way["queue_bytes"] // 1024} if way.get("queue_bytes") else {})


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
