"""What watching the processes costs the fastest TCP stack: `python bench/sampling.py [PAIRS]`.

One server and one client, alive throughout, are driven in slices of half a second, each pair of slices in random order:
one with the sampler beside it, one without. Printed are the ratio of rates within the pairs, with its interval, and the
processor time of a look, which is the noiseless half of the answer: ten looks a second take that share of a processor.
"""

import random
import sys
import time

from callbench.adapter import placement
from callbench.adapter.stack.side_processes import processes_of
from callbench.adapter.stack.sides import Sides
from callbench.adapter.watch.sampler import PERIOD_S, Sampler
from callbench.catalog import catalogue
from callbench.stats.estimate.interval import geometric_mean

STACK = "native/bin+supertcp"
SLICE_S = 0.5
LOOKS = 300


def main() -> None:
    """Drives the pairs and prints both figures."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    dice = random.Random(1)  # noqa: S311 - an order to be repeated, not a secret
    known = catalogue.load()
    with Sides(known.adapter("native").manifest.both, placement.choose_placement(), in_process=False) as sides:
        sides.client.connect(STACK, sides.server.serve(STACK), 1)
        rate(sides, sampled=False)
        ratios = []
        for _ in range(pairs):
            order = [True, False]
            dice.shuffle(order)
            rates = {sampled: rate(sides, sampled=sampled) for sampled in order}
            ratios.append(rates[True] / rates[False])
        found = geometric_mean(ratios)
        print(f"rate of {STACK} watched over not watched: {found.middle:.4f} ({found.low:.4f} to {found.high:.4f})")
        print(f"processor time of the looks: {100 * look_s(sides) / PERIOD_S:.2f} % of a processor")


def rate(sides: Sides, *, sampled: bool) -> float:
    """Calls a second of one slice."""
    sampler = Sampler(lambda: processes_of(sides).by_side()) if sampled else None
    try:
        done = sides.client.drive("Sum", {"a": 1, "b": 2}, calls=1, seconds=SLICE_S)
    finally:
        if sampler is not None:
            sampler.stop()
    return done["calls"] / (done["elapsed_ns"] / 1e9)


def look_s(sides: Sides) -> float:
    """Processor time of one look at both sides, in seconds, with its share of looking for new processes."""
    sampler = Sampler(lambda: processes_of(sides).by_side(), period_s=3600)
    began = time.process_time()
    for number in range(LOOKS):
        if number % 20 == 0:
            sampler.search()
        sampler.sample()
    spent = (time.process_time() - began) / LOOKS
    sampler.stop()
    return spent


if __name__ == "__main__":
    main()
