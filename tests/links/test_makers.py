"""Both makers of links, the kernel's queue and our emulator, do the same to frames."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.adapter.network import creation
from callbench.adapter.network.lab_process import LinkFailure
from callbench.adapter.network.pair import HostPair
from callbench.catalog.links import profile
from callbench.stats.wire.link import Wire
from conftest import SMALL

Program = Callable[..., subprocess.CompletedProcess[str]]
Made = Callable[[str], Wire]
pytestmark = pytest.mark.usefixtures("lab", "nothing_left")

# On a kernel that wakes late, frames are released earlier, in both directions.
EARLY_NS = 2 * 200_000

# Many more than the queue holds, as fast as can be.
FLOOD = {"way": "to-server", "packets": 3000, "bytes": 1400, "per_second": None, "patience_ms": 3000}


def made_by(wire: Wire, maker: str) -> Wire:
    """The same link by that maker."""
    link = wire["link"]
    assert link is not None
    return {**wire, "link": {**link, "maker": maker}}


@pytest.fixture
def lan100() -> Made:
    """The lab's request for lan100 by one of the makers."""
    return lambda by: made_by(profile.builtin_links()["lan100"].wire, by)


@pytest.fixture(params=["kernel", "emulator"])
def maker(request: pytest.FixtureRequest, lan100: Made) -> str:
    """Who makes the line: the kernel, where this one can."""
    if request.param == "kernel" and (why := creation.why_not(lan100("kernel"))):
        pytest.skip(why)
    return str(request.param)


def test_what_is_left_to_chance_or_far_away_is_the_emulator_s() -> None:
    for name in ("wan50", "lossy1", "wifi", "lan1g"):
        attempt = creation.try_link(profile.builtin_links()[name].wire)
        assert attempt.maker == "emulator"
        assert attempt.why_not is None
        assert attempt.why


def test_a_profile_may_say_who_makes_it(lan100: Made) -> None:
    attempt = creation.try_link(lan100("emulator"))
    assert (attempt.maker, attempt.why) == ("emulator", "the profile asks for the emulator")
    wan50 = made_by(profile.builtin_links()["wan50"].wire, "kernel")
    with pytest.raises(LinkFailure, match="cannot do to frames what this profile asks") as failure:
        HostPair(**wan50)
    assert failure.value.kind == "bad-request"


def test_a_line_counts_every_frame_that_offload_keeps_together(maker: str, lan100: Made) -> None:
    with HostPair(**lan100(maker)) as pair:
        assert pair.maker == maker
        said = pair.ask("stream", "streamed", 60, way="to-server", seconds=0.3)["stream"]
        told = pair.ask("count", "counted")["to_server"]
    # A frame has Ethernet's, IPv4's and TCP's headers, and at most 1,500 bytes after the first one.
    assert said["bytes"] + 54 * told["left"] <= told["left_bytes"] <= 1514 * told["left"]
    assert told["left"] >= said["bytes"] / 1460


def test_a_line_takes_its_time_with_every_maker(maker: str, lan100: Made) -> None:
    with HostPair(**lan100(maker)) as pair:
        said = pair.ask("echo", "echoed", 120, times=50, bytes=1000, gap_us=0, patience_ms=20_000)
    # 50 us each way, and the time of 1,066 bytes at 100 Mbit/s.
    assert len(said["ns"]) == 50
    assert sorted(said["ns"])[25] >= 2 * (50_000 + 1066 * 80) - EARLY_NS / 2


def test_a_full_queue_turns_frames_away_and_every_frame_is_counted(maker: str, lan100: Made) -> None:
    with HostPair(**lan100(maker)) as pair:
        fresh = pair.ask("count", "counted")["to_server"]
        seen = pair.ask("flood", "flooded", 120, **FLOOD)["flood"]
        told = pair.ask("count", "counted")["to_server"]
    assert not any(fresh.values())
    assert told["frames"] + told["missed"] == seen["sent"]
    assert told["left"] == told["frames"] - told["overflowed"]
    assert seen["arrived"] + seen["dropped"] + told["missed"] == told["left"]
    assert told["left_bytes"] == told["left"] * (14 + 20 + 8 + 1400)
    # A queue of 1,000 frames, and the frames that left during the burst: no more than the line can carry.
    carried = 1e8 * (seen["sending_ns"] + EARLY_NS) / 1e9 / 8 / (1442 + 24)
    assert 1000 <= told["left"] <= 1003 + carried


def test_a_capture_sees_single_frames_with_every_maker(maker: str, lan100: Made, tmp_path: Path) -> None:
    with HostPair(**lan100(maker)) as pair:
        pair.ask("capture", "capturing", file=str(tmp_path / "all.pcap"))
        pair.ask("stream", "streamed", 60, way="to-server", seconds=0.2)
        said = pair.ask("stop-capture", "captured")
        told = pair.ask("count", "counted")
    # What only fills the line's time is seen by no host.
    assert said["dropped"] == 0
    assert said["packets"] <= told["to_server"]["left"] + told["to_client"]["frames"]
    assert said["packets"] >= told["to_server"]["left"]
    size = (tmp_path / "all.pcap").stat().st_size
    assert size <= 24 + said["packets"] * (16 + 1514)


def test_a_run_says_who_made_its_links(callbench: Program, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    callbench("run", file, "--quick", "--link", "lan100", "--out", "run", check=True, timeout=150)
    link = json.loads((tmp_path / "run" / "environment.json").read_text())["links"]["lan100"]
    assert link["maker"] == creation.try_link(profile.builtin_links()["lan100"].wire).maker
    rows = json.loads(callbench("query", "run", "SELECT * FROM traffic", "--json", check=True).stdout)
    assert {row["direction"] for row in rows} == {"to_server", "to_client"}
    assert all(row["bytes"] > 0 and row["packets"] > 0 for row in rows)
