"""The stacks of one ranking, the highest rate first, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from callbench.report.charts.cut_ends import arrows, cut_ends
from callbench.report.charts.marks import SAID, answering, interval_ends, value_text
from callbench.report.charts.palette import FAINT, INK, SERIES, WIDTH, Spec, logarithmic
from callbench.stats.estimate.digits import BOUNDS, figure
from callbench.stats.estimate.interval import Interval

_HIGH = 24
_BESIDE = 0.07


class LeaderStanding(StrEnum):
    """How a stack of the chart stands, in the words of its legend."""

    FIRST = "first in the ranking"
    TIE = "not distinguished from the first"
    SLOWER = "slower"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    UNRANKED = "without a rank"
    INSIDE = "within one process"
    ALONE = "measured"


# What is grey is slower: nothing else is.
_COLOURS = {
    LeaderStanding.FIRST: SERIES[0], LeaderStanding.TIE: SERIES[0], LeaderStanding.SLOWER: FAINT,
    LeaderStanding.AT_LEAST: SERIES[1], LeaderStanding.AT_MOST: SERIES[1], LeaderStanding.UNRANKED: SERIES[5],
    LeaderStanding.INSIDE: SERIES[3], LeaderStanding.ALONE: SERIES[0],
}  # fmt: skip
_SHAPES = {
    LeaderStanding.TIE: "diamond", LeaderStanding.AT_LEAST: "triangle-right", LeaderStanding.AT_MOST: "triangle-left",
    LeaderStanding.UNRANKED: "cross", LeaderStanding.INSIDE: "square",
}  # fmt: skip


@dataclass(frozen=True)
class Leader:
    """One stack.

    Attributes:
        rate: in calls/s.
        bound: which bound it is, a key of `BOUNDS`.
    """

    name: str
    rate: Interval
    standing: LeaderStanding
    bound: str = ""

    @property
    def text(self) -> str:
        """The rate as it stands beside its mark."""
        return BOUNDS[self.bound] + figure(self.rate.middle, self.rate.half_width)

    @property
    def said(self) -> str:
        """What its mark says: `native/json+tcp: 12,300 calls/s (11,900 to 12,700), slower`."""
        rate = value_text(self.rate.middle, interval_ends(self.rate), "calls/s")
        stands = "" if self.bound or self.standing is LeaderStanding.ALONE else f", {self.standing}"
        return f"{self.name}: {BOUNDS[self.bound]}{rate}{stands}"


def leaders(stacks: Sequence[Leader]) -> Spec:
    """Describe the chart.

    Args:
        stacks: one or more, from above to below.
    """
    cut = cut_ends([stack.rate for stack in stacks])
    values = [
        {
            "name": stack.name,
            "rate": drawn.middle,
            "low": drawn.low,
            "high": drawn.high,
            **({"below": drawn.below, "above": drawn.above} if drawn.below or drawn.above else {}),
            "text": stack.text,
            "standing": stack.standing.value,
            SAID: stack.said,
        }
        for stack, drawn in zip(stacks, cut, strict=True)
    ]
    names = [stack.name for stack in stacks]
    ends = [float(str(value[end])) for value in values for end in ("low", "high")]
    # The rates that stand above the outermost marks need room.
    beside = (max(ends) / min(ends)) ** _BESIDE
    x = logarithmic("rate", "calls/s, logarithmic", [min(ends) / beside, *ends, max(ends) * beside])
    room = {"title": None, "labelLimit": 400, "minExtent": 7 * max(map(len, names))}
    present = [standing for standing in LeaderStanding if any(stack.standing is standing for stack in stacks)]
    marks = {
        channel: {
            "field": "standing",
            "type": "nominal",
            "scale": {
                "domain": [each.value for each in present],
                "range": [of.get(each, "circle") for each in present],
            },
            "legend": {"symbolOpacity": 1} if len(present) > 1 else None,
        }
        for channel, of in (("color", _COLOURS), ("shape", _SHAPES))
    }
    y = {"field": "name", "type": "nominal", "sort": names, "axis": room}
    return {
        "width": WIDTH,
        "height": {"step": _HIGH},
        "data": {"values": values},
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": marks["color"]},
            },
            answering(
                {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": {"x": x, **marks}}
            ),
            *arrows(cut, y, x, marks["color"]),
            {
                "mark": {"type": "text", "align": "center", "dy": -9, "fontSize": 10.5, "color": INK},
                "encoding": {"x": x, "text": {"field": "text", "type": "nominal"}},
            },
        ],
    }
