"""A call over a link and its cost, from what was measured without one.

time = processor parts, as measured on this machine + round trips x the link's delay + bytes on the link / its rate.
money of a month = calls of a month x (processor time x its price + bytes to the client x their price).
All of it fork by fork, so that what a fork does to all stacks cancels out where they are compared.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from callbench.analysis.advice.figures import AddedTime, Every, Figures, OverLink
from callbench.model.situation import MONTH_S, Goal, Situation, SituationLink
from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.wire.link import Way, Wire, on_the_line_ms, ways

_HOUR_US = 3.6e9
_Spent = TypeVar("_Spent", OverLink, AddedTime)


def latency_us(figures: Figures, wire: Wire, metric: str) -> ByBlock:
    """Predict a latency over a link, by fork: as here, and what the link adds.

    That is exact for a mean. For a percentile it holds as far as the link adds the same to each call.

    Returns:
        Microseconds; empty where the record lacks the figure, or the bytes were not counted and the link has any.
    """
    values = figures.here.latency_us.get(metric, {})
    if not wire.get("link"):
        return dict(values)
    if not figures.account:
        return {}
    added = added_ms(figures, wire) * 1e3
    return {fork: here_us + added for fork, here_us in values.items()}


def added_ms(figures: Figures, wire: Wire) -> float:
    """Compute what a link adds to a call, in ms; where each call opens a connection, that takes a round trip more."""
    return on_the_line_ms(wire, figures.account, float(figures.account[0].get("connections", 0.0)))


def least_ms(figures: Figures, link: SituationLink) -> float:
    """Compute what a link adds to each call at least, in ms: no frame travels for less than the delay less its jitter.

    Returns:
        0 where the bytes were not counted, or there is no link.
    """
    if not link.wire.get("link") or not figures.account:
        return 0.0
    to_server, to_client = (_quickest(way) for way in ways(link.wire))
    return added_ms(figures, {"link": {"to_server": to_server, "to_client": to_client}})


def _quickest(way: Way) -> Way:
    """Give a direction as the frame meets it that jitter delays least."""
    return {**way, "delay_ns": way.get("delay_ns", 0) - way.get("jitter_ns", 0)}


def known_latency_us(figures: Figures, link: str, wire: Wire, metric: str) -> tuple[ByBlock, bool]:
    """Give a latency over a link, and whether it was measured: predicted where it was not."""
    measured = figures.over.get(link)
    if measured is not None and measured.latency_us.get(metric):
        return measured.latency_us[metric], True
    return latency_us(figures, wire, metric), not wire.get("link")


def processor_us(spent: OverLink | AddedTime, *, both: bool) -> ByBlock:
    """Add up the processor time of a call, by fork: of the server's side, or of both."""
    if not both:
        return dict(spent.server_us)
    return {fork: spent.server_us[fork] + spent.client_us[fork] for fork in spent.server_us.keys() & spent.client_us}


def at_least(figures: Figures) -> Figures:
    """Give the figures with the least that each can be: they differ from these where these are upper bounds.

    Processor time that a clock could not tell is one; so is the time without a link where Callbench was the limit.
    """
    here = _least(figures.here)
    if figures.at_most:
        here = replace(here, latency_us={name: dict.fromkeys(values, 0.0) for name, values in here.latency_us.items()})
    over = {link: _least(spent) for link, spent in figures.over.items()}
    return replace(figures, here=here, over=over, added=None if figures.added is None else _least(figures.added))


def _least(spent: _Spent) -> _Spent:
    least = spent.least_us
    return replace(
        spent,
        server_us=least.get("server_us", spent.server_us),
        client_us=least.get("client_us", spent.client_us),
        least_us={},
    )


def wire_bytes(figures: Figures) -> tuple[float, float] | None:
    """Give the bytes of a call in IP packets, to the server and to the client; None where they were not counted."""
    if not figures.account:
        return None
    there, back = (float(row["ip"] + row["tcp"] + row["payload"] + row["retransmitted"]) for row in figures.account)
    return there, back


