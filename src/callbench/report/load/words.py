"""Sentences on a load that its terminal and its page share."""

from callbench.stats.load.backlog import Backlog


def missed(asked_per_s: float, answered_per_s: float, backlog: Backlog | None) -> str:
    """Say that a server did not keep the rate that was asked for, so that its latencies are no result.

    Args:
        asked_per_s: the rate of an open loop.
        answered_per_s: the rate of its answers.
        backlog: calls that waited longer and longer; None where less was begun.
    """
    said = f"The rate of {asked_per_s:,.7g} calls/s was missed: {answered_per_s:,.0f} a second were answered"
    if backlog is None:
        return f"{said}. So these latencies are no result."
    return (
        f"{said}. {backlog.middle:,.0f} calls were waiting at half time, and {backlog.end:,.0f} at the end. So these"
        " latencies are no result: the longer the load, the longer they are."
    )
