"""Reading a study file: every mistake is one sentence with the file, the place, what was found and what is allowed."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from callbench.catalog.links.profile import Link, known
from callbench.catalog.study.cells import write_out
from callbench.catalog.study.check import check
from callbench.catalog.study.loads import Group
from callbench.catalog.study.model import StudyPart
from callbench.catalog.study.near import allowed
from callbench.catalog.study.parameters import Value, fill, settle
from callbench.catalog.study.published import Published
from callbench.catalog.study.shown import ChartPart, ClaimPart, LadderPart, QuestionPart, RanksPart, TablePart
from callbench.model.cell import Cell, Stack
from callbench.model.errors import BadInput
from callbench.model.installation import home

MOST_BYTES = 4 * 2**20
# In the braces of [servers]: what is filled in when a server is started, and when a request is made. `n` is the number
# of items that a call of FindItems asks for.
_LATER = {name: f"{{{name}}}" for name in ("port", "host", "number", "client", "random", "n")}


@dataclass(frozen=True)
class Study:
    """A study, checked, its parameters filled in.

    Attributes:
        name: the file's name without its ending.
        path: the file.
        source: the file as it is, for the run's own copy.
        published: the published figures it stands beside, or None.
        published_source: that file as it is, or None.
        parameters: the parameters in force.
    """

    name: str
    path: Path
    source: bytes
    part: StudyPart
    published: Published | None
    published_source: bytes | None
    parameters: Mapping[str, Value]

    @property
    def title(self) -> str:
        """What it is called."""
        return self.part.title

    @property
    def about(self) -> str:
        """What it asks."""
        return self.part.about

    @property
    def links(self) -> Mapping[str, Link]:
        """The links that its cells may lie over, by name: those that come along, and its own."""
        return known(self.part.links)

    @property
    def groups(self) -> Sequence[Group]:
        """Its groups of cells."""
        return self.part.cells

    @property
    def tables(self) -> Sequence[TablePart]:
        """The tables it prints."""
        return self.part.tables

    @property
    def charts(self) -> Sequence[ChartPart]:
        """The charts it draws along a parameter."""
        return self.part.charts

    @property
    def ladders(self) -> Sequence[LadderPart]:
        """The figures over the number of clients that it draws."""
        return self.part.ladders

    @property
    def ranks(self) -> Sequence[RanksPart]:
        """The summaries of ranks it prints."""
        return self.part.ranks

    @property
    def claims(self) -> Sequence[ClaimPart]:
        """The claims it holds against a run."""
        return self.part.claims

    @property
    def questions(self) -> Sequence[QuestionPart]:
        """What it asks a run."""
        return self.part.questions

    def forks(self, quick: bool) -> int:
        """How many forks a run has at least, of each condition."""
        return self.part.quick.forks if quick else self.part.load.forks

    def rounds(self, quick: bool) -> int:
        """How many rounds a fork has."""
        return self.part.quick.rounds if quick else self.part.load.rounds

    def minutes(self, quick: bool) -> float:
        """After how many minutes a run ends that has not decided everything by then."""
        return self.part.quick.minutes if quick else self.part.load.minutes

    @property
    def idle(self) -> Sequence[str]:
        """The conditions of the machine's idle states that are measured, the run's own first."""
        return self.part.load.idle

    def cells(self, stacks: Sequence[Stack], quick: bool) -> list[Cell]:
        """Write out the cells, `c001` onwards, the same ids every time.

        Cells of stacks that cannot run here are written out too: the core lists them as excluded, with why.

        Args:
            stacks: every stack there is.
            quick: whether [quick] replaces calls and seconds.

        Raises:
            BadInput: a glob that matches no stack.
        """
        return write_out(self.part.cells, self.part.load, self.part.quick if quick else None, stacks, self.path.name)


def folder() -> Path:
    """Where the studies are that have a name."""
    return home() / "studies"


def names() -> list[str]:
    """Name the studies that come with callbench."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def load(
    name_or_path: str | Path,
    settings: Mapping[str, Value] | None = None,
    published: Path | None = None,
    link: str | None = None,
) -> Study:
    """Read a study by its name or path, set its parameters and check all of it.

    Args:
        name_or_path: `remobjects`, or a path to a file.
        settings: parameters by name, as from `--set`.
        published: the published file to use in the place of the one it names (a run keeps its own copy).
        link: the link of every cell, in the place of those that the study names.

    Raises:
        BadInput: whatever is wrong with it.
    """
    path = _find(name_or_path)
    source = _read(path, "a study")
    raw = _parse(source, path)
    if not raw:
        raise BadInput(f"{path} is empty: a study needs at least title and one [[cells]]; see docs/reference/study.md")
    defaults = _defaults(raw, path)
    values = settle(defaults, settings or {}, str(path))
    rest = {key: value for key, value in raw.items() if key not in {"parameters", "lists", "servers"}}
    try:
        lists = _lists(raw, values)
        filled = fill(rest, {**values, **lists}, "")
        if "servers" in raw:
            filled["servers"] = fill(raw["servers"], {**values, **_LATER}, "servers")
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    try:
        part = StudyPart.model_validate({**filled, "parameters": values, "lists": lists})
    except ValidationError as error:
        raise BadInput(f"{path}: {_sentence(error, filled)}") from None
    part = part.shared()
    if link is not None:
        part = part.over(link)
    figures_path = published or (_published_file(path, part.published) if part.published else None)
    figures_source = _read(figures_path, f"the published figures that {path.name} names") if figures_path else None
    figures = (
        Published.of(figures_path.name, _parse(figures_source, figures_path))
        if figures_path and figures_source is not None
        else None
    )
    check(part, figures, str(path))
    return Study(path.stem, path, source, part, figures, figures_source, values)


