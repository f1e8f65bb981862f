"""The situation that an advice is for, as it was given, and what was taken where nothing was said."""

from collections.abc import Iterator

from callbench.analysis.advice.advice import Advice
from callbench.model.situation import Goal
from callbench.report.advice.calling import CALLERS, encryption
from callbench.report.advice.words import goal
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import given, percent

GIVEN, DEFAULT = "given", "default"
# A row: what it is, its value, and the keys of the situation that say it.
_Row = tuple[str, str, tuple[str, ...]]


def your_situation(advice: Advice) -> Section:
    """Write the table of the situation. Each row says whether a person gave it."""
    said = advice.situation.source or {}
    rows = [
        (what, value, GIVEN if any(key in said for key in keys) else DEFAULT)
        for what, value, keys in (*_traffic(advice), *_requirements(advice), *_prices(advice))
    ]
    about = "What the advice is for. Options or a situation file replace what is marked as default."
    sheet = Sheet("Your situation", ("", "value", "from"), rows, unlike=True)
    return Section("situation", "Your situation", about, sheets=[sheet])


def _traffic(advice: Advice) -> Iterator[_Row]:
    situation = advice.situation
    for link in situation.links:
        yield f"link {link.name}", f"{percent(link.share)} of the traffic", ("links",)
    per_s = "not known" if situation.calls_per_s is None else given(situation.calls_per_s)
    yield "calls a second", per_s, ("calls_per_second",)
    for name, part in advice.groups.items():
        yield f"call {name}", f"{percent(part)} of the calls", ("calls",)


def _requirements(advice: Advice) -> Iterator[_Row]:
    situation = advice.situation
    yield "runs today", situation.today or "nothing", ("today",)
    yield "goal", goal(advice), ("goal",)
    yield "objective", situation.objective.text if situation.objective else "none", ("objective",)
    yield "languages", ", ".join(situation.languages) or "any", ("languages",)
    yield "who calls", CALLERS[situation.callers], ("browsers", "others")
    yield "encryption", encryption(advice), ("tls",)
    yield "people read messages", "yes" if situation.readable else "no", ("readable",)
    yield "difference that does not matter", percent(situation.margin), ("margin_percent",)


def _prices(advice: Advice) -> Iterator[_Row]:
    situation, prices = advice.situation, advice.situation.prices
    if prices is None:
        yield "prices", "none", ("prices",)
        return
    sides = "client and server" if prices.both_sides else "server"
    yield "processor-hour", f"{given(prices.processor_hour)} {prices.currency} ({sides})", ("prices",)
    yield "gigabyte out", f"{given(prices.gigabyte_out)} {prices.currency}", ("prices",)
    if situation.goal is Goal.MONEY:
        yield "a move is worth, a month", f"{given(situation.worth)} {prices.currency}", ("worth",)
