"""Read a study file. Every mistake is one sentence with the file, the place, the value and what is allowed."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from callbench.catalog.links.profile import Link, known_links
from callbench.catalog.own import study as own_study
from callbench.catalog.own.place import SERVICE, is_service
from callbench.catalog.study.cells import write_out
from callbench.catalog.study.check import check
from callbench.catalog.study.loads import Group
from callbench.catalog.study.model import StudyPart
from callbench.catalog.study.parameters import Value, fill, settle
from callbench.catalog.study.published import Published
from callbench.catalog.study.report_parts import ChartPart, ClaimPart, LadderPart, QuestionPart, RanksPart, TablePart
from callbench.model.cell import Cell, Stack
from callbench.model.errors import BadInput
from callbench.model.installation import home
from callbench.model.suggestions import allowed_names

MOST_BYTES = 4 * 2**20
# Placeholders in [servers] that are filled in when a server is started or a request is made. `n` is the number of items
# of FindItems.
_LATER = {name: f"{{{name}}}" for name in ("port", "host", "number", "client", "random", "n")}


@dataclass(frozen=True)
class Study:
    """A checked study with its parameters filled in.

    Attributes:
        name: the file name without its ending.
        path: the file.
        source: the content of the file, for the run's own copy.
        published: the published values, or None.
        published_source: the content of the published file, or None.
        parameters: the values of its parameters.
    """

    name: str
    path: Path
    source: bytes
    part: StudyPart
    published: Published | None
    published_source: bytes | None
    parameters: Mapping[str, Value]

    @property
    def service(self) -> Path | None:
        """The folder of the imported service whose study it is, or None."""
        return self.path.parent if is_service(self.path.parent) else None

    @property
    def title(self) -> str:
        """Its title."""
        return self.part.title

    @property
    def about(self) -> str:
        """What it asks."""
        return self.part.about

    @property
    def links(self) -> Mapping[str, Link]:
        """The links that its cells may use, by name: built-in ones and its own."""
        return known_links(self.part.links)

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
        """Its charts along a parameter."""
        return self.part.charts

    @property
    def ladders(self) -> Sequence[LadderPart]:
        """Its charts over the number of clients."""
        return self.part.ladders

    @property
    def ranks(self) -> Sequence[RanksPart]:
        """Its summaries of ranks."""
        return self.part.ranks

    @property
    def claims(self) -> Sequence[ClaimPart]:
        """Its claims."""
        return self.part.claims

    @property
    def questions(self) -> Sequence[QuestionPart]:
        """Its questions."""
        return self.part.questions

    def forks(self, quick: bool) -> int:
        """Return the least number of forks of each condition."""
        return self.part.quick.forks if quick else self.part.load.forks

    def rounds(self, quick: bool) -> int:
        """Return the number of rounds in a fork."""
        return self.part.quick.rounds if quick else self.part.load.rounds

    def minutes(self, quick: bool) -> float:
        """Return the minutes after which a run ends, even if something is undecided."""
        return self.part.quick.minutes if quick else self.part.load.minutes

    @property
    def idle(self) -> Sequence[str]:
        """The measured conditions of the processors' idle states, the run's own first."""
        return self.part.load.idle

    def cells(self, stacks: Sequence[Stack], quick: bool) -> list[Cell]:
        """Return its cells, `c001` onwards, with the same ids every time.

        Cells of stacks that cannot run here are included: the core lists them as excluded, with the reason.

        Args:
            stacks: all stacks.
            quick: whether [quick] replaces calls and seconds.

        Raises:
            BadInput: a glob matches no stack.
        """
        return write_out(self.part.cells, self.part.load, self.part.quick if quick else None, stacks, self.path.name)


def folder() -> Path:
    """Return the folder of the built-in studies."""
    return home() / "studies"


def names() -> list[str]:
    """Return the names of the built-in studies."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def load(  # noqa: PLR0913, PLR0917 - what a study depends on
    name_or_path: str | Path,
    settings: Mapping[str, Value] | None = None,
    published: Path | None = None,
    link: str | None = None,
    languages: Sequence[str] = (),
    stacks: Sequence[str] = (),
) -> Study:
    """Read a study by its name or path, set its parameters and check all of it.

    Args:
        name_or_path: `remobjects`, a path to a file, or the folder of an imported service.
        settings: parameters by name, as from `--set`.
        published: the published file to use instead of the one it names (a run keeps its own copy).
        link: the link of every cell, instead of those in the study.
        languages: of the folder of an imported service without a study.toml: the languages to measure besides Rust.
        stacks: likewise: the native stacks to measure; empty: the usual ones. Another study names its own.

    Raises:
        BadInput: the study is wrong; the sentence names the place.
    """
    path = _find(name_or_path)
    in_service = is_service(path.parent)
    usual = in_service and path.name == own_study.STUDY and not path.exists()
    if languages and not usual:
        raise BadInput(
            f"--languages is for the folder of an imported service without a study.toml; {path} names its stacks itself"
        )
    source = own_study.usual(path.parent, languages, stacks) if usual else _read(path, "a study")
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
    figures_source = _read(figures_path, f"the published values that {path.name} names") if figures_path else None
    figures = (
        Published.of(figures_path.name, _parse(figures_source, figures_path))
        if figures_path and figures_source is not None
        else None
    )
    check(part, figures, str(path), own_study.calls(path.parent) if (path.parent / SERVICE).is_file() else ())
    name = path.absolute().parent.name if in_service and path.name == own_study.STUDY else path.stem
    return Study(
        name=name,
        path=path,
        source=source,
        part=part,
        published=figures,
        published_source=figures_source,
        parameters=values,
    )


