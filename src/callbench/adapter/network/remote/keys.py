"""Keys and certificates: one authority a core, which signs the core's certificate and one for each host.

The folder of a core has `ca.pem`, `ca.key`, `own.pem`, `own.key` and `place.json`. Each host has a folder in it, with
the same files but for the authority's key. That folder is copied to the host.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

from callbench.adapter.network.remote.host_failure import HostFailure

CORE = "core"
HOSTS_VARIABLE = "CALLBENCH_HOSTS"
PORT = 8786
_PLACE = "place.json"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")


def default_folder() -> Path:
    """The folder of the core's keys: `CALLBENCH_HOSTS`, else `callbench/hosts` in `XDG_CONFIG_HOME` or `~/.config`."""
    if named := os.environ.get(HOSTS_VARIABLE):
        return Path(named)
    return settings_folder() / "hosts"


def settings_folder() -> Path:
    """What this user has set of Callbench on this machine: `callbench` in `XDG_CONFIG_HOME` or `~/.config`."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".config") / "callbench"


@dataclass(frozen=True)
class Keys:
    """Checked keys of the core or of a host.

    Attributes:
        folder: where they lie.
        name: `core`, or the host's name.
        address: of the core's scheduler.
        port: of the core's scheduler.
    """

    folder: Path
    name: str
    address: str
    port: int

    @property
    def authority(self) -> Path:
        """The certificate of the authority that signed all certificates of this core."""
        return self.folder / "ca.pem"

    @property
    def certificate(self) -> Path:
        """Its own certificate."""
        return self.folder / "own.pem"

    @property
    def key(self) -> Path:
        """The key of its own certificate."""
        return self.folder / "own.key"

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts that have keys of this core, if these are the core's."""
        return sorted(file.parent.name for file in self.folder.glob(f"*/{_PLACE}"))


def are_there(folder: Path) -> bool:
    """Return whether a folder has keys."""
    return (folder / _PLACE).exists()


def create(folder: Path, address: str, names: list[str], *, port: int = PORT, days: int = 365) -> list[Path]:
    """Make the keys of a core, unless it has them, and those of its hosts. Return the folders of the hosts.

    Args:
        folder: of the core's keys.
        address: the address at which hosts reach the core.
        names: of the hosts.
        port: of the core.
        days: how long the certificates are valid.

    Raises:
        HostFailure: an address or a name is wrong, or a host has keys already.
    """
    _check_names(folder, address, names)
    if are_there(folder):
        core = read(folder)
        if (core.address, core.port) != (address, port):
            raise HostFailure(
                f"{folder} has the keys of a core at {core.address}:{core.port}, not at {address}:{port}:"
                " give that address, or another folder with --keys"
            )
    try:
        return _create(folder, address, names, port, days)
    except OSError as failure:
        raise HostFailure(
            f"{failure.filename or folder}: {failure.strerror}: name another folder with --keys"
        ) from failure


def _check_names(folder: Path, address: str, names: list[str]) -> None:
    try:
        ip_address(address)
    except ValueError:
        raise HostFailure(f"{address} is not an IP address: give the one at which hosts reach this machine") from None
    for name in names:
        if not _NAME.fullmatch(name) or name == CORE:
            raise HostFailure(f"{name} is no name for a host: use up to 31 of a-z, 0-9 and -, and not {CORE}")
        if names.count(name) > 1:
            raise HostFailure(f"{name} is named twice: give each host once")
        if (folder / name).exists():
            raise HostFailure(f"{name} has keys in {folder / name}: remove that folder to make new ones")


def _create(folder: Path, address: str, names: list[str], port: int, days: int) -> list[Path]:
    from callbench.adapter.network.remote.certificates import Authority  # noqa: PLC0415 - part of the extra `hosts`

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    authority = Authority(folder / "ca.pem", folder / "ca.key", days)
    if not are_there(folder):
        authority.sign(CORE, folder / "own.pem", folder / "own.key")
        _write_place(Keys(folder, CORE, address, port))
    made = []
    for name in names:
        host = folder / name
        host.mkdir(mode=0o700)
        shutil.copy(folder / "ca.pem", host / "ca.pem")
        authority.sign(name, host / "own.pem", host / "own.key")
        _write_place(Keys(host, name, address, port))
        made.append(host)
    return made


def _write_place(keys: Keys) -> None:
    public = {key: value for key, value in asdict(keys).items() if key != "folder"}
    (keys.folder / _PLACE).write_text(json.dumps(public) + "\n")


def read(folder: Path) -> Keys:
    """Read and check keys.

    Raises:
        HostFailure: there are none, they are damaged or not those of one another, or they have expired.
    """
    try:
        written = json.loads((folder / _PLACE).read_text())
        keys = Keys(folder, str(written["name"]), str(written["address"]), int(written["port"]))
    except FileNotFoundError:
        raise HostFailure(
            f"{folder} has no keys of hosts: make them with `callbench hosts init ADDRESS NAME`, or name their folder"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise HostFailure(f"{folder / _PLACE} cannot be read: copy the folder of the keys again") from failure
    for wrong in _faults(keys):
        raise HostFailure(wrong)
    return keys


def _faults(keys: Keys) -> Iterator[str]:
    """Yield what is wrong with keys."""
    from callbench.adapter.network.remote import certificates  # noqa: PLC0415 - part of the extra `hosts`

    for file in (keys.authority, keys.certificate, keys.key):
        if not file.is_file():
            yield f"{file} is missing: copy the folder of the keys again"
    try:
        valid = certificates.check(keys.authority, keys.certificate, keys.key, keys.name)
    except ValueError as failure:
        yield f"{keys.certificate}: {failure}: copy the folder of the keys again, whole and from one core"
        return
    now = datetime.now(UTC)
    remedy = f"remove {keys.folder} and make new keys with `callbench hosts init ADDRESS NAME`"
    if now > valid[1]:
        yield f"{keys.certificate} expired on {valid[1]:%Y-%m-%d}: {remedy}"
    if now < valid[0]:
        yield f"{keys.certificate} is valid from {valid[0]:%Y-%m-%d}: set the clock of this machine, or {remedy}"
