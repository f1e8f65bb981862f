"""The code that Callbench generates for a service of one's own, beside a program that was written by hand for it.

Two calls of `bench/own/calls.proto`, a flat one and a nested one with lists: JSON over HTTP with a kept connection, and
Protocol Buffers over TCP. The program in `bench/own` has the same libraries (serde, prost, hyper, tokio) and sends the
same bytes: before anything is timed, its client makes every call with Callbench's server, and compares every answer.

Both pairs of client and server are alive, and are driven in turn, in slices of 20 ms in random order. All start afresh
several times. The ratio is the time of a call, generated over written by hand, with its 95 % interval over the starts.
Callbench's server looks its answers up by the whole request, and its client reads the clock twice a call; the program
written by hand looks them up by the id of the request, and reads the clock once.
"""

import argparse
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from callbench.adapter import placement
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.analysis.wording.words import ratio_text
from callbench.catalog import catalogue
from callbench.catalog.generator import filled
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.catalog.own import folder
from callbench.model.cell import CALLS_PER_SLICE, Cell, Load
from callbench.runner.drive.rounds import run_slice
from callbench.runner.drive.slices import Length
from callbench.runner.drive.tasks import SlicePlan
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.plan import own_service
from callbench.stats.estimate.logratio import paired

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "own"
BUILD = HERE / "build" / "own"
SLICE_NS = 20_000_000
WARM_UP = 10
TARGET = 1.10
# The call, its name in the program written by hand, the stack, and the format there.
CASES = (
    ("Report", "reading", "native/json+http-keepalive", "json"),
    ("Report", "reading", "native/protobuf+tcp", "protobuf"),
    ("Place", "order", "native/json+http-keepalive", "json"),
    ("Place", "order", "native/protobuf+tcp", "protobuf"),
)


@dataclass(frozen=True)
class Case:
    """One call over one stack, and its counterpart."""

    call: str
    name: str
    stack: str
    format: str
    payloads: Path


class Program:
    """A process of the program written by hand, on processors of its own."""

    def __init__(self, arguments: list[str], processors: tuple[int, ...]) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            [str(BUILD / "release" / "handwritten"), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, processors),  # noqa: PLW1509 - no threads run here
            # As Callbench's are: the kernel shares processors out by session.
            start_new_session=True,
        )  # fmt: skip

    def line(self) -> str:
        """Read a line of it."""
        line = _pipe(self.process.stdout).readline().strip()
        if not line:
            raise SystemExit("own_service: the program written by hand ended")
        return line

    def ask(self, line: str) -> str:
        """Send it a line, and read one."""
        to = _pipe(self.process.stdin)
        to.write(line + "\n")
        to.flush()
        return self.line()

    def slice_ns(self) -> float:
        """Call for the length of a slice, and return the nanoseconds of a call."""
        calls, elapsed = self.ask(f"go {SLICE_NS}").split()
        return int(elapsed) / int(calls)


def _pipe(end: IO[str] | None) -> IO[str]:
    assert end is not None  # noqa: S101 - it was asked for
    return end


@contextmanager
def started(arguments: list[str], processors: tuple[int, ...]) -> Iterator[Program]:
    """Have a process until the end of the block. It ends by the end of its input."""
    program = Program(arguments, processors)
    try:
        yield program
    finally:
        program.process.communicate(timeout=30)


def main() -> None:
    """Print a line a call and stack."""
    parser = argparse.ArgumentParser(description="generated code beside code written by hand")
    parser.add_argument("--starts", type=int, default=6, help="how often all start afresh (default 6)")
    parser.add_argument("--slices", type=int, default=40, help="slices of each in a start (default 40)")
    asked = parser.parse_args()
    manifest = ["--manifest-path", str(SOURCE / "Cargo.toml"), "--target-dir", str(BUILD)]
    subprocess.run(
        [shutil.which("cargo") or "cargo", "build", "--quiet", "--release", "--locked", *manifest], check=True
    )
    with tempfile.TemporaryDirectory(prefix="callbench-own-") as place:
        service = Path(place) / "own"
        folder.write(service, *filled.filled(registry.service([str(SOURCE / "calls.proto")], Options())))
        known = own_service.added(catalogue.load(), service)
        print(f"{'call':<7} {'stack':<27} {'by hand':>9} {'generated':>9}  ratio of times", flush=True)
        for call, name, stack, form in CASES:
            case = Case(call, name, stack, form, service / "payloads" / f"{call}.jsonl")
            times = [_start(known, case, asked.slices) for _ in range(asked.starts)]
            ratio = paired([ours / theirs for theirs, ours in times]).interval(0.95)
            theirs, ours = (sum(column) / len(times) / 1e3 for column in zip(*times, strict=True))
            beyond = "" if (ratio.low or 0.0) <= TARGET else f"  beyond {TARGET}"
            print(f"{call:<7} {stack:<27} {theirs:>6.1f} us {ours:>6.1f} us  {ratio_text(ratio)}{beyond}", flush=True)


def _start(known: catalogue.Catalogue, case: Case, slices: int) -> tuple[float, float]:
    """Start both, and drive them in turn. Return the nanoseconds of a call: by hand, and generated."""
    stack, where = known.stack(case.stack), placement.choose_placement()
    cell = Cell("c001", case.call, stack.id, case.call, {}, Load(1, 1, 1.0))
    names = [case.name, case.format, str(case.payloads)]
    with ExitStack() as owned:
        unit = owned.enter_context(
            Unit(UnitRequest(stack.id, stack, known.programs(stack), (cell,), cell.link), where, LOOPBACK_HOSTS)
        )
        # The same bytes: its client is answered by the generated server too.
        with started(["call", *names, unit.running.endpoint], where.client) as client:
            client.ask("check")
        server = owned.enter_context(started(["serve", *names], where.server))
        client = owned.enter_context(started(["call", *names, server.line()], where.client))
        client.ask("check")
        unit.start_idle_watch()
        length = Length(SLICE_NS / 1e9, CALLS_PER_SLICE)
        unit.warm(cell, length)
        unit.reset_counts()
        spent: dict[bool, list[float]] = {False: [], True: []}
        dice = random.Random(1)  # noqa: S311 - an order to be repeated
        for number in range(WARM_UP + slices):
            for generated in dice.sample([False, True], 2):
                took = _generated_ns(unit, cell, length) if generated else client.slice_ns()
                if number >= WARM_UP:
                    spent[generated].append(took)
        return sum(spent[False]) / slices, sum(spent[True]) / slices


def _generated_ns(unit: Unit, cell: Cell, length: Length) -> float:
    done = run_slice(unit, SlicePlan(cell, length), None)["done"]
    return float(done["elapsed_ns"]) / float(done["calls"])


if __name__ == "__main__":
    main()
