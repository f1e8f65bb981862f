"""Every kind of record but a run of a study and a comparison: how its report is made."""

from collections.abc import Callable, Mapping

from callbench.model.errors import BadInput
from callbench.report.capacity.capacity_report import capacity_report
from callbench.report.load.page import load_report
from callbench.report.peer import peer_report
from callbench.report.record_report import RecordReport
from callbench.report.stability.overload_report import overload_report
from callbench.report.stability.soak_report import soak_report
from callbench.report.stability.torture_report import torture_report
from callbench.store.record import Record

REPORTS: Mapping[str, Callable[[Record], RecordReport]] = {
    "load": load_report,
    "soak": soak_report,
    "overload": overload_report,
    "torture": torture_report,
    "peer": peer_report,
    "capacity": capacity_report,
}


def report_of(run: Record) -> RecordReport:
    """Return the report of a record.

    Raises:
        BadInput: it is of a kind that this version does not know, or damaged.
    """
    make = REPORTS.get(run.kind)
    if make is None:
        raise BadInput(f"{run.path} is a record of the kind {run.kind}, which this Callbench does not know")
    return make(run)
