"""What is loaded to show a stored record: counted in a fresh process, as a person starts one."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advice.counted import run

HERE = Path(__file__).parent
RECORDS = tuple(sorted(file.parent.name for file in HERE.glob("*/record.json")))
MOST = 180
SHOWN = """
import json, sys
from callbench.cli import main
try:
    main()
finally:
    # A package's own file holds a sentence; what it costs to load is what is in it.
    loaded = {name: hasattr(module, "__path__") for name, module in sys.modules.items() if name.startswith("callbench")}
    print(json.dumps(sorted(name for name, is_package in loaded.items() if not is_package)), file=sys.stderr)
"""


def loaded(record: Path, *options: str) -> list[str]:
    """The modules of Callbench that are there when `show` ends."""
    ended = subprocess.run(
        [sys.executable, "-c", SHOWN, "show", str(record), *options],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert ended.stdout
    modules: list[str] = json.loads(ended.stderr.splitlines()[-1])
    return modules


def few_and_no_runner(modules: list[str]) -> None:
    assert "callbench.cli.commands.show" in modules
    assert not [name for name in modules if name.startswith("callbench.runner")]
    assert len(modules) < MOST


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_record_is_shown_by_few_modules(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    shutil.copytree(HERE / name, tmp_path / name)
    few_and_no_runner(loaded(tmp_path / name, *options))


def test_a_run_and_its_advice_are_shown_by_few_modules(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    place = run(tmp_path / "run")
    callbench("advise", place, "--link", "1ms,1mbit", "--no-measure", "--undecided", "pass", check=True)
    few_and_no_runner(loaded(place))
    few_and_no_runner(loaded(place, "--json"))
    few_and_no_runner(loaded(place / "advice.json"))
