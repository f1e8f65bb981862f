"""Where an installation has what: a wheel's files are never written to, a checkout's are where they were."""

import json
import subprocess
from pathlib import Path

import pytest

from callbench.catalog import catalogue, setup
from callbench.catalog.catalogue import KnownAdapter
from callbench.model import installation
from callbench.model.errors import BadInput
from callbench.model.version import VERSION
from callbench.runner.machine import environment
from callbench.runner.setup import adapter_setup
from conftest import ROOT

MANIFEST = """
contract = 1
name = "{name}"
language = "any"
program = ["../../engine/target/release/callbench-host", "{name}", "target/callbench-{name}"]
hosted = true
setup = "{command}"
needs = "a compiler"
[[stack]]
name = "json+tcp"
message = "json"
channel = "tcp"
"""


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree that a wheel brings. Its adapters: one of the engine, one with a script, one whose script is missing."""
    home = tmp_path / "installed"
    for name, command in (("mine", "make engine"), ("one", "make engine one"), ("two", "make two")):
        folder = home / "adapters" / name
        folder.mkdir(parents=True)
        (folder / "adapter.toml").write_text(MANIFEST.format(name=name, command=command))
    for place in ("contract", "peers", "setup", "engine/target/release"):
        (home / place).mkdir(parents=True)
    (home / "contract" / "CONTRACT.md").touch()
    host = home / "engine" / "target" / "release" / "callbench-host"
    host.write_text("#!/bin/sh\n")
    host.chmod(0o755)
    script = home / "setup" / "one"
    script.write_text(
        '#!/bin/sh\nset -e\ncd "$(dirname "$0")/.."\nmkdir -p adapters/one/target\n'
        "printf '#!/bin/sh\\n' >adapters/one/target/callbench-one\nchmod 755 adapters/one/target/callbench-one\n"
    )
    script.chmod(0o755)
    (home / installation.WHEEL_FILE).write_text(json.dumps({"digest": "0123456789ab", "commit": "fedcba987654"}))
    monkeypatch.setenv(installation.HOME_VARIABLE, str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(catalogue.ADAPTERS_VARIABLE)
    return home


def adapter(name: str) -> KnownAdapter:
    return catalogue.load().adapter(name)


def test_a_checkout_is_its_own_workplace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(installation.HOME_VARIABLE, raising=False)
    assert installation.wheel() is None
    assert installation.home() == installation.workplace() == ROOT
    assert installation.scratch() == ROOT / "engine" / "target" / "scratch"
    assert installation.engine_remedy() == "make engine"


def test_what_is_written_for_a_wheel_lies_in_the_cache(wheel: Path, tmp_path: Path) -> None:
    assert installation.home() == wheel
    assert installation.workplace() == tmp_path / "cache" / "callbench" / f"{VERSION}-0123456789ab"
    assert installation.scratch() == tmp_path / "cache" / "callbench" / "scratch"
    assert "pip install" in installation.engine_remedy()
    assert environment.commit() == "fedcba987654"


def test_a_relative_cache_folder_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert installation.cache() == tmp_path / ".cache" / "callbench"


def test_a_damaged_wheel_is_one_sentence(wheel: Path) -> None:
    (wheel / installation.WHEEL_FILE).write_text("{}")
    with pytest.raises(BadInput, match="the installation is damaged"):
        installation.wheel()


def test_a_folder_inside_another_checkout_has_no_commit(wheel: Path) -> None:
    """An installation is often inside another project's checkout."""
    (wheel / installation.WHEEL_FILE).unlink()
    git = ["/usr/bin/env", "git", "-C", str(wheel.parent), "-c", "user.name=n", "-c", "user.email=e"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "theirs"]):
        subprocess.run([*git, *words], check=True)
    assert environment.commit() is None


@pytest.mark.usefixtures("wheel")
def test_the_remedy_of_a_wheel_needs_no_make() -> None:
    assert "`callbench setup one`" in (adapter("one").why_not or "")
    assert "pip install" in setup.command(adapter("mine").manifest)


def test_the_remedy_of_a_checkout_is_the_manifests() -> None:
    assert setup.command(adapter("java").manifest) == "make engine java"
    assert setup.scripts(adapter("java").manifest) == ("engine", "java")


def test_an_adapter_is_set_up_in_the_cache(wheel: Path) -> None:
    before = sorted(wheel.rglob("*"))
    adapter_setup.set_up(["one"], catalogue.load())
    assert sorted(wheel.rglob("*")) == before
    found = adapter("one")
    assert found.why_not is None
    assert found.manifest.file.is_relative_to(installation.workplace())
    assert adapter("mine").manifest.file.is_relative_to(wheel)
    adapter_setup.set_up(["one"], catalogue.load())


@pytest.mark.usefixtures("wheel")
def test_what_can_be_set_up_is_listed_and_the_rest_says_what_it_needs() -> None:
    states = {part.name: part.record()["state"] for part in adapter_setup.parts(catalogue.load())}
    assert states == {"one": "not set up", "two": "needs a checkout", "jmeter": "not set up"}
    with pytest.raises(BadInput, match=r"two cannot be set up from a wheel: .* `make two`"):
        adapter_setup.set_up(["two"], catalogue.load())
    with pytest.raises(BadInput, match="there is no part to set up 'onee': did you mean one"):
        adapter_setup.set_up(["onee"], catalogue.load())