def money_a_month(figures: Figures, situation: Situation, spent: OverLink | None = None) -> ByBlock:
    """Compute the money of a month in which every call is this one, by fork.

    Args:
        figures: of the stack with the call.
        situation: with prices and calls a second; without them the answer is empty.
        spent: the processor time to take instead of that without a link and what the links add to it.
    """
    prices, calls, sizes = situation.prices, situation.calls_per_s, wire_bytes(figures)
    if prices is None or calls is None or (prices.gigabyte_out and sizes is None):
        return {}
    out = prices.gigabyte_out * sizes[1] / 1e9 if sizes is not None else 0.0
    used = processor_us(spent or figures.here, both=prices.both_sides)
    if spent is None and figures.added is not None:
        more = processor_us(figures.added, both=prices.both_sides)
        used = {fork: us + more[fork] for fork, us in used.items() if fork in more}
    return {fork: calls * MONTH_S * (us / _HOUR_US * prices.processor_hour + out) for fork, us in used.items()}


def value(figures: Figures, situation: Situation, goal: Goal, measured: Collection[str] = ()) -> ByBlock:
    """Give what the goal wants small, of one stack with one call, by fork; empty where it is not known.

    Args:
        figures: of the stack with the call.
        situation: for links, prices and calls a second.
        goal: what is wanted small.
        measured: the links over which every candidate was measured. Over the others all are predicted: the error
            that all predictions share cancels out only where they are compared with each other.
    """
    match goal:
        case Goal.TIME:
            every = [
                (
                    link.share,
                    figures.over[link.name].latency_us["mean_us"]
                    if link.name in measured
                    else latency_us(figures, link.wire, "mean_us"),
                )
                for link in situation.links
            ]
            forks = set.intersection(*(set(values) for _, values in every))
            return {fork: sum(share * values[fork] for share, values in every) for fork in sorted(forks)}
        case Goal.MONEY:
            return money_a_month(figures, situation)
        case Goal.PROCESSOR:
            return processor_us(figures.here, both=situation.prices is None or situation.prices.both_sides)
        case Goal.BYTES:
            sizes = wire_bytes(figures)
            return dict.fromkeys(figures.here.latency_us.get("mean_us", {}), sum(sizes)) if sizes else {}


def is_at_most(figures: Figures, situation: Situation) -> bool:
    """Return whether only an upper bound is known of what the goal wants small."""
    return value(at_least(figures), situation, situation.goal) != value(figures, situation, situation.goal)


def here_alone(figures: Figures, situation: Situation) -> ByBlock:
    """Give the part of what the goal wants small that this machine's work makes, by fork: no delay and no bytes."""
    match situation.goal:
        case Goal.TIME:
            return dict(figures.here.latency_us.get("mean_us", {}))
        case Goal.MONEY if situation.prices is not None:
            return money_a_month(figures, replace(situation, prices=replace(situation.prices, gigabyte_out=0.0)))
        case Goal.BYTES:
            return dict.fromkeys(figures.here.latency_us.get("mean_us", {}), 0.0)
        case _:
            return value(figures, situation, situation.goal)


def measured_links(every: Every, names: Sequence[str], situation: Situation, groups: Mapping[str, float]) -> list[str]:
    """Name the links over which all of some stacks were measured: over the others, all are predicted."""
    each = [every[name, group] for name in names for group in groups]
    return [
        link.name
        for link in situation.links
        if all(
            known_latency_us(figures, link.name, link.wire, "mean_us")[1] and figures.over.get(link.name)
            for figures in each
        )
    ]


def mixed(every: Every, stack: str, groups: Mapping[str, float], of: Mapping[str, ByBlock]) -> ByBlock:
    """Take the mean over groups by their shares, by fork; empty where a group has none.

    Args:
        every: the figures, to see what the stack has.
        stack: whose.
        groups: shares by name.
        of: the values of the stack by group.
    """
    if any((stack, group) not in every or not of.get(group) for group in groups):
        return {}
    forks = set.intersection(*(set(of[group]) for group in groups))
    return {fork: sum(share * of[group][fork] for group, share in groups.items()) for fork in sorted(forks)}


def percentile_of(situation: Situation) -> tuple[str, str]:
    """Give the latency that the objective is of, as a metric and in words; p99 where there is none, or a mean."""
    share = situation.objective.share if situation.objective else None
    names = {0.5: "p50", 0.9: "p90", 0.999: "p999", 1.0: "max"}
    name = names.get(share, "p99") if share is not None else "p99"
    return f"{name}_us", name.replace("p999", "p99.9")
