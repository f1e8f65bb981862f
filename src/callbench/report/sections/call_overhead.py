"""What each stack takes over the baseline of its channel, and whether baseline and codec add up to the whole."""

from collections.abc import Sequence
from functools import partial
from statistics import median

from callbench.analysis.cells.echo_multiples import BASELINES_SQL, SIZES_SQL
from callbench.analysis.judge.overhead import CallOverhead, read
from callbench.analysis.run.rankings import in_process
from callbench.analysis.run.subject import Subject
from callbench.model.cell import MIXED
from callbench.report.charts.call_overhead import call_overhead as chart_of
from callbench.report.charts.draw import to_svg
from callbench.report.text.section import INTERVAL, Chart, Section, Sheet
from callbench.report.text.summary import groups
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.digits import at_place, figure, last_place, share

ABOUT = (
    "The baseline is a raw echo of the same sizes over the same channel, driven beside the stack in each fork. The"
    " overhead is the mean time of a call minus the baseline, fork by fork. The codec time is the time to encode and"
    " decode both messages, without a channel. The rest is the overhead minus the codec time: the service itself and"
    " everything else. Only cells with one client, over loopback, with a measured codec have an overhead."
)
CHART_ABOUT = (
    "The grey bar is the baseline. The mark is the whole time with its 95 % interval. The codec is stacked on the"
    " baseline if their sum lies within that interval. Otherwise, or if the interval is too wide, the overhead is one"
    " bar."
)
DRIVEN = (
    "No server of this run has an overhead, which is the time of a call minus a raw echo of its size. The echo is made"
    " by the kit of the stack's client. These servers are called by the load driver. It waits for thousands of"
    " connections at once and needs a different time for one call. The difference would show two clients, not a"
    " server. Compare the processor time per call instead. It is given for client and server separately."
)
COLUMNS = (
    "stack",
    "time, µs",
    INTERVAL,
    "baseline, µs",
    INTERVAL,
    "overhead, µs",
    "times the baseline",
    "codec, µs",
    "rest, µs",
    "adds up",
)


def section(subject: Subject) -> Section | None:
    """Take every group's cells apart that have a baseline."""
    overheads = read(subject.run, subject.results.cells)
    if not overheads:
        alone = any(MIXED in name and "request" in card["card"] for name, card in subject.cards.items())
        return Section("call-overhead", "Baseline and overhead", DRIVEN) if alone else None
    found, sheets, charts = [], [], []
    for name in groups(subject):
        own = [tax for tax in overheads if tax.cell.attributes["group"] == name]
        if not own:
            continue
        found.append(f"{name}: {_summary(subject, own)}")
        sheets.append(Sheet(f"Overhead: {name}", COLUMNS, [_row(tax) for tax in own]))
        # A panel is a channel. A bar alone compares nothing there: the sheet has its values.
        compared = len({tax.cell.attributes["channel"] for tax in own}) < len(own)
        spec = chart_of(own, _channels(own)) if compared else None
        if spec is not None:
            title = f"Overhead: {name}"
            charts.append(
                Chart(
                    f"call-overhead-{name}",
                    title,
                    CHART_ABOUT,
                    partial(to_svg, spec, title),
                    BASELINES_SQL.strip(),
                    spec=spec,
                )
            )
    source = f"{BASELINES_SQL.strip()};\n{SIZES_SQL.strip()}"
    return Section(
        id="call-overhead",
        title="Baseline and overhead",
        about=ABOUT,
        found=found,
        sheets=sheets,
        charts=charts,
        source=source,
    )


def _channels(overheads: Sequence[CallOverhead]) -> list[str]:
    """Order channels by their baseline, the lowest first."""
    baselines: dict[str, list[float]] = {}
    for tax in overheads:
        baselines.setdefault(tax.cell.attributes["channel"], []).append(tax.baseline.middle)
    return sorted(baselines, key=lambda name: median(baselines[name]))


def _summary(subject: Subject, overheads: Sequence[CallOverhead]) -> str:
    """Name who pays least and most, and how many add up."""
    outside = [tax for tax in overheads if not in_process(subject, tax.cell)] or list(overheads)
    ranked = sorted(outside, key=lambda tax: tax.times.middle)
    texts = []
    if len(ranked) > 1:
        least, most = _paid(ranked[0]), _paid(ranked[-1])
        texts.append(f"the smallest multiple of the baseline is {least}, the largest {most}.")
    untold = sum(tax.overhead.holds(0.0) is True for tax in overheads)
    if untold:
        texts.append(f"In {untold} of {len(overheads)} stacks, no overhead is shown.")
    judged = [tax for tax in overheads if tax.adds_up is not None]
    if judged:
        texts.append(_sums(judged))
    return " ".join(texts)


def _paid(tax: CallOverhead) -> str:
    """Name a stack with its time in baselines."""
    return f"{tax.cell.attributes['stack']} ({figure(tax.times.middle, tax.times.half_width)} times)"


def _sums(judged: Sequence[CallOverhead]) -> str:
    """Count the cells whose parts add up, and name the largest remainder either way."""
    over = [tax for tax in judged if not tax.adds_up and tax.rest.middle >= 0]
    under = [tax for tax in judged if not tax.adds_up and tax.rest.middle < 0]
    added = len(judged) - len(over) - len(under)
    text = f"Baseline and codec add up to the whole in {added} of {len(judged)}"
    if over:
        most = max(over, key=lambda tax: tax.rest.middle / tax.time.middle)
        text += f"; {len(over)} took longer, by at most {_rest(most)}"
    if under:
        most = min(under, key=lambda tax: tax.rest.middle / tax.time.middle)
        text += f"; {len(under)} took less than their parts, by at most {_rest(most)}"
    return text + "."


def _rest(tax: CallOverhead) -> str:
    """Write a remainder as a share of the whole."""
    return f"{100 * abs(tax.rest.middle) / tax.time.middle:.0f} % of the time ({tax.cell.attributes['stack']})"


def _row(tax: CallOverhead) -> tuple[str, ...]:
    """Write one line of the sheet."""
    added = "yes" if tax.adds_up else "undecided"
    if tax.adds_up is False:
        added = "no: more than its parts" if tax.rest.middle >= 0 else "no: less than its parts"
    return (
        tax.cell.attributes["stack"],
        figure(tax.time.middle, tax.time.half_width),
        share(tax.time.half_width),
        figure(tax.baseline.middle, tax.baseline.half_width),
        share(tax.baseline.half_width),
        _difference(tax.overhead),
        figure(tax.times.middle, tax.times.half_width),
        figure(tax.codec_us),
        _difference(tax.rest),
        added,
    )


def _difference(difference: Difference) -> str:
    """Write a difference with its interval: `3.1 (2.8 to 3.4)`, with the places that its interval leaves it."""
    if difference.low is None or difference.high is None:
        return figure(difference.middle)
    reach = (difference.high - difference.low) / 2
    if not reach:
        return figure(difference.middle)
    last = last_place(reach, 0.5)
    return f"{_at(difference.middle, last)} ({_at(difference.low, last)} to {_at(difference.high, last)})"


def _at(value: float, last: int) -> str:
    """Write a value to a decimal position; a minus is a real one, and nothing is `-0`."""
    text = at_place(value, last)
    return text if any(digit in "123456789" for digit in text) else text.removeprefix("-")
