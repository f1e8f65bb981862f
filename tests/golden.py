"""Texts that are sealed by files beside the tests."""

from pathlib import Path

import pytest


def golden(file: Path, text: str) -> None:
    """Compare a text with its golden file. To rewrite the file, delete it and run the test again."""
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, newline="")
        pytest.fail(f"{file} was not there and has been written: look at it and commit it")
    assert text == file.read_bytes().decode()
