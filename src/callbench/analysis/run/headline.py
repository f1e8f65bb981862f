"""What a group says besides its ranking, in a sentence or two: how much message and channel matter, or bytes alone."""

from collections.abc import Sequence

from callbench.analysis.cells.results import Result
from callbench.analysis.judge.effects import effects
from callbench.analysis.run.rankings import Ranking, in_process
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import some
from callbench.stats.estimate.digits import figure


def of_group(subject: Subject, name: str, every: Sequence[Ranking]) -> str:
    """Describe what a group with rates of a closed loop says besides who leads; nothing if it has nothing to add."""
    tables = [table for table in every if table.group == name]
    alone = [table for table in tables if len(table.cells) == 1]
    texts = [_alone(subject, table, places=len(tables) > 1) for table in alone[:MOST_PLACES]]
    if len(alone) > MOST_PLACES:
        texts.append(f"the table All cells has {len(alone) - MOST_PLACES} more loads and links of this group")
    text = "; ".join(texts) + "." if texts else ""
    return f"{text} {_effects(subject, tables)}".strip()


# Loads and links that are named one by one.
MOST_PLACES = 6


def without_rates(subject: Subject, name: str) -> str:
    """Describe the results of a group that has no rate of a closed loop, or nothing if nothing was measured."""
    cells = [cell for cell in subject.results.cells if cell.attributes["group"] == name]
    open_loops = [cell for cell in cells if cell.open_loop is not None and cell.trials]
    if open_loops:
        kept = sum(cell.rate is not None for cell in open_loops)
        return f"{kept} of {len(open_loops)} cells reached the requested rate. The section Open loop has their latency."
    if any(cell.rate is not None for cell in cells):
        return ""
    if any(cell.id in subject.results.sweeps for cell in cells):
        return "bytes were counted by type or by size. The section Bytes by type and size has them."
    if any(cell.id in subject.results.ledgers for cell in cells):
        return "bytes were counted, and nothing was timed. The section Wire ledger has them."
    return ""


def middle(cell: Result) -> float:
    """Return a rate, to put cells in order."""
    return cell.rate.middle if cell.rate else 0.0


def stack_name(cell: Result, table: Ranking, subject: Subject) -> str:
    """Name a stack as the study's rows do, or by message and channel where all are of one adapter."""
    stack = cell.attributes["stack"]
    name = subject.every_name.get(stack)
    if name is not None:
        return name
    pairs = [(each.attributes["message"], each.attributes["channel"]) for each in table.cells]
    mine = cell.attributes["message"], cell.attributes["channel"]
    alone = pairs.count(mine) == 1 and len({each.attributes["adapter"] for each in table.cells}) == 1
    return f"{mine[0]} over {mine[1]}" if alone else stack


def _effects(subject: Subject, tables: Sequence[Ranking]) -> str:
    """Describe how much message and channel matter, at the first load and link that has them crossed."""
    for table in tables:
        outside = [cell for cell in table.ranked if not in_process(subject, cell)]
        effect_sentences = effects(outside, subject.cards)
        bounds = [stack_name(cell, table, subject) for cell in table.contenders[len(table.ranked) :]]
        without = f" Not counted, since they have no rank: {some(bounds)}." if bounds else ""
        if effect_sentences:
            where = f", with {table.where}" if len(tables) > 1 else ""
            sentences = (f"Within {adapter}{where}: {text}." for adapter, text in effect_sentences.items())
            return " ".join(sentences) + without
    return ""


def _alone(subject: Subject, table: Ranking, *, places: bool) -> str:
    """Describe what the only stack of a ranking reached."""
    cell = table.cells[0]
    rate = figure(cell.rate.middle, cell.rate.half_width) if cell.rate else ""
    name = f"{stack_name(cell, table, subject)} ({rate} calls/s)"
    left = f", not ranked: {some([why.partition(': ')[0] for why in cell.whys], 2)}"
    return (f"with {table.where}: " if places else "") + name + (left if cell.whys else "")
