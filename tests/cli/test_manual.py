"""The manual page: whole, and as roff has it."""

import shutil
import subprocess
from collections.abc import Callable

import pytest

from command_tree import every

Program = Callable[..., subprocess.CompletedProcess[str]]


def test_it_has_every_command_and_every_option(callbench: Program) -> None:
    page = callbench("manual", check=True).stdout.replace(r"\-", "-")
    for one in every():
        assert one.path in page
        section = page.partition(f'.SS "{one.path}"\n')[2].partition("\n.SS ")[0] or page
        for option in one.options - {"--help"}:
            assert option in section, one.path


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed: setup/system groff")
def test_roff_has_nothing_to_warn_of(callbench: Program) -> None:
    page = callbench("manual", check=True).stdout
    read = ["groff", "-man", "-Tutf8", "-ww"]
    shown = subprocess.run(read, input=page, capture_output=True, text=True, timeout=60, check=True)
    assert not shown.stderr
    assert "One sentence on stderr says what, where, and what to do." in " ".join(shown.stdout.split())
