"""The pages in docs/middleware: each in the index, each fork of stacks that exist, each written from a run."""

import re
from pathlib import Path

import pytest

from callbench.catalog import catalogue
from conftest import ROOT

FOLDER = ROOT / "docs" / "middleware"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.name != "README.md")
FORK = re.compile(r"<!-- (captured|costs): ([^>]*?) -->\n(.*?)<!-- end -->", re.DOTALL)


def test_every_page_is_in_the_index() -> None:
    listed = re.findall(r"\]\(([a-z-]+\.md)\)", (FOLDER / "README.md").read_text())
    assert sorted(listed) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_forks_are_of_stacks_that_exist_and_written(page: Path) -> None:
    known = {stack.id for stack in catalogue.load().stacks}
    forks = FORK.findall(page.read_text())
    # dcom.md is about our own server, and describes its bytes one by one.
    assert [kind for kind, _, _ in forks] == ([] if page.stem == "dcom" else ["captured", "costs"])
    for kind, names, text in forks:
        assert set(names.split()) <= known
        if kind == "captured":
            sizes = [int(size) for size in re.findall(r"(?:->|<-) server  (\d+) bytes", text)]
            assert len(sizes) >= 2
            # The exchange is whole: its packets are the life that the sheet beside it counts.
            row = re.search(rf"^\| `{re.escape(names)}` \|.*$", forks[1][2], re.MULTILINE)
            assert row is not None
            assert f"{sum(sizes):,}" == row[0].split("|")[7].strip()
