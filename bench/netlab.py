"""The network lab on the real clock: how exact the emulator is, what it adds, what a capture loses, what a pair takes.

What is added is taken in turn: a pair of each kind alive, slices of echoes alternating, so that drift meets both.
"""

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from callbench import links
from callbench.links import Pair
from callbench.stats.share import binomial

SLICES = 40
ECHOES = 50
LONG = 60.0


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
            pair = Pair(**links.named()[name].wire)
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
    with Pair(**links.named()["wan50"].wire) as pair:
        taken = echoes(pair, 200, gap_us=2000)
    print(
        f"wan50: median {np.median(taken) / 1000:.2f} ms (asked: within 0.5 of 50), "
        f"p99 {np.percentile(taken, 99) / 1000:.2f} ms (asked: within 1.5)"
    )


def lan100() -> None:
    """The rate of lan100, from what arrives when more is sent."""
    with Pair(**links.named()["lan100"].wire) as pair:
        for way in ("to-server", "to-client"):
            said = flood(pair, way=way, packets=25_000, octets=1400, per_second=12_000)
            mbit = (said["octets_after_first"] + 24 * (said["arrived"] - 1)) * 8e3 / said["span_ns"]
            print(f"lan100 {way}: {mbit:.2f} Mbit/s, {mbit - 100:+.2f} % (asked: within 2 %)")


def losses() -> None:
    """Losses of lossy1."""
    with Pair(**links.named()["lossy1"].wire) as pair:
        said = flood(pair, way="to-server", packets=100_000, octets=64, per_second=20_000)
    lost = said["sent"] - said["arrived"]
    low, high = binomial(lost, said["sent"])
    print(f"lossy1: {lost} of {said['sent']} lost, {100 * low:.3f} to {100 * high:.3f} % (asked: holds 1)")


def added() -> None:
    """What the emulator adds to a round trip over the bare cable, slices in turn."""
    names = ("pair", "zero", "zero-offload")
    with ExitStack() as stack:
        pairs = {name: stack.enter_context(Pair(**links.named()[name].wire)) for name in names}
        taken: dict[str, list[np.ndarray[Any, np.dtype[np.float64]]]] = {name: [] for name in names}
        for pair in pairs.values():
            echoes(pair, ECHOES)
        for number in range(SLICES):
            for name in np.random.default_rng(number).permutation(names):
                taken[name].append(echoes(pairs[name], ECHOES))
    bare = np.concatenate(taken["pair"])
    for name in names[1:]:
        both = np.concatenate(taken[name])
        middle = np.median([np.median(a) - np.median(b) for a, b in zip(taken[name], taken["pair"], strict=True)])
        print(
            f"{name}: adds {middle:.0f} us to the median of {np.median(bare):.0f} (asked: under 60), "
            f"{np.percentile(both, 99) - np.percentile(bare, 99):.0f} us to p99 of {np.percentile(bare, 99):.0f} "
            "(asked: under 120)"
        )


def carried() -> None:
    """Gbit/s of one TCP stream: bare, and through the emulator."""
    for name, asked in (("pair", ""), ("zero", " (asked: 1)"), ("zero-offload", " (asked: 5)")):
        with Pair(**links.named()[name].wire) as pair:
            said = [pair.ask("stream", "streamed", LONG, way="to-server", seconds=1.0)["stream"] for _ in range(5)]
        rates = sorted(one["octets"] * 8 / one["elapsed_ns"] for one in said)
        print(f"{name}: a TCP stream of {rates[2]:.2f} Gbit/s, median of 5, best {rates[-1]:.2f}{asked}")


def processor() -> None:
    """Processor time of the emulator, both ways together: while a stream fills the line, and for echoes."""
    for name in ("lan100", "lan1g", "wan50"):
        with Pair(**links.named()[name].wire) as pair:
            began, before = time.monotonic_ns(), emulating_ns(pair)
            pair.ask("stream", "streamed", LONG, way="to-server", seconds=3.0)
            full = (emulating_ns(pair) - before) / (time.monotonic_ns() - began)
            began, before = time.monotonic_ns(), emulating_ns(pair)
            echoes(pair, 200)
            light = (emulating_ns(pair) - before) / (time.monotonic_ns() - began)
        asked = " (asked: 5)" if name == "lan100" else ""
        print(
            f"{name}: the emulator took {100 * full:.1f} % of one processor for a stream{asked},"
            f" {100 * light:.1f} % for echoes"
        )


def emulating_ns(pair: Pair) -> int:
    """Nanoseconds that the emulator's threads have run, with what the kernel did for them."""
    tasks = Path(f"/proc/{pair.pid}/task").iterdir()
    emulators = [task for task in tasks if (task / "comm").read_text().strip() == "emulator"]
    return sum(int((task / "schedstat").read_text().split()[0]) for task in emulators)


def capture() -> None:
    """A capture to disk at 200,000 packets a second."""
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder, Pair() as pair:
        pair.ask("capture", "capturing", file=f"{folder}/flood.pcap")
        said = flood(pair, way="to-server", packets=600_000, octets=64, per_second=200_000)
        ended = pair.ask("stop-capture", "captured", LONG)
    pace = said["sent"] / said["sending_ns"] * 1e9
    print(
        f"capture: {ended['written']} of {said['sent']} packets on disk, {ended['dropped']} dropped, "
        f"sent at {pace:,.0f} a second (asked: 200,000)"
    )


def echoes(pair: Pair, times: int, gap_us: int = 0) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Round trips in microseconds."""
    said = pair.ask("echo", "echoed", LONG, times=times, octets=64, gap_us=gap_us, patience_ms=5000)
    return np.asarray(said["ns"], dtype=float) / 1000


def flood(pair: Pair, **members: Any) -> dict[str, int]:  # noqa: ANN401 - JSON
    """Datagrams in one direction."""
    said: dict[str, int] = pair.ask("flood", "flooded", LONG, patience_ms=500, **members)["flood"]
    return said


if __name__ == "__main__":
    main()
