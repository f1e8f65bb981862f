"""The cache of compiled services stays within its limit: the least recently used go first, and none that is in use."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.adapter.generators import compiled_cache
from callbench.adapter.generators.kept import kept
from callbench.model.errors import BadInput

HOLDS = """
import sys
from pathlib import Path
from callbench.adapter.generators import compiled_cache
compiled_cache.use(Path(sys.argv[1]))
print("held", flush=True)
input()
"""
MEGABYTE = b"x" * 1_000_000


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiled_cache, "_in_use", [])
    return compiled_cache.place()


def made(name: str, used_s: float) -> Path:
    """Make an entry of a megabyte that was used at a time, and let it go."""

    def make(folder: Path) -> None:
        (folder / "program").write_bytes(MEGABYTE)

    folder = kept("go", [name.encode()], make)
    release()
    os.utime(compiled_cache._lock_of(folder), (used_s, used_s))
    return folder


def release() -> None:
    """End the use of all entries, as the end of the program does."""
    while compiled_cache._in_use:
        compiled_cache._in_use.pop().close()


def test_the_least_recently_used_go_first() -> None:
    old, new, older = made("a", 200), made("b", 300), made("c", 100)
    assert [entry.path for entry in compiled_cache.entries()] == [older, old, new]
    assert compiled_cache.trim(1_500_000) >= 2_000_000
    assert not older.exists()
    assert not old.exists()
    assert new.is_dir()


def test_none_that_is_in_use_goes() -> None:
    folder = made("a", 100)
    holding = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOLDS,
            str(folder),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holding.stdout is not None
    assert holding.stdout.readline() == b"held\n"
    assert compiled_cache.trim(0) == 0
    assert folder.is_dir()
    holding.communicate(b"\n")
    assert compiled_cache.trim(0) > 0
    assert not folder.exists()


def test_a_new_one_takes_the_place_of_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compiled_cache.VARIABLE, "0.0025")
    first, second = made("a", 100), made("b", 200)
    third = made("c", 300)
    assert not first.exists()
    assert second.is_dir()
    assert third.is_dir()


def test_a_limit_that_is_no_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(compiled_cache.VARIABLE, "much")
    with pytest.raises(BadInput, match="CALLBENCH_CACHE_GB=much: give the size"):
        compiled_cache.limit_bytes()


def test_a_command_clears_it(callbench: Callable[..., subprocess.CompletedProcess[str]], place: Path) -> None:
    folder = made("a", 100)
    assert folder.name in callbench("cache", check=True).stdout
    assert str(place) in callbench("cache", "--clear", check=True).stdout
    assert not folder.exists()
    assert callbench("cache", "--json", check=True).stdout.strip() == "[]"
