"""A stack that waits 40 ms in each call: named in the report, with its card's reason, and flagged without one."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import MISBEHAVING

STUDY = """
title = "Slow"
about = "One call that stands."
[load]
clients = [1]
calls = 30
seconds = 0.02
forks = 1
rounds = 2
minutes = 0.01
[[cells]]
group = "Sum"
stacks = ["honest/tcp"]
call = "Sum"
arguments = { a = 1, b = 2 }
"""


@pytest.mark.parametrize(
    ("card", "says", "flagged"),
    [
        ('explains = { "40 ms" = "it naps" }', "of honest/tcp take 40 ms. The card explains it: it naps.", False),
        ("", "of honest/tcp take 40 ms. The probable cause is Nagle", True),
    ],
)
def test_a_plateau_stands_beside_what_its_card_says_of_it(  # noqa: PLR0917 - parameters and fixtures
    card: str,
    says: str,
    flagged: bool,
    callbench: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "slow" / "honest"
    shutil.copytree(MISBEHAVING / "honest", folder)
    manifest = folder / "adapter.toml"
    manifest.write_text(manifest.read_text().replace("[card]", f"[card]\n{card}"))
    for part in ("honest.py", "driving.py"):
        shutil.copy(MISBEHAVING / part, folder.parent)
    program = (MISBEHAVING / "serving.py").read_text()
    assert program.count('"""Be as slow as asked."""') == 1
    slow = program.replace('"""Be as slow as asked."""', "time.sleep(0.039)")
    (folder.parent / "serving.py").write_text(slow)
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(folder))
    study = tmp_path / "slow.toml"
    study.write_text(STUDY)
    callbench("run", study, "--out", "run", "--no-baselines", check=True)
    callbench("report", "run", "--format", "md", "--out", "report.md", check=True)
    report = (tmp_path / "report.md").read_text()
    # A busy machine may show others, which no card explains.
    plateau = next(line for line in report.splitlines() if says in line)
    assert ("No card explains it." in plateau) == flagged
    assert ("without an explanation on the card: honest/tcp (40 ms)" in report) == flagged
