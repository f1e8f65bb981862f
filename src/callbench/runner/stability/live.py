"""What the progress display of a stability test shows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from callbench.analysis.stability.slices import window_of_line
from callbench.runner.live.progress_line import ProgressLine
from callbench.store.progress import Thinned, progress_point


class SliceProgress(ProgressLine):
    """A progress line that can show a slice, and keeps what was seen over time in the record."""

    def __init__(self, record: Path, *, quiet: bool) -> None:
        """Prepare the line of a record."""
        super().__init__(quiet=quiet)
        self._points: Thinned[dict[str, Any]] = Thinned()
        self.keep_in(record, lambda: {"points": self._points.kept})

    def show_slice(self, line: Mapping[str, Any]) -> None:
        """Show a slice, given its journal line."""
        self.add(line)
        self.show(_text(line))

    def add(self, line: Mapping[str, Any]) -> None:
        """Take what a journal line of a slice, of an overload or of a load says; it is kept with the next text."""
        self._points.add(_point(line))


def _point(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `progress.schema.json` has of a journal line."""
    load = line["load"] if line.get("load") else line
    server = _server(line)
    times = load.get("latency_us") or load
    return progress_point(
        line["at_s"],
        _rate(load),
        sum(line.get("errors", {}).values()),
        p50_us=times.get("p50_us", times.get("p50")),
        p99_us=times.get("p99_us", times.get("p99")),
        memory_bytes=server.get("resident_bytes"),
        threads=server.get("threads"),
        level=_level(line),
        holds=line.get("holds"),
    )


def _rate(load: Mapping[str, Any]) -> float | None:
    if "rate_per_s" in load:
        return float(load["rate_per_s"])
    return window_of_line(load).per_s if load.get("calls") else None


def _level(line: Mapping[str, Any]) -> str | None:
    if "level" in line:
        return f"{line['level']:,.4g}"
    if "clients" in line:
        return f"{line['clients']:,} clients"
    if line["kind"] == "over":
        return f"{line['factor']:g} times its capacity"
    return {"before": "half, before", "after": "half, after"}.get(str(line.get("phase")))


def _server(line: Mapping[str, Any]) -> Mapping[str, Any]:
    sides: Mapping[str, Mapping[str, Any]] = line.get("sides") or {}
    return sides.get("server") or sides.get("both") or {}


def _text(line: Mapping[str, Any]) -> str:
    server = _server(line)
    size = f", {server['resident_bytes'] / 2**20:,.0f} MiB, {server['threads']} threads" if server else ""
    if "calls" not in line:
        return f"{line['at_s']:.0f} s, {line['clients']} clients: at rest{size}"
    rate = window_of_line(line).per_s
    failed = sum(line["errors"].values())
    wrong = f", {failed:,} failed" if failed else ""
    return f"{line['at_s']:.0f} s, {line['clients']} clients: {rate:,.0f} calls/s{wrong}{size}"
