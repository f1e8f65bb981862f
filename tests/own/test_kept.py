"""What is generated for a service is made once, and what a killed program left of it is removed."""

from pathlib import Path

import pytest

from callbench.adapter.generators.kept import kept


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def make(place: Path) -> None:
    (place / "whole").touch(exist_ok=False)


def test_it_is_made_once() -> None:
    first = kept("go", [b"source"], make)
    assert kept("go", [b"source"], make) == first
    assert kept("go", [b"another source"], make) != first


def test_what_a_killed_program_left_is_removed() -> None:
    """It lies beside, under the name of the folder with a dot, and is not whole."""
    folder = kept("go", [b"source"], make)
    (folder / "whole").rename(folder / "half")
    folder.rename(folder.with_name(f".{folder.name}"))
    assert kept("go", [b"source"], make) == folder
    assert [path.name for path in folder.iterdir()] == ["whole"]
    assert {path.name for path in folder.parent.iterdir()} == {"lock", folder.name}
