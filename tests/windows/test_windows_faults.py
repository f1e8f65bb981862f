"""Errors of the Windows stacks are reported with their cause; each test has its own Wine prefix."""

import functools
import hashlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from callbench.runner.setup import doctor
from conftest import ROOT, eventually
from left_behind import marked
from loaded_program import Begin

FOLDER = ROOT / "adapters" / "windows"
ADAPTER = catalogue.load([FOLDER]).adapter("windows")
BUILT = FOLDER / "target"
COM, PIPE, MESSAGE = "windows/com", "windows/bin+namedpipe", "windows/bin+winmsg"
SUM = {"a": 20, "b": 22}
NOBODY = "6f8a1d0e-5b0c-4d6b-9c55-2f7e3b9a4cff"

needs_wine = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user with a prefix of their own, in which nothing must change."""
    prefix = tmp_path / "home" / ".wine"
    prefix.mkdir(parents=True)
    (prefix / "user.reg").write_text("the user's own\n")
    monkeypatch.setenv("HOME", str(prefix.parent))
    before = contents(prefix.parent)
    yield prefix
    assert contents(prefix.parent) == before


def contents(folder: Path) -> dict[str, str]:
    """Every file of a folder with the hash of what it holds."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def commands(mark: str) -> dict[int, str]:
    """What each marked process was started as."""
    found = {}
    for pid in marked(mark):
        try:
            found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
    return found


def serving(mark: str, what: str) -> list[int]:
    """The processes that serve a channel, or COM."""
    return [pid for pid, line in commands(mark).items() if f"callbench-windows.exe serve {what}" in line]


def ended(mark: str, what: str) -> bool:
    """Whether nothing serves so any more."""
    return not serving(mark, what)


def refused(ask: Callable[[], object]) -> AdapterFailure:
    """How something fails."""
    with pytest.raises(AdapterFailure) as caught:
        ask()
    return caught.value


def test_without_wine_the_doctor_says_how_to_get_it_and_the_rest_runs(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "wineless"
    folder.mkdir()
    shutil.copy(FOLDER / "launcher", folder / "launcher")
    text = (FOLDER / "adapter.toml").read_text()
    for old, new in (("target/callbench-windows", "./launcher"), ('name = "windows"', 'name = "wineless"')):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "adapter.toml").write_text(text)
    monkeypatch.setenv("CALLBENCH_ADAPTERS", os.pathsep.join([os.environ["CALLBENCH_ADAPTERS"], str(folder)]))
    (row,) = [each for each in doctor.findings(catalogue.load([folder])) if each.subject == "adapter wineless"]
    assert (row.state, row.remedy) == ("missing", "make windows")
    assert "stacks cannot run" in row.found
    assert "Wine or the template of its prefix is missing" in row.found
    assert callbench("verify", "honest/tcp", "--check", "Sum/*").returncode == 0


@needs_wine
@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_is_killed_is_reported_and_another_serves(server: Adapter, mark: str) -> None:
    for stack, what in ((COM, "com"), (PIPE, "namedpipe"), (MESSAGE, "winmsg")):
        server.connect(stack, server.serve(stack), 1, timeout_ms=60_000)
        assert server.call("Sum", SUM)["value"] == 42
        (victim,) = serving(mark, what)
        os.kill(victim, signal.SIGKILL)
        assert eventually(functools.partial(ended, mark, what))
        assert refused(lambda: server.call("Sum", SUM)).kind in ("closed", "refused"), stack
        gone = refused(server.counted)
        assert gone.kind == "closed"
        assert "the server's process has ended" in str(gone), stack
        server.stop_serving()
        server.connect(stack, server.serve(stack), 1, timeout_ms=60_000)
        assert server.call("Sum", SUM)["value"] == 42, stack
        server.disconnect()
        server.stop_serving()


@needs_wine
@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_hangs_ends_no_client_and_the_next_call_makes_a_new_object(server: Adapter, mark: str) -> None:
    """Stopped, its process answers nothing at all: neither a call nor the making of an object."""
    endpoint = server.serve(COM)

    def answers() -> bool:
        # On a busy machine the first ones may themselves be too late.
        try:
            server.connect(COM, endpoint, 2, timeout_ms=500)
            return bool(server.call("Sum", SUM)["value"] == 42)
        except AdapterFailure as failure:
            assert failure.kind == "timeout"  # noqa: PT017 - another would be the failure of this test
            return False

    assert eventually(answers)
    (victim,) = serving(mark, "com")
    os.kill(victim, signal.SIGSTOP)
    for _ in range(2):
        assert refused(lambda: server.call("Sum", SUM)).kind == "timeout"
    done = server.drive("Sum", SUM, calls=4, seconds=0, limit_seconds=30)
    assert (done["calls"], done["errors"]) == (0, {"timeout": 4})
    assert refused(lambda: server.connect(COM, endpoint, 1, timeout_ms=500)).kind == "timeout"
    os.kill(victim, signal.SIGCONT)
    server.connect(COM, endpoint, 2, timeout_ms=60_000)
    done = server.drive("Sum", SUM, calls=10, seconds=0, limit_seconds=30)
    assert (done["calls"], done["errors"]) == (10, {})


