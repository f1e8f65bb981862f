"""An advice for programs: what `callbench advise --json` prints, and what advice.json keeps. Sealed by a schema."""

import math
from collections.abc import Mapping
from typing import Any

from callbench.analysis.advice.advice import Advice
from callbench.analysis.advice.checks import Check
from callbench.analysis.advice.choice import LEVEL, Choice
from callbench.analysis.advice.regions import Axis, Regions
from callbench.analysis.advice.savings import CostLine
from callbench.report.advice.words import depends, headline, not_measured, reasons
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.interval import Interval, geometric_mean


def result(advice: Advice) -> dict[str, Any]:
    """Give everything that was computed. Times in µs or ms as the unit beside them says."""
    choice = advice.choice
    return {
        "verdict": str(choice.verdict),
        "sentence": headline(advice),
        "reasons": list(reasons(advice)),
        "choice": choice.best or None,
        "runner_up": choice.runner_up or None,
        "leaders": list(choice.leaders),
        "today": advice.situation.today or None,
        "leave_today": choice.leave,
        "goal": str(advice.situation.goal),
        "level": round(LEVEL, 6),
        "margin": advice.situation.margin,
        "error": {"share": math.expm1(advice.error.log), "links": list(advice.error.links)},
        "candidates": [{"stack": name, "value": _difference(one)} for name, one in advice.amounts.items()],
        **_beside(choice),
        "savings": {"beside": advice.beside or None, "lines": [_saving(one) for one in advice.lines]},
        "objective": [
            {"stack": one.stack, "link": one.link, "ms": _difference(one.ms), "outcome": str(one.outcome)}
            for one in advice.met
        ],
        "languages": {
            "measured": list(advice.languages.measured),
            "shared": [{"counted": one.counted, "stacks": dict(one.stacks)} for one in advice.languages.shared],
            "bound": [
                {"stack": name, "value": _interval(geometric_mean(list(values.values())))}
                for name, values in advice.languages.bound.items()
            ],
        },
        "left_out": [{"stack": one.stack, "why": list(one.why), "required": one.required} for one in advice.left_out],
        "failing": list(advice.failing),
        "checks": [_check(one) for one in advice.checks],
        "depends": depends(advice),
        "regions": None if advice.map is None else _regions(advice.map),
        "not_measured": not_measured(advice),
    }


def _beside(choice: Choice) -> dict[str, Any]:
    """Compare the other candidates with the choice, and all with what is used today."""
    return {
        "beside_the_choice": [
            {
                "stack": one.name,
                "ratio": None if one.ratio is None else _interval(one.ratio),
                "behind": one.behind,
                "equivalent": one.equivalent,
            }
            for one in (choice.comparison.others if choice.comparison else ())
        ],
        "beside_today": {
            name: {
                "decision": str(one.decision),
                "ratio": _interval(one.ratio),
                "adjusted_p": one.adjusted_p,
                "more_forks": one.more_forks,
            }
            for name, one in (choice.moves or {}).items()
        },
    }


def _saving(one: CostLine) -> dict[str, Any]:
    return {
        "name": one.name,
        "unit": one.unit,
        "own": _difference(one.own),
        "other": _difference(one.other),
        "saved": _difference(one.saved),
        "predicted": one.predicted,
    }


def _check(one: Check) -> dict[str, Any]:
    return {
        "stack": one.stack,
        "group": one.group,
        "link": one.link,
        "figure": one.what,
        "predicted_us": _interval(one.predicted),
        "measured_us": _interval(one.measured),
        "measured_over_predicted": _interval(one.off),
    }


def _interval(one: Interval) -> Mapping[str, Any]:
    return {"value": one.middle, "low": one.low, "high": one.high, "forks": one.forks}


def _difference(one: Difference | None) -> Mapping[str, Any] | None:
    return None if one is None else {"value": one.middle, "low": one.low, "high": one.high, "forks": one.forks}


def _regions(found: Regions) -> dict[str, Any]:
    return {
        "names": list(found.names),
        "x": _axis(found.x),
        "y": _axis(found.y),
        "winners": [list(row) for row in found.winners],
        "tied": [list(row) for row in found.tied],
        "call": found.call,
        "fixed": found.fixed,
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {"name": axis.name, "unit": axis.unit, "places": list(axis.places), "situation": axis.here}
