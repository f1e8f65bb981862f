"""The first screen of a run's report in words: one sentence, and what is certain and what is not, in three lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.cells.results import Result
from callbench.analysis.judge.effects import influences
from callbench.analysis.run.rankings import Ranking, in_process
from callbench.analysis.run.subject import CONDITIONS, Subject
from callbench.analysis.run.tables import table_cell
from callbench.analysis.wording.naming import named
from callbench.analysis.wording.words import counted, listed
from callbench.model.cell import HELD
from callbench.report.text.choice import WITHIN, RankingChoice
from callbench.report.text.summary import Summary, cautions

# So many loads are named one by one; a page with more has them in its table.
MOST = 3


@dataclass(frozen=True)
class AnswerLine:
    """One of the three lines: `Certain`, `Open` or `Valid for`, and what is said of it."""

    about: str
    text: str

    def __str__(self) -> str:
        """Write both."""
        return f"{self.about}: {self.text}"


@dataclass(frozen=True)
class FirstScreen:
    """What a reader sees first.

    Attributes:
        sentence: what to choose; "" where nothing was compared.
        lines: what is certain, what is not, and what it is valid for.
    """

    sentence: str
    lines: Sequence[AnswerLine]


def answer(subject: Subject, summary: Summary) -> FirstScreen:
    """Say it of a run."""
    shown = [AnswerLine("Certain", _certain(subject, summary)), AnswerLine("Open", _open(summary))]
    shown.append(AnswerLine("Valid for", _valid(subject)))
    return FirstScreen(_sentence(summary.choices) or _only_text(subject), [line for line in shown if line.text])


def leading(choices: Sequence[RankingChoice]) -> list[RankingChoice]:
    """Take the choices that the first screen names.

    Where messages and channels are crossed, they are those of the load and link that crosses the most; else one, the
    first that is shown. Where stacks with two processes and with one are told apart, it is those with two: what others
    can call.
    """
    compared = [choice for choice in choices if (choice.next is not None or choice.reaching) and choice.kind != WITHIN]
    both = [choice for choice in compared if crossed(choice.ranking.cells)]
    if both:
        most = max(both, key=lambda choice: len(choice.ranking.cells)).ranking
        return [
            choice for choice in both if (choice.ranking.clients, choice.ranking.link) == (most.clients, most.link)
        ][:MOST]
    return [choice for choice in compared if choice.lasts][:1] or compared[:1]


def only_rate(subject: Subject) -> Result | None:
    """Return the only cell with a rate, or the only one of them with a rank; None of several."""
    rates = [cell for cell in subject.results.cells if cell.rate and cell.open_loop is None]
    ranked = [cell for cell in rates if cell.ranked]
    found = ranked if len(ranked) == 1 else rates
    return found[0] if len(found) == 1 else None


def _only_text(subject: Subject) -> str:
    """Write the rate of a run that has but one to rank, with its interval; "" of any other."""
    cell = only_rate(subject)
    if cell is None:
        return ""
    rate = table_cell(cell, "rate_per_s")
    value = " ".join(filter(None, (rate.text, "calls/s", rate.spread)))
    return f"{named(cell)}: {value}. No stack is compared with it."


def crossed(cells: Sequence[Result]) -> bool:
    """Return whether cells have one stack for a message over a channel, and most of the places of the two."""
    pairs = [(cell.attributes["message"], cell.attributes["channel"]) for cell in cells]
    messages, channels = ({pair[place] for pair in pairs} for place in (0, 1))
    single = len(set(pairs)) == len(pairs)
    return single and min(len(messages), len(channels)) > 1 and 2 * len(pairs) > len(messages) * len(channels)


def _sentence(choices: Sequence[RankingChoice]) -> str:
    """Name the stacks with the highest rates, and say whether they are shown to be the fastest."""
    first = leading(choices)
    if len(first) == 1:
        return f"{first[0].where}: {first[0].in_words()}"
    known = [choice for choice in first if choice.best is not None]
    if not known:
        return f"Not known: {first[0].sure.partition(': ')[2]}." if first else ""
    lasting = [choice for choice in known if choice.lasts]
    kind = f" {known[0].kind}" if known[0].kind else ""
    names = [f"{choice.name(choice.best)} for {_place(choice)}" for choice in known if choice.best is not None]
    if len(lasting) == len(known):
        return f"Fastest{kind}: {listed(names)}."
    sure = (
        f"shown for {listed(_place(choice) for choice in lasting)} only"
        if lasting
        else "none is shown to be the fastest"
    )
    return f"Highest rates{kind}: {listed(names)}; {sure}."


def _place(choice: RankingChoice) -> str:
    """Name a choice's load without the kind of its stacks."""
    return choice.where.removesuffix(f", {choice.kind}")


