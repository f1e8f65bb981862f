"""Set up adapters that need a toolchain: in the checkout or, for a wheel, in a copy of their sources in the cache."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from callbench.catalog import setup
from callbench.catalog.catalogue import Catalogue
from callbench.model import machine_limits
from callbench.model.errors import BadInput, MachineFailure
from callbench.model.installation import home, wheel, workplace
from callbench.model.suggestions import unknown
from callbench.runner.peer import jmeter

COLUMNS = ("name", "state", "needs", "why_not")
_HOST = Path("engine", "target", "release", "callbench-host")


@dataclass(frozen=True)
class SetupPart:
    """Something that can be set up: an adapter, or another load generator.

    Attributes:
        scripts: the scripts in setup/ that do it, in order.
        needs: what the scripts need or install, in words.
        why_not: why it cannot be used yet; None if it is set up.
        possible: whether this installation can set it up; some parts need a checkout.
    """

    name: str
    scripts: tuple[str, ...]
    needs: str
    why_not: str | None
    possible: bool = True

    def record(self) -> dict[str, object]:
        """Return the part as a JSON object, with its state."""
        state = "set up" if self.why_not is None else "not set up" if self.possible else "needs a checkout"
        return asdict(self) | {"state": state}


def rows(catalogue: Catalogue) -> list[dict[str, object]]:
    """Return everything that can be set up, as rows with the columns `COLUMNS`."""
    return [part.record() for part in parts(catalogue)]


def parts(catalogue: Catalogue) -> list[SetupPart]:
    """Return everything that can be set up, in the order of the catalogue."""
    found = [
        SetupPart(each.name, named, each.manifest.needs, each.why_not, setup.can_be_set_up(each.manifest))
        for each in catalogue.adapters
        if setup.is_bundled(each.manifest) and (named := setup.scripts(each.manifest))
    ]
    return [*found, SetupPart("jmeter", ("jmeter",), "a JDK 17, Maven", jmeter.why_not())]


def set_up(names: Sequence[str], catalogue: Catalogue) -> None:
    """Set up the named parts, one after the other. A part that is already set up takes almost no time.

    Raises:
        BadInput: a name is unknown, or this installation cannot set it up.
        MachineFailure: a script failed; its own message says why.
    """
    by_name = {part.name: part for part in parts(catalogue)}
    for name in names:
        if name not in by_name:
            raise BadInput(unknown("part to set up", name, list(by_name), "callbench setup"))
        if not by_name[name].possible:
            command = "make " + " ".join(by_name[name].scripts)
            raise BadInput(
                f"{name} cannot be set up from a wheel: it needs a checkout of Callbench; run `{command}` there"
            )
    root = _prepare_folder(catalogue)
    for name in names:
        for script in by_name[name].scripts:
            _run(name, root, script)


def _run(name: str, root: Path, script: str) -> None:
    # Virtual environments made by a script use the Python that runs now.
    environment = dict(os.environ) if wheel() is None else {"PYTHON": sys.executable, **os.environ}
    path = root / "setup" / script
    try:
        ended = subprocess.run([str(path)], cwd=root, env=environment, check=False)
    except OSError as failure:
        raise machine_limits.written(f"{path} cannot be started", failure) from failure
    if ended.returncode:
        raise MachineFailure(f"{name} could not be set up (exit code {ended.returncode}): {path} says why above")


def _prepare_folder(catalogue: Catalogue) -> Path:
    """Return the folder in which the scripts work. For a wheel, copy there what they need the first time.

    Raises:
        MachineFailure: the folder cannot be made.
    """
    root = workplace()
    if wheel() is None or root.is_dir():
        return root
    folders = [each.manifest.file.parent for each in catalogue.adapters if setup.scripts(each.manifest)]
    folders = [folder for folder in folders if folder.is_relative_to(home() / "adapters")]
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        # Copy beside the final place, then rename, so that a second program finds all of it or nothing.
        with tempfile.TemporaryDirectory(dir=root.parent, prefix=".new-") as beside:
            new = Path(beside) / root.name
            for folder in (home() / "contract", home() / "peers", home() / "setup", *folders):
                shutil.copytree(folder, new / folder.relative_to(home()), ignore=shutil.ignore_patterns("__pycache__"))
            (new / _HOST).parent.mkdir(parents=True)
            shutil.copy2(home() / _HOST, new / _HOST)
            _make_writable(new)
            new.rename(root)
    except OSError as failure:
        if not root.is_dir():
            raise MachineFailure(f"cannot copy the adapters' sources to {root}: {failure}") from failure
    return root


def _make_writable(root: Path) -> None:
    """Make the copy of a read-only installation writable."""
    for path in (root, *root.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
