"""What the benchmarks of the load driver share: a server, both sides in turn, and the ratio with its interval.

The server has the last processor, the client the first. Our client compares every answer byte by byte and keeps its
histograms; the others do neither. Each pair is in random order.
"""

import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.session import Adapter
from callbench.catalog import manifest
from callbench.stats.estimate.interval import geometric_mean

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "bench" / "build"
CLIENTS, SECONDS = 50, 2.0
BODY = "Hello World"
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors; worker_rlimit_nofile {files};
events {{ worker_connections {connections}; }}
http {{
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{port}{how}; location / {{ default_type text/plain; return 200 "{body}"; }} }}
}}
"""


@dataclass(frozen=True)
class Cost:
    """The result of one side: microseconds of processor time per call, and calls per second."""

    microseconds: float
    rate: float


Side = Callable[[], Cost]


def processors() -> tuple[int, int]:
    """The client's, and the server's."""
    those = sorted(os.sched_getaffinity(0))
    return those[0], those[-1]


@contextmanager
def nginx(how: str = "", connections: int = 1024) -> Iterator[int]:
    """The port of one that answers with the small body; `how` is added to what it listens to."""
    _, server = processors()
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        port = free_port()
        configuration = Path(folder) / "nginx.conf"
        said = NGINX.format(
            folder=folder, port=port, body=BODY, how=how, connections=connections, files=2 * connections
        )
        configuration.write_text(said)
        argv = [program("taskset"), "-c", str(server), program("nginx"), "-c", str(configuration)]
        running = subprocess.Popen(argv, stderr=subprocess.DEVNULL)
        try:
            await_port(port)
            yield port
        finally:
            running.send_signal(signal.SIGQUIT)
            running.wait(timeout=10)


@contextmanager
def driver(on: tuple[int, ...] = ()) -> Iterator[Adapter]:
    """The load driver, on these processors; by default on the client's."""
    read = manifest.read(ROOT / "engine" / "load" / "adapter.toml")
    with Adapter(read, "the driver", on or (processors()[0],)) as adapter:
        yield adapter


def ours(adapter: Adapter) -> Cost:
    """A drive of the clients that are connected."""
    done = adapter.drive("Hello", {}, calls=1, seconds=SECONDS, timing="each")
    if done["errors"]:
        sys.exit(f"the driver met errors: {done['errors']}, {done.get('said')}")
    used = done["processor"]
    start, end = (int(at["user_ns"]) + int(at["system_ns"]) for at in (used["start"], used["end"]))
    return Cost((end - start) / 1e3 / done["calls"], done["calls"] / done["elapsed_ns"] * 1e9)


def theirs(argv: Sequence[str], read: Callable[[str], tuple[float, float]], start_us: float = 0.0) -> Cost:
    """Another program on the client's processor; `read` finds calls and rate in what it prints.

    Its processor time is the whole process's, start and all, milliseconds of seconds; less `start_us` where the start
    takes more.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    placed = ["taskset", "-c", str(processors()[0]), *argv]
    said = subprocess.run(placed, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    calls, rate = read(said)
    return Cost((used * 1e6 - start_us) / calls, rate)


def compare(rival: str, sides: Mapping[str, Side], pairs: int) -> None:
    """Both in turn, in random order within each pair; prints each pair and the two ratios with their intervals."""
    costs, rates = [], []
    for _ in range(pairs):
        found = {name: sides[name]() for name in random.sample(sorted(sides), len(sides))}
        costs.append(found["ours"].microseconds / found[rival].microseconds)
        rates.append(found["ours"].rate / found[rival].rate)
        told = (f"{name} {it.microseconds:6.2f} us a call, {it.rate:8,.0f}/s" for name, it in sorted(found.items()))
        print("  " + "  ".join(told))
    for what, ratios in (("processor time a call", costs), ("rate", rates)):
        mean = geometric_mean(ratios)
        print(f"{what}, ours over {rival}'s: {mean.middle:.3f} ({mean.low:.3f} to {mean.high:.3f}), {pairs} pairs")


def asked_pairs() -> int:
    """How many, as the command line says; 10 unless it does."""
    return int(sys.argv[1]) if len(sys.argv) > 1 else 10


def from_go(name: str, package: str) -> str:
    """A program of the Go module proxy, built into bench/build the first time."""
    made = BUILD / name
    if not made.exists():
        print(f"building {package} into bench/build", file=sys.stderr)
        built = {**os.environ, "GOBIN": str(BUILD), "GOFLAGS": "-mod=mod"}
        subprocess.run([program("go"), "install", package], check=True, env=built)
    return str(made)


def from_cargo(name: str, version: str) -> str:
    """A program of crates.io, built into bench/build the first time."""
    made = BUILD / "bin" / name
    if not made.exists():
        print(f"building {name} {version} into bench/build", file=sys.stderr)
        words = ["install", "--quiet", "--locked", f"{name}@{version}", "--root", str(BUILD)]
        subprocess.run([program("cargo"), *words], check=True)
    return str(made)


def program(name: str) -> str:
    """Return its path."""
    found = shutil.which(name)
    if found is None:
        sys.exit(
            f"{name} is not installed: setup/system nginx-light wrk nghttp2-client, and Go for what is built with it"
        )
    return found


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def await_port(port: int) -> None:
    """Wait until a server listens there."""
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("nginx did not start")