def _certain(subject: Subject, summary: Summary) -> str:
    """Say how far channel and message move the rate, as far as that is shown, and what is shown to be the fastest."""
    first = leading(summary.choices)
    factors = _influence_text(subject, [choice.ranking for choice in first])
    lasting = [
        choice for choice in summary.choices if choice.lasts and choice.best is not None and choice.next is not None
    ]
    others = [choice for choice in lasting if choice not in first]
    # What the sentence above says is repeated where nothing else is certain.
    told = others or ([] if factors else lasting)
    names = [f"{choice.name(choice.best)} in {choice.where}" for choice in told[:2] if choice.best is not None]
    more = f" and in {len(told) - 2} more" if len(told) > 2 else ""
    head = "Also shown" if len(lasting) > len(told) else "Shown"
    shown = f"{head} to be the fastest: {'; '.join(names)}{more}." if told else ""
    beyond = " beyond this run" if any(choice.shown for choice in summary.choices) else ""
    none = f"No stack is shown to be the fastest{beyond}." if summary.choices else ""
    return " ".join(filter(None, (factors, shown))) or none


def _influence_text(subject: Subject, tables: Sequence[Ranking]) -> str:
    """Say it of the loads of the first screen, where one adapter has channels and messages crossed."""
    parts: list[str] = []
    for table in tables:
        outside = [cell for cell in table.ranked if not in_process(subject, cell)]
        for both in list(influences(outside, subject.cards).values())[:1]:
            kinds = (("channels", both.channel), ("messages", both.message))
            shown = [(name, influence.text) for name, influence in kinds if influence.shown]
            how = "by" if parts else "change the rate by a factor of"
            said = [f"{name} {'by' if place else how} {text}" for place, (name, text) in enumerate(shown)]
            undecided = " (which more, is undecided)" if len(shown) > 1 and not both.shown else ""
            parts += [f"{subject.title_of(table.group)}: {', '.join(said)}{undecided}"] if said else []
    return f"{'; '.join(parts)}." if parts else ""


def _open(summary: Summary) -> str:
    """Count what is not decided, and say what more time would do."""
    compared = [choice for choice in summary.choices if choice.next is not None or choice.reaching]
    left = [choice for choice in compared if not choice.lasts]
    texts = []
    if left:
        texts.append(
            f"{len(left)} of {counted(len(compared), 'first place')} {'is' if len(left) == 1 else 'are'} not shown."
        )
    more = summary.open_results.in_words()
    return " ".join([*texts, *([more] if more else [])])


def _valid(subject: Subject) -> str:
    """Say what run, machine and condition it holds for, and what went wrong."""
    results = subject.results
    run = "This quick run" if subject.quick else "This run"
    if results.run_spread.other is not None:
        earlier = results.run_spread.runs - 1
        run = f"Runs on this machine, as {counted(earlier, 'earlier run')} {'shows' if earlier == 1 else 'show'}"
    held = f", with {CONDITIONS[HELD]}" if subject.run.condition == HELD else ""
    texts = [f"{run}{held}."]
    if subject.run.state != "finished":
        texts.append(f"The run {subject.run.state_in_words}: values are missing.")
    if subject.left_out:
        texts.append(subject.left_out)
    stacks = {excluded.stack for excluded in results.excluded}
    if stacks:
        texts.append(
            f"{counted(len(stacks), 'stack')} {'has' if len(stacks) == 1 else 'have'} cells that are excluded."
        )
    bounds = sum(bool(cell.verdict and cell.verdict.at_least) for cell in results.cells)
    if bounds:
        texts.append(f"{counted(bounds, 'rate')} {'is a minimum' if bounds == 1 else 'are minimums'}, without a rank.")
    count = len(cautions(subject))
    texts += [f"{counted(count, 'warning')} below."] if count else []
    return " ".join(texts)
