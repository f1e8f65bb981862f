"""Sets up adapters that need a toolchain: in the checkout, or for a wheel in a copy of their sources in the cache."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from callbench.catalog import setup
from callbench.catalog.catalogue import Catalogue
from callbench.model.errors import BadInput, CallbenchError
from callbench.model.installation import home, wheel, workplace
from callbench.model.suggestions import unknown
from callbench.runner.peer import jmeter

COLUMNS = ("name", "state", "needs", "why_not")
_HOST = Path("engine", "target", "release", "callbench-host")


@dataclass(frozen=True)
class Part:
    """Something that can be set up: an adapter, or another load generator.

    Attributes:
        scripts: those of setup/ that do it, in their order.
        needs: what they need or install, for people.
        why_not: why it cannot be used as it is, or None: it is set up.
        possible: whether this installation has what is set up; a wheel lacks what needs a checkout.
    """

    name: str
    scripts: tuple[str, ...]
    needs: str
    why_not: str | None
    possible: bool = True

    def record(self) -> dict[str, Any]:
        """For programs and for people."""
        state = "set up" if self.why_not is None else "not set up" if self.possible else "needs a checkout"
        return asdict(self) | {"state": state}


def rows(known: Catalogue) -> list[dict[str, Any]]:
    """All that can be set up, as rows with `COLUMNS`."""
    return [part.record() for part in parts(known)]


def parts(known: Catalogue) -> list[Part]:
    """All that can be set up, in the order of the catalogue."""
    found = [
        Part(each.name, named, each.manifest.needs, each.why_not, setup.can_be_set_up(each.manifest))
        for each in known.adapters
        if _ours(each.manifest.file) and (named := setup.scripts(each.manifest))
    ]
    return [*found, Part("jmeter", ("jmeter",), "a JDK 17, Maven", jmeter.why_not())]


def _ours(file: Path) -> bool:
    """Whether a manifest came with the installation: only then its scripts did."""
    return any(file.is_relative_to(place / "adapters") for place in (home(), workplace()))


def set_up(names: Sequence[str], known: Catalogue) -> None:
    """Sets up what is named, one after the other; what is set up already costs next to nothing.

    Raises:
        BadInput: a name is not known, or this installation cannot set it up.
        CallbenchError: a script failed; it has said why.
    """
    there = {part.name: part for part in parts(known)}
    for name in names:
        if name not in there:
            raise BadInput(unknown("part to set up", name, list(there), "callbench setup"))
        if not there[name].possible:
            command = "make " + " ".join(there[name].scripts)
            raise BadInput(
                f"{name} cannot be set up from a wheel: it needs a checkout of Callbench; run `{command}` there"
            )
    place = _prepared(known)
    for name in names:
        for script in there[name].scripts:
            _run(name, place, script)


def _run(name: str, place: Path, script: str) -> None:
    # A virtual environment that a script makes has the Python that runs here.
    environment = dict(os.environ) if wheel() is None else {"PYTHON": sys.executable, **os.environ}
    path = place / "setup" / script
    try:
        ended = subprocess.run([str(path)], cwd=place, env=environment, check=False)
    except OSError as failure:
        raise CallbenchError(f"{path} cannot be started: {failure.strerror}") from failure
    if ended.returncode:
        raise CallbenchError(f"{name} could not be set up (exit code {ended.returncode}): {path} says why above")


def _prepared(known: Catalogue) -> Path:
    """The folder in which the scripts work: of a wheel a copy of what they need, made the first time.

    Raises:
        CallbenchError: it cannot be made.
    """
    place = workplace()
    if wheel() is None or place.is_dir():
        return place
    folders = [each.manifest.file.parent for each in known.adapters if setup.scripts(each.manifest)]
    folders = [folder for folder in folders if folder.is_relative_to(home() / "adapters")]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Copied aside and moved into place: another one that is started now finds all or nothing.
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as beside:
            new = Path(beside) / place.name
            for folder in (home() / "contract", home() / "peers", home() / "setup", *folders):
                shutil.copytree(folder, new / folder.relative_to(home()), ignore=shutil.ignore_patterns("__pycache__"))
            (new / _HOST).parent.mkdir(parents=True)
            shutil.copy2(home() / _HOST, new / _HOST)
            _writable(new)
            new.rename(place)
    except OSError as failure:
        if not place.is_dir():
            raise CallbenchError(f"cannot copy the adapters' sources to {place}: {failure}") from failure
    return place


def _writable(root: Path) -> None:
    """The sources of a read-only installation are copied as such."""
    for path in (root, *root.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
