"""The architecture page shows the layers that import-linter holds, and the files and folders that exist."""

import re
import tomllib
from collections.abc import Iterator

import pytest

from callbench.model.installation import home

# The first of a line, and those behind a comma or a gap.
_FOLDER = re.compile(r"(?:^ *|, |  )([\w-]+(?:/[\w-]+)*)/(?=[ ,]|$)")


def section(heading: str) -> str:
    """What the page has below a heading."""
    page = (home() / "docs/architecture.md").read_text()
    found = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    assert found, heading
    return found


def picture(heading: str) -> list[str]:
    """The lines of the first block of code below a heading."""
    return section(heading).split("```")[1].strip("\n").splitlines()


def folders() -> Iterator[str]:
    """Each folder of the tree, with those around it."""
    around: list[tuple[int, str]] = []
    for line in picture("Source tree"):
        names = _FOLDER.findall(line)
        indent = len(line) - len(line.lstrip())
        around = [(depth, folder) for depth, folder in around if depth < indent]
        parent = "".join(f"{folder}/" for _, folder in around)
        yield from (parent + name for name in names)
        around += [(indent, names[0])] if names else []


def test_the_picture_of_the_layers_is_the_contract_of_imports() -> None:
    contracts = tomllib.loads((home() / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert [re.split(r"  +", line)[0] for line in picture("Layers")] == layers


def test_the_folders_of_the_tree_exist() -> None:
    assert [name for name in folders() if not (home() / name).is_dir()] == []


@pytest.mark.parametrize(
    "pattern",
    ["src/callbench/*/__init__.py", "src/callbench/*/*/__init__.py", "engine/*/Cargo.toml", "adapters/*/adapter.toml"],
)
def test_no_folder_is_left_out_of_the_tree(pattern: str) -> None:
    there = {str(file.parent.relative_to(home())) for file in home().glob(pattern)}
    assert there
    assert sorted(there - set(folders())) == []


def test_the_files_of_a_run_exist_and_are_few() -> None:
    files = re.findall(r"^\| `([\w/]+\.py)`", section("Follow a run through the code"), re.MULTILINE)
    assert 5 <= len(files) <= 10
    for file in files:
        assert (home() / "src/callbench" / file).is_file(), file


def test_the_glossary_is_in_alphabetical_order() -> None:
    terms = re.findall(r"^- \*\*([^*]+)\*\*", (home() / "docs/glossary.md").read_text(), re.MULTILINE)
    assert terms == sorted(terms, key=str.casefold)
