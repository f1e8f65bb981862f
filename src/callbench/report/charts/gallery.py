"""Which charts a report shows, with what each shows in words and where its values come from."""

from collections.abc import Sequence
from functools import partial

from callbench.analysis.cells.histograms import HISTOGRAMS_SQL
from callbench.analysis.cells.read_results import CODECS_SQL, TRIALS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.latency_curves import latency_curves
from callbench.analysis.run.rankings import in_process
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import listed
from callbench.report.charts.codec import codec
from callbench.report.charts.distributions import distributions
from callbench.report.charts.draw import to_svg
from callbench.report.charts.frontier import frontier
from callbench.report.charts.latency import latency
from callbench.report.charts.palette import Spec
from callbench.report.charts.rate import rate
from callbench.report.charts.rows import ChartRows
from callbench.report.charts.size import size
from callbench.report.text.answer import leading
from callbench.report.text.choice import RankingChoice
from callbench.report.text.section import Chart
from callbench.report.text.summary import uncharted

# More lie on top of each other.
_DISTRIBUTIONS = 4


def gallery(subject: Subject, choices: Sequence[RankingChoice]) -> list[Chart]:
    """Draw every chart there are values for.

    Args:
        subject: the run.
        choices: of its rankings; the distributions of latency are of the fastest in those that the first screen names.
    """
    messages = _messages(subject)
    charts = _latencies(subject, leading(choices))
    for name in uncharted(subject):
        for cells, under, left in _by_clients(subject, name):
            places, slug = ChartRows.of(cells), under.replace(", ", "-").replace(" ", "-")
            about = "Each mark is a stack with its 95 % interval over the forks. Faster stacks are further right."
            spec = rate(cells, places, messages)
            _add(charts, f"rate-{name}{slug}", f"Rate: {name}{under}", about + left, spec, TRIALS_SQL)
            about = "Time of a call and of its tail. Faster stacks are further left. Calls in batches are left out."
            spec = latency(cells, places, messages)
            _add(charts, f"latency-{name}{slug}", f"Latency: {name}{under}", about + left, spec, HISTOGRAMS_SQL)
            title = f"Bytes, processor time and p99: {name}{under}"
            costs = frontier(f"costs-{name}{slug}", title, *_between_processes(subject, cells, left))
            charts += [costs] if costs else []
    called: set[tuple[str, str]] = set()
    for name in (group.group for group in subject.study.groups):
        codecs = [measured for measured in subject.results.codecs if measured.group == name]
        calls = _calls(subject, name)
        # The same call over another link or with more clients has the same messages: they are drawn once.
        if len({measured.message for measured in codecs}) < 2 or calls <= called:
            continue
        called |= calls
        about = "The two messages of one call. Mean of 64 different payloads."
        _add(charts, f"bytes-{name}", f"Size: {name}", about, size(codecs), CODECS_SQL)
        about = (
            "Time to encode and decode the two messages of one call, without a channel. Mean of 64 different payloads."
        )
        _add(charts, f"codec-{name}", f"Encoding and decoding: {name}", about, codec(codecs), CODECS_SQL)
    return charts


def _latencies(subject: Subject, choices: Sequence[RankingChoice]) -> list[Chart]:
    """Draw the latencies of the stacks with the highest rates, ranking by ranking."""
    fastest = {choice.where: _fastest(choice) for choice in choices}
    chosen = {cell.id for cells in fastest.values() for cell in cells}
    curves = latency_curves(subject.run, subject.results.cells, chosen) if chosen else {}
    drawn = [
        distributions(f"latencies-{where}", f"Latency by percentile: {where}", cells, curves)
        for where, cells in fastest.items()
    ]
    return [chart for chart in drawn if chart is not None]


def _fastest(choice: RankingChoice) -> list[Result]:
    rates = [(cell.rate.middle, cell) for cell in choice.ranking.cells if cell.rate and "p50_us" in cell.by_fork]
    return [cell for _, cell in sorted(rates, key=lambda pair: -pair[0])][:_DISTRIBUTIONS]


def _calls(subject: Subject, group: str) -> set[tuple[str, str]]:
    """Return what a group calls, with its arguments, and by which messages."""
    own = [cell for cell in subject.results.cells if cell.attributes["group"] == group]
    return {(f"{cell.attributes['call']} {sorted(cell.arguments.items())}", cell.attributes["message"]) for cell in own}


def _add(charts: list[Chart], id_: str, title: str, about: str, spec: Spec | None, source: str) -> None:  # noqa: PLR0913, PLR0917 - what a chart is made of
    """Draw one chart if there is something to draw."""
    if spec is not None:
        charts.append(Chart(id_, title, about, partial(to_svg, spec, title), source.strip(), spec=spec))


def _messages(subject: Subject) -> list[str]:
    """List the messages, the same order in every chart."""
    return list(dict.fromkeys(cell.attributes["message"] for cell in subject.results.cells))


def _by_clients(subject: Subject, group: str) -> list[tuple[list[Result], str, str]]:
    """Take a group's cells with the fewest clients, and with the most if there are several numbers of them.

    Of a group over several links, those over the first: the section of delays has the others.

    Returns:
        The cells of each chart, what its title says of them, and which others of the group it leaves out.
    """
    # The section of the open loop has charts of its own.
    every = [cell for cell in subject.results.cells if cell.attributes["group"] == group and not cell.open_loop]
    links = list(dict.fromkeys(cell.attributes["link"] for cell in every))
    numbers = sorted({int(cell.attributes["clients"]) for cell in every if cell.attributes["link"] == links[0]})
    parts = []
    for number in dict.fromkeys([numbers[0], numbers[-1]] if numbers else []):
        under = f", {number} client{'' if number == 1 else 's'}" if len(numbers) > 1 else ""
        under += f", over {links[0]}" if len(links) > 1 else ""
        conditions = {"clients": str(number), "link": links[0]}
        cells = [cell for cell in every if conditions.items() <= cell.attributes.items()]
        parts.append((cells, under, _left(numbers, links)))
    return [part for part in parts if len(part[0]) >= 3]


def _between_processes(subject: Subject, cells: list[Result], left: str) -> tuple[list[Result], str]:
    """Leave out the stacks that others cannot call, where there are others: a call within one process costs less."""
    outside = [cell for cell in cells if not in_process(subject, cell)]
    if not outside or len(outside) == len(cells):
        return cells, left
    return outside, f"{left} Stacks in one process are left out, since nobody else can call them."


def _left(numbers: Sequence[int], links: Sequence[str]) -> str:
    """Name which loads and links of a group its charts leave out."""
    texts = []
    if len(numbers) > 2:
        texts.append(f"with {listed(map(str, numbers[1:-1]))} clients")
    if len(links) > 1:
        texts.append(f"over {listed(links[1:])}")
    return (
        f" Not drawn: the cells {' and '.join(texts)}. The ranking and the table All cells have them." if texts else ""
    )
