"""What a study offers, as boxes and fields: what of it can be chosen, and how long the choice takes.

All of it is what `callbench run STUDY --dry-run --json` prints. A box adds a value of `--select`, a field one of
`--set`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter

from callbench.analysis.wording.words import some
from callbench.catalog.select import PAIR
from callbench.model.errors import BadInput
from callbench.web.forms import joined, separate
from callbench.web.program import said

# Of the fields of a form: those that are the value of a study's parameter.
PARAMETER = "set:"
# And those that are a ticked box: a value of `--select`, blanks and all.
BOX = "box"
# Keys with more boxes than this are folded: those that stand first in a study are few.
_OPEN = 16
_IN_MATRIX = ("message", "channel")
_TITLES = {
    "adapter": "Adapters and languages",
    "message": "Messages",
    "channel": "Channels",
    "call": "Calls",
    "group": "Groups of cells",
    "clients": "Clients",
    "arrivals": "Arrivals",
    "rate": "Calls per second",
    "link": "Links",
}


class CellsThatCannotRun(BaseModel):
    """Cells that cannot run here, for one reason."""

    why: Annotated[str, Field(description="the reason, with the remedy")]
    parts: Annotated[list[str], Field(description="what `callbench setup` takes to mend it; none where it cannot")]
    cells: Annotated[int, Field(description="how many cells they are")]


class ListedStudy(BaseModel):
    """A study, as `callbench list studies --json` has it."""

    study: str
    title: str | None
    parameters: Mapping[str, int | float | bool | str]
    cells: int
    lacking: list[CellsThatCannotRun]
    why_not: str | None


class LeftOutStacks(BaseModel):
    """Stacks that cannot run here."""

    why: Annotated[str, Field(description="the reason, with the remedy")]
    stacks: list[str]


class SelectableCells(BaseModel):
    """Cells of a study that a value of `--select` names."""

    select: Annotated[str, Field(description="that value")]
    label: str
    cells: Annotated[int, Field(description="how many they are")]
    why_not: Annotated[str | None, Field(description="why none of them can run here; null if some can")]


class PreviewedRun(BaseModel):
    """What of a study can be chosen, and how long the chosen cells take."""

    title: Annotated[str, Field(description="of the study")]
    cells: Annotated[int, Field(description="how many are chosen")]
    duration: Annotated[str, Field(description="how long they take, in a sentence")]
    left_out: list[LeftOutStacks]
    parameters: Annotated[dict[str, int | float | bool | str], Field(description="of the study, as they are set")]
    choices: Annotated[dict[str, list[SelectableCells]], Field(description="by key: message, channel, call ...")]
    lacking: Annotated[list[CellsThatCannotRun], Field(description="why cells of the study cannot run here")]
    study_file: Annotated[
        str | None, Field(description="a study that measures the same without options, in TOML; null of a service")
    ]


@dataclass(frozen=True)
class Box:
    """A value of `--select`, whether it is ticked, and why none of its cells can run here."""

    select: str
    label: str
    ticked: bool
    why_not: str | None


@dataclass(frozen=True)
class Boxes:
    """The values of one key."""

    title: str
    boxes: Sequence[Box]

    @property
    def folded(self) -> bool:
        """Whether they are many, and none is ticked."""
        return len(self.boxes) > _OPEN and not any(box.ticked for box in self.boxes)


@dataclass(frozen=True)
class MessageMatrix:
    """Messages over channels, as boxes. What stands at the head of a row or a column takes all of it.

    Attributes:
        heads: the messages.
        rows: the channels, each with a box below each message; None where the study has no such pair.
    """

    heads: Sequence[Box]
    rows: Sequence[tuple[Box, Sequence[Box | None]]]

    @property
    def boxes(self) -> Sequence[Box]:
        """All boxes."""
        pairs = [box for _, row in self.rows for box in row if box is not None]
        return [*self.heads, *(channel for channel, _ in self.rows), *pairs]

    def takes(self, message: Box, channel: Box, pair: Box) -> bool:
        """Return whether a pair is measured, as far as the matrix decides it: with nothing ticked, all are."""
        return any(box.ticked for box in (message, channel, pair)) or not any(box.ticked for box in self.boxes)


@dataclass(frozen=True)
class Offer:
    """What a study offers.

    Attributes:
        title: of the study.
        cells: how many of its cells are chosen.
        duration: how long they take, in a sentence.
        wrong: why the choice cannot be measured; "" where it can.
        parameters: the study's: name, what it was set to, and what it is.
        matrix: messages over channels; None where the study has one of either.
        keys: the other boxes.
        lacking: why boxes are grey.
        left_out: reasons why chosen stacks cannot run here, each with those.
        rest: what is chosen or set besides the boxes and fields, by field.
        study_file: a study that measures the same without options; None where there is none.
    """

    title: str
    cells: int
    duration: str
    wrong: str
    parameters: Sequence[tuple[str, str, str]]
    matrix: MessageMatrix | None
    keys: Sequence[Boxes]
    lacking: Sequence[CellsThatCannotRun]
    left_out: Sequence[tuple[str, str]]
    rest: Mapping[str, str]
    study_file: str | None


def together(items: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the values of a form, in which several boxes have one name, and parameters a field each."""
    values: dict[str, list[str]] = {}
    for name, value in items:
        if name.startswith(PARAMETER):
            if value.strip():
                values.setdefault("set", []).append(joined([f"{name.removeprefix(PARAMETER)}={value.strip()}"]))
        elif name == BOX:
            values.setdefault("select", []).append(joined([value]))
        else:
            values.setdefault(name, []).append(value)
    return {
        name: " ".join(filter(None, several)) if len(several) > 1 else several[0] for name, several in values.items()
    }


