"""Lays into the wheel what callbench needs beside its own package, as it lies in a checkout: under callbench/installed.

Hatchling runs it for every wheel. The engine must be built; its programs decide for which systems the wheel is.
"""

import hashlib
import json
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_INSIDE = "callbench/installed"
_BUILT = Path("engine", "target", "release")
_LIBRARY = "libcallbench_library.so"
_FOLDERS = ("adapters", "contract", "links", "peers", "setup", "studies")
_MADE = {"target", "target.new", "build", "node_modules", "__pycache__"}
# The engine is compiled again for a service of the user's own: what cargo reads of its workspace.
_WORKSPACE = ("engine", "adapters/dcom", "adapters/rust", "adapters/windows")
_OF_CARGO = frozenset({".rs", ".toml", ".lock"})
_NOT_COMPILED = frozenset({"target", "tests", "examples"})
_FOR_A_CHECKOUT = ("setup/engine", "setup/python", "setup/windows")
_GLIBC = re.compile(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)")


class WheelHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore] # hatchling's own types differ by version
    """Adds the files, and names the systems that the wheel is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs before the wheel is written.

        Raises:
            RuntimeError: the engine is not built.
        """
        if version == "editable":
            return
        root = Path(self.root)
        self._beside = tempfile.TemporaryDirectory(prefix="callbench-wheel-")
        beside = Path(self._beside.name)
        programs = dict(_programs(root, beside))
        files = dict(_files(root)) | programs
        said = beside / "wheel.json"
        said.write_text(json.dumps({"digest": _digest(files), "commit": _commit(root)}) + "\n")
        files["wheel.json"] = said
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_system(programs)}"
        build_data["force_include"] |= {str(file): f"{_INSIDE}/{name}" for name, file in files.items()}

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Runs after it."""
        if version != "editable":
            self._beside.cleanup()


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """What is data, by its name below the root."""
    for folder in _WORKSPACE:
        for file in _of_cargo(root / folder):
            yield file.relative_to(root).as_posix(), file
    for folder in _FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root)
            name = path.as_posix()
            in_workspace = name.startswith(tuple(f"{place}/" for place in _WORKSPACE))
            if (
                file.is_file()
                and not in_workspace
                and name not in _FOR_A_CHECKOUT
                and not _MADE.intersection(path.parts)
            ):
                yield name, file


def _of_cargo(folder: Path) -> Iterator[Path]:
    """What cargo reads of a folder, and the manifests of adapters."""
    for file in sorted(folder.rglob("*")):
        if (
            file.suffix in _OF_CARGO
            and file.is_file()
            and not _NOT_COMPILED.intersection(file.relative_to(folder).parts)
        ):
            yield file


def _programs(root: Path, beside: Path) -> Iterator[tuple[str, Path]]:
    """The engine's programs and its library, without what only a debugger reads."""
    built = [file for file in sorted((root / _BUILT).glob("callbench-*")) if not file.suffix]
    if not {"callbench-host", "callbench-supervisor", "callbench-native"} <= {file.name for file in built}:
        raise RuntimeError("the engine is not built, and a wheel has its programs: run `make engine`")
    strip = shutil.which("strip")
    if strip is None:
        raise RuntimeError("strip is missing, which makes the engine's programs small: install binutils")
    for file in (*built, root / _BUILT / _LIBRARY):
        small = beside / file.name
        subprocess.run([strip, "-o", str(small), str(file)], check=True)
        small.chmod(0o755)
        yield (_BUILT / file.name).as_posix(), small


def _system(programs: Mapping[str, Path]) -> str:
    """The platform tag (PEP 600): the newest version of the C library that any of the programs asks for."""
    asked = [found for file in programs.values() for found in _GLIBC.findall(file.read_bytes())]
    if not asked:
        return f"linux_{platform.machine()}"
    major, minor = max((int(major), int(minor)) for major, minor in asked)
    return f"manylinux_{major}_{minor}_{platform.machine()}"


def _digest(files: Mapping[str, Path]) -> str:
    """Of all files with their names: two wheels that differ set their adapters up in folders of their own."""
    sums = hashlib.sha256()
    for name, file in sorted(files.items()):
        sums.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return sums.hexdigest()[:12]


def _commit(root: Path) -> str | None:
    """The commit, with `+` where files differ from it; None where there is no git, or no checkout."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    argv = [git, "-C", str(root), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    return ended.stdout.strip() or None
