"""How much a call's time grows with each client."""

from collections.abc import Mapping

from callbench.stats.estimate.difference import Difference, mean

ByBlock = Mapping[int, float]


def slope(times: Mapping[int, ByBlock]) -> Difference | None:
    """Compute the time that each client adds to a call, fork by fork, from the fewest to the most clients.

    Slope = (difference in time) / (difference in clients): the published theses on middleware of 2003 rank their
    stacks by it (MSE-2003:22, value 19). The interval is Student's t over the forks ("The probable error of a
    mean", Biometrika 6, 1908).

    Args:
        times: by number of clients, the mean time of a call in each fork.

    Returns:
        The slope in the unit of the times a client, or None if no fork has two numbers of clients.
    """
    few, many = min(times, default=0), max(times, default=0)
    if few == many:
        return None
    common = sorted(set(times[few]) & set(times[many]))
    each = [(times[many][fork] - times[few][fork]) / (many - few) for fork in common]
    return mean(each) if each else None
