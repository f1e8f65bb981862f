"""The documentation as a site: it is built, and a link that leads nowhere fails it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

pytest.importorskip("mkdocs")
# What the pages link to.
LINKED = ("adapters", "contract", "distribution", "docs", "links", "studies", "tests")


def built(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """The site of a checkout."""
    argv = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of this checkout that the site is made of."""
    place = tmp_path_factory.mktemp("checkout")
    made = shutil.ignore_patterns("target", "build", "node_modules", "__pycache__")
    for folder in LINKED:
        shutil.copytree(ROOT / folder, place / folder, ignore=made, symlinks=True)
    for file in ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "mkdocs.yml"):
        shutil.copy(ROOT / file, place / file)
    return place


def test_it_is_built_with_pages_from_outside_docs(copy: Path, tmp_path: Path) -> None:
    ended = built(copy, tmp_path / "site")
    assert ended.returncode == 0, ended.stderr
    first = (tmp_path / "site" / "index.html").read_text()
    assert 'href="guide/run-a-study/"' in first
    assert (tmp_path / "site" / "contract" / "LOOP" / "index.html").is_file()
    assert 'href="../../contract/RUNNER/' in (tmp_path / "site" / "guide" / "new-language" / "index.html").read_text()


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("docs/guide/java.md", "[gone](../../contract/GONE.md)"),
        ("contract/LOOP.md", "[gone](CONTRACT.md#gone)"),
    ],
)
def test_a_link_that_leads_nowhere_fails_it(copy: Path, tmp_path: Path, page: str, link: str) -> None:
    file = copy / page
    text = file.read_text()
    file.write_text(f"{text}\n{link}\n")
    try:
        ended = built(copy, tmp_path / "site")
    finally:
        file.write_text(text)
    assert ended.returncode != 0
    assert "gone" in ended.stderr.lower()
