"""A technology of the Python adapter is a package in `stacks`, and an entry of the manifest."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from callbench.catalog import catalogue
from conftest import ROOT

ADAPTER = catalogue.load([ROOT / "adapters" / "python"]).adapter("python")
TECHNOLOGY = """
from callbench_python.stacks.technology import Sides, Technology

TECHNOLOGY = Technology("CARRIES", (), {"text+plainly": Sides(None, "nothing_that_is_there")})
"""

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@pytest.mark.parametrize(("carries", "there"), [("ours", True), ("all", True), ("own", False)])
def test_the_runner_has_the_stacks_of_every_package(tmp_path: Path, carries: str, *, there: bool) -> None:
    """Those for a service of the user's own alone only with one; and nothing of a stack is loaded for its name."""
    shutil.copytree(ROOT / "adapters/python/callbench_python", tmp_path / "callbench_python")
    added = tmp_path / "callbench_python/stacks/plainly"
    added.mkdir()
    (added / "__init__.py").write_text(TECHNOLOGY.replace("CARRIES", carries))
    before, after = _hello(ROOT / "adapters/python"), _hello(tmp_path)
    assert set(after["stacks"]) == {*before["stacks"], *(["text+plainly"] if there else [])}


def test_the_manifest_has_what_the_runner_has() -> None:
    ours = {stack.id.partition("/")[2] for stack in ADAPTER.stacks if not stack.own_only}
    hello = _hello(ROOT / "adapters/python")
    assert set(hello["stacks"]) == ours
    assert {"aiohttp", "httpx", "uvicorn"} <= hello["libraries"].keys()
    assert "grpcio" not in hello["libraries"]


def _hello(place: Path) -> dict[str, Any]:
    python = ROOT / "adapters/python/target/venv/bin/python"
    command = [str(python), "-m", "callbench_python"]
    environment = {**os.environ, "PYTHONPATH": str(place)}
    ended = subprocess.run(
        command, cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    hello = json.loads(ended.stdout.splitlines()[0])
    assert isinstance(hello, dict)
    return hello