@needs_wine
@pytest.mark.usefixtures("nothing_left")
def test_an_access_violation_ends_a_channels_server_and_is_named(server: Adapter) -> None:
    for stack in (PIPE, MESSAGE):
        server.connect(stack, server.serve(stack, options={"access_violation_at": 2}), 1, timeout_ms=60_000)
        assert server.call("Sum", SUM)["value"] == 42
        assert refused(lambda: server.call("Sum", SUM)).kind == "closed", stack
        gone = refused(server.counted)
        assert (gone.kind, "an access violation (0xc0000005)" in str(gone)) == ("closed", True), stack
        server.disconnect()
        server.stop_serving()
    wrong = refused(lambda: server.serve(PIPE, options={"access_violation_at": 0}))
    assert (wrong.kind, "it must be a number from 1" in str(wrong)) == ("bad-request", True)


@needs_wine
@pytest.mark.usefixtures("nothing_left")
def test_coms_runtime_catches_an_access_violation_and_the_server_lives_on(server: Adapter) -> None:
    server.connect(COM, server.serve(COM, options={"access_violation_at": 2}), 1)
    assert server.call("Sum", SUM)["value"] == 42
    broken = refused(lambda: server.call("Sum", SUM))
    assert (broken.kind, "access violation (0xc0000005)" in str(broken)) == ("protocol", True)
    assert server.call("Sum", SUM)["value"] == 42
    assert server.counted()["calls"] == {"Sum": 2}
    for endpoint, why in (("nonsense", "the number of a class"), (NOBODY, "COM made no object")):
        nobody = refused(functools.partial(server.connect, COM, endpoint, 1))
        assert (nobody.kind, why in str(nobody)) == ("refused", True)


@needs_wine
@pytest.mark.usefixtures("nothing_left")
def test_a_prefix_is_recreated_and_neither_the_template_nor_the_users_own_is_touched(home: Path, mark: str) -> None:
    registry = {file.name: file.read_bytes() for file in (BUILT / "template").glob("*.reg")}
    assert registry
    # Two at once, each in its own Wine prefix: both register the same type library.
    with Adapter(ADAPTER.manifest, "one") as one, Adapter(ADAPTER.manifest, "other") as other:
        for side in (one, other):
            side.connect(COM, side.serve(COM), 1)
            assert side.call("Hello", {})["value"] == "Hello World"
        assert refused(lambda: one.connect(COM, other.serve(PIPE), 1)).kind in ("refused", "bad-request")
        servers = [line for line in commands(mark).values() if "wineserver" in line]
        assert len(servers) == 2, servers
    assert home.exists()
    assert {file.name: file.read_bytes() for file in (BUILT / "template").glob("*.reg")} == registry
    assert not list((BUILT / "prefix").iterdir())


@needs_wine
@pytest.mark.usefixtures("nothing_left")
def test_a_core_that_is_killed_leaves_no_wine(begin: Begin, tmp_path: Path, mark: str, home: Path) -> None:
    study = tmp_path / "windows.toml"
    study.write_text(
        'title = "W"\nabout = "One call."\n[load]\nclients = [1]\ncalls = 20\nseconds = 30\n'
        "forks = 1\nrounds = 2\nminutes = 0.01\n"
        f'[[cells]]\ngroup = "Sum"\nstacks = ["{COM}"]\ncall = "Sum"\narguments = {{ a = 1, b = 2 }}\n'
    )
    kept = set(Path(os.environ.get("TMPDIR", "/tmp")).glob("callbench-wine-*"))  # noqa: S108 - the launcher's own place
    with begin("run", study, "--out", tmp_path / "run"):
        assert eventually(lambda: bool(serving(mark, "com")), 120), "no server was started"
        assert any("wineserver" in line for line in commands(mark).values())
    assert eventually(lambda: not marked(mark)), commands(mark)
    assert not list((BUILT / "prefix").iterdir())
    assert str(BUILT) not in Path("/proc/mounts").read_text()
    assert set(Path(os.environ.get("TMPDIR", "/tmp")).glob("callbench-wine-*")) == kept  # noqa: S108 - see above
    assert home.exists()


@needs_wine
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "no supervisor"])
def test_no_folder_of_wines_stays(
    callbench: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    kept: bool,
) -> None:
    """It failed before: Wine makes a folder for its server's socket for each new prefix, and never removes it."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    if not kept:
        monkeypatch.setenv("CALLBENCH_SUPERVISOR", "")
    callbench("verify", MESSAGE, "--check", "Sum*", check=True)
    assert not list(place.iterdir())
