"""A checkout that was copied or moved runs its own source; a study that was copied finds what it refers to."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from callbench.catalog.study import load, names
from callbench.model.errors import BadInput
from conftest import ROOT


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of this checkout with what was built in it."""
    place = tmp_path / "elsewhere"
    listed = subprocess.run(
        ["/usr/bin/env", "git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("this is no checkout of git's")
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    (place / "engine" / "target").symlink_to(ROOT / "engine" / "target")
    # Use links to the same files if possible: the checkout is large, and only rebuilt files change.
    for how in ("-al", "-a"):
        argv = ["/usr/bin/env", "cp", how, str(ROOT / ".venv"), str(place / ".venv")]
        if subprocess.run(argv, capture_output=True, check=False).returncode == 0:
            break
        shutil.rmtree(place / ".venv", ignore_errors=True)
    version = place / "src" / "callbench" / "model" / "version.py"
    text = version.read_text()
    version.write_text(
        text.replace(f'VERSION = "{text.split("VERSION = ")[1].split(chr(34))[1]}"', 'VERSION = "0.0.99"')
    )
    return place


def started(copy: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The copy's own launcher, in an unrelated folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CALLBENCH_", "PYTHON"))}
    return subprocess.run(
        [str(copy / "callbench"), *words],
        cwd=copy.parent,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def path_file(copy: Path) -> Path:
    (found,) = (copy / ".venv" / "lib").glob("python3*/site-packages/callbench.pth")
    return found


@pytest.mark.engine
@pytest.mark.parametrize("of_before", [False, True], ids=["as it is made now", "as it was made before"])
def test_a_copy_runs_its_own_source(copy: Path, *, of_before: bool) -> None:
    """It failed before: the path of the original's source stood in the copy's virtual environment."""
    if of_before:
        # Another file: what was copied may be a link to the original's.
        named = path_file(copy)
        named.unlink()
        named.write_text(f"{ROOT / 'src'}\n")
    ended = started(copy, "--version")
    assert (ended.returncode, ended.stdout) == (0, "callbench 0.0.99\n"), ended.stderr
    assert path_file(copy).read_text() == "../../../../src\n"
    seen = started(copy, "doctor")
    assert f"GiB free at {copy}" in seen.stdout
    assert str(ROOT) not in seen.stdout


@pytest.mark.engine
def test_an_environment_whose_python_has_gone_is_not_taken_for_one(copy: Path) -> None:
    """It failed before: a stamp was believed, and the launcher ended with a message of the shell's."""
    for link in (copy / ".venv" / "bin").glob("python*"):
        link.unlink()
        link.symlink_to(copy / "gone")
    ended = started(copy, "--version", PYTHON=str(copy / "none"))
    assert ended.returncode == 1
    assert "Python 3.11 or newer is needed" in ended.stderr


@pytest.mark.engine
def test_an_import_does_not_wait_for_the_engine(copy: Path) -> None:
    """It failed before: the table of bytes needs no Rust, and the launcher began to build the engine all the same."""
    (copy / "engine" / "target").unlink()
    (copy / "order.json").write_text('{"id": 17, "customer": "Zoe"}')
    ended = started(copy, "import", str(copy / "order.json"), PATH=_without_rust(copy.parent / "bin"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line.split()[:2] for line in ended.stdout.splitlines() if line.startswith("    json ")] == [["json", "26"]]
    assert "Rust is missing" in started(copy, "list", "links", PATH=_without_rust(copy.parent / "bin")).stderr


def _without_rust(folder: Path) -> str:
    """A path with the tools of the system, and no cargo."""
    folder.mkdir(exist_ok=True)
    for tool in ("bash", "env", "python3", "sha256sum", "cut", "readlink", "dirname", "find", "flock"):
        found = shutil.which(tool)
        if found and not (folder / tool).exists():
            (folder / tool).symlink_to(found)
    return str(folder)


def test_no_script_of_setup_names_a_place(copy: Path) -> None:
    """Scripts in .venv/bin begin with the path of the environment that they were installed into."""
    for file in (copy / "Makefile", *sorted((copy / "setup").iterdir()), copy / "callbench"):
        text = file.read_text()
        for script in ("pytest", "mypy", "pip"):
            assert f"bin/{script}" not in text.replace("$(PYTHON_BIN)", ".venv/bin"), f"{file}: bin/{script}"


@pytest.mark.parametrize("name", [name for name in names() if load(name).part.published])
def test_a_copied_study_finds_its_published_figures(tmp_path: Path, name: str) -> None:
    """It failed before: they were looked for beside the copy alone."""
    mine = tmp_path / "mine.toml"
    shutil.copy(ROOT / "studies" / f"{name}.toml", mine)
    assert load(mine).published_source == load(name).published_source


def test_figures_beside_the_study_come_first(tmp_path: Path) -> None:
    shutil.copy(ROOT / "studies" / "qlio.toml", tmp_path / "qlio.toml")
    theirs = (ROOT / "studies" / "published" / "qlio-2012.toml").read_bytes()
    (tmp_path / "qlio-2012.toml").write_bytes(theirs + b"\n# my own\n")
    found = load(tmp_path / "qlio.toml").published_source
    assert found is not None
    assert found.endswith(b"# my own\n")


def test_figures_that_are_nowhere_are_one_sentence(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    text = (ROOT / "studies" / "qlio.toml").read_text()
    mine.write_text(text.replace("published/qlio-2012.toml", "published/qlio-1912.toml"))
    with pytest.raises(BadInput, match=r"qlio-1912\.toml\", are neither beside it \(.*\) nor built in"):
        load(mine)
