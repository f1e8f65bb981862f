"""What is said while a service is compiled, and that every language that has a compiler says it."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from callbench.adapter.generators import compiler
from callbench.adapter.generators.announced import announced


def test_a_terminal_has_a_line_with_what_is_compiled_and_since_when() -> None:
    shown = io.StringIO()
    with announced("Go", "some seconds", Console(file=shown, force_terminal=True, width=120)):
        before = shown.getvalue()
    assert re.search(r"compiling the service for Go since \d\d:\d\d:\d\d \(some seconds\) *\S*0:00:0\d", before), before
    # The line is erased at the end.
    assert shown.getvalue().endswith("\x1b[2K")


def test_elsewhere_a_sentence_says_it_once(capsys: pytest.CaptureFixture[str]) -> None:
    with announced("C++", "half a minute"):
        pass
    assert capsys.readouterr().err == "callbench: compiling the service for C++ (half a minute)\n"


def test_a_compiler_that_fails_leaves_no_line() -> None:
    shown = io.StringIO()
    with (
        pytest.raises(ValueError, match="refused"),
        announced("Rust", "a minute or two", Console(file=shown, force_terminal=True, width=120)),
    ):
        raise ValueError("refused")
    assert shown.getvalue().endswith("\x1b[2K")
    assert "\x1b[?25h" in shown.getvalue(), "the cursor is shown again"


@pytest.mark.parametrize("module", ["program", "cpp/program", "dotnet", "go/program", "java/compiled", "python"])
def test_whatever_compiles_says_so(module: str) -> None:
    code = (Path(compiler.__file__).parent / f"{module}.py").read_text()
    assert "with announced(" in code
    assert "print(" not in code
