"""Orders to another host through Dask distributed, beside a bare TLS echo: what decision 111 rests on.

Two hosts in network namespaces, a scheduler, a worker on each, TLS with certificates on both sides. An order is a line
of the contract to a real adapter under its supervisor, and the adapter's answer. It goes by an actor's method or by a
handler of the worker. Slices of each kind are made in turn, so that drift meets all of them.

A slice is given as what it takes beyond its calls, which an adapter of this process shows too. Asked: 3 ms beyond the
echo for an order.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from callbench.adapter.network.host import Host
from callbench.adapter.network.pair import HostPair
from callbench.adapter.process import AdapterProcess, ownership_options
from callbench.catalog import catalogue
from callbench.catalog.links.profile import BARE
from callbench.model.installation import supervisor
from callbench.stats.estimate.median_interval import rank

SCHEDULER_PORT, WORKER_PORT, ECHO_PORT = 7786, 7787, 7788
LINE_BYTES = 900
SLICES, ORDERS, DRIVES = 40, 20, 4
START_S, PATIENCE_S = 20.0, 10.0
SLICE_S = 0.02
STACK = "native/bin+supertcp"
CALL = {"call": "Sum", "arguments": {"a": 1, "b": 2}}
Ask = Callable[..., dict[str, Any]]


class HostActor:
    """What runs on a host: it starts adapters and relays their lines, each in a thread of its own."""

    def __init__(self) -> None:
        """Begin without adapters."""
        self.processes: list[AdapterProcess] = []
        self.threads: list[ThreadPoolExecutor] = []

    async def start(self, name: str) -> str:
        """Start an installed adapter. Return its hello message."""
        manifest = catalogue.load().adapter(name).manifest
        thread = ThreadPoolExecutor(1)

        def begin() -> str:
            process = AdapterProcess(name, manifest.program, manifest.file.parent, ())
            self.processes.append(process)
            return json.dumps(process.receive(time.monotonic() + PATIENCE_S, "hello"))

        self.threads.append(thread)
        return await asyncio.get_running_loop().run_in_executor(thread, begin)

    async def exchange(self, number: int, line: str) -> str:
        """Pass a line on to an adapter. Return its answer, without the intervals before it."""

        def both() -> str:
            process = self.processes[number]
            process.send(json.loads(line), PATIENCE_S)
            while (answer := process.receive(time.monotonic() + PATIENCE_S, "answer"))["is"] == "interval":
                pass
            return json.dumps(answer)

        return await asyncio.get_running_loop().run_in_executor(self.threads[number], both)


def certificates(folder: Path) -> None:
    """Make the key and the certificate that every side has here."""
    from distributed.security import Security  # noqa: PLC0415 - part of the extra `hosts`

    made = Security.temporary()
    (folder / "own.key").write_text(str(made.tls_client_key))
    (folder / "own.pem").write_text(str(made.tls_client_cert))


def security(folder: Path) -> Any:  # noqa: ANN401 - Dask is part of the extra `hosts`
    """Dask's settings: every connection is TLS with certificates on both sides."""
    from distributed.security import Security  # noqa: PLC0415

    files = {"key": str(folder / "own.key"), "cert": str(folder / "own.pem")}
    roles = {f"tls_{role}_{what}": file for role in ("client", "scheduler", "worker") for what, file in files.items()}
    return Security(require_encryption=True, tls_ca_file=str(folder / "own.pem"), **roles)


def bare(folder: Path, purpose: ssl.Purpose) -> ssl.SSLContext:
    """The same settings without Dask."""
    context = ssl.create_default_context(purpose, cafile=str(folder / "own.pem"))
    context.load_cert_chain(folder / "own.pem", folder / "own.key")
    context.check_hostname, context.verify_mode = False, ssl.CERT_REQUIRED
    return context


async def schedule(folder: Path, address: str) -> None:
    """Be the scheduler."""
    from distributed import Scheduler  # noqa: PLC0415

    async with Scheduler(host=address, port=SCHEDULER_PORT, security=security(folder), dashboard=False) as scheduler:
        print("ready", flush=True)
        await scheduler.finished()


