"""The situation file: its keys, and the one sentence for whatever is wrong with it."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from callbench.catalog.situation.link_text import link_of
from callbench.catalog.study.part import LinkName, Name, Part
from callbench.model.errors import BadInput
from callbench.model.objective import Objective, parse
from callbench.model.situation import DEFAULT_WORTH, Callers, Goal, Prices, Situation, SituationLink
from callbench.model.suggestions import allowed_names

MOST_BYTES = 1 << 20
LATENCIES = {None: "mean_us", 0.5: "p50_us", 0.9: "p90_us", 0.99: "p99_us", 0.999: "p999_us", 1.0: "max_us"}
_DEFAULT_LINK = "25ms,20mbit"

Amount = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False, strict=False)]
Share = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False, strict=False)]


class LinkEntry(Part):
    """`[[links]]`."""

    name: LinkName | None = None
    link: Name
    share: Share | None = None


class GroupEntry(Part):
    """`[[calls]]`."""

    group: Name
    share: Share | None = None


class PricesPart(Part):
    """`[prices]`."""

    currency: Annotated[str, Field(min_length=1, max_length=12)] = "EUR"
    processor_hour: Amount = 0.0
    gigabyte_out: Amount = 0.0
    both_sides: bool = False


class SituationPart(Part):
    """The whole file."""

    calls_per_second: Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False, strict=False)] | None = None
    today: str = ""
    languages: Annotated[tuple[Name, ...], Field(strict=False)] = ()
    browsers: bool = False
    others: bool = False
    tls: bool | None = None
    readable: bool = False
    objective: str | None = None
    goal: str | None = None
    margin_percent: Annotated[float, Field(gt=0, lt=100, strict=False)] = 5.0
    worth: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False, strict=False)] | None = None
    links: Annotated[tuple[LinkEntry, ...], Field(strict=False, min_length=1, max_length=40)] = (
        LinkEntry(link=_DEFAULT_LINK),
    )
    calls: Annotated[tuple[GroupEntry, ...], Field(strict=False, max_length=200)] = ()
    prices: PricesPart | None = None

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.goal is not None and self.goal not in list(Goal):
            raise ValueError(f'goal is "{self.goal}": {allowed_names(self.goal, list(Goal))}')
        if self.goal == Goal.MONEY and self.prices is None:
            raise ValueError("goal is money, and there are no prices: add [prices]")
        if self.prices is not None and not (self.prices.processor_hour or self.prices.gigabyte_out):
            raise ValueError("prices has no price above 0: give processor_hour, gigabyte_out, or leave [prices] out")
        if self.prices is not None and self.calls_per_second is None:
            raise ValueError("prices need calls_per_second: money is computed for a month of these calls")
        if self.worth is not None and self.prices is None:
            raise ValueError(
                "worth is what a move has to save a month, and there are no prices: give processor_hour or"
                " gigabyte_out, or leave worth out"
            )
        if self.worth is not None and self.goal not in (None, Goal.MONEY):
            raise ValueError(f"worth counts where the goal is money, and it is {self.goal}: leave one of them out")
        for what, entries in (("links", self.links), ("calls", self.calls)):
            given = [entry.share is not None for entry in entries]
            if any(given) and not all(given):
                raise ValueError(f"{what}: give a share for each of them, or for none")
        return self


def read(path: Path) -> dict[str, object]:
    """Read a situation file as a mapping, unchecked.

    Raises:
        BadInput: it cannot be read, or is not TOML.
    """
    try:
        source = path.read_bytes()
    except OSError as failure:
        raise BadInput(f"cannot read the situation {path}: {failure.strerror}") from failure
    if len(source) > MOST_BYTES:
        raise BadInput(f"{path} has {len(source):,} bytes: a situation has at most {MOST_BYTES:,}")
    try:
        return tomllib.loads(source.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as failure:
        raise BadInput(f"{path} is not TOML: {' '.join(str(failure).split())}") from failure


def situation_of(document: Mapping[str, object], where: str) -> Situation:
    """Check what was said, and fill in what was not.

    Args:
        document: the keys of docs/reference/situation.md.
        where: the file or the options, for the sentence.

    Raises:
        BadInput: something is wrong; the sentence names the key and what is allowed.
    """
    try:
        part = SituationPart.model_validate(dict(document))
    except ValidationError as failure:
        raise BadInput(f"{where}: {_sentence(failure)}") from None
    try:
        objective = None if part.objective is None else _objective(part.objective)
        links = _links(part.links)
    except (BadInput, ValueError) as failure:
        raise BadInput(f"{where}: {failure}") from None
    names = [call.group for call in part.calls]
    if len(set(names)) < len(names):
        raise BadInput(f"{where}: calls names a group twice: add their shares up")
    groups = dict(zip(names, _shares([call.share for call in part.calls]), strict=True))
    prices = None if part.prices is None else Prices(**part.prices.model_dump())
    goal = Goal(part.goal) if part.goal else Goal.TIME if prices is None else Goal.MONEY
    return Situation(
        links=links,
        calls_per_s=part.calls_per_second,
        groups=groups or None,
        today=part.today,
        languages=tuple(part.languages),
        callers=_callers(part),
        tls=part.tls,
        readable=part.readable,
        objective=objective,
        prices=prices,
        goal=goal,
        margin=part.margin_percent / 100,
        worth=DEFAULT_WORTH if part.worth is None else part.worth,
        source=dict(document),
    )


def _callers(part: SituationPart) -> Callers:
    return Callers.BROWSERS if part.browsers else Callers.OTHERS if part.others else Callers.OWN


def _objective(text: str) -> Objective:
    objective = parse(text)
    if objective.share not in LATENCIES:
        raise ValueError(f'objective "{text}": figures of a record are mean, p50, p90, p99, p99.9 and max')
    return objective


def _links(entries: Sequence[LinkEntry]) -> list[SituationLink]:
    known: list[SituationLink] = []
    for entry, share in zip(entries, _shares([entry.share for entry in entries]), strict=True):
        link = link_of(entry.link)
        name = entry.name or link.name
        if any(earlier.name == name for earlier in known):
            raise BadInput(f'links has two of the name "{name}": give each its own name')
        known.append(SituationLink(name, link.wire, share))
    return known


def _shares(given: Sequence[float | None]) -> list[float]:
    """Scale shares so that they add up to 1; where none are given, all are alike."""
    weights = [1.0 if share is None else share for share in given]
    return [weight / sum(weights) for weight in weights]


def _sentence(failure: ValidationError) -> str:
    first = failure.errors()[0]
    steps = [f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in first["loc"]]
    where = "".join(steps).removeprefix(".")
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    match first["type"]:
        case "extra_forbidden":
            model = _model_at(first["loc"])
            return (
                f"{where} is not a key of a situation: {allowed_names(str(first['loc'][-1]), model.model_fields, 20)}"
            )
        case "missing":
            return f"{where} is missing"
        case "value_error":
            return message
        case _:
            value = repr(first["input"])
            return f"{where} is {value if len(value) <= 60 else value[:57] + '...'}: it {message}"


def _model_at(loc: Sequence[int | str]) -> type[BaseModel]:
    models: Mapping[int | str, type[BaseModel]] = {"links": LinkEntry, "calls": GroupEntry, "prices": PricesPart}
    return models.get(loc[0], SituationPart) if len(loc) > 1 else SituationPart