def offered(words: Sequence[str], values: Mapping[str, str]) -> Offer:
    """Return what a study offers.

    Args:
        words: the command line that the form makes.
        values: of the form.

    Raises:
        BadInput: there is no such study, or it has no cells.
    """
    wrong = ""
    try:
        preview = previewed(words)
    except BadInput as failure:
        wrong = str(failure)
        preview = previewed([word for word in words if not word.startswith(("--select=", "--set="))])
    chosen, settings = (separate(values.get(name, "")) for name in ("select", "set"))
    matrix = _matrix(preview.choices, chosen)
    shown = {key: each for key, each in preview.choices.items() if key != PAIR and not (matrix and key in _IN_MATRIX)}
    keys = [
        Boxes(_TITLES[key], [Box(each.select, each.label, each.select in chosen, each.why_not) for each in choices])
        for key, choices in shown.items()
    ]
    in_boxes = {box.select for boxes in keys for box in boxes.boxes}
    in_boxes |= {box.select for box in matrix.boxes} if matrix else set()
    set_to = dict(word.split("=", 1) for word in settings if "=" in word)
    rest = {
        "select": joined(word for word in chosen if word not in in_boxes),
        "set": joined(word for word in settings if word.partition("=")[0] not in preview.parameters),
    }
    return Offer(
        title=preview.title,
        cells=preview.cells,
        duration=preview.duration,
        wrong=wrong,
        parameters=[(name, set_to.get(name, ""), str(value)) for name, value in preview.parameters.items()],
        matrix=matrix,
        keys=keys,
        lacking=preview.lacking,
        left_out=[(entry.why, some(entry.stacks)) for entry in preview.left_out],
        rest=rest,
        study_file=None if wrong else preview.study_file,
    )


def _matrix(choices: Mapping[str, Sequence[SelectableCells]], chosen: Sequence[str]) -> MessageMatrix | None:
    """Return messages over channels; None where there is one of either."""
    messages, channels = (choices.get(key, ()) for key in _IN_MATRIX)
    if not (messages and channels):
        return None
    pairs = {each.label: each for each in choices.get(PAIR, ())}

    def box(select: str, label: str, why_not: str | None) -> Box:
        return Box(f"{PAIR}={select}", label, f"{PAIR}={select}" in chosen, why_not)

    def pair(label: str) -> Box | None:
        return box(label, label, pairs[label].why_not) if label in pairs else None

    return MessageMatrix(
        [box(f"{message.label}+*", message.label, message.why_not) for message in messages],
        [
            (
                box(f"*+{channel.label}", channel.label, channel.why_not),
                [pair(f"{message.label}+{channel.label}") for message in messages],
            )
            for channel in channels
        ],
    )


def studies() -> Sequence[ListedStudy]:
    """Return the studies that come with the program."""
    return TypeAdapter(list[ListedStudy]).validate_json(said(["list", "studies", "--json"]))


def previewed(words: Sequence[str]) -> PreviewedRun:
    """Return what a run would measure, and what else of its study can be chosen.

    Raises:
        BadInput: the command line is wrong.
    """
    return PreviewedRun.model_validate_json(said([*words, "--dry-run", "--json"]))
