"""Generated payloads beside the originals: sizes, with and without gzip, and processor times to encode and parse.

The 27 documents of Viotti's survey, in seven formats by Python's libraries. Asked is 1 within 5 % everywhere. Each
round takes both, 64 messages of each, right after each other and in alternating order. A ratio is the geometric mean
over the rounds, with Student's interval. Both sides are parsed from text first, so that neither shares objects.
"""

import argparse
import gc
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.file import fitted_to
from callbench.catalog.imports.fleet import documents, named
from callbench.model.service.imported import Json
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.logratio import paired

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "samples"))
import independent

ASKED = 0.05
MESSAGES = 64
SLICE_NS = 2_000_000


def main() -> None:
    """Print a table of formats, and every document that is off."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--messages", type=int, default=1000, help="messages whose sizes are compared")
    options.add_argument("--documents", nargs="*", default=documents.names())
    given = options.parse_args()
    sizes: dict[tuple[str, str], dict[str, float]] = {}
    times: dict[tuple[str, str], dict[str, Interval]] = {}
    for document in given.documents:
        service = named.imported(f"fleet:viotti/{document}")
        (call,) = service.schema.calls
        original = service.payloads[call.name][0].request
        generator = Generator(fitted_to(service, call), service.schema)
        made = [generator.sample(index)[0] for index in range(given.messages)]
        different = len({json.dumps(payload) for payload in made})
        print(f"{document}: {different} different messages of {len(made)}", flush=True)
        for format_, encode, decode in independent.encoders(service.schema, call.request):
            for after, name in ((bytes, "plain"), (independent.compressed, "gzip")):
                mean = sum(len(after(encode(payload))) for payload in made) / len(made)
                size = len(after(encode(original)))
                # Protobuf sends nothing for a message of defaults.
                sizes.setdefault((format_, name), {})[document] = mean / size if size else 1.0
            ours, theirs = fresh(made[:MESSAGES]), fresh([original] * MESSAGES)
            encoded = [encode(payload) for payload in ours], [encode(payload) for payload in theirs]
            times.setdefault((format_, "encode"), {})[document] = ratio(encode, ours, theirs, given.rounds)
            times.setdefault((format_, "parse"), {})[document] = ratio(decode, *encoded, given.rounds)
    show(sizes, times)


def fresh(messages: Sequence[Json]) -> list[Json]:
    """Copies that share nothing."""
    return [json.loads(json.dumps(message)) for message in messages]


def ratio(of: Callable[..., object], ours: Sequence[object], theirs: Sequence[object], rounds: int) -> Interval:
    """The processor time for ours over that for theirs."""
    # A collection would hit one side or the other.
    gc.collect()
    gc.disable()
    repeats = 1
    while spent(of, theirs, repeats) < SLICE_NS:
        repeats *= 2
    ratios = []
    for number in range(rounds):
        sides = [ours, theirs] if number % 2 else [theirs, ours]
        first, second = (spent(of, side, repeats) for side in sides)
        ratios.append(first / second if number % 2 else second / first)
    gc.enable()
    return paired(ratios).interval(0.95)


def spent(of: Callable[..., object], messages: Sequence[object], repeats: int) -> int:
    """Nanoseconds of processor time."""
    began = time.thread_time_ns()
    for _ in range(repeats):
        for message in messages:
            of(message)
    return time.thread_time_ns() - began


def show(sizes: dict[tuple[str, str], dict[str, float]], times: dict[tuple[str, str], dict[str, Interval]]) -> None:
    """Print what was measured."""
    print("\n| format | | mean ratio | lowest | highest | off by more than 5 % |\n|---|---|---:|---:|---:|---|")
    for (format_, what), by in sizes.items():
        off = [f"{name} {value:.3f}" for name, value in by.items() if abs(value - 1) > ASKED]
        row(format_, f"bytes, {what}", list(by.values()), off)
    for (format_, what), of in times.items():
        ends = {name: (interval.low or 0.0, interval.high or math.inf) for name, interval in of.items()}
        off = [f"{name} {low:.2f} to {high:.2f}" for name, (low, high) in ends.items() if outside(low, high)]
        undecided = sum(low < 1 - ASKED or high > 1 + ASKED for low, high in ends.values()) - len(off)
        row(format_, f"{what} ({undecided} undecided)", [interval.middle for interval in of.values()], off)


def outside(low: float, high: float) -> bool:
    """Whether a whole interval is off by more than is asked."""
    return low > 1 + ASKED or high < 1 - ASKED


def row(format_: str, what: str, values: Sequence[float], off: Sequence[str]) -> None:
    """Print a line of the table."""
    mean = math.exp(sum(map(math.log, values)) / len(values))
    print(f"| {format_} | {what} | {mean:.3f} | {min(values):.3f} | {max(values):.3f} | {', '.join(off) or '-'} |")


if __name__ == "__main__":
    main()
