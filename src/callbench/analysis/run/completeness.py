"""Whether a run measured what it was to measure: what its exit code follows from."""

from collections.abc import Mapping

from callbench.catalog.study.cells import LOOPBACK
from callbench.store.record import Record

# Lines of the journal that something was measured for.
_MEASURED = ("trial", "round", "ledger", "sweep", "step")


def shortcomings(run: Record) -> list[str]:
    """What went wrong in a run, a sentence each; empty if nothing did.

    A stack that cannot run on this machine, or lacks a call, is no shortcoming, unless nothing is left then.
    """
    found: dict[str, None] = {}
    measured = False
    cells = {cell["id"]: cell for cell in run.plan().get("cells", [])}
    for line in run.lines():
        measured = measured or line["kind"] in _MEASURED
        if line["kind"] == "excluded" and line.get("failed"):
            found[f"{line['stack']}{_where(cells.get(line['cell']))} was excluded: {line['why']}"] = None
    return [*found, *([] if measured else ["nothing was measured"])]


def _where(cell: Mapping[str, object] | None) -> str:
    """Name which cell of its stack is meant; nothing of the whole stack."""
    if cell is None:
        return ""
    clients = "" if cell["clients"] == 1 else f", {cell['clients']} clients"
    return f", {cell['group']}{clients}" + ("" if cell["link"] == LOOPBACK else f" over {cell['link']}")
