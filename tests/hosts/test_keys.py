"""Keys of a core and its hosts: what is made, and what is wrong in one sentence."""

import shutil
from pathlib import Path

import pytest

from callbench.adapter.network.remote import keys
from callbench.adapter.network.remote.host_failure import HostFailure
from conftest import assert_one_sentence


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "hosts"
    keys.create(made, "192.0.2.1", ["alpha", "beta"])
    return made


def refusal(folder: Path) -> str:
    with pytest.raises(HostFailure) as failure:
        keys.read(folder)
    assert failure.value.exit_code == 2
    return str(failure.value)


def test_a_core_and_its_hosts_have_keys(folder: Path) -> None:
    core, alpha = keys.read(folder), keys.read(folder / "alpha")
    assert (core.name, core.address, core.port, core.hosts) == ("core", "192.0.2.1", 8786, ["alpha", "beta"])
    assert (alpha.name, alpha.address, alpha.port, alpha.hosts) == ("alpha", "192.0.2.1", 8786, [])
    assert alpha.authority.read_bytes() == core.authority.read_bytes()
    assert not (folder / "alpha" / "ca.key").exists()
    for file in (*folder.glob("*.key"), *folder.glob("*/*.key")):
        assert file.stat().st_mode & 0o777 == 0o600


def test_a_further_host_has_the_same_authority(folder: Path) -> None:
    before = keys.read(folder).certificate.read_bytes()
    keys.create(folder, "192.0.2.1", ["gamma"])
    assert keys.read(folder / "gamma").name == "gamma"
    assert keys.read(folder).certificate.read_bytes() == before


@pytest.mark.parametrize(
    ("address", "names", "says"),
    [
        ("server.example", ["alpha"], "server.example is not an IP address"),
        ("192.0.2.1", ["Alpha"], "Alpha is no name for a host"),
        ("192.0.2.1", ["../x"], "../x is no name"),
        ("192.0.2.1", ["core"], "core is no name"),
        ("192.0.2.1", ["delta", "delta"], "delta is named twice"),
        ("192.0.2.1", ["alpha"], "alpha has keys in"),
        ("192.0.2.9", ["delta"], "not at 192.0.2.9:8786"),
    ],
)
def test_wrong_names_and_addresses_are_refused(folder: Path, address: str, names: list[str], says: str) -> None:
    with pytest.raises(HostFailure) as failure:
        keys.create(folder, address, names)
    assert_one_sentence(str(failure.value), [says])
    assert not (folder / "delta").exists()


def test_no_keys_is_said(tmp_path: Path) -> None:
    assert_one_sentence(refusal(tmp_path), [str(tmp_path), "callbench hosts init ADDRESS NAME"])


@pytest.mark.parametrize("name", ["ca.pem", "own.pem", "own.key"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / "alpha" / name).unlink()
    assert_one_sentence(refusal(folder / "alpha"), [name, "is missing", "copy"])


@pytest.mark.parametrize("name", ["ca.pem", "own.pem", "own.key", "place.json"])
def test_a_damaged_file_is_said(folder: Path, name: str) -> None:
    (folder / "alpha" / name).write_text("{")
    assert_one_sentence(refusal(folder / "alpha"), ["alpha", "copy the folder of the keys again"])


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (["own.key"], "own.key is not its key"),
        (["own.key", "own.pem"], "it is not that of alpha"),
    ],
)
def test_keys_of_another_host_are_refused(folder: Path, files: list[str], says: str) -> None:
    for name in files:
        shutil.copy(folder / "beta" / name, folder / "alpha" / name)
    assert_one_sentence(refusal(folder / "alpha"), [says])


def test_an_authority_of_another_core_is_refused(folder: Path, tmp_path: Path) -> None:
    keys.create(tmp_path / "other", "192.0.2.1", ["alpha"])
    shutil.copy(tmp_path / "other" / "ca.pem", folder / "alpha" / "ca.pem")
    assert_one_sentence(refusal(folder / "alpha"), ["ca.pem did not sign it"])


def test_expired_keys_are_refused(tmp_path: Path) -> None:
    keys.create(tmp_path / "hosts", "192.0.2.1", ["alpha"], days=0)
    assert_one_sentence(refusal(tmp_path / "hosts" / "alpha"), ["expired on", "callbench hosts init ADDRESS NAME"])
