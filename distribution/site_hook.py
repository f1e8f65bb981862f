"""Makes one site of pages in several folders: those of docs/, and those outside that they link to.

MkDocs calls the functions whose names begin with `on_`. A link that leads nowhere is left as it is, so that
`mkdocs build --strict` fails with its page.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<path>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
_CODE = re.compile(r"`[^`]+`")
_FENCE = re.compile(r"\s*(```|~~~)")
# A picture that is another one on a narrow screen is written as HTML.
_PICTURE = re.compile(r'(?P<name>src|srcset)="(?P<path>[^":]+)"')
_ITEM = re.compile(r"\s{0,3}([-*+]|\d+\.)\s")
# What lies elsewhere in the site than in the repository: the first page is the README of the root.
_MOVED = {"README.md": "index.md", "docs/README.md": "pages.md"}
_BACK = {site: place for place, site in _MOVED.items()}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the README, and whatever pages link to outside docs/: pages as pages, other files as files."""
    files.remove(next(file for file in files if file.src_uri == "README.md"))
    waiting = sorted(_MOVED) + [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    seen = set(waiting)
    while waiting:
        place = waiting.pop()
        if place in _MOVED or not place.startswith("docs/"):
            files.append(File.generated(config, in_site(place), abs_src_path=str(ROOT / place)))
        linked = _targets(place) if place.endswith(".md") else iter(())
        new = {link for link in linked if not link.startswith("docs/") and (ROOT / link).is_file()} - seen
        seen |= new
        waiting += sorted(new)
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Has links lead where their targets lie in the site, and lists and tables be read as GitHub reads them."""
    place = in_repository(page.file.src_uri)
    lines: list[str] = []
    fenced, before = False, ""
    for line in markdown.splitlines():
        fenced ^= bool(_FENCE.match(line))
        written = line if fenced else _LINK.sub(lambda found: _moved(found, place), line)
        if not fenced and line.startswith(("<img ", "<source ")):
            written = _PICTURE.sub(lambda found: f'{found["name"]}="{_path(found["path"], place)}"', written)
        if not fenced and line.startswith("|"):
            # Here code in a table needs no backslash before a bar.
            written = _CODE.sub(lambda found: found[0].replace("\\|", "|"), written)
        # Here a list needs an empty line before it.
        if not fenced and _ITEM.match(line) and before.strip() and not _ITEM.match(before) and before[0] != " ":
            lines.append("")
        lines.append(written)
        before = line
    return "\n".join(lines) + "\n"


def in_site(place: str) -> str:
    """Where a file of the repository lies in the site."""
    return _MOVED.get(place, place.removeprefix("docs/"))


def in_repository(site: str) -> str:
    """Where a page of the site lies in the repository."""
    own = f"docs/{site}"
    return _BACK.get(site, own if (ROOT / own).is_file() else site)


def _target(place: str, path: str) -> str | None:
    """What a link on a page leads to, from the root; None where it leaves the repository. A folder is its README."""
    if ":" in path or path.startswith("/"):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    readme = f"{target}/README.md"
    return readme if (ROOT / readme).is_file() else target


def _targets(place: str) -> Iterator[str]:
    for found in _LINK.finditer((ROOT / place).read_text()):
        target = _target(place, found["path"])
        if target is not None:
            yield target


def _moved(found: re.Match[str], place: str) -> str:
    target = _target(place, found["path"])
    if target is None or not (ROOT / target).exists():
        return found[0]
    if (ROOT / target).is_dir():
        # A folder of sources has no page: its name is said, as text.
        return found["text"].strip("[]")
    return f"{found['text']}({_path(found['path'], place)}{found['anchor'] or ''})"


def _path(path: str, place: str) -> str:
    """Where a file that a page names lies, from that page in the site."""
    target = _target(place, path) or path
    return posixpath.relpath(in_site(target), posixpath.dirname(in_site(place)) or ".")
