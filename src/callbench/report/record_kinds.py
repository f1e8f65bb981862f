"""Every kind of record but a run of a study and a comparison: how its report is made.

Each is imported when it is asked for, so that showing one record loads what tells of that kind alone.
"""

from collections.abc import Callable, Mapping

from callbench.model.errors import BadInput
from callbench.report.record_report import RecordReport
from callbench.store.record import Record


def _load(run: Record) -> RecordReport:
    from callbench.report.load.load_report import load_report

    return load_report(run)


def _soak(run: Record) -> RecordReport:
    from callbench.report.stability.soak_report import soak_report

    return soak_report(run)


def _overload(run: Record) -> RecordReport:
    from callbench.report.stability.overload_report import overload_report

    return overload_report(run)


def _torture(run: Record) -> RecordReport:
    from callbench.report.stability.torture_report import torture_report

    return torture_report(run)


def _peer(run: Record) -> RecordReport:
    from callbench.report.peer.peer_report import peer_report

    return peer_report(run)


def _capacity(run: Record) -> RecordReport:
    from callbench.report.capacity.capacity_report import capacity_report

    return capacity_report(run)


REPORTS: Mapping[str, Callable[[Record], RecordReport]] = {
    "load": _load,
    "soak": _soak,
    "overload": _overload,
    "torture": _torture,
    "peer": _peer,
    "capacity": _capacity,
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
