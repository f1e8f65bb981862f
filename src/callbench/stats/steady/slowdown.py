"""What a known slowdown did to a rate."""

from collections.abc import Sequence


def ratios(pairs: Sequence[Sequence[int]]) -> list[float]:
    """The rate with the burn over that without, pair by pair."""
    return [
        (slow / slow_ns) / (plain / plain_ns)
        for plain, plain_ns, slow, slow_ns in pairs
        if plain and plain_ns and slow and slow_ns
    ]