async def work(folder: Path, address: str, name: str, scheduler: str) -> None:
    """Be a worker, with a handler of our own besides actors."""
    from distributed import Worker  # noqa: PLC0415

    beside = HostActor()
    async with Worker(
        f"tls://{scheduler}:{SCHEDULER_PORT}",
        name=name,
        host=address,
        port=WORKER_PORT,
        resources={f"host.{name}": 1},
        nthreads=4,
        security=security(folder),
        local_directory=str(folder / name),
        dashboard=False,
    ) as worker:
        worker.handlers |= {"callbench-start": beside.start, "callbench-relay": beside.exchange}
        print("ready", flush=True)
        await worker.finished()


def serve_echo(folder: Path, address: str) -> None:
    """Be the bare echo: lines of a fixed length over TLS, with certificates on both sides."""
    with socket.create_server((address, ECHO_PORT)) as listener:
        print("ready", flush=True)
        taken, _ = listener.accept()
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with bare(folder, ssl.Purpose.CLIENT_AUTH).wrap_socket(taken, server_side=True) as line:
            while piece := line.recv(LINE_BYTES):
                line.sendall(piece)


def connected_echo(folder: Path, address: str) -> Callable[[], None]:
    """Return one round trip of the bare echo."""
    plain = socket.create_connection((address, ECHO_PORT), timeout=PATIENCE_S)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line, data = bare(folder, ssl.Purpose.SERVER_AUTH).wrap_socket(plain), b"x" * LINE_BYTES

    def once() -> None:
        line.sendall(data)
        left = LINE_BYTES
        while left:
            left -= len(line.recv(left))

    return once


def measure(folder: Path, a: str, b: str) -> None:
    """Be the core: print what an order costs by each way."""
    from distributed import Client  # noqa: PLC0415

    # By its module, which the worker has too: of a script, the class itself would be sent.
    from hosts_on_dask import HostActor  # noqa: PLC0415

    with Client(f"tls://{a}:{SCHEDULER_PORT}", security=security(folder), timeout=START_S) as client:
        client.wait_for_workers(2, timeout=START_S)
        asks: dict[str, dict[str, Ask]] = {"actor": {}, "handler": {}, "this process": {}}
        for name, address in (("a", a), ("b", b)):
            where = f"tls://{address}:{WORKER_PORT}"
            actor = client.submit(
                HostActor, actor=True, pure=False, retries=0, allow_other_workers=False,
                workers=[where], resources={f"host.{name}": 1},
            ).result(timeout=START_S)  # fmt: skip
            worker = client.rpc(where)
            actor.start("native").result(timeout=START_S)
            client.sync(getattr(worker, "callbench-start"), name="native")
            asks["actor"][name] = asker(partial(_by_actor, actor))
            asks["handler"][name] = asker(partial(_by_handler, client, worker))
        here = HostActor()
        asyncio.run(here.start("native"))
        asks["this process"]["a"] = asker(lambda line: asyncio.run(here.exchange(0, line)))
        kinds = {"echo": timed(connected_echo(folder, b))}
        for way in ("actor", "handler"):
            endpoint = asks[way]["b"]("serve", stack=STACK, host=b, port=0, options={})["endpoint"]
            kinds[f"an order by {way}"] = timed(partial(asks[way]["b"], "counted"))
        for way, ask in asks.items():
            ask["a"]("connect", stack=STACK, endpoint=endpoint, clients=1, timeout_ms=10_000, options={})
            kinds[f"a slice by {way}"] = partial(beyond_the_drive, ask["a"])
        show(taken(kinds))


def _by_actor(actor: Any, line: str) -> str:  # noqa: ANN401 - Dask's
    return str(actor.exchange(0, line).result(timeout=PATIENCE_S))