def _published_file(study: Path, name: str) -> Path:
    """Return the published file that a study names: beside it, or among the built-in ones.

    Raises:
        BadInput: it is in neither place.
    """
    bare = Path(name).name
    places = (study.parent / name, study.parent / bare, folder() / name, folder() / "published" / bare)
    for file in places:
        if file.exists():
            return file
    raise BadInput(
        f'{study}: the published values that it names, "{name}", are neither beside it ({places[0]}) nor'
        f" built in ({places[-1]}): copy the file there, or remove the line `published`"
    )


def _find(name_or_path: str | Path) -> Path:
    """Return the file: a path, or one of the built-in studies."""
    text = str(name_or_path)
    path = Path(text)
    if is_service(path):
        return path / own_study.STUDY
    if isinstance(name_or_path, Path) or path.suffix == ".toml" or os.sep in text:
        return path
    named = folder() / f"{text}.toml"
    if named.is_file():
        return named
    if path.exists():
        return path
    raise BadInput(f'there is no study "{text}": {allowed_names(text, names())}; or give the path of a .toml file')


def _read(path: Path, what: str) -> bytes:
    """Read a file that the user named."""
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


def _parse(source: bytes, path: Path) -> dict[str, object]:
    """Parse TOML."""
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


def _defaults(raw: Mapping[str, object], path: Path) -> dict[str, Value]:
    """Return the file's parameters before anything is filled in."""
    given = raw.get("parameters", {})
    if not isinstance(given, dict):
        raise BadInput(f"{path}: parameters must be a table, [parameters], of numbers, texts or booleans")
    for name, value in given.items():
        if not isinstance(value, int | float | str | bool):
            raise BadInput(f"{path}: parameters.{name} is {value!r}: it must be a number, a text or a boolean")
    return given


def _lists(raw: Mapping[str, object], values: Mapping[str, Value]) -> dict[str, list[Any]]:
    """Return the file's lists with parameters filled in."""
    given = raw.get("lists", {})
    if not isinstance(given, dict):
        raise BadInput("lists must be a table, [lists], each of its keys a list that braces can name")
    for name, value in given.items():
        if not isinstance(value, list):
            raise BadInput(f"lists.{name} is {value!r}: it must be a list; one value is a parameter")
        if name in values:
            raise BadInput(f"lists.{name} is named like a parameter: braces could mean either")
    return {name: list(fill(value, values, f"lists.{name}")) for name, value in given.items()}


def _sentence(error: ValidationError, raw: Mapping[str, object]) -> str:
    """Return pydantic's first error as a sentence of ours."""
    first = error.errors()[0]
    where = _place(first["loc"], raw)
    kind = first["type"]
    if kind == "extra_forbidden":
        wrong = str(first["loc"][-1])
        return f"{where} is not a key of a study: {allowed_names(wrong, _keys_beside(first['loc']), 20)}"
    if kind == "missing":
        return f"{where} is missing"
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    wrong = repr(first["input"])
    if kind == "value_error":
        return f"{where}: {message}"
    return f"{where} is {wrong if len(wrong) <= 60 else wrong[:57] + '...'}: it {message}"


def _place(loc: Sequence[int | str], raw: Mapping[str, object]) -> str:
    """Return a key path for a reader: `cells[2] (GetPersons).arguments.n`, counted from 1."""
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
    """Return the allowed keys at the place of an unknown one."""
    model: type[BaseModel] = StudyPart
    for step in loc[:-1]:
        if isinstance(step, str) and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation) or model
    return list(model.model_fields)


def _model_in(annotation: object) -> type[BaseModel] | None:
    """Return the model in an annotation such as list[Group] or Where | None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (list, Union, UnionType) or get_args(annotation):
        return next((model for inner in get_args(annotation) if (model := _model_in(inner))), None)
    return None
