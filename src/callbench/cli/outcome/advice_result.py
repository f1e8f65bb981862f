"""An advice that was just computed: kept, printed, and written as its page."""

import json
import sys

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


def show(result: AdviceResult, situation: Situation, *, for_programs: bool) -> Outcome:
    """Keeps and prints it. Returns what the program is to end with."""
    run, sizes = result.subject.run, result.sizes
    held_back = [held.run for held in result.held_back]
    computed = report.as_result(result)
    kept = stored.write(run, situation, held_back, None if sizes is None else sizes.run, computed)
    shown = report.of(kept, result, computed)
    page = report.write(shown, "html", None)
    if for_programs:
        print_json(json.loads(as_json(shown)))
        print(f"page:   {page}\nadvice: {kept.path}", file=sys.stderr)  # noqa: T201
    else:
        print_ending(shown.opening, {"page": page, "advice": kept.path}, console(), show_command(kept.path))
    return _OUTCOMES.get(result.advice.choice.verdict, Outcome.PASSED)
