"""A load that was kept, in tables, a chart and sentences, as records of stability are."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import cast

from callbench.analysis.load import endpoints
from callbench.analysis.load.stored import read_result
from callbench.analysis.load.thresholds import from_record, undecided_sentence
from callbench.analysis.stability.formatting import mib
from callbench.analysis.wording.words import counted, sent_again_sentence
from callbench.report.charts.chart import chart
from callbench.report.charts.latency_curve import Quantile, latency_curve
from callbench.report.charts.over_time import DECIMAL, Panel, over_time
from callbench.report.load.endpoints_sheet import endpoints_sheet, most_time
from callbench.report.load.hosts_sheet import hosts_sheet
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import figure, given, percent
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.estimate.percentile_calls import fewest_calls, percentile_ends
from callbench.stats.load.backlog import Backlog
from callbench.stats.load.beginning import slow_beginning, slow_end
from callbench.stats.load.bottleneck import Limit, LimitVerdict
from callbench.stats.load.errors_over_time import per_second
from callbench.store.head import SEAL
from callbench.store.lines.load import LoadRecord
from callbench.store.lines.slices import LatencyFigures
from callbench.store.record import Record

# What the head says of how the record is kept.
_OF_THE_STORE = (SEAL, "secrets", "command")
# A client of the load driver rests no longer after an error (contract/LOOP.md), and that matters from such a share of
# the clients' time.
_LONGEST_REST_S, _RESTED = 0.5, 0.1
_HISTOGRAM = "journal.jsonl: the line `result` (histogram_ns)"
# Closely enough for a smooth curve: ten steps for each factor of ten beyond.
_CURVE = tuple(1 - 0.5 * 10 ** (-step / 10) for step in range(48))
_SOURCE = "journal.jsonl: the line `result` (intervals, latency_over_time, errors_over_time, latency_us, errors)"


def load_report(run: Record) -> RecordReport:
    """Describe a load.

    Raises:
        BadInput: it was stopped before it had a result.
    """
    head = {name: value for name, value in run.info.items() if name not in _OF_THE_STORE}
    result = read_result(run)
    record = {**head, "environment": run.environment(), **result}
    clients = counted(result["clients"], "client")
    target = result["rate_asked_per_s"]
    loop = "a closed loop" if target is None else f"an open loop of {figure(float(target), 0.005)} calls/s"
    about = f"{result['url']}: {clients} in {loop}, {result['seconds']:.2f} s."
    # Of a log, what is not sent.
    found = [*_sentences(result), *((run.request.get("server") or {}).get("notes") or ())]
    return RecordReport(run, about, found, _sections(result), record, formats={"csv": table},
                        verdict=_title(result))  # fmt: skip


def _sentences(record: LoadRecord) -> Iterator[str]:
    """Say what it came to, then what was wrong, then what limited it."""
    asked = record["rate_asked_per_s"]
    if stopped := record["stopped"]:
        yield stopped
    if record["rate_missed"] and asked is not None:
        yield _missed(asked, record["rate_per_s"], _backlog(record)) + _rested(record)
    verdict = LimitVerdict(Limit(record["verdict"]["limit"]), record["verdict"]["why"])
    failed = sum(record["errors"].values())
    errors = "none failed" if not failed else f"{failed:,} of {failed + record['calls']:,} calls failed"
    rate = _rate(record["rate_per_s"], verdict, begun=asked is not None and not record["rate_missed"])
    answered = counted(round(record["calls_in_window"]), "call")
    yield f"{answered} answered in {record['seconds']:.2f} s, {rate}; {errors}."
    window_ns = round(record["seconds"] * 1e9)
    if asked is None and (
        two := slow_beginning(record["intervals"], window_ns) or slow_end(record["intervals"], window_ns)
    ):
        yield two.sentence()
    open_ = [threshold["undecided"] for threshold in record["thresholds"] if threshold.get("undecided")]
    if failure := record["failure"]:
        yield failure
    elif open_:
        yield undecided_sentence(open_)
    yield from _errors(record)
    told = set() if failure else {*open_}
    for checked in map(from_record, record["thresholds"]):
        # That calls are too few is said once.
        if checked.few_calls not in told:
            yield checked.sentence
    # Each host that lacked something has a sentence of its own.
    starved = [generator["starved"] for generator in record.get("generators", ()) if generator["starved"]]
    limited, *others = [f"{why[:1].upper()}{why[1:]}." for why in starved or [verdict.why]]
    yield f"Limited by: {verdict.limit}. {limited}"
    yield from others
    yield from _ending(record)
    if lines := record["endpoints"]:
        yield from filter(None, [most_time(endpoints.summed([lines]))])
    yield from _server(record)
    latency = record["latency_us"]
    unknown = latency.get("unknown", {}).values() if latency else ()
    if few := [why for why in unknown if why not in told]:
        yield f"{'; '.join(few)}."


def _rate(per_s: float, verdict: LimitVerdict, *, begun: bool) -> str:
    """Write a rate. One that was asked for and begun is no lower bound of anything."""
    return f"{'at least ' if verdict.at_least and not begun else ''}{per_s:,.0f} calls/s"


def _errors(record: LoadRecord) -> Iterator[str]:
    # In an open loop, which client calls is chance.
    if (unserved := record["clients_unserved"]) and record["rate_asked_per_s"] is None:
        yield f"{unserved:,} of {counted(record['clients'], 'client')} got no right answer at all."
    if again := record.get("sent_again"):
        yield sent_again_sentence(again)
    for kind, count in record["errors"].items():
        yield f"{count:,} failed as {kind}: {record['error_messages'].get(kind, 'no further message')}"


def _ending(record: LoadRecord) -> Iterator[str]:
    """Describe what was still waited for when the time was over."""
    if record["in_flight"]:
        yield (
            f"{record['in_flight']:,} in flight at the end count in the rate only if they did not wait. The last"
            f" one ended after {record['last_answer_after_s']:.2f} s."
        )


def _server(record: LoadRecord) -> Iterator[str]:
    if server := record["server"]:
        share = server["processor_ms"] / 1e3 / (record["seconds"] * server["processors"])
        sizes = " to ".join(mib(reading["resident_bytes"]) for reading in (server["begin"], server["end"]))
        its = counted(server["processors"], "processor")
        yield f"The server used {percent(share)} of its {its}; memory {sizes} MiB."
    if unseen := record["server_unseen"]:
        yield f"{unseen[:1].upper()}{unseen[1:]}."


def _title(record: LoadRecord) -> str:  # noqa: PLR0911 - one for each kind of end
    """Say what the server answered, or what it failed at: `158 calls/s, half of them within 10.5 ms`."""
    rate = f"{record['rate_per_s']:,.0f} calls/s"
    thresholds, asked = record["thresholds"], record["rate_asked_per_s"]
    if record.get("server_death"):
        return f"Failed: the server died; {counted(record['calls'], 'call')} answered"
    if record["rate_missed"] and asked is not None:
        return f"Missed {given(asked)} calls/s: {rate} were answered"
    if not record["calls"]:
        return "Failed: no call succeeded"
    if failed := [threshold["fail_if"] for threshold in thresholds if threshold["failed"]]:
        return f"Failed: {', '.join(failed)}, at {rate}"
    share, unserved = record["error_share"], record["clients_unserved"] or 0
    # Clients rest after an error, so the calls of those that never get an answer are few.
    if asked is None and unserved > share * record["clients"]:
        return f"{unserved:,} of {counted(record['clients'], 'client')} got no right answer, at {rate}"
    if share:
        return f"{figure(share * 100, 0.05)} % of the calls failed, at {rate}"
    if unknown := [threshold["fail_if"] for threshold in thresholds if threshold.get("undecided")]:
        return f"Undecided whether {' and '.join(unknown)}, at {rate}"
    median = _percentile(record, "p50")
    slow = _percentile(record, "p99")
    verdict = LimitVerdict(Limit(record["verdict"]["limit"]), record["verdict"]["why"])
    rate = _rate(record["rate_per_s"], verdict, begun=record["rate_asked_per_s"] is not None)
    parts = [rate, *([f"half of them within {median}"] if median else []), *([f"p99 {slow}"] if slow else [])]
    return ", ".join(parts)


def _percentile(record: LoadRecord, name: str) -> str:
    """Write a percentile of the latency in milliseconds; "" if too few calls know it."""
    times = dict(_known(record["latency_us"]))
    return f"{figure(times[name] / 1e3, 0.005)} ms" if name in times else ""


def _curve(record: LoadRecord) -> Chart | None:
    """Draw the latency out to the percentile that enough calls know."""
    histogram = record["histogram_ns"]
    if histogram is None or not histogram["buckets"]:
        return None
    counted_ = Buckets.of(dict(histogram["buckets"]))
    calls = sum(count for _, count in histogram["buckets"])
    quantiles = []
    for share in _CURVE:
        ends = percentile_ends(counted_, share) if calls >= fewest_calls(share) else None
        if ends is not None:
            (middle,) = counted_.percentiles([share], histogram["min_ns"], histogram["max_ns"])
            quantiles.append(Quantile(share, middle / 1e6, ends[0] / 1e6, ends[1] / 1e6))
    about = "So many of the calls took no longer. The band is the 95 % interval. It ends where calls become too few."
    return chart("load-latency", "Latency by percentile", about, latency_curve({"": quantiles}), _HISTOGRAM)


def _missed(asked_per_s: float, answered_per_s: float, backlog: Backlog | None) -> str:
    """Say that a server did not keep the rate that was asked for, so that its latencies are no result.

    Args:
        asked_per_s: the rate of an open loop.
        answered_per_s: the rate of its answers.
        backlog: calls that waited longer and longer; None where less was begun.
    """
    said = f"The rate of {given(asked_per_s)} calls/s was missed: {answered_per_s:,.0f} a second were answered"
    if backlog is None:
        return f"{said}. So these latencies are no result."
    return (
        f"{said}. {backlog.middle:,.0f} calls were waiting at half time, and {backlog.end:,.0f} at the end. So these"
        " latencies are no result: the longer the load, the longer they are."
    )


def _rested(record: LoadRecord) -> str:
    """Say that calls may have waited for clients that rested after errors, where they may have rested for long."""
    rests_s = _LONGEST_REST_S * sum(record["errors"].values())
    if rests_s < _RESTED * record["clients"] * record["seconds"]:
        return ""
    return (
        " A client rests for up to half a second after an error, so calls may have waited for a client and not for the"
        " server. More --clients begin more of them."
    )


def _backlog(record: LoadRecord) -> Backlog | None:
    waiting = record["backlog"]
    return None if waiting is None else Backlog(waiting["middle"], waiting["end"])


def _sections(record: LoadRecord) -> list[Section]:
    rows = [(kind, times) for kind, times in _times(record).items() if times]
    sheets = []
    if rows:
        names = [name for name in rows[0][1] if name != "unknown"]
        known = [(kind, dict(_known(times))) for kind, times in rows]
        lines = [(kind, *(f"{times[name]:,.0f}" if name in times else "" for name in names)) for kind, times in known]
        sheets = [Sheet("Latency", ("µs", *names), lines)]
    if called := record["endpoints"]:
        sheets.append(endpoints_sheet(endpoints.summed([called])))
    if generators := record.get("generators"):
        sheets.append(hosts_sheet(generators))
    return [Section("load", "Load", "Latency is of all calls.", sheets=sheets, charts=_charts(record),
                    source=_SOURCE)]  # fmt: skip


def _charts(record: LoadRecord) -> list[Chart]:
    calls = [(at_ns / 1e9, float(right)) for at_ns, right, _ in record["intervals"]]
    failed = [(at_ns / 1e9, float(errors)) for at_ns, _, errors in record["intervals"]]
    kinds = {f"{kind} errors/s": sums for kind, sums in (record.get("errors_over_time") or {}).items()}
    sums = {"calls/s": calls, **(kinds or ({"errors/s": failed} if failed and failed[-1][1] else {}))}
    lines = {name: per_second(points) for name, points in sums.items()}
    times = {
        name: [((begin_s + end_s) / 2, us / 1e3) for begin_s, end_s, us in stretches]
        for name, stretches in (record.get("latency_over_time") or {}).items()
    }
    panels = [
        Panel("per second", "{value} {line}", lines, limits=_limits(record, ("rate",), 1)),
        Panel("latency, ms", "{line} {value} ms", times, DECIMAL, _limits(record, tuple(times), 1e3)),
    ]
    about = "Calls answered in each interval."
    if any(times.values()):
        about += " Each latency is of as many seconds as it takes to know it. A level line is a condition's limit."
    drawn = chart("load-time", "Over time", about, over_time(panels), _SOURCE)
    return [picture for picture in (_curve(record), drawn) if picture]


def _limits(record: LoadRecord, metrics: Sequence[str], unit: float) -> dict[str, float]:
    """Return the limits of the conditions on some metrics, by their text."""
    return {
        f"fail if {threshold['fail_if']}": threshold["limit"] / unit
        for threshold in record["thresholds"]
        if threshold["fail_if"].split(">")[0].split("<")[0].strip() in metrics
    }


def _times(record: LoadRecord) -> dict[str, LatencyFigures | None]:
    return {"latency": record["latency_us"], "service": record["service_us"], "lateness": record["lateness_us"]}


def _known(times: LatencyFigures | None) -> list[tuple[str, float]]:
    """Return the times that enough calls know."""
    return [(name, time) for name, time in (times or {}).items() if isinstance(time, int | float)]


def table(report: RecordReport) -> str:
    """Write it as CSV, a value a line; times in microseconds, rates in calls a second."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(("what", "name", "value"))
    for name in ("url", "clients", "seconds", "calls", "rate_per_s"):
        lines.writerow(("load", name, report.record[name]))
    result = cast("LoadRecord", report.record)
    for kind, times in _times(result).items():
        lines.writerows((f"{kind}_us", *pair) for pair in _known(times))
    for endpoint in result["endpoints"] or ():
        what = f"latency_us of {endpoint['name']}"
        lines.writerow((what, "calls", endpoint["calls"]))
        lines.writerows((what, *pair) for pair in _known(endpoint["latency_us"]))
    lines.writerows(("errors", name, count) for name, count in result["errors"].items())
    lines.writerow(("verdict", "limit", result["verdict"]["limit"]))
    return out.getvalue()
