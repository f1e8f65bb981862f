"""A load that was kept, in tables, a chart and sentences, as records of stability are."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from callbench.analysis.load import endpoints
from callbench.analysis.load.stored import read_result
from callbench.analysis.stability.formatting import mib
from callbench.analysis.words import counted
from callbench.report.charts.draw import chart
from callbench.report.charts.over_time import Panel, over_time
from callbench.report.load.endpoints_sheet import endpoints_sheet, most_time
from callbench.report.load.words import missed
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.backlog import Backlog
from callbench.stats.digits import figure, percent
from callbench.store.head import SEAL
from callbench.store.record import Record

_KINDS = ("latency", "service", "lateness")
# What the head says of how the record is kept.
_OF_THE_STORE = (SEAL, "secrets")
_SOURCE = "journal.jsonl: the line `result` (intervals, latency_us, errors)"


def load_report(run: Record) -> RecordReport:
    """Describe a load.

    Raises:
        BadInput: it was stopped before it had a result.
    """
    head = {name: value for name, value in run.info.items() if name not in _OF_THE_STORE}
    record = {**head, "environment": run.environment(), **read_result(run)}
    clients = counted(record["clients"], "client")
    target = record.get("rate_asked_per_s")
    loop = "a closed loop" if target is None else f"an open loop of {figure(float(target), 0.005)} calls/s"
    about = f"{record['url']}: {clients} in {loop}, {record['seconds']:.2f} s."
    return RecordReport(run, about, list(_sentences(record)), _sections(record), record, formats={"csv": table})


def _sentences(record: Mapping[str, Any]) -> Iterator[str]:
    verdict = record["verdict"]
    if record.get("stopped"):
        yield record["stopped"]
    if record.get("rate_missed"):
        yield missed(record["rate_asked_per_s"], record["rate_per_s"], _backlog(record))
    failed = sum(record["errors"].values())
    errors = "none failed" if not failed else f"{failed:,} failed"
    rate = f"{record['rate_per_s']:,.0f} calls/s"
    within = record.get("calls_in_window", record["calls"])
    yield f"{within:,.0f} calls answered in {record['seconds']:.2f} s, {rate}; {errors}."
    if record.get("in_flight"):
        yield (
            f"{record['in_flight']:,} in flight at the end count in the rate only if they did not wait. The last"
            f" answer came after {record['last_answer_after_s']:.2f} s."
        )
    if lines := record.get("endpoints"):
        yield from filter(None, [most_time(endpoints.summed([lines]))])
    for kind, count in record["errors"].items():
        yield f"{count:,} failed as {kind}: {record['error_messages'].get(kind, 'no further message')}"
    yield f"Limited by: {verdict['limit']}. {verdict['why']}."
    if server := record.get("server"):
        share = server["processor_ms"] / 1e3 / (record["seconds"] * server["processors"])
        sizes = " to ".join(mib(server[name]["resident_bytes"]) for name in ("begin", "end"))
        its = counted(server["processors"], "processor")
        yield f"The server used {percent(share)} of its {its}; memory {sizes} MiB."


def _backlog(record: Mapping[str, Any]) -> Backlog | None:
    waiting = record.get("backlog")
    return None if waiting is None else Backlog(waiting["middle"], waiting["end"])


def _sections(record: Mapping[str, Any]) -> list[Section]:
    rows = [(kind, times) for kind in _KINDS if (times := record.get(f"{kind}_us"))]
    sheets = []
    if rows:
        names = [name for name in rows[0][1] if name != "unknown"]
        known = [(kind, dict(_known(times))) for kind, times in rows]
        lines = [(kind, *(f"{times[name]:,.0f}" if name in times else "" for name in names)) for kind, times in known]
        few = list(rows[0][1].get("unknown", {}).values())
        sheets = [Sheet("Latency", ("µs", *names), lines, f"{'; '.join(few)}." if few else "")]
    if called := record.get("endpoints"):
        sheets.append(endpoints_sheet(endpoints.summed([called])))
    return [Section("load", "Load", "Latency is of all calls.", sheets=sheets, charts=_charts(record),
                    source=_SOURCE)]  # fmt: skip


def _charts(record: Mapping[str, Any]) -> list[Chart]:
    rates, failed, last = [], [], (0, 0, 0)
    for at_ns, calls, errors in record["intervals"]:
        if at_ns > last[0]:
            long_s = (at_ns - last[0]) / 1e9
            rates.append((at_ns / 1e9, (calls - last[1]) / long_s))
            failed.append((at_ns / 1e9, (errors - last[2]) / long_s))
        last = (at_ns, calls, errors)
    lines = {"calls/s": rates} | ({"errors/s": failed} if any(value for _, value in failed) else {})
    drawn = chart("load-time", "Over time", "Calls answered in each interval.",
                  over_time([Panel("per second", lines)], {}), _SOURCE)  # fmt: skip
    return [drawn] if drawn else []


def _known(times: Mapping[str, Any] | None) -> list[tuple[str, float]]:
    """Return the times that enough calls know."""
    return [(name, time) for name, time in (times or {}).items() if isinstance(time, int | float)]


def table(one: RecordReport) -> str:
    """Write it as CSV, a value a line; times in microseconds, rates in calls a second."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(("what", "name", "value"))
    for name in ("url", "clients", "seconds", "calls", "rate_per_s"):
        lines.writerow(("load", name, one.record[name]))
    for kind in _KINDS:
        lines.writerows((f"{kind}_us", *pair) for pair in _known(one.record.get(f"{kind}_us")))
    for endpoint in one.record.get("endpoints") or ():
        what = f"latency_us of {endpoint['name']}"
        lines.writerow((what, "calls", endpoint["calls"]))
        lines.writerows((what, *pair) for pair in _known(endpoint["latency_us"]))
    lines.writerows(("errors", name, count) for name, count in one.record["errors"].items())
    lines.writerow(("verdict", "limit", one.record["verdict"]["limit"]))
    return out.getvalue()
