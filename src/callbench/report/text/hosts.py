"""Who ran where: the machines of a record with hosts, as a table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict, cast

from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import figure

_COLUMNS = (
    "machine", "role", "address", "processors", "memory", "system", "Callbench", "adapters", "clock known to, µs",
    "round trip, µs", "lost",
)  # fmt: skip
_ABOUT = (
    "The core starts adapters on hosts and adds up what they report. Round trips are the least of twenty orders before"
    " the first call, and a clock is known to half of that. Lost: how often the work ended because this host was gone."
)
_GIB = 2**30


class HostSeen(TypedDict):
    """What a host said of itself. Records of before have no name of the agent's, model, or times of orders."""

    name: str
    host: NotRequired[str]
    address: str
    version: str
    system: str
    processors: list[int]
    model: NotRequired[str | None]
    memory_bytes: int
    clock_bound_ns: NotRequired[int]
    round_trip_ns: NotRequired[int]


class CoreMachine(TypedDict, total=False):
    """What a record has of the machine that it was made on."""

    model: str | None
    memory_bytes: int
    usable: list[int]
    release: str


def hosts_section(
    environment: Mapping[str, object], lost: Mapping[str, int], adapters: Mapping[str, Sequence[str]]
) -> Section | None:
    """Show the hosts of a record; None if all ran on one machine.

    Args:
        environment: of the record.
        lost: how often each host was lost, by name.
        adapters: what ran on each host, with versions; empty where that is not known.
    """
    hosts = cast("Mapping[str, HostSeen] | None", environment.get("hosts"))
    if not hosts:
        return None
    rows = [_core(environment), *_hosts(hosts, lost, adapters)]
    kept = [place for place in range(len(_COLUMNS)) if any(row[place] for row in rows)]
    sheet = Sheet("Hosts", [_COLUMNS[place] for place in kept], [[row[place] for place in kept] for row in rows])
    return Section("hosts", "Hosts", _ABOUT, sheets=[sheet], source="environment.json: hosts; record.json: lost_hosts")


def _hosts(
    hosts: Mapping[str, HostSeen], lost: Mapping[str, int], adapters: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    for side, host in hosts.items():
        name, bound_ns, trip_ns = host.get("host", host["name"]), host.get("clock_bound_ns"), host.get("round_trip_ns")
        yield (
            name,
            side.split(" ")[0],
            host["address"],
            _processors(host["processors"], host.get("model")),
            _memory(host["memory_bytes"]),
            host["system"],
            host["version"],
            "; ".join(adapters.get(name, ())),
            *("" if time_ns is None else figure(time_ns / 1e3, 0.05) for time_ns in (bound_ns, trip_ns)),
            str(lost.get(name, 0)),
        )


def _core(environment: Mapping[str, object]) -> tuple[str, ...]:
    parts = (cast("CoreMachine", environment.get(part) or {}) for part in ("machine", "processors", "kernel"))
    machine, processors, kernel = parts
    release = kernel.get("release")
    return (
        "this one",
        "core",
        "",
        _processors(processors.get("usable") or (), machine.get("model")),
        _memory(machine.get("memory_bytes")),
        f"Linux {release}" if release else "",
        str(environment.get("callbench") or ""),
        *[""] * 4,
    )


def _processors(usable: Sequence[int], model: str | None) -> str:
    return f"{len(usable)} × {model}" if model else str(len(usable))


def _memory(size: float | None) -> str:
    return f"{figure(size / _GIB, 0.05)} GiB" if size else ""
