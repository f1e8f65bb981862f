"""Ladders of sizes: which to measure, and what lies between two that were."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence

# Sizes nearer than this are one: what a byte costs is far below the noise of a value there.
ALIKE = 1.25


def rungs(sizes: Sequence[int], most: int) -> list[int]:
    """Choose the sizes to measure: those asked for if they are few, else a ladder from the least to the greatest.

    Args:
        sizes: positive, in any order, at least one.
        most: how many rungs there may be, at least 2.

    Returns:
        Rising sizes; the least and the greatest asked for are among them, or one within `ALIKE` of them.
    """
    kept: list[int] = []
    for size in sorted(set(sizes), reverse=True):
        if not kept or kept[-1] > ALIKE * size:
            kept.append(size)
    kept.reverse()
    if len(kept) <= most:
        return kept
    step = (kept[-1] / kept[0]) ** (1 / (most - 1))
    return [kept[0], *(round(kept[0] * step**place) for place in range(1, most - 1)), kept[-1]]


def cross(pairs: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """Choose the pairs of request and answer to measure: each ladder by itself, the other side at its least.

    Args:
        pairs: the sizes of requests and of their answers, at least one pair.
        most: how many rungs each ladder may have, at least 2.

    Returns:
        Pairs, the one of both least sizes first.
    """
    requests, answers = (rungs([pair[side] for pair in pairs], most) for side in (0, 1))
    return [*((requests[0], answer) for answer in answers), *((request, answers[0]) for request in requests[1:])]


def between(ladder: Mapping[int, float], size: float) -> float:
    """Find the time of a size on a ladder, on the straight line between its neighbours; beyond its ends, their time.

    One more byte costs the same wherever it stands between two rungs, so the line is straight in time over size: in
    logarithms a constant with a slope becomes a curve, whose chord lies up to 6 % above it on a ladder by fours.

    Args:
        ladder: positive times by size, at least one.
        size: the size asked for.
    """
    sizes = sorted(ladder)
    place = bisect_left(sizes, size)
    if place == 0:
        return ladder[sizes[0]]
    if place == len(sizes):
        return ladder[sizes[-1]]
    low, high = sizes[place - 1], sizes[place]
    share = (size - low) / (high - low)
    return ladder[low] * (1 - share) + ladder[high] * share


def on_cross(times: Mapping[tuple[int, int], float], request: float, answer: float) -> float | None:
    """Find the time of a request and its answer on two crossing ladders.

    An answer is written when its request has been read whole, so what each costs adds up: the time is that of the
    answer with the least request, and what the request adds to its least.

    Args:
        times: positive times by sizes of request and answer, as `cross` chose them; some may be missing.
        request: bytes.
        answer: bytes.

    Returns:
        The time, or None if the ladders' common pair was not measured.
    """
    if not times:
        return None
    foot = min(pair[0] for pair in times), min(pair[1] for pair in times)
    if foot not in times:
        return None
    answers = {pair[1]: time for pair, time in times.items() if pair[0] == foot[0]}
    requests = {pair[0]: time for pair, time in times.items() if pair[1] == foot[1]}
    # A noisy rung can make the sum absurd: no request takes time away.
    added = max(0.0, between(requests, request) - times[foot])
    reached = between(answers, answer) + added
    return reached if math.isfinite(reached) else None
