"""What the progress display of a stability test shows."""

from collections.abc import Mapping
from typing import Any

from callbench.analysis.stability.slices import window_of_line
from callbench.runner.live.progress_line import ProgressLine


class SliceProgress(ProgressLine):
    """A progress line that can show a slice."""

    def show_slice(self, line: Mapping[str, Any]) -> None:
        """Show a slice, given its journal line."""
        self.show(_text(line))


def _text(line: Mapping[str, Any]) -> str:
    server = line["sides"].get("server") or line["sides"].get("both") or {}
    size = f", {server['resident_bytes'] / 2**20:,.0f} MiB, {server['threads']} threads" if server else ""
    if "calls" not in line:
        return f"{line['at_s']:.0f} s, {line['clients']} clients: at rest{size}"
    rate = window_of_line(line).per_s
    failed = sum(line["errors"].values())
    wrong = f", {failed:,} failed" if failed else ""
    return f"{line['at_s']:.0f} s, {line['clients']} clients: {rate:,.0f} calls/s{wrong}{size}"
