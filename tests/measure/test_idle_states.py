"""Deep idle states are prevented while the block runs and allowed afterwards, whatever happens; otherwise an error."""

from pathlib import Path

import pytest

from callbench.model.errors import BadInput
from callbench.runner.machine.idle_states import hold_idle_states


def open_files() -> set[Path]:
    return {link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


def test_it_holds_nothing_unless_requested(tmp_path: Path) -> None:
    with hold_idle_states(hold=False, device=tmp_path / "nothing"):
        pass


def held_and_broken(device: Path) -> None:
    with hold_idle_states(hold=True, device=device):
        assert device.read_bytes() == b"\0\0\0\0"
        assert device in open_files()
        raise ZeroDivisionError


def test_it_asks_for_no_latency_and_lets_go(tmp_path: Path) -> None:
    device = tmp_path / "latency"
    device.touch()
    with pytest.raises(ZeroDivisionError):
        held_and_broken(device)
    assert device not in open_files()


def test_a_machine_without_it_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"--hold-idle needs .*: No such file or directory"):
        held_and_broken(tmp_path / "none")
