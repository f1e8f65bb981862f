"""Whether a run measured what it was to measure: what its exit code follows from."""

from callbench.store import Run

# Lines of the journal that something was measured for.
_MEASURED = ("trial", "ledger", "sweep", "step")


def shortcomings(run: Run) -> list[str]:
    """What went wrong in a run, a sentence each; empty where nothing did.

    A stack that cannot run on this machine, or lacks a call, is no shortcoming, unless nothing is left then.
    """
    found: dict[str, None] = {}
    measured = False
    for line in run.lines():
        measured = measured or line["kind"] in _MEASURED
        if line["kind"] == "excluded" and line.get("failed"):
            where = f", {line['cell']}" if line["cell"] else ""
            found[f"{line['stack']}{where} was left out: {line['why']}"] = None
    return [*found, *([] if measured else ["nothing was measured"])]
