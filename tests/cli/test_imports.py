"""What a command loads: a fact that decides how fast it starts, where a time would be the machine's."""

import json
import subprocess
import sys

import pytest

HEAVY = {
    "numpy",
    "scipy",
    "duckdb",
    "vl_convert",
    "pydantic",
    "rich",
    "jsonschema",
    "jsonschema_rs",
    "psutil",
    "jinja2",
    "starlette",
    "uvicorn",
}
CALLED = """
import json, sys
from callbench.cli import main
try:
    main()
finally:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""
ALL_SIGNATURES = """
import json, sys
from command_tree import every
assert len(every()) > 15
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def loaded(program: str, *arguments: str) -> set[str]:
    """The packages that a program has loaded when it ends."""
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120, check=True
    )
    assert program is ALL_SIGNATURES or ended.stdout
    return set(json.loads(ended.stderr.splitlines()[-1]))


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_programs_help_loads_nothing_that_does_work(option: str) -> None:
    assert not loaded(CALLED, option) & HEAVY


@pytest.mark.parametrize("words", [("run",), ("load",), ("link", "try")])
def test_a_commands_help_loads_nothing_that_does_work(words: tuple[str, ...]) -> None:
    # Typer itself reads values by pydantic.
    assert not loaded(CALLED, *words, "--help") & (HEAVY - {"pydantic"})


def test_no_signature_loads_what_does_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Completion and the manual page ask all commands."""
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    assert not loaded(ALL_SIGNATURES) & HEAVY


def test_stacks_are_listed_without_statistics_and_charts() -> None:
    assert not loaded(CALLED, "list", "stacks") & {"numpy", "scipy", "duckdb", "vl_convert", "jsonschema", "psutil"}