def _by_handler(client: Any, worker: Any, line: str) -> str:  # noqa: ANN401 - Dask's
    return str(client.sync(getattr(worker, "callbench-relay"), number=0, line=line))


def asker(way: Callable[[str], str]) -> Ask:
    """Return what asks an adapter by a way."""

    def ask(do: str, **members: object) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(way(json.dumps({"do": do, "id": 1, **members})))
        if answer["is"] == "error":
            raise SystemExit(answer["message"])
        return answer

    return ask


def timed(once: Callable[[], object]) -> Callable[[], float]:
    """Return what makes it once and returns its milliseconds."""

    def run() -> float:
        began = time.monotonic_ns()
        once()
        return (time.monotonic_ns() - began) / 1e6

    return run


def beyond_the_drive(ask: Ask) -> float:
    """Order a slice on host a against the server on host b. Return the milliseconds that it took beyond its calls."""
    pace = {"calls": 1, "seconds": SLICE_S, "limit_seconds": 1, "think_ns": 0, "schedule": None, "start_at_ns": 0}
    began = time.monotonic_ns()
    done = ask("drive", **CALL, **pace, timing="auto")
    return float(time.monotonic_ns() - began - done["elapsed_ns"]) / 1e6


def taken(kinds: dict[str, Callable[[], float]]) -> dict[str, list[list[float]]]:
    """Make slices of each kind in turn, after one that does not count."""
    found: dict[str, list[list[float]]] = {name: [] for name in kinds}
    for number in range(-1, SLICES):
        for name, once in kinds.items():
            times = [once() for _ in range(DRIVES if name.startswith("a slice") else ORDERS)]
            if number >= 0:
                found[name].append(times)
    return found


def show(found: dict[str, list[list[float]]]) -> None:
    """Print the median of each kind, and of its difference to the echo of the same slice, with its interval."""
    echo = [statistics.median(times) for times in found["echo"]]
    place = rank(len(echo)) or 1
    for name, slices in found.items():
        every = sorted(ns for times in slices for ns in times)
        line = f"{name}: median {statistics.median(every):.2f} ms, p99 {every[int(0.99 * len(every))]:.2f}"
        if name != "echo":
            more = sorted(statistics.median(times) - base for times, base in zip(slices, echo, strict=True))
            line += f"; beyond the echo {statistics.median(more):.2f} ({more[place - 1]:.2f} to {more[-place]:.2f})"
        print(line)


@contextlib.contextmanager
def on(host: Host, role: str, folder: Path, *words: str, wait: bool = True) -> Iterator[subprocess.Popen[str]]:
    """Run this program in a role on a host, until the context ends. A supervisor ends it with this process."""
    command = [str(supervisor()), *host.enter_options(), *ownership_options(), "--", sys.executable, __file__]
    with subprocess.Popen([*command, role, str(folder), *words], stdout=subprocess.PIPE, text=True) as process:
        try:
            if wait and process.stdout and process.stdout.readline() != "ready\n":
                raise SystemExit(f"{role} did not start")
            yield process
        finally:
            process.terminate()


def main() -> None:
    """Print one line a kind."""
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as name, HostPair(**BARE.wire) as pair:
        folder, a, b = Path(name), pair.hosts.client, pair.hosts.server
        certificates(folder)
        with (
            on(a, "scheduler", folder, a.address),
            on(a, "worker", folder, a.address, "a", a.address),
            on(b, "worker", folder, b.address, "b", a.address),
            on(b, "echo", folder, b.address),
            on(a, "core", folder, a.address, b.address, wait=False) as core,
        ):
            print(core.communicate(timeout=300)[0], end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    role, *rest = parser.parse_args().words or ["main"]
    if role == "main":
        main()
    elif role == "scheduler":
        asyncio.run(schedule(Path(rest[0]), rest[1]))
    elif role == "worker":
        asyncio.run(work(Path(rest[0]), *rest[1:]))
    elif role == "echo":
        serve_echo(Path(rest[0]), rest[1])
    else:
        measure(Path(rest[0]), *rest[1:])
