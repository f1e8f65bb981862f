"""Pages as Debian's Chromium lays them out."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

# What reaches beyond the right edge of a page, or of a box that scrolls sideways, with everything unfolded.
_LOOK = """
onload = () => {
  const cut = {};
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument, edge = frame.contentWindow.innerWidth + 1, found = [];
    for (const one of page.querySelectorAll('details')) one.open = true;
    for (const one of page.body.querySelectorAll('*:not(svg *)')) {
      const box = one.getBoundingClientRect(), scrolls = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
      const hides = getComputedStyle(one).overflowX !== 'visible';
      if (box.width && (box.right > edge || box.left < -1 || (scrolls && hides)))
        found.push(`${one.tagName} ${one.className?.baseVal ?? one.className}: ${one.textContent.trim().slice(0, 60)}`);
    }
    const inside = page.documentElement.scrollWidth;
    if (inside > edge) found.push(`the page itself is ${inside} wide`);
    cut[frame.title] = found;
  }
  document.title = JSON.stringify(cut);
}"""
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-sync", "--disable-component-update",
)  # fmt: skip


def cut(pages: Mapping[str, str], widths: Sequence[int], folder: Path) -> dict[str, list[str]]:
    """Lay pages out so many pixels wide. Return, by `NAME at WIDTH`, what is cut or must be scrolled, if anything.

    Args:
        pages: HTML by name.
        widths: of the windows; a start of the browser has all of them.
        folder: for the browser's files.
    """
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: setup/system chromium")
    frames = "".join(
        f'<iframe title="{name} at {width}" style="border:0;width:{width}px;height:900px"'
        f' srcdoc="{html.escape(page, quote=True)}"></iframe>'
        for name, page in pages.items()
        for width in widths
    )
    look = folder / "look.html"
    look.write_text(f"<title>not looked at</title><body>{frames}<script>{_LOOK}</script>")
    words = [chromium, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", f"file://{look}"]
    seen = subprocess.run(words, capture_output=True, text=True, timeout=170, check=False)
    title = re.search(r"<title>(\{.*?\})</title>", seen.stdout, re.DOTALL)
    assert title is not None, seen.stdout[:200] + seen.stderr[-500:]
    found: dict[str, list[str]] = json.loads(html.unescape(title[1]))
    assert len(found) == len(pages) * len(widths)
    return {name: elements for name, elements in found.items() if elements}
