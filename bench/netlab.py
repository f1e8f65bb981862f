"""The network lab on the real clock: how exact a link is, what it adds, what a capture loses, what a pair takes.

What is added is taken in turn: a pair of each kind alive, slices of echoes alternating, so that drift meets both.
Links that the kernel can make are made by our emulator too.
"""

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from callbench.adapter.network.pair import HostPair
from callbench.catalog.links import profile
from callbench.stats.estimate.share import binomial
from callbench.stats.wire.link import Wire

SLICES = 40
ECHOES = 50
LONG = 60.0
MAKERS = ("kernel", "emulator")
# For the processors' time: slices in turn, of streams so long, and of echoes so far apart.
ROUNDS = 7
SLICE_S = 2.0
GAP_US = 5000
# Other programs may keep so many processors busy.
QUIET = 0.2


def main() -> None:
    """Prints one line a figure."""
    made_and_ended()
    wan50()
    lan100()
    losses()
    added()
    carried()
    processor()
    capture()


def made_and_ended() -> None:
    """A pair's making and ending, in milliseconds, processes included."""
    for name in ("pair", "lan100"):
        making, ending = [], []
        for _ in range(10):
            began = time.monotonic()
            pair = HostPair(**profile.builtin_links()[name].wire)
            making.append(time.monotonic() - began)
            began = time.monotonic()
            pair.close()
            ending.append(time.monotonic() - began)
        print(
            f"{name}: made in {1000 * np.median(making):.0f} ms (most {1000 * max(making):.0f}), "
            f"ended in {1000 * np.median(ending):.0f} ms (most {1000 * max(ending):.0f}); asked: 500 together"
        )


def wan50() -> None:
    """The round trip of wan50."""
    with HostPair(**profile.builtin_links()["wan50"].wire) as pair:
        taken = echoes(pair, 200, gap_us=2000)
    print(
        f"wan50: median {np.median(taken) / 1000:.2f} ms (asked: within 0.5 of 50), "
        f"p99 {np.percentile(taken, 99) / 1000:.2f} ms (asked: within 1.5)"
    )


def lan100() -> None:
    """The rate of lan100, from what arrives when more is sent."""
    for maker in MAKERS:
        with HostPair(**wire("lan100", maker)) as pair:
            for way in ("to-server", "to-client"):
                said = flood(pair, way=way, packets=25_000, bytes=1400, per_second=12_000)
                mbit = (said["bytes_after_first"] + 24 * (said["arrived"] - 1)) * 8e3 / said["span_ns"]
                print(
                    f"lan100 by the {pair.maker} {way}: {mbit:.2f} Mbit/s, {mbit - 100:+.2f} % (asked: within 2 %),"
                    f" {said['overtaken']} of {said['arrived']} frames overtaken"
                )


def losses() -> None:
    """Losses of lossy1."""
    with HostPair(**profile.builtin_links()["lossy1"].wire) as pair:
        said = flood(pair, way="to-server", packets=100_000, bytes=64, per_second=20_000)
    lost = said["sent"] - said["arrived"]
    low, high = binomial(lost, said["sent"])
    print(f"lossy1: {lost} of {said['sent']} lost, {100 * low:.3f} to {100 * high:.3f} % (asked: holds 1)")


def added() -> None:
    """What a link adds to a round trip over the bare cable, slices in turn."""
    names = {f"{name} by the {maker}": wire(name, maker) for name in ("zero", "zero-offload") for maker in MAKERS}
    with ExitStack() as stack:
        pairs = {name: stack.enter_context(HostPair(**made)) for name, made in {"pair": wire("pair"), **names}.items()}
        taken: dict[str, list[np.ndarray[Any, np.dtype[np.float64]]]] = {name: [] for name in pairs}
        for pair in pairs.values():
            echoes(pair, ECHOES)
        for number in range(SLICES):
            for name in np.random.default_rng(number).permutation(list(pairs)):
                taken[name].append(echoes(pairs[name], ECHOES))
    bare = np.concatenate(taken["pair"])
    for name in names:
        both = np.concatenate(taken[name])
        middle = np.median([np.median(a) - np.median(b) for a, b in zip(taken[name], taken["pair"], strict=True)])
        print(
            f"{name}: adds {middle:.0f} us to the median of {np.median(bare):.0f} (asked: under 60), "
            f"{np.percentile(both, 99) - np.percentile(bare, 99):.0f} us to p99 of {np.percentile(bare, 99):.0f} "
            "(asked: under 120)"
        )


def carried() -> None:
    """Gbit/s of one TCP stream: bare, and through a link that does nothing."""
    asked = {"zero": " (asked: 1)", "zero-offload": " (asked: 5)"}
    for name, maker in (("pair", None), *((name, maker) for name in asked for maker in MAKERS)):
        with HostPair(**wire(name, maker)) as pair:
            said = [pair.ask("stream", "streamed", LONG, way="to-server", seconds=1.0)["stream"] for _ in range(5)]
        rates = sorted(report["bytes"] * 8 / report["elapsed_ns"] for report in said)
        print(
            f"{name} by the {pair.maker}: a TCP stream of {rates[2]:.2f} Gbit/s, median of 5, "
            f"best {rates[-1]:.2f}{asked.get(name, '')}"
        )


