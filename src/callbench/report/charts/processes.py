"""Memory and threads of chosen cells over the time of a trial."""

from collections.abc import Sequence

from callbench.analysis.judge.health import Health
from callbench.report.charts.marks import answering_line
from callbench.report.charts.palette import INK, SERIES, SHAPES, WIDTH, Spec
from callbench.report.text.growth import named

MOST_LINES = len(SERIES)


def processes(chosen: Sequence[Health]) -> Spec | None:
    """Describe the chart: memory above, threads below, a line a side, each marked at its end."""
    values = [
        {"line": named(cell), "at": at, "mib": memory / 2**20, "threads": threads}
        for cell in chosen
        if cell.track is not None
        for at, memory, threads in zip(cell.track.seconds, cell.track.resident_bytes, cell.track.threads, strict=True)
    ]
    if not values:
        return None
    lines = list(dict.fromkeys(str(value["line"]) for value in values))
    x = {"field": "at", "type": "quantitative", "axis": {"title": "seconds of load", "tickCount": 8}}
    colour = {"field": "line", "type": "nominal", "scale": {"domain": lines, "range": list(SERIES[: len(lines)])}}
    shape = {"field": "line", "type": "nominal", "scale": {"domain": lines, "range": list(SHAPES[: len(lines)])}}

    def panel(field: str, title: str) -> Spec:
        y = {"field": field, "type": "quantitative", "axis": {"title": title, "tickCount": 5, "grid": True}}
        encoding = {"x": x, "y": {**y, "scale": {"zero": True}}, "color": {**colour, "legend": {"columns": 2}}}
        last = {"window": [{"op": "rank", "as": "place"}], "sort": [{"field": "at", "order": "descending"}]}
        ends = [{**last, "groupby": ["line"]}, {"filter": "datum.place === 1"}]
        return {
            "width": WIDTH,
            "height": 190,
            "layer": [
                *answering_line(
                    {"mark": {"type": "line", "strokeWidth": 1.5, "interpolate": "linear"}, "encoding": encoding},
                    values,
                ),
                {
                    "transform": ends,
                    "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "stroke": INK},
                    "encoding": {**encoding, "shape": {**shape, "legend": {"columns": 2}}},
                },
            ],
        }

    return {"data": {"values": values}, "vconcat": [panel("mib", "resident MiB"), panel("threads", "threads")]}
