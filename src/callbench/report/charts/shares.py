"""What the bytes of a call were for: a bar a stack, its shares one behind the other."""

from collections.abc import Mapping, Sequence

from callbench.report.charts.bars import Fields, bars
from callbench.report.charts.palette import SERIES, Spec


def shares(by_stack: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> Spec:
    """Describe the chart.

    A share below 0 (a message shorter than its data) takes from the payload's bar what it saves: bars end where bytes
    do.

    Args:
        by_stack: bytes by share, one mapping a stack.
        names: the shares in the order in which they are drawn.
    """
    values = []
    for stack, found in by_stack.items():
        saved = min(0.0, found.get("encoding", 0.0))
        for order, name in enumerate(names):
            value = found.get(name, 0.0) + (saved if name == "payload" else 0.0)
            if value > 0:
                values.append({"stack": stack, "share": name, "bytes": value, "order": order})
    present = [name for name in names if any(one["share"] == name for one in values)]
    colours = {name: SERIES[place % len(SERIES)] for place, name in enumerate(names)}
    title = "bytes of a steady call in IP packets, both ways"
    return bars(values, Fields("stack", "share", "bytes"), title, {name: colours[name] for name in present})
