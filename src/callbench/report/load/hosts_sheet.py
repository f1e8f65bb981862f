"""What each host of clients did in a load, as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from callbench.report.text.section import Sheet
from callbench.stats.estimate.digits import percent

_COLUMNS = ("host", "clients", "calls", "errors", "began late, µs", "clock known to, µs", "driver busy", "host busy")


def hosts_sheet(generators: Sequence[Mapping[str, Any]]) -> Sheet:
    """Make the table from what the record has of each host."""
    rows = [
        (
            one["host"],
            f"{one['clients']:,}",
            f"{one['calls']:,}",
            f"{one['errors']:,}",
            f"{one['late_start_ns'] / 1e3:,.0f}",
            f"{one['clock_bound_ns'] / 1e3:,.0f}",
            percent(one["driver_busy"]),
            percent(one["host_busy"]),
        )
        for one in generators
    ]
    return Sheet("Hosts of clients", _COLUMNS, rows, "A host begins late if its order came late.")
