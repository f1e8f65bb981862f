"""A situation from options and from answers on a terminal, as the mapping that a situation file holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.model.errors import BadInput


@dataclass(frozen=True, slots=True)
class SituationQuestion:
    """One question.

    Attributes:
        key: of the situation; with a dot, in a table.
        text: what is asked.
        kind: `text`, `number`, `yes` or `list` (with commas).
        default: the answer if a person only presses return.
    """

    key: str
    text: str
    kind: str
    default: str


QUESTIONS = (
    SituationQuestion("calls_per_second", "Calls per second (empty: not known)", "number", ""),
    SituationQuestion(
        "links", "Links, as round trip and rate or a name; several with semicolons", "list", "25ms,20mbit"
    ),
    SituationQuestion("today", "Stack that runs today (empty: none)", "text", ""),
    SituationQuestion("objective", 'Objective, as "p99 under 50 ms" (empty: none)', "text", ""),
    SituationQuestion("languages", "Languages that must take part; several with semicolons (empty: any)", "list", ""),
    SituationQuestion("browsers", "Must browsers make calls? (yes/no)", "yes", "no"),
    SituationQuestion("others", "Must programs of others make calls? (yes/no)", "yes", "no"),
    SituationQuestion("tls", "Are calls encrypted? (yes/no)", "yes", "yes"),
    SituationQuestion("readable", "Must people read the messages? (yes/no)", "yes", "no"),
    SituationQuestion("prices.processor_hour", "Price of a processor-hour (empty: none)", "number", ""),
    SituationQuestion("prices.gigabyte_out", "Price of a gigabyte to the clients (empty: none)", "number", ""),
    SituationQuestion("prices.currency", "Currency", "text", "EUR"),
)
_SAID_WHEN_FALSE_OR_ZERO = ("tls", "worth")
_PRICES = ("processor_hour", "gigabyte_out", "currency")


def with_options(document: Mapping[str, object], links: Sequence[str] | None, **options: Any) -> dict[str, object]:  # noqa: ANN401 - of all types
    """Put what options say in the place of what a file says; what is None, empty or False says nothing.

    Two say something where they are False or 0: calls are not encrypted, and every saving is worth a move.
    """
    answered = dict(document)
    if links:
        answered["links"] = [{"link": link} for link in links]
    prices = {name: value for name in _PRICES if (value := options.pop(name, None)) is not None}
    if prices:
        given = answered.get("prices", {})
        answered["prices"] = {**(given if isinstance(given, Mapping) else {}), **prices}
    return {
        **answered,
        **{
            name: value
            for name, value in options.items()
            if value or (name in _SAID_WHEN_FALSE_OR_ZERO and value is not None)
        },
    }


def ask_questions(document: Mapping[str, Any], ask: Callable[[str, str], str]) -> dict[str, Any]:
    """Ask for everything that was not said.

    Args:
        document: what is known already; it is not asked for.
        ask: is given a text and the default, and returns the answer.

    Raises:
        BadInput: an answer is no number.
    """
    answered = dict(document)
    prices = dict(answered.pop("prices", {}))
    for question in QUESTIONS:
        table, _, name = question.key.rpartition(".")
        table_of_key = prices if table else answered
        if name in table_of_key or (name == "currency" and not prices):
            continue
        value = _value(question, ask(question.text, question.default).strip())
        if value not in (None, "", []) and value != (question.default == "yes"):
            table_of_key[name] = [{"link": link} for link in value] if name == "links" else value
    return {**answered, **({"prices": prices} if prices else {})}


def _value(question: SituationQuestion, answer: str) -> Any:  # noqa: ANN401 - of the question's kind
    match question.kind:
        case "number":
            try:
                return float(answer) if answer else None
            except ValueError:
                raise BadInput(f'"{answer}" is no number: {question.text}') from None
        case "yes":
            return answer.lower() in ("y", "yes")
        case "list":
            return [part.strip() for part in answer.split(";") if part.strip()]
        case _:
            return answer
