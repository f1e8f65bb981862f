"""A wheel works without a checkout and without Rust: it is built, installed, and used in an empty folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, native_stacks

pytestmark = [pytest.mark.engine, pytest.mark.slow]

Program = Callable[..., subprocess.CompletedProcess[str]]
INSIDE = "callbench/installed/"
# Where Rust is not.
PATH = "/usr/local/bin:/usr/bin:/bin"
# Folders of the checkout that are in the wheel to their last file.
WHOLE = ("contract", "links", "studies")


def done(*argv: object, cwd: Path) -> None:
    ended = subprocess.run(list(map(str, argv)), cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel. All other packages are those that run the tests: nothing is downloaded."""
    place = tmp_path_factory.mktemp("environment")
    done(sys.executable, "-m", "venv", "--without-pip", place, cwd=place)
    uv = Path(sys.executable).with_name("uv")
    python = place / "bin" / "python"
    done(uv, "pip", "install", "--offline", "--no-cache", "--no-deps", "--python", python, wheel, cwd=place)
    (packages,) = (place / "lib").glob("python3*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place


@pytest.fixture
def program(environment: Path, tmp_path: Path) -> Program:
    """The installed program in an empty folder, in an environment that names no checkout and no Rust."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CALLBENCH_", "PYTHON"))}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("CALLBENCH_TEST_")}
    empty = tmp_path / "empty"
    empty.mkdir()
    kept |= {"PATH": PATH, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def run(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        argv = [str(environment / "bin" / "callbench"), *words]
        ended = subprocess.run(argv, cwd=empty, env=kept, capture_output=True, text=True, timeout=300, check=False)
        assert "Traceback" not in ended.stderr
        assert not check or ended.returncode == 0, ended.stdout + ended.stderr
        return ended

    return run


def test_it_has_what_git_has_and_says_what_it_is_for(wheel: Path) -> None:
    assert re.fullmatch(r"callbench-[\d.]+-py3-none-(manylinux_\d+_\d+|linux)_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        kinds = {one.filename: one.external_attr >> 16 for one in archive.infolist()}
    inside = {name.removeprefix(INSIDE) for name in kinds if name.startswith(INSIDE)}
    listed = subprocess.run(
        ["/usr/bin/env", "git", "-C", str(ROOT), "ls-files", "-z", *WHOLE], capture_output=True, text=True, check=False
    )
    assert not {name for name in listed.stdout.split("\0") if name} - inside
    programs = [name for name in inside if name.startswith("engine/target/")]
    for name in ("native", "supervisor", "netlab", "load", "host"):
        assert f"engine/target/release/callbench-{name}" in programs
    assert all(kinds[INSIDE + name] & 0o111 for name in (*programs, "setup/java"))
    made = [name for name in inside if re.search(r"/(target|build|node_modules|__pycache__)/", name)]
    assert sorted(made) == sorted(programs)


def test_it_says_what_there_is(program: Program) -> None:
    assert re.fullmatch(r"callbench \d+\.\d+\.\d+\n", program("--version").stdout)
    stacks = {row["id"]: row for row in json.loads(program("list", "stacks", "--json").stdout)}
    native = [row for name, row in stacks.items() if name.startswith("native/") and ":" not in name]
    assert [row["id"] for row in native] == native_stacks()
    assert all(row["available"] for row in native)
    assert stacks["dcom/orpc"]["available"]
    assert "`callbench setup java`" in stacks["java/rmi"]["why_not"]
    studies = json.loads(program("list", "studies", "--json").stdout)
    assert "remobjects" in {row["study"] for row in studies if row["why_not"] is None}
    # What cannot be measured before something is set up says so, and with what.
    refused = {row["study"]: row for row in studies if row["why_not"]}
    assert "nominet" in refused
    assert all("callbench setup " in row["why_not"] and row["lacking"] for row in refused.values())


def test_the_doctor_finds_the_programs_of_the_wheel(program: Program, environment: Path) -> None:
    found = {row["subject"]: row for row in json.loads(program("doctor", "--json").stdout)}
    assert found["supervisor"]["state"] == "good"
    assert found["supervisor"]["found"].startswith(str(environment))
    assert found["adapter native"]["state"] == "good"
    assert found["adapter java"]["remedy"] == "callbench setup java"


@pytest.mark.usefixtures("nothing_left")
def test_a_study_is_run_and_nothing_is_written_to_the_installation(
    program: Program, environment: Path, tmp_path: Path
) -> None:
    def files() -> list[Path]:
        return sorted(path for path in environment.rglob("*") if "__pycache__" not in path.parts)

    before = files()
    program("verify", "native/soap+supertcp", "native/bin+library")
    selected = ("--select", "native/bin+supertcp", "--select", "native/bin+library")
    program("run", "remobjects", "--quick", "--forks", "1", *selected)
    (run,) = (tmp_path / "empty" / "runs").iterdir()
    assert (run / "report.html").stat().st_size > 1000
    assert [path.name for path in (tmp_path / "empty").iterdir()] == ["runs"]
    assert files() == before


@pytest.mark.skipif(shutil.which("node", path=PATH) is None, reason="Node.js is not installed")
def test_an_adapter_is_set_up_in_the_cache(program: Program, tmp_path: Path) -> None:
    states = {row["name"]: row["state"] for row in json.loads(program("setup", "--json").stdout)}
    assert states["node"] == states["java"] == "not set up"
    assert states["windows"] == "needs a checkout"
    program("setup", "node")
    (place,) = (tmp_path / "cache" / "callbench").glob("*-*")
    assert (place / "adapters" / "node" / "target" / "callbench-node").is_file()
    assert "set up" in {row["state"] for row in json.loads(program("setup", "--json").stdout) if row["name"] == "node"}
    program("verify", "node/json+http")
    refused = program("setup", "windows", check=False)
    assert refused.returncode == 2
    assert "`make windows`" in refused.stderr
