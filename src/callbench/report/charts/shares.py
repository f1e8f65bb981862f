"""What the bytes of a call were for: a bar a stack, its shares one behind the other."""

from collections.abc import Mapping, Sequence

from callbench.analysis.wire.counts import MESSAGE
from callbench.report.charts.bars import Fields, bars
from callbench.report.charts.marks import SAID
from callbench.report.charts.palette import FAINT, SERIES, Spec


def shares(by_stack: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> Spec:
    """Describe the chart.

    Args:
        by_stack: bytes by share, one mapping a stack.
        names: the shares in the order in which they are drawn.
    """
    values = []
    for stack, parts in by_stack.items():
        for order, name in enumerate(names):
            value = parts.get(name, 0.0)
            if value > 0:
                told = f"{stack}, {name}: {value:,.0f} bytes"
                values.append({"stack": stack, "share": name, "bytes": value, "order": order, SAID: told})
    present = [name for name in names if any(value["share"] == name for value in values)]
    # What is not told apart has the colour of no part.
    apart = [name for name in names if name != MESSAGE]
    colours = {name: SERIES[place % len(SERIES)] for place, name in enumerate(apart)} | {MESSAGE: FAINT}
    title = "bytes of a steady call in IP packets, both ways"
    return bars(values, Fields("stack", "share", "bytes"), title, {name: colours[name] for name in present})
