"""What came out of a group in a sentence or two, from the same ranking with ties that the table shows."""

from collections.abc import Sequence

from callbench.report.effects import effects
from callbench.report.rankings import Ranking
from callbench.report.subject import Subject
from callbench.report.words import some, ties
from callbench.results import Result
from callbench.stats.digits import figure

# Loads and links that are told one by one; the others stand in the ranking.
MOST_PLACES = 6


def of_group(subject: Subject, name: str, every: Sequence[Ranking]) -> str:
    """Say what came out of a group for every load and link, or nothing where it has no rate of a closed loop."""
    tables = [one for one in every if one.group == name]
    if not tables:
        return ""
    if len({(one.clients, one.link) for one in every}) == 1:
        return _of_one(subject, tables[0]) + "." + _effects(subject, tables)
    told = [f"with {one.where}: {_of_one(subject, one)}" for one in tables[:MOST_PLACES]]
    text = "; ".join(told) + "."
    if len(tables) > MOST_PLACES:
        text += f" The ranking has {len(tables) - MOST_PLACES} more loads and links of this group."
    return text + _effects(subject, tables)


def without_rates(subject: Subject, name: str) -> str:
    """Say what came out of a group that has no rate of a closed loop, or nothing where nothing was measured."""
    cells = [one for one in subject.results.cells if one.attributes["group"] == name]
    asked = [one for one in cells if one.open_loop is not None and one.trials]
    if asked:
        kept = sum(one.rate is not None for one in asked)
        return (
            f"{kept} of {len(asked)} cells kept the rate that was asked for; the section Open loop has their latency."
        )
    if any(one.id in subject.results.sweeps for one in cells):
        return "bytes were counted by type or by size; the section Overhead has them."
    if any(one.id in subject.results.ledgers for one in cells):
        return "bytes were counted and nothing was timed; the section Wire ledger has them."
    return ""


def in_process(subject: Subject, result: Result) -> bool:
    """Say whether one program plays both sides of a stack's call."""
    card = subject.cards.get(result.attributes["stack"], {}).get("card") or {}
    return bool(card.get("roles") == "in-process")


def _effects(subject: Subject, tables: Sequence[Ranking]) -> str:
    """Say how much message and channel matter, at the first load and link that has them crossed."""
    for one in tables:
        outside = [cell for cell in one.ranked if not in_process(subject, cell)]
        told = effects(outside, subject.cards)
        if told:
            where = f", with {one.where}" if len(tables) > 1 else ""
            return "".join(f" Within {adapter}{where}: {text}." for adapter, text in told.items())
    return ""


def _of_one(subject: Subject, table: Ranking) -> str:
    """Say who is fastest and slowest of one ranking, and who cannot be told from them."""
    left = len(table.cells) - len(table.ranked)
    besides = f" ({left} more not ranked)" if left and table.ranked else ""
    if not table.ranked:
        who = f"none of {left} is ranked" if left > 1 else f"{_first(subject, table)}, not ranked"
        return f"{who}: {_doubts(table)}"
    if len(table.cells) == 1:
        return _first(subject, table)
    if len(table.ranked) == 1:
        return f"{_first(subject, table)}, with nothing ranked beside it{besides}"
    if not table.standings:
        ends = sorted(table.ranked, key=_middle)
        spread = f"from {_named(ends[0], table, subject)} to {_named(ends[-1], table, subject)}"
        return f"{spread}, in one block, which tells nobody apart{besides}"
    return _ends(subject, table) + besides


def _first(subject: Subject, table: Ranking) -> str:
    return _named(table.cells[0] if not table.ranked else table.ranked[0], table, subject)


def _doubts(table: Ranking) -> str:
    """List why cells are not ranked, each reason once and short: the ranking has them whole."""
    whys = (why for one in table.cells for why in (*one.doubts, *([one.excluded] if one.excluded else ())))
    return some(list(dict.fromkeys(why.removeprefix("at least: ").partition(": ")[0] for why in whys)), 2)


def _middle(one: Result) -> float:
    return one.rate.middle if one.rate else 0.0


def _ends(subject: Subject, table: Ranking) -> str:
    """Say who leads and who comes last, of stacks between processes where there are two of them."""
    outside = {place for place, one in enumerate(table.ranked) if not in_process(subject, one)}
    between = "between processes " if 1 < len(outside) < len(table.ranked) else ""
    among = outside if len(outside) > 1 else set(range(len(table.ranked)))
    own = [one for one in table.standings if one.index in among]
    by_rate = sorted((one.index for one in own), key=lambda place: _middle(table.ranked[place]))
    led = {one.index for one in own if not among.isdisjoint(one.behind)}
    ahead = {other for one in own for other in one.behind}
    leaders, last = [one for one in reversed(by_rate) if one not in led], [one for one in by_rate if one not in ahead]

    def named(place: int) -> str:
        return _named(table.ranked[place], table, subject)

    if len(leaders) == len(own):
        who = "the two" if len(own) == 2 else f"the {len(own)}"
        return f"{between}{who} cannot be told apart: from {named(by_rate[0])} to {named(by_rate[-1])}"
    first, slow = (
        named(group[0]) + ties([_name(table.ranked[place], table, subject) for place in group[1:]])
        for group in (leaders, last)
    )
    return f"{between}the fastest was {first}, the slowest {slow}"


def _named(one: Result, table: Ranking, subject: Subject) -> str:
    """Name a stack with its rate: `bin over tcp (26,000 calls/s)`."""
    rate = one.rate
    text = figure(rate.middle, rate.half_width) if rate else ""
    return f"{_name(one, table, subject)} ({text} calls/s)"


def _name(one: Result, table: Ranking, subject: Subject) -> str:
    """Name a stack as the study's rows do, or by message and channel where all are of one adapter."""
    stack = one.attributes["stack"]
    name = subject.every_name.get(stack)
    if name is not None:
        return name
    pairs = [(each.attributes["message"], each.attributes["channel"]) for each in table.cells]
    mine = one.attributes["message"], one.attributes["channel"]
    alone = pairs.count(mine) == 1 and len({each.attributes["adapter"] for each in table.cells}) == 1
    return f"{mine[0]} over {mine[1]}" if alone else stack
