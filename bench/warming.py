"""The rate over each of the first seconds after a start of client and server: what a warm-up must wait for.

For one or two stacks of each adapter, with 1 client and, if possible, with 50: calls per second in each second, the
processor time of both sides' compilers, and when the test of steadiness (`stats/steady/warmed.py`) was first passed.
Before the first second each stack is verified with a few calls. Options: --seconds N (60), --stack GLOB ... .

Where the machine has nothing else to do its curves say how long `--warm-up` must be; on a busy one they say nothing.
"""

import argparse
from collections.abc import Iterator, Sequence

import stacks

from callbench.adapter import placement
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import CallbenchError
from callbench.runner.drive.running_stack import RunningStack
from callbench.runner.measure.compiler import CompilerTime
from callbench.stats.steady.warmed import WarmUpSegment, look

CLIENTS = (1, 50)
PIECE_S = 0.2


def main() -> None:
    """Print the curves."""
    parser = argparse.ArgumentParser(description="the rate over each of the first seconds")
    parser.add_argument("--seconds", type=float, default=60.0)
    stacks.add_option(parser)
    asked = parser.parse_args()
    known = catalogue.load()
    for stack in stacks.chosen(known, asked.stack):
        _stack(known, stack, asked.seconds)


def _stack(known: catalogue.Catalogue, stack: Stack, seconds: float) -> None:
    for clients in CLIENTS:
        try:
            print(f"\n{stack.id}, {clients} client{'s' * (clients > 1)}")
            for line in _lines(known, stack, clients, seconds):
                print(line, flush=True)
        except CallbenchError as failure:
            print(f"  left out: {failure}")


def _lines(known: catalogue.Catalogue, stack: Stack, clients: int, seconds: float) -> Iterator[str]:
    """Start it, drive it in pieces, and print one line per second."""
    cell = stacks.cell_of(stack, Load(clients, 1, seconds))
    with RunningStack(known.programs(stack), stack, [cell], placement.choose_placement()) as opened:
        if opened.unsupported:
            yield f"  left out: {next(iter(opened.unsupported.values()))}"
            return
        opened.connect(cell)
        pieces: list[WarmUpSegment] = []
        steady_s, told_s = None, 0
        for piece in _driven(opened.sides, cell, seconds):
            pieces.append(piece)
            whole = sum(piece.seconds for piece in pieces)
            if steady_s is None and look(pieces).steady:
                steady_s = whole
            if whole >= told_s + 1:
                told_s = int(whole)
                yield _second(pieces, told_s)
        never = f"not steady within {seconds:g} s: {look(pieces).why_not}"
        yield f"  steady after {steady_s:.1f} s" if steady_s else f"  {never}"


def _driven(sides: Sides, cell: Cell, seconds: float) -> Iterator[WarmUpSegment]:
    clock, before_ns, passed_s = CompilerTime(sides), 0, 0.0
    while passed_s < seconds:
        done = sides.client.drive(
            cell.call, cell.arguments, calls=cell.load.clients, seconds=PIECE_S, limit_seconds=60.0
        )
        now_ns = max((took.compiler_ns for took in clock.read().values()), default=0)
        passed_s += done["elapsed_ns"] / 1e9
        yield WarmUpSegment(done["calls"], done["elapsed_ns"] / 1e9, max(0, now_ns - before_ns) / 1e9)
        before_ns = now_ns


def _second(pieces: Sequence[WarmUpSegment], number: int) -> str:
    """One line: the pieces that make the last second."""
    last: list[WarmUpSegment] = []
    for piece in reversed(pieces):
        if sum(piece.seconds for piece in last) >= 1:
            break
        last.append(piece)
    whole = sum(piece.seconds for piece in last)
    compiler = sum(piece.compiler_seconds for piece in last) / whole
    return f"  {number:3} s {sum(piece.calls for piece in last) / whole:12,.0f} calls/s   compiler {compiler:5.0%}"


if __name__ == "__main__":
    main()
