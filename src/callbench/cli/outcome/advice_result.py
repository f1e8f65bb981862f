"""An advice that was just computed: kept, printed, and written as its page."""

import json
import sys
from pathlib import Path

from callbench.analysis.advice import stored
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.analysis.advice.result import AdviceResult
from callbench.cli.outcome.output import console, print_json
from callbench.model.situation import Situation
from callbench.report.advice import report
from callbench.report.ending import print_ending, show_command
from callbench.report.record_report import as_json
from callbench.stats.decide.decision import Outcome

_OUTCOMES = {AdviceVerdict.UNDECIDED: Outcome.UNDECIDED, AdviceVerdict.NONE: Outcome.FAILED}


def show(result: AdviceResult, situation: Situation, *, for_programs: bool, page_alone: Path | None = None) -> Outcome:
    """Keeps and prints it. Returns what the program is to end with.

    Args:
        result: the advice.
        situation: what it is for.
        for_programs: whether it is printed as JSON.
        page_alone: where the page is written while nothing is kept beside the run; None: both stand beside it.
    """
    run, sizes = result.subject.run, result.sizes
    held_back = [held.run for held in result.held_back]
    computed = report.as_result(result)
    advice = stored.as_stored(run, situation, held_back, None if sizes is None else sizes.run, computed)
    if page_alone is None:
        stored.write(advice)
    shown = report.of(advice, result, computed)
    page = report.write(shown, "html", page_alone)
    files = {"page": page} if page_alone is not None else {"page": page, "advice": advice.path}
    if for_programs:
        print_json(json.loads(as_json(shown)))
        for name, file in files.items():
            print(f"{name + ':':8}{file}", file=sys.stderr)  # noqa: T201
    else:
        print_ending(shown.opening, files, console(), show_command(advice.path) if page_alone is None else "")
    return _OUTCOMES.get(result.advice.choice.verdict, Outcome.PASSED)
