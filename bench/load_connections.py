"""What the load driver's process holds: with 10,000 connections, and over a long drive.

`.venv/bin/python bench/load_connections.py [CALLS]`: 10,000 connections from one process to one nginx, which must stay
under 1 GB. Then CALLS calls (by default a million) over 50 connections, with the process's memory after each tenth, and
its growth in bytes per call. The documented value is for 100,000,000 calls: a quarter of an hour on two quiet
processors.
"""

import os
import resource
import sys
from pathlib import Path

from rivals import BODY, CLIENTS, driver, nginx

from callbench.adapter.contract import DriveInterval
from callbench.adapter.session import Adapter
from callbench.model.process_tree import children_of_all

MANY = 10_000
MIB = 1 << 20


def main() -> None:
    """Prints both."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with nginx(connections=2 * MANY) as port, driver() as adapter:
        url = f"http://127.0.0.1:{port}/"
        open_ = adapter.connect("load/http1", url, MANY, options={"expect_body": BODY})
        done = adapter.drive("Hello", {}, calls=5 * MANY, seconds=2, timing="each")
        held = resident(adapter)
        print(
            f"{open_:,} connections, {done['calls']:,} calls, errors {done['errors']}: {held / MIB:,.0f} MiB resident"
        )
        adapter.connect("load/http1", url, CLIENTS, options={"expect_body": BODY})
        first, last = held_over(adapter, calls)
        slope = (last[1] - first[1]) / max(last[0] - first[0], 1)
        print(f"{last[0]:,} calls: {first[1] / MIB:.1f} to {last[1] / MIB:.1f} MiB, {slope:.6f} octets a call")


def held_over(adapter: Adapter, calls: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return calls made and bytes used: after the first tenth of a long drive, and at its end."""
    seen: list[tuple[int, int]] = []

    def on_interval(interval: DriveInterval) -> None:
        made = interval.calls
        if made * 10 // calls > len(seen):
            seen.append((made, resident(adapter)))
            print(f"  {made:,} calls: {seen[-1][1] / MIB:.1f} MiB", flush=True)

    done = adapter.drive(
        "Hello", {}, calls=calls, seconds=0, limit_seconds=36_000, timing="each", on_interval=on_interval
    )
    if done["errors"]:
        sys.exit(f"the driver met errors: {done['errors']}, {done.get('said')}")
    last = (done["calls"], resident(adapter))
    return (seen or [last])[0], last


def resident(adapter: Adapter) -> int:
    """Return the memory of the driver itself: the largest of the supervisor's descendants."""
    children = children_of_all()
    found = [pid for pid in [adapter.process.pid] if pid is not None]
    for pid in found:
        found += children.get(pid, [])
    page = os.sysconf("SC_PAGE_SIZE")
    return max(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page for pid in found)


if __name__ == "__main__":
    main()
