"""What a load came to, for people."""

from rich.console import Console
from rich.markup import escape

from callbench.analysis.load import endpoints
from callbench.analysis.load.result import LoadResult
from callbench.analysis.load.times import PERCENTILES, LatencyStatistics
from callbench.analysis.wording.words import counted
from callbench.report.load.endpoints_sheet import endpoints_sheet, most_time
from callbench.report.load.words import missed
from callbench.report.text.grid import Column, Grid, grid_of
from callbench.stats.estimate.digits import figure, percent
from callbench.stats.estimate.percentile_calls import percentile_name

_MIB = 1 << 20
# Answers that come later than this share of the time after its end are reported.
_LONG = 0.01


def show(found: LoadResult, to: Console) -> None:
    """For people."""
    at_least = "at least " if found.verdict.at_least else ""
    to.print(
        f"{found.window.calls:,.0f} calls in {found.seconds:.2f} s by {counted(found.request.clients, 'client')}:"
        f" {at_least}[bold]{found.rate_per_s:,.0f} calls/s[/bold]"
    )
    if found.waited_s > _LONG * found.seconds:
        to.print(_in_flight(found))
    if found.rate_missed:
        to.print(f"[bold]{missed(found.request.rate or 0.0, found.rate_per_s, found.backlog)}[/bold]")
    _latencies(found, to)
    _errors(found, to)
    to.print(f"Limited by: {found.verdict.limit.value}. {escape(found.verdict.why)}.")
    if found.server is not None:
        to.print(_server(found))
    if found.unseen:
        to.print(f"{escape(found.unseen[:1].upper() + found.unseen[1:])}.")
    for one in found.threshold_results:
        to.print(escape(one.sentence))
    if found.stop_sentence:
        to.print(f"[bold]{escape(found.stop_sentence)}[/bold]")
    if ending := found.failure or found.undecided:
        to.print(f"[bold]{escape(ending)}[/bold]")


def _latencies(found: LoadResult, to: Console) -> None:
    """Print the times of all calls, and of each endpoint if there are several."""
    rows = [("latency", found.latency), ("service", found.service), ("lateness", found.lateness)]
    named = [(name, times) for name, times in rows if times is not None]
    if named:
        _table(named).print(to)
        if few := list(named[0][1].few_calls.values()):
            to.print(f"{'; '.join(few)}.")
    if lines := endpoints.kept(found.done):
        each = endpoints.summed([lines])
        grid_of(endpoints_sheet(each)).print(to)
        if sentence := most_time(each):
            to.print(escape(sentence))


def _errors(found: LoadResult, to: Console) -> None:
    """Print what failed, if anything did."""
    if found.errors:
        failed = sum(found.errors.values())
        share = figure(found.error_share * 100, 0.001)
        to.print(f"[bold]{failed:,} of {failed + found.done['calls']:,} calls failed: {share} %[/bold]")
        if unserved := found.done.get("unserved"):
            to.print(_unserved(unserved, found.request.clients))
    for kind, count in found.errors.items():
        to.print(f"{count:,} failed as {kind}: {escape(found.error_messages.get(kind, 'no further message'))}")


def _unserved(unserved: int, clients: int) -> str:
    """Say how many clients got no right answer at all; they rest after errors, so their errors are few."""
    return f"{unserved:,} of {clients:,} clients got no right answer at all."


def _in_flight(found: LoadResult) -> str:
    """Describe what was still waited for when the time was over."""
    one = found.window.in_flight == 1
    were, they = ("call was", "it counts") if one else ("calls were", "they count")
    only = "only if it did not wait" if one else "only if they did not wait"
    return (
        f"{found.window.in_flight:,} {were} still in flight at the end. The last answer came {found.waited_s:.2f} s"
        f" later. In the rate {they} {only}, in the latencies completely."
    )


def _table(rows: list[tuple[str, LatencyStatistics]]) -> Grid:
    names = ("mean", "least", *map(percentile_name, PERCENTILES), "greatest")
    table = Grid([Column("us"), *(Column(name, number=True) for name in names)], ruled=False)
    for name, times in rows:
        values = (times.mean, times.least, *map(times.percentiles.get, PERCENTILES), times.greatest)
        table.add(name, *("" if value is None else f"{value:,.0f}" for value in values))
    return table


def _server(found: LoadResult) -> str:
    server = found.server
    if server is None:
        return ""
    share = server.processor_ms / 1e3 / (found.seconds * server.processors)
    sizes = [f"{one.resident_bytes / _MIB:,.0f}" for one in (server.begin, server.end)]
    threads = f"{server.begin.threads} to {server.end.threads} threads"
    number = server.end.processes
    its = f"{number} processes" if number != 1 else "one process"
    used = f"The server used {percent(share)} of its {counted(server.processors, 'processor')}"
    return f"{used}; {its}, memory {sizes[0]} to {sizes[1]} MiB, {threads}."