def _published_file(study: Path, name: str) -> Path:
    """Find the published figures that a study names: beside it, or, of a copied study, among those that come along.

    Raises:
        BadInput: they are in neither place.
    """
    bare = Path(name).name
    places = (study.parent / name, study.parent / bare, folder() / name, folder() / "published" / bare)
    for place in places:
        if place.exists():
            return place
    raise BadInput(
        f'{study}: the published figures that it names, "{name}", lie neither beside it ({places[0]}) nor among those'
        f" that come along ({places[-1]}): copy the file there, or take the line published away"
    )


def _find(name_or_path: str | Path) -> Path:
    """Find the file: a path where it looks like one, else one of the studies that come along."""
    text = str(name_or_path)
    path = Path(text)
    if isinstance(name_or_path, Path) or path.suffix == ".toml" or os.sep in text:
        return path
    named = folder() / f"{text}.toml"
    if named.is_file():
        return named
    if path.exists():
        return path
    raise BadInput(f'there is no study "{text}": {allowed(text, names())}; or give the path of a .toml file')


def _read(path: Path, what: str) -> bytes:
    """Read a file that a person named."""
    try:
        if path.is_dir():
            raise BadInput(f"{path} is a folder: {what} is a TOML file")
        if path.exists() and not path.is_file():
            raise BadInput(f"{path} is no ordinary file: {what} is a TOML file")
        source = path.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist: {what} is a TOML file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadInput(f"{path} cannot be read ({why}): {what} must be a readable TOML file") from None
    if len(source) > MOST_BYTES:
        raise BadInput(f"{path} has {len(source)} bytes: {what} has at most {MOST_BYTES}")
    return source


def _parse(source: bytes, path: Path) -> dict[str, Any]:
    """Read TOML."""
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}: line {line} holds bytes that are not UTF-8 text: a study is a TOML file") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise BadInput(f"{path} is nested too deeply to be a study") from None


def _defaults(raw: Mapping[str, Any], path: Path) -> dict[str, Value]:
    """Take the file's parameters, before anything is filled in."""
    given = raw.get("parameters", {})
    if not isinstance(given, dict):
        raise BadInput(f"{path}: parameters must be a table, [parameters], of numbers, texts or booleans")
    for name, value in given.items():
        if not isinstance(value, int | float | str | bool):
            raise BadInput(f"{path}: parameters.{name} is {value!r}: it must be a number, a text or a boolean")
    return given


def _lists(raw: Mapping[str, Any], values: Mapping[str, Value]) -> dict[str, list[Any]]:
    """Take the file's lists, their braces filled with its parameters."""
    given = raw.get("lists", {})
    if not isinstance(given, dict):
        raise BadInput("lists must be a table, [lists], each of its keys a list that braces can name")
    for name, value in given.items():
        if not isinstance(value, list):
            raise BadInput(f"lists.{name} is {value!r}: it must be a list; one value is a parameter")
        if name in values:
            raise BadInput(f"lists.{name} is named like a parameter: braces could mean either")
    return {name: list(fill(value, values, f"lists.{name}")) for name, value in given.items()}


def _sentence(error: ValidationError, raw: Mapping[str, Any]) -> str:
    """Turn the first thing pydantic found into our sentence."""
    first = error.errors()[0]
    where = _place(first["loc"], raw)
    kind = first["type"]
    if kind == "extra_forbidden":
        found = str(first["loc"][-1])
        return f"{where} is not a key of a study: {allowed(found, _keys_beside(first['loc']), 20)}"
    if kind == "missing":
        return f"{where} is missing"
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    found = repr(first["input"])
    if kind == "value_error":
        return f"{where}: {message}"
    return f"{where} is {found if len(found) <= 60 else found[:57] + '...'}: it {message}"


def _place(loc: Sequence[int | str], raw: Mapping[str, Any]) -> str:
    """Write a key path as a person would: `cells[2] (GetPersons).arguments.n`, counting from 1."""
    text = ""
    node: Any = raw
    for step in loc:
        if isinstance(step, int):
            node = node[step] if isinstance(node, list) and step < len(node) else None
            keyed = node if isinstance(node, dict) else {}
            name = next((keyed[key] for key in ("group", "id", "label") if key in keyed), "")
            text += f"[{step + 1}]" + (f" ({name})" if name else "")
        elif isinstance(node, dict | None) or text == "":
            node = node.get(step) if isinstance(node, dict) else None
            text += f".{step}" if text else str(step)
    return text or "the file"


def _keys_beside(loc: Sequence[int | str]) -> list[str]:
    """List the keys allowed where an unknown one was found."""
    model: type[BaseModel] = StudyPart
    for step in loc[:-1]:
        if isinstance(step, str) and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation) or model
    return list(model.model_fields)


def _model_in(annotation: object) -> type[BaseModel] | None:
    """Find the model within an annotation such as list[Group] or Where | None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (list, Union, UnionType) or get_args(annotation):
        return next((found for inner in get_args(annotation) if (found := _model_in(inner))), None)
    return None
