"""The finished runs beside a run that the same machine made before it with the same version and the same study."""

import datetime as dt
import mmap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from callbench.model.errors import CallbenchError
from callbench.store.head import FILE, RUN
from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun

_SAME_MACHINE = (("machine", "model"), ("machine", "memory_bytes"), ("processors", "online"), ("kernel", "release"))


def earlier_runs(run: Record) -> list[Record]:
    """Find them, the newest first; a folder that cannot be read is passed over."""
    return sorted(_alike(run), key=lambda other: str(other.info["started"]), reverse=True)


def last_duration_s(run: Record) -> float | None:
    """Return how many seconds the newest earlier run with the same request took; None if there is none."""
    for other in earlier_runs(run):
        if _timed_request(other) == _timed_request(run) and not _was_resumed(other):
            started, finished = (dt.datetime.fromisoformat(str(other.info[end])) for end in ("started", "finished"))
            return (finished - started).total_seconds()
    return None


def fact_of(environment: Mapping[str, object], part: str, key: str) -> object:
    """Find one thing in an environment's record; None if it is not there."""
    within = environment.get(part)
    return within.get(key) if isinstance(within, Mapping) else within


def _alike(run: Record) -> Iterator[Record]:
    own = _machine(run)
    for file in sorted(run.path.resolve().parent.glob(f"*/{FILE}")):
        try:
            other = Record(file.parent)
            if _is_earlier(run, other) and _machine(other) == own:
                other.requested(RequestedRun)
                yield other
        except CallbenchError:
            continue


def _is_earlier(run: Record, other: Record) -> bool:
    return (
        other.kind == RUN
        and other.info["state"] == "finished"
        and str(other.info["started"]) < str(run.info["started"])
        and all(other.info[name] == run.info[name] for name in ("title", "callbench"))
    )


def _machine(run: Record) -> Sequence[object]:
    """Return what tells machines apart: this one, and the hosts on which the two sides ran, if there were any."""
    environment = run.environment()
    hosts = environment.get("hosts")
    sides = hosts.items() if isinstance(hosts, Mapping) else ()
    named = [(side, about.get("name")) for side, about in sides if isinstance(about, Mapping)]
    return [*(fact_of(environment, part, key) for part, key in _SAME_MACHINE), sorted(named)]


def _timed_request(run: Record) -> RequestedRun:
    """Return what was asked for, without what says nothing about how long it takes."""
    return replace(run.requested(RequestedRun), seed=0, without=None, confirm=False, pcap=False)


def _was_resumed(run: Record) -> bool:
    """Return whether its time has a pause in it. A note says so, and is found without reading every line."""
    with run.journal_file.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b'"text":"resumed"') >= 0
