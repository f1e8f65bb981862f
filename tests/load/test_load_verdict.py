"""What limited a load, from evidence that was recorded on a machine whose processors others used up."""

import copy
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.load import result
from callbench.analysis.load.request import LoadRequest
from callbench.analysis.load.usage import Observations, ServerUsage
from callbench.stats.estimate.histogram import index_of
from callbench.stats.load.bottleneck import Limit

RECORDED = json.loads((Path(__file__).parent / "recorded" / "beside_neighbours.json").read_text())


def _found(
    processors: Any,
    *,
    driver_share: float | None = None,
    latencies_ns: Sequence[int] = (),
    server: ServerUsage | None = None,
    calls: int = RECORDED["calls"],
    **wish: Any,
) -> result.LoadResult:
    elapsed_ns = round(RECORDED["seconds"] * 1e9)
    used_ns = round(RECORDED["driver_us"] * 1e3 if driver_share is None else driver_share * elapsed_ns)
    nothing = {"user_ns": "0", "system_ns": "0"}
    done: Any = {
        "calls": calls,
        "errors": {},
        "elapsed_ns": elapsed_ns,
        "threads": 1,
        "processor": {"start": nothing, "end": {"user_ns": str(used_ns), "system_ns": "0"}},
        "latency": _histogram(latencies_ns) if latencies_ns else None,
        "service": None,
        "lateness": None,
        "held_back": len(latencies_ns),
    }
    asked = LoadRequest("http://127.0.0.1:80/", clients=RECORDED["clients"], **wish)
    return result.compute_result(asked, done, RECORDED["clients"], Observations(server, processors))


def _histogram(values_ns: Sequence[int]) -> dict[str, Any]:
    buckets = Counter(map(index_of, values_ns))
    return {
        "count": len(values_ns),
        "sum_ns": str(sum(values_ns)),
        "min_ns": min(values_ns),
        "max_ns": max(values_ns),
        "buckets": sorted(buckets.items()),
    }


def _changed(busy: float, waited: float, neighbours: float, sides: tuple[str, ...] = ("client", "server")) -> Any:
    """The recorded evidence with other shares: of the server's processors, of the time it wanted one, of others."""
    changed = copy.deepcopy(RECORDED["processors"])
    changed["sides"] = [one for one in changed["sides"] if one["side"] in sides]
    for one in changed["sides"]:
        room = changed["seen_ns"] * len(one["cpus"])
        one["run_ns"] = round(room * (busy if one["side"] == "server" else 0.1))
        one["wait_ns"] = round(one["run_ns"] * waited / (1 - waited))
        one["neighbour_ns"] = round(changed["elapsed_ns"] * len(one["cpus"]) * neighbours)
        for thread in one["threads"]:
            thread["busiest_ns"] = one["run_ns"] // 2
    return changed


def test_with_calls_and_seconds_a_load_ends_at_whichever_comes_first() -> None:
    """A drive lasts for both, and `--calls 20 --seconds 5` took 5 s."""
    both = LoadRequest("http://127.0.0.1:80/", seconds=5, calls=20)
    assert (both.load.calls, both.load.seconds, both.limit_s) == (20, 0, 5)
    assert LoadRequest("http://127.0.0.1:80/", seconds=5).load.seconds == 5
    assert LoadRequest("http://127.0.0.1:80/", calls=20).load.seconds == 0
    assert LoadRequest("http://127.0.0.1:80/").load.seconds == 10


def test_neighbours_are_named_where_they_took_the_processors() -> None:
    verdict = _found(RECORDED["processors"]).verdict
    assert verdict.limit is Limit.SHARED
    assert verdict.why.startswith("other programs took 85 % of the server's processors, and it waited")


@pytest.mark.parametrize(
    ("case", "processors", "limit"),
    [
        # As observed: the server at 57 %, a load average of 9 to 14. The report said "more clients may give more".
        ("busy neighbours", _changed(0.57, 0.6, 0.3), Limit.SHARED),
        ("neighbours that leave nothing", _changed(0.57, 0.01, 0.4), Limit.SHARED),
        ("a quiet machine", _changed(0.57, 0.01, 0.0), Limit.UNSATURATED),
        ("a quiet machine, and a server that is used up", _changed(0.95, 0.02, 0.0), Limit.SERVER),
        ("calls that wait for a timer", _changed(0.1, 0.01, 0.0), Limit.WAITING),
        ("a server that cannot be seen", _changed(0.1, 0.01, 0.0, ("client",)), Limit.UNKNOWN),
        ("likewise, and a driver that waits", _changed(0.1, 0.6, 0.5, ("client",)), Limit.SHARED),
    ],
)
def test_the_verdict_knows_the_neighbours(case: str, processors: Any, limit: Limit) -> None:  # noqa: ARG001 - its name
    assert _found(processors, driver_share=0.2).verdict.limit is limit


def test_calls_that_wait_for_a_delayed_acknowledgement_are_told_so() -> None:
    """Python's http.server writes head and body apart: each call takes 40 ms more, and nothing is busy."""
    idle = _changed(0.01, 0.3, 0.97)
    waiting = _found(idle, driver_share=0.01, latencies_ns=[41_000_000 + 9_000 * step for step in range(300)]).verdict
    assert (waiting.limit, "Nagle" in waiting.why) == (Limit.WAITING, True)
    unseen = _found(_changed(0.01, 0.01, 0.0, ("client",)), driver_share=0.01, latencies_ns=[41_000_000] * 300).verdict
    assert (unseen.limit, "Nagle" in unseen.why) == (Limit.UNKNOWN, True)
    busy = _found(_changed(0.95, 0.02, 0.0), driver_share=0.2, latencies_ns=[41_000_000] * 300).verdict
    assert (busy.limit, "Nagle" in busy.why) == (Limit.SERVER, False), "a queue may be as long"


def test_a_wait_on_top_of_the_servers_own_work_is_told_too() -> None:
    """Of 8 ms of work and 40 of waiting, each call took 49 ms, which was no known place."""
    nothing: Any = None
    times = [48_500_000 + 3_000 * step for step in range(60)]
    said = []
    for server in (ServerUsage(8 * len(times), 2, nothing, nothing), None):
        verdict = _found(
            _changed(0.1, 0.01, 0.0), driver_share=0.01, latencies_ns=times, server=server, calls=len(times)
        ).verdict
        assert verdict.limit is Limit.WAITING
        said.append("100 % of the calls took about 40 ms more than the server's processors worked for" in verdict.why)
    assert said == [True, False]


def test_a_driver_that_is_used_up_is_the_limit_whatever_others_do() -> None:
    verdict = _found(RECORDED["processors"], driver_share=0.95).verdict
    assert verdict.limit is Limit.GENERATOR
    assert "--threads" in verdict.why