def processor() -> None:
    """What a link takes of the processors: while a stream fills it, and for echoes one after the other.

    The kernel's work belongs to no process, so the whole machine's busy time is read. The time that the same stream and
    echoes need over a plain cable is subtracted, and that of the idle machine. On a machine with other work there is no
    result.
    """
    for name, maker in (("lan100", "kernel"), ("lan100", "emulator"), ("lan1g", None), ("wan50", None)):
        with HostPair(**wire(name, maker)) as pair, HostPair(**wire("pair")) as bare:
            filled = stream(pair)
            rounds = np.array([_beyond_a_cable(pair, bare, filled) for _ in range(ROUNDS)])
        others, threads, read_full, echo = np.median(rounds, axis=0)
        asked = " (asked: 5)" if name == "lan100" else ""
        print(
            f"{name} by the {pair.maker}, a stream of {8 * filled / 1e6:.0f} Mbit/s: threads of the emulator"
            f" {100 * threads:.1f} % of one processor; all of the machine more than over a cable: "
            + (
                f"not told, as others kept {others:.1f} processors busy"
                if others > QUIET
                else f"{100 * read_full:.1f} %{asked}, {100 * min(rounds[:, 2]):.1f} to {100 * max(rounds[:, 2]):.1f};"
                f" for an echo {echo:.0f} us"
            )
        )


def _beyond_a_cable(pair: HostPair, bare: HostPair, filled: int) -> tuple[float, float, float, float]:
    """Processors busy with others, with the emulator's threads, with a full link beyond a cable; and us of an echo."""
    idle = _share(busy(partial(time.sleep, SLICE_S)))
    before, began = emulating_ns(pair), time.monotonic_ns()
    read_full = _share(busy(partial(stream, pair)))
    threads = (emulating_ns(pair) - before) / (time.monotonic_ns() - began)
    cable = _share(busy(partial(stream, bare, filled)))
    echo = [
        (spent[0] - idle * spent[1]) / ECHOES
        for spent in (busy(partial(echoes, it, ECHOES, GAP_US)) for it in (pair, bare))
    ]
    return idle, threads, read_full - cable, 1e6 * (echo[0] - echo[1])


def busy(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds that the processors were busy, all together, while something was done; and how long that took."""
    before, began = idle_s(), time.monotonic()
    work()
    took = time.monotonic() - began
    return (os.cpu_count() or 1) * took - (idle_s() - before), took


def _share(spent: tuple[float, float]) -> float:
    return spent[0] / spent[1]


def idle_s() -> float:
    """Seconds that all processors have idled since the machine began."""
    times = psutil.cpu_times()
    return times.idle + times.iowait


def stream(pair: HostPair, at_most: int | None = None) -> int:
    """Send a stream for a slice of time. Return its bytes per second."""
    said: dict[str, int] = pair.ask("stream", "streamed", LONG, way="to-server", seconds=SLICE_S, at_most=at_most)[
        "stream"
    ]
    return round(said["bytes"] * 1e9 / said["elapsed_ns"])


def emulating_ns(pair: HostPair) -> int:
    """Nanoseconds that the emulator's threads have run, with what the kernel did for them."""
    tasks = Path(f"/proc/{pair.pid}/task").iterdir()
    emulators = [task for task in tasks if (task / "comm").read_text().strip() == "emulator"]
    return sum(int((task / "schedstat").read_text().split()[0]) for task in emulators)


def wire(name: str, maker: str | None = None) -> Wire:
    """Return the lab's request for a link by the given maker."""
    asked = profile.builtin_links()[name].wire
    link = asked.get("link")
    return {**asked, "link": {**link, "maker": maker}} if maker and link else asked


def capture() -> None:
    """A capture to disk at 200,000 packets a second."""
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder, HostPair() as pair:
        pair.ask("capture", "capturing", file=f"{folder}/flood.pcap")
        said = flood(pair, way="to-server", packets=600_000, bytes=64, per_second=200_000)
        ended = pair.ask("stop-capture", "captured", LONG)
    pace = said["sent"] / said["sending_ns"] * 1e9
    print(
        f"capture: {ended['written']} of {said['sent']} packets on disk, {ended['dropped']} dropped, "
        f"sent at {pace:,.0f} a second (asked: 200,000)"
    )


def echoes(pair: HostPair, times: int, gap_us: int = 0) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Round trips in microseconds."""
    said = pair.ask("echo", "echoed", LONG, times=times, bytes=64, gap_us=gap_us, patience_ms=5000)
    return np.asarray(said["ns"], dtype=float) / 1000


def flood(pair: HostPair, **members: Any) -> dict[str, int]:  # noqa: ANN401 - JSON
    """Datagrams in one direction."""
    said: dict[str, int] = pair.ask("flood", "flooded", LONG, patience_ms=500, **members)["flood"]
    return said


if __name__ == "__main__":
    main()
