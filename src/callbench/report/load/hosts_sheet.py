"""What each host of clients did in a load, as a table."""

from collections.abc import Sequence

from callbench.report.text.section import Sheet
from callbench.stats.estimate.digits import percent
from callbench.store.lines.load import LoadGenerator

_COLUMNS = ("host", "clients", "calls", "errors", "began late, µs", "clock known to, µs", "driver busy", "host busy")


def hosts_sheet(generators: Sequence[LoadGenerator]) -> Sheet:
    """Make the table from what the record has of each host."""
    rows = [
        (
            host["host"],
            f"{host['clients']:,}",
            f"{host['calls']:,}",
            f"{host['errors']:,}",
            f"{host['late_start_ns'] / 1e3:,.0f}",
            f"{host['clock_bound_ns'] / 1e3:,.0f}",
            percent(host["driver_busy"]),
            percent(host["host_busy"]),
        )
        for host in generators
    ]
    return Sheet("Hosts of clients", _COLUMNS, rows, "A host begins late if its order came late.")
