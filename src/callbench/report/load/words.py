"""Sentences on a load that its terminal and its page share."""

from callbench.stats.backlog import Backlog


def missed(asked_per_s: float, answered_per_s: float, backlog: Backlog | None) -> str:
    """Say that a server did not keep the rate that was asked for, so that latencies are those of a growing queue.

    Args:
        asked_per_s: the rate of an open loop.
        answered_per_s: the rate of its answers.
        backlog: calls that waited longer and longer; None where less was begun.
    """
    said = f"The rate of {asked_per_s:,.7g} calls/s was missed: {answered_per_s:,.0f} a second were answered"
    if backlog is not None:
        said += f", and the calls under way grew to {backlog.end:,.0f}, from {backlog.middle:,.0f} at half time"
    return f"{said}. So these latencies are no result: they grow with the time that is measured."


def counted(number: int, thing: str) -> str:
    """Write a number of things: `1 client`, `2 clients`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
