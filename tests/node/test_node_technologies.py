"""A technology of Node.js is a folder with technology.mjs, and an entry of the manifest."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from callbench.catalog import catalogue
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "node"]).adapter("node")
TECHNOLOGY = """
export const technology = {
  carries: 'CARRIES',
  libraries: { plainly: '7' },
  stacks: async () => ({ 'text+plainly': { serve: async () => { throw new Error('it never serves'); } } }),
};
"""

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@pytest.mark.parametrize(("carries", "there"), [("ours", True), ("all", True), ("own", False)])
def test_the_runner_has_the_stacks_of_every_folder(tmp_path: Path, carries: str, *, there: bool) -> None:
    """Those for a service of the user's own alone only with one."""
    left_out = shutil.ignore_patterns("node_modules", "target", "bench", "tests")
    shutil.copytree(ROOT / "adapters/node", tmp_path / "node", ignore=left_out)
    (tmp_path / "node/node_modules").symlink_to(ROOT / "adapters/node/node_modules")
    (tmp_path / "node/plainly").mkdir()
    (tmp_path / "node/plainly/technology.mjs").write_text(TECHNOLOGY.replace("CARRIES", carries))
    before, after = _hello(ROOT / "adapters/node"), _hello(tmp_path / "node")
    assert set(after["stacks"]) == {*before["stacks"], *(["text+plainly"] if there else [])}
    assert after["libraries"].get("plainly") == ("7" if there else None)


def test_the_manifest_has_what_the_runner_has() -> None:
    ours = {stack.id.partition("/")[2] for stack in ADAPTER.stacks if not stack.own_only}
    assert set(_hello(ROOT / "adapters/node")["stacks"]) == ours


def _hello(adapter: Path) -> dict[str, Any]:
    command = ["bash", "-c", 'exec 3>&1 1>&2; exec node "$1/main.mjs"', "bash", str(adapter)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    hello = json.loads(ended.stdout.splitlines()[0])
    assert isinstance(hello, dict)
    return hello
