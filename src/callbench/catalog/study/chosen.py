"""The file of a study with what was chosen of it: `callbench run mine.toml` then needs no options."""

import re
import tomllib
from collections.abc import Mapping

import tomli_w

from callbench.catalog.study.load import Study
from callbench.catalog.study.loads import RunPart
from callbench.catalog.study.parameters import Value
from callbench.model.secrets import SECRETS

_RUN, _PARAMETERS = "run", "parameters"
_HEADING = re.compile(r"^\s*\[")
# A value on one line, and the comment behind it.
_SETTING = re.compile(
    r"""^(?P<name>[A-Za-z0-9_-]+)\s*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#"'\n]*?)(?P<rest>\s*(?:#.*)?)$"""
)


def chosen(study: Study, run: RunPart) -> str:
    """Return the file of a study, with the parameters as they are set and `[run]` as given.

    It keeps its comments where its parameters stand one a line. Secrets in it are masked.

    Args:
        study: with its parameters.
        run: the options.
    """
    SECRETS.learn_study(study.source)
    text = study.source.decode("utf-8-sig")
    document = tomllib.loads(text)
    options = run.model_dump(exclude_defaults=True)
    wanted = {name: member for name, member in document.items() if name != _RUN}
    wanted |= {_RUN: options} if options else {}
    wanted |= {_PARAMETERS: dict(study.parameters)} if study.parameters else {}
    edited = _edited(text, options, document.get(_PARAMETERS, {}), study.parameters)
    whole = edited if _parsed(edited) == wanted else tomli_w.dumps(wanted)
    about = _about(study)
    # What was chosen of such a file says it once.
    return SECRETS.masked_text(about + whole.removeprefix(about))


def _about(study: Study) -> str:
    """Return the comment at the top."""
    lines = f"# {study.name} with what was chosen of it.\n"
    if study.part.servers:
        lines += f"# Keep this file beside {study.path.name}: the folders of its servers are relative to it.\n"
    return lines


def _edited(text: str, options: Mapping[str, object], now: Mapping[str, Value], wanted: Mapping[str, Value]) -> str:
    """Return the file with other parameters and options. Its lines are changed without being understood."""
    kept: list[str] = []
    table, begun = "", False
    for line in text.splitlines():
        if _HEADING.match(line):
            table = line.partition("#")[0].strip().strip("[]").strip()
            if not begun and options:
                kept += [*tomli_w.dumps({_RUN: options}).splitlines(), ""]
            begun = True
        if table != _RUN:
            kept.append(_set(line, now, wanted) if table == _PARAMETERS else line)
    return "\n".join(kept) + "\n"


def _set(line: str, now: Mapping[str, Value], wanted: Mapping[str, Value]) -> str:
    """Return a line of the parameters with the value that is wanted."""
    found = _SETTING.match(line)
    name = found["name"] if found else ""
    if found is None or name not in wanted or wanted[name] == now.get(name):
        return line
    return tomli_w.dumps({name: wanted[name]}).strip() + found["rest"]


def _parsed(text: str) -> Mapping[str, object] | None:
    """Return what a text says; None if it is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
