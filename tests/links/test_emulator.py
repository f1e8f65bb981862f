"""Links with a profile, and captures: counts that must add up, times that cannot be shorter. Speed is for bench/."""

import json
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.adapter.network.lab_process import LinkFailure
from callbench.adapter.network.pair import HostPair
from callbench.catalog.links import profile
from conftest import SMALL, command

Program = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.usefixtures("lab", "nothing_left")

# Where a sleep would end late, a frame may leave earlier than its time, on both ways.
EARLY_NS = 2 * 200_000
FLOOD = {"way": "to-server", "packets": 2000, "bytes": 64, "per_second": 20_000, "patience_ms": 3000}


def wire(**to_server: float) -> dict[str, object]:
    return {"link": {"to_server": to_server, "to_client": {}, "seed": 5}}


def test_a_delay_takes_at_least_its_time() -> None:
    with HostPair(**profile.builtin_links()["wan20"].wire) as pair:
        said = pair.ask("echo", "echoed", 120, times=5, bytes=64, gap_us=0, patience_ms=20_000)
    assert len(said["ns"]) == 5
    assert min(said["ns"]) >= 20_000_000 - EARLY_NS


def test_every_frame_is_accounted_for() -> None:
    with HostPair(**wire(loss=0.1, duplicate=0.1, delay_ns=1_000_000, reorder=0.1, reorder_by_ns=5_000_000)) as pair:
        seen = pair.ask("flood", "flooded", 120, **FLOOD)["flood"]
        told = pair.ask("count", "counted")["to_server"]
    assert seen["sent"] == 2000
    assert told["frames"] + told["missed"] >= seen["sent"]
    assert seen["arrived"] + seen["dropped"] + told["missed"] >= seen["sent"] - told["lost"] + told["copies"]
    # Four standard deviations around a tenth: the seed decides, and this one lies within.
    assert 140 < told["lost"] < 260
    assert 100 < seen["again"] < 260
    assert seen["overtaken"] > 0


def test_a_capture_holds_every_frame_as_the_cable_carries_it(tmp_path: Path) -> None:
    file = tmp_path / "all.pcap"
    with HostPair() as pair:
        pair.ask("capture", "capturing", file=str(file))
        pair.ask("flood", "flooded", 120, **FLOOD)
        said = pair.ask("stop-capture", "captured")
    assert (said["dropped"], said["failure"]) == (0, None)
    assert said["packets"] == said["written"] == 2000
    octets, at, count = file.read_bytes(), 24, 0
    while at < len(octets):
        length, on_wire = struct.unpack_from("<II", octets, at + 8)
        assert length == on_wire == 14 + 20 + 8 + 64
        at, count = at + 16 + length, count + 1
    assert (at, count) == (len(octets), 2000)


def test_a_capture_that_cannot_be_written_is_said_and_the_hosts_go_on() -> None:
    with HostPair() as pair:
        for file, why in (("/dev/full", "No space left"), ("/nowhere/x.pcap", "No such file")):
            with pytest.raises(LinkFailure, match=why) as failure:
                pair.ask("capture", "capturing", file=file)
            assert failure.value.kind == "file"
        with pytest.raises(LinkFailure, match="no capture is under way"):
            pair.ask("stop-capture", "captured")
        assert len(pair.ask("echo", "echoed", 60, times=3, bytes=64, gap_us=0, patience_ms=10_000)["ns"]) == 3


def test_any_study_runs_over_any_link(callbench: Program, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    callbench("run", file, "--quick", "--link", "wan20", "--out", "run", check=True, timeout=150)
    sql = "SELECT min(min_ns) AS least, count(*) AS n FROM trials WHERE agree AND error_count = 0"
    (row,) = json.loads(callbench("query", "run", sql, "--json", check=True).stdout)
    assert row["n"] == 6, "three cells in two forks"
    assert row["least"] >= 20_000_000 - EARLY_NS
    assert json.loads((tmp_path / "run" / "plan.json").read_text())["links"]["wan20"]["mtu"] == 1500


def test_a_link_is_tried_with_requested_and_measured_values(callbench: Program) -> None:
    rows = json.loads(
        callbench("link", "try", "modem56k", "--seconds", "0.3", "--json", check=True, timeout=150).stdout
    )
    found = {row["what"]: row for row in rows}
    assert found["there and back, median"]["measured"] >= 120
    assert found["rate to the server"]["asked"] == 0.03
    # What arrives has been on the line for its time: the rate cannot be exceeded.
    assert found["rate to the server"]["measured"] < 0.0301


def _less(*options: str) -> list[str]:
    """The program as root without the capability to make namespaces, or as what `options` leave of it."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("util-linux's setpriv is missing")
    return [setpriv, *options, *command("link", "try", "pair", "--seconds", "0.1", "--json")]


def test_hosts_are_made_without_the_power_over_the_machine(tmp_path: Path) -> None:
    ended = subprocess.run(
        _less("--bounding-set=-sys_admin", "--inh-caps=-sys_admin"),
        cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip
    if "kernel lets users make no namespaces" in ended.stderr or "may make no user namespace" in ended.stderr:
        pytest.skip(ended.stderr)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)[0]["measured"] > 0


def test_a_kernel_that_refuses_namespaces_is_one_sentence(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("util-linux's unshare is missing")
    line = 'echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"'
    argv = [unshare, "--user", "--map-root-user", "sh", "-c", line, "sh", *command("link", "try", "pair")]
    ended = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
    if "max_net_namespaces" in ended.stderr and "Permission denied" in ended.stderr:
        pytest.skip(ended.stderr)
    assert ended.returncode == 1
    assert "raise the sysctls user.max_net_namespaces" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_without_packet_sockets_the_bare_pair_still_works(tmp_path: Path) -> None:
    """Without CAP_NET_RAW a profile is refused with a sentence, and a plain cable still works."""
    without = _less("--bounding-set=-net_raw", "--inh-caps=-net_raw")
    emulated = [*without[:-5], "try", "wan50"]
    refused = subprocess.run(emulated, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
    assert refused.returncode == 1
    assert "CAP_NET_RAW" in refused.stderr
    listed = [*without[:-6], "list", "links", "--json"]
    rows = json.loads(
        subprocess.run(listed, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=True).stdout
    )
    usable = {row["link"]: row["usable"] for row in rows}
    assert usable["pair"]
    assert not usable["wan50"]
