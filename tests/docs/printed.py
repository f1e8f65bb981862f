"""The commands that the project prints: in its documentation, and in the sentences of its own source."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from callbench.cli.help.command_table import SECTIONS
from conftest import ROOT

PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "contract" / "CONTRACT.md")
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:\./)?callbench [a-z][^`]*|make [a-z][^`]*|setup/[a-z-]+[^`]*|bench/run[^`]*)`")
_LINE = re.compile(r"(?:\./)?callbench [a-z]|make [a-z]|setup/[a-z]+( |$)|bench/run")
_COMMENT = re.compile(r"\s{2,}#.*|\s+# .*")
# The command in a sentence: in backquotes, or after a colon at its end.
_TOLD = re.compile(r"`((?:callbench|make|setup/)[^`]*)`|: ((?:callbench [a-z]|make [a-z]+$)[^`]*)$")
# Without it, a file's source has no such sentence: most files need not be parsed.
_MAY_TELL = re.compile(r"`(?:callbench|make|setup/)|(?:callbench|make) [a-z{]")


def commands() -> dict[str, set[str]]:
    """Every command that is printed, with the files that it stands in; of `./callbench` without what is before it."""
    found: dict[str, set[str]] = {}
    for file in (*PAGES, *sorted((ROOT / "docs").rglob("*.md"))):
        for text in _of_page(file.read_text()):
            found.setdefault(_plain(text), set()).add(str(file.relative_to(ROOT)))
    for file in sorted((ROOT / "src").rglob("*.py")):
        for text in _of_source(file):
            found.setdefault(_plain(text), set()).add(str(file.relative_to(ROOT)))
    for entry in (entry for section in SECTIONS for entry in section.entries):
        for text in entry.examples:
            found.setdefault(_plain(text), set()).add(f"callbench {entry.name} --help")
    for file in sorted(ROOT.glob("*/*/adapter.toml")):
        # What the doctor says to type where the adapter is missing.
        for text in re.findall(r'^setup = "([^"]*)"', file.read_text(), re.MULTILINE):
            found.setdefault(_plain(text), set()).add(str(file.relative_to(ROOT)))
    return found


def _plain(text: str) -> str:
    return " ".join(text.removeprefix("./").split())


def _of_page(text: str) -> Iterator[str]:
    for fork in _FENCE.findall(text):
        for line in fork.replace("\\\n", " ").splitlines():
            if _LINE.match(line.strip()) and "  starts the program" not in line:
                yield _COMMENT.sub("", line.strip())
    yield from (found.rstrip(".,;:") for found in _INLINE.findall(_FENCE.sub("", text)))


def _of_source(file: Path) -> Iterator[str]:
    """Of every text but docstrings; what is filled in is `{}`."""
    source = file.read_text()
    if _MAY_TELL.search(source):
        for text in _texts(ast.parse(source)):
            for quoted, bare in _TOLD.findall(text):
                yield quoted or bare


def _texts(node: ast.AST) -> Iterator[str]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in part.values)
            # Texts within what is filled in are another's parts.
            continue
        if isinstance(part, ast.Constant):
            if isinstance(part.value, str) and not isinstance(node, ast.Expr):
                yield part.value
            continue
        yield from _texts(part)


def words(command: str) -> list[str]:
    """The words of a command up to a pipe or a redirection, without the program's name."""
    found = shlex.shlex(command, posix=True, punctuation_chars="|>")
    found.whitespace_split = True
    kept: list[str] = []
    for word in found:
        if set(word) <= {"|", ">"}:
            break
        kept.append(word)
    return kept[1:]
