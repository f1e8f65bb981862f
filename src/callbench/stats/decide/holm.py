"""Many comparisons at once."""

from collections.abc import Sequence


def holm(probabilities: Sequence[float]) -> list[float]:
    """Adjust probabilities so that the chance of any false alarm among them stays at the level each is compared with.

    Step-down: the k-th smallest of n is multiplied by n - k + 1, never below its predecessor, at most 1 (Holm, "A
    simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).

    Returns:
        The adjusted probabilities in the order given.
    """
    count = len(probabilities)
    adjusted = [0.0] * count
    highest = 0.0
    for rank, place in enumerate(sorted(range(count), key=lambda index: probabilities[index])):
        highest = max(highest, min(1.0, (count - rank) * probabilities[place]))
        adjusted[place] = highest
    return adjusted
