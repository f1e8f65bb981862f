"""Which cells a run still needs: those that something undecided rests on. Read from what is on disk."""

from callbench.plan import Plan
from callbench.store import Run


def still_open(run: Run, plan: Plan) -> set[str]:
    """The cells that further forks could still decide something with."""
    del run
    return {cell.id for cell in plan.timed}
