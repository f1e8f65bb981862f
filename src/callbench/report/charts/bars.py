"""Horizontal bars, the parts of each one behind the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.report.charts.marks import answering
from callbench.report.charts.palette import WIDTH, Spec


@dataclass(frozen=True)
class Fields:
    """Which member of a value is what.

    Attributes:
        row: names the bar.
        part: names the part of it.
        amount: how long the part is.
    """

    row: str
    part: str
    amount: str


def bars(values: Sequence[Mapping[str, object]], fields: Fields, title: str, colours: Mapping[str, str]) -> Spec:
    """Describe the chart, the shortest bar first.

    Args:
        values: a part each, with the members of `fields` and `order`, its place in its bar.
        fields: the names of those members.
        title: of the axis along which bars grow.
        colours: of the parts, by name in the order of the legend.
    """
    longest = max((len(str(value[fields.row])) for value in values), default=0)
    return {
        "width": WIDTH,
        "height": {"step": 22},
        "layer": [answering({"mark": {"type": "bar", "height": {"band": 0.7}}, "encoding": {}})],
        "data": {"values": list(values)},
        "encoding": {
            "y": {
                "field": fields.row,
                "type": "nominal",
                "sort": {"field": fields.amount, "op": "sum"},
                # Whole names, and room for them in a wider font than the one that the chart was laid out with.
                "axis": {"title": None, "labelLimit": 400, "minExtent": 7 * longest},
            },
            "x": {
                "field": fields.amount,
                "type": "quantitative",
                "axis": {"title": title, "format": "~s", "tickCount": 6},
            },
            "order": {"field": "order"},
            "color": {
                "field": fields.part,
                "type": "nominal",
                "scale": {"domain": list(colours), "range": list(colours.values())},
            },
        },
    }
