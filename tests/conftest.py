"""What the core's tests share: the stand-in adapter, a small study over it, and the program as a person starts it."""

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import uuid
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from callbench.adapter.network import creation
from callbench.adapter.session import Adapter as Running
from callbench.catalog import catalogue
from callbench.catalog.catalogue import KnownAdapter
from callbench.catalog.links.profile import BARE
from left_behind import MARK, SESSION, Watch, marked
from loaded_program import Begin, Begun, LoadedProgram, shared

pytest_plugins = ["failures_at_once", "where_time_goes", "scheduling"]
# Tests import names of it before pytest takes it for a plugin, whose assertions explain themselves.
pytest.register_assert_rewrite("web_page", "contract_suite")

ROOT = Path(__file__).resolve().parents[1]
MISBEHAVING = ROOT / "contract" / "misbehaving"
ENDS_WITH_ITS_PARENT = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
TESTS = ROOT / "tests"
# What the tests of a folder need besides Python and Rust: the marker that selects them. All others are the lane `core`.
LANES = {
    "cpp": "cpp",
    "dotnet": "dotnet",
    "foreign": "languages",
    "gateway": "gateway",
    "go": "go",
    "hosted": "languages",
    "java": "java",
    "node": "node",
    "pascal": "pascal",
    "peer": "jmeter",
    "python": "python",
    "rest": "languages",
    "traces": "languages",
    "windows": "windows",
}

SMALL = """
title = "Small"
about = "Two calls over two channels."
[parameters]
persons = 3
[load]
clients = [1]
calls = 20
seconds = 0.02
forks = 2
rounds = 2
minutes = 0.01
[quick]
calls = 5
seconds = 0.01
forks = 1
rounds = 2
minutes = 0.01
[[cells]]
group = "Sum"
stacks = ["honest/*"]
call = "Sum"
arguments = { a = 1, b = 2 }
[[cells]]
group = "GetPersons"
stacks = ["honest/tcp"]
call = "GetPersons"
arguments = { n = "{persons}" }
clients = [1, 3]
"""


def native_stacks() -> list[str]:
    """Every native stack, as the manifest's two halves have it."""
    matrix = tomllib.loads((ROOT / "engine/native/adapter.toml").read_text())["matrix"]
    pairs = product(matrix["message"], matrix["channel"].items())
    return [f"native/{message}+{name}" for message, (name, card) in pairs if message in card.get("carries", [message])]


def pytest_configure(config: pytest.Config) -> None:
    """Lets Ctrl-C arrive at what the tests start, which ends with them, and says how examples of properties are found.

    A commit passes or fails by what it is: the examples are the same each time. `make test-search` looks for others.
    An example may take as long as a busy machine needs for it. Services are compiled in little time: no test asks how
    fast they are.
    """
    os.environ["CALLBENCH_UNOPTIMISED"] = "1"
    # Tests beside each other do not wait for each other, nor name each other.
    os.environ["CALLBENCH_TURN"] = ""
    # Jobs in the background ignore it, and that is inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.add_cleanup(Watch().close)
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("same", patient, derandomize=True)
    settings.register_profile("search", patient, derandomize=False)
    settings.load_profile("same")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts each test into a lane, that of its folder if it names none itself."""
    lanes = {"core", *LANES.values()}
    for item in items:
        if any(mark.name in lanes for mark in item.iter_markers()):
            continue
        folder = item.path.relative_to(TESTS).parts[0]
        item.add_marker(LANES.get(folder, "core"))


@pytest.fixture(autouse=True)
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """Marks the environment of everything that a test starts, so that what outlives it can be found."""
    name = SESSION + uuid.uuid4().hex
    monkeypatch.setenv(MARK, name)
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(MISBEHAVING))
    return name


@pytest.fixture
def quick_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """JVMs do without the compiler that optimises: it takes a third of what short-lived ones compute."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A small study over the stand-in."""
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    return file


@pytest.fixture(scope="session")
def misbehaving() -> Callable[[str], KnownAdapter]:
    """An adapter of contract/misbehaving by its name."""
    known = catalogue.load([MISBEHAVING])
    assert not known.broken
    return known.adapter


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Running]:
    """The server's side of the adapter that the test's module calls `ADAPTER`."""
    with Running(request.module.ADAPTER.manifest, "the server") as running:
        yield running


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[Running]:
    """The client's side of it."""
    with Running(request.module.ADAPTER.manifest, "the client") as running:
        yield running


def command(*arguments: object) -> list[str]:
    """The program as an argv. It ends with the tests if these are killed, and nothing of it is left then."""
    return [*ENDS_WITH_ITS_PARENT, sys.executable, "-m", "callbench", *map(str, arguments)]


@pytest.fixture(scope="session")
def loaded_program() -> Iterator[LoadedProgram]:
    """The program with its modules in memory, for all tests of this process."""
    with shared() as loaded:
        yield loaded
    shared.cache_clear()


@pytest.fixture
def callbench(tmp_path: Path, loaded_program: LoadedProgram) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the program to its end in its own folder: a process of its own, but its modules are in memory already."""

    def run(*arguments: object, check: bool = False, timeout: float = 200) -> subprocess.CompletedProcess[str]:
        ended = loaded_program.run([str(one) for one in arguments], tmp_path, timeout)
        assert "Traceback" not in ended.stderr
        assert not check or ended.returncode == 0, ended.stderr
        return ended

    return run


@pytest.fixture
def begin(tmp_path: Path, loaded_program: LoadedProgram) -> Iterator[Begin]:
    """Begin a run of the program in the test's folder, or in `within`; it ends with the test."""
    with contextlib.ExitStack() as ending:

        def start(*arguments: object, within: Path = tmp_path, **options: Any) -> Begun:
            words = [str(word) for word in arguments]
            return ending.enter_context(loaded_program.begin(words, within, **options))

        yield start


def eventually(holds: Callable[[], bool], seconds: float = 60) -> bool:
    """Return whether a condition becomes true in time."""
    began = time.monotonic()
    while not holds():
        waited = time.monotonic() - began
        if waited > seconds:
            return False
        # A look at all processes takes milliseconds: who waits for long looks less often.
        time.sleep(min(0.02 + waited / 20, 0.1))
    return True


def assert_one_sentence(why: str | None, says: Iterable[str]) -> None:
    """The error is reported in one short line with these parts."""
    assert why is not None
    for part in says:
        assert part in why
    assert "\n" not in why
    assert len(why) < 500


@functools.cache
def _why_no_lab() -> str | None:
    return creation.why_not(BARE.wire)


@pytest.fixture
def lab() -> None:
    """The machine lets the network lab make two hosts; where not, the test is skipped with the lab's own sentence."""
    why = _why_no_lab()
    if why:
        pytest.skip(why)


@pytest.fixture
def nothing_left(mark: str) -> Iterator[None]:
    """Afterwards, no process that the test started is alive."""
    yield
    assert eventually(lambda: not marked(mark)), f"still alive: {marked(mark)}"
