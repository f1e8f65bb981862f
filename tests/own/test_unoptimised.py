"""Tests have services compiled in little time: what came of that is never taken for what is measured."""

import os
from pathlib import Path

import pytest
from everything_service import SCHEMA

from callbench.adapter.generators import compiled_cache, compiler, program, warm

CARGO = """#!/bin/sh
echo "$@" >> "$SAID"
for program in callbench-native callbench-host; do
  printf '#!/bin/sh\\n' > "$BUILT/release/$program"
  chmod +x "$BUILT/release/$program"
done
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each start of cargo, which compiles nothing here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(compiled_cache, "_in_use", [])
    target = compiled_cache.place() / "target" / "installation" / "libraries"
    (target / "release").mkdir(parents=True)
    monkeypatch.setattr(warm, "target", lambda *_: target)
    cargo = tmp_path / "bin" / "cargo"
    cargo.parent.mkdir()
    cargo.write_text(CARGO)
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{cargo.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("BUILT", str(target))
    monkeypatch.setenv("SAID", str(tmp_path / "said"))
    return tmp_path / "said"


@pytest.mark.engine
def test_it_is_another_entry_of_the_cache(said: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not compiler.optimises(), "all tests have it so"
    in_little_time = program.built(SCHEMA)
    monkeypatch.delenv(compiler.UNOPTIMISED)
    measured = program.built(SCHEMA)
    assert measured != in_little_time
    assert program.built(SCHEMA) == measured
    first, second = said.read_text().splitlines()
    assert "profile.release.package.callbench-codec.opt-level=0" in first
    assert "opt-level" not in second
