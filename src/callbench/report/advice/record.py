"""An advice for programs: what `callbench advise --json` prints, and what advice.json keeps. Sealed by a schema."""

import math
from collections.abc import Mapping

from callbench.analysis.advice.advice import Advice
from callbench.analysis.advice.checks import Check
from callbench.analysis.advice.choice import LEVEL, Choice
from callbench.analysis.advice.regions import Axis, Regions
from callbench.analysis.advice.savings import CostLine
from callbench.report.advice.words import depends, headline, not_measured, reasons
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.interval import Interval, geometric_mean


def result(advice: Advice) -> dict[str, object]:
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
        "candidates": [
            {"stack": name, "value": _difference(amount), "at_most": name in advice.at_most}
            for name, amount in advice.amounts.items()
        ],
        **_beside(choice),
        "savings": {"beside": advice.beside or None, "lines": [_saving(line) for line in advice.lines]},
        "objective": [
            {"stack": check.stack, "link": check.link, "ms": _difference(check.ms), "outcome": str(check.outcome)}
            for check in advice.met
        ],
        "languages": {
            "measured": list(advice.languages.measured),
            "shared": [
                {"counted": language.counted, "stacks": dict(language.stacks)} for language in advice.languages.shared
            ],
            "bound": [
                {"stack": name, "value": _interval(geometric_mean(list(values.values())))}
                for name, values in advice.languages.bound.items()
            ],
        },
        "left_out": [
            {"stack": refused.stack, "why": list(refused.why), "required": refused.required}
            for refused in advice.left_out
        ],
        "failing": list(advice.failing),
        "checks": [_check(check) for check in advice.checks],
        "depends": depends(advice),
        "regions": None if advice.map is None else _regions(advice.map),
        "not_measured": not_measured(advice),
    }


def _beside(choice: Choice) -> dict[str, object]:
    """Compare the other candidates with the choice, and all with what is used today."""
    return {
        "beside_the_choice": [
            {
                "stack": other.name,
                "ratio": None if other.ratio is None else _interval(other.ratio),
                "behind": other.behind,
                "equivalent": other.equivalent,
                "no_better": other.no_better,
            }
            for other in (choice.comparison.others if choice.comparison else ())
        ],
        "beside_today": {
            name: {
                "decision": str(move.decision),
                "ratio": _interval(move.ratio),
                "adjusted_p": move.adjusted_p,
                "more_forks": move.more_forks,
            }
            for name, move in (choice.moves or {}).items()
        },
    }


def _saving(line: CostLine) -> dict[str, object]:
    return {
        "name": line.name,
        "unit": line.unit,
        "own": _difference(line.own),
        "other": _difference(line.other),
        "saved": _difference(line.saved),
        "predicted": line.predicted,
        "at_most": {"own": line.at_most[0], "other": line.at_most[1]},
    }


def _check(check: Check) -> dict[str, object]:
    return {
        "stack": check.stack,
        "group": check.group,
        "link": check.link,
        "figure": check.what,
        "predicted_us": _interval(check.predicted),
        "measured_us": _interval(check.measured),
        "measured_over_predicted": _interval(check.off),
    }


def _interval(interval: Interval) -> Mapping[str, object]:
    return {"value": interval.middle, "low": interval.low, "high": interval.high, "forks": interval.forks}


def _difference(difference: Difference | None) -> Mapping[str, object] | None:
    return (
        None
        if difference is None
        else {"value": difference.middle, "low": difference.low, "high": difference.high, "forks": difference.forks}
    )


def _regions(regions: Regions) -> dict[str, object]:
    return {
        "names": list(regions.names),
        "x": _axis(regions.x),
        "y": _axis(regions.y),
        "winners": [list(row) for row in regions.winners],
        "tied": [list(row) for row in regions.tied],
        "call": regions.call,
        "fixed": regions.fixed,
    }


def _axis(axis: Axis) -> dict[str, object]:
    return {"name": axis.name, "unit": axis.unit, "places": list(axis.places), "situation": axis.here}
