"""Two hosts: created, reached, and removed with their process."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.adapter.network.host import Host, why_unreachable
from callbench.adapter.network.lab_process import LinkFailure
from callbench.adapter.network.pair import HostPair
from callbench.model.installation import supervisor
from conftest import SMALL, eventually
from left_behind import marked
from loaded_program import Begin

Program = Callable[..., subprocess.CompletedProcess[str]]

ECHO_ONCE = """
import socket, sys
door = socket.create_server((sys.argv[1], 0))
print(door.getsockname()[1], flush=True)
guest = door.accept()[0]
guest.sendall(guest.recv(100))
"""
CALL_ONCE = """
import socket, sys
server = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
server.sendall(b"hello")
print(server.recv(100).decode(), server.getsockname()[0])
"""


def on(host: Host, *argv: str) -> list[str]:
    return [str(supervisor()), *host.enter_options(), "--", *argv]


def python_on(host: Host, program: str, *arguments: str) -> list[str]:
    return on(host, sys.executable, "-c", program, *arguments)


@pytest.mark.usefixtures("lab", "nothing_left")
def test_the_hosts_reach_each_other_and_no_others() -> None:
    with HostPair() as pair:
        client, server = pair.hosts.client, pair.hosts.server
        with subprocess.Popen(python_on(server, ECHO_ONCE, server.address), stdout=subprocess.PIPE, text=True) as echo:
            assert echo.stdout is not None
            port = echo.stdout.readline().strip()
            said = subprocess.run(
                python_on(client, CALL_ONCE, server.address, port),
                capture_output=True,
                text=True,
                check=True,
                timeout=60,
            )
        assert said.stdout.split() == ["hello", client.address]
        seen = subprocess.run(
            on(client, "cat", "/proc/net/dev"), capture_output=True, text=True, check=True, timeout=60
        )
        assert {line.split(":")[0].strip() for line in seen.stdout.splitlines()[2:]} == {"lo", "wire0"}


@pytest.mark.usefixtures("lab")
def test_nothing_is_left_of_a_pair_whose_core_was_killed(mark: str) -> None:
    """The kernel removes a namespace without processes, so the processes that hold it must end."""
    before = set(Path("/sys/class/net").iterdir())
    program = """
import subprocess, sys, time
from callbench.adapter.network.pair import HostPair
pair = HostPair()
print("made", flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as core:
        assert core.stdout is not None
        assert core.stdout.readline() == "made\n"
        assert len(marked(mark)) == 2, "the core and the lab's holder"
        core.send_signal(signal.SIGKILL)
    assert eventually(lambda: not marked(mark), 30), "the holder outlived the core"
    assert set(Path("/sys/class/net").iterdir()) == before
    assert not list(Path("/var/run/netns").glob("callbench*"))


@pytest.mark.usefixtures("lab", "nothing_left")
def test_a_study_runs_over_a_pair(callbench: Program, tmp_path: Path) -> None:
    file = tmp_path / "far.toml"
    file.write_text(SMALL.replace("[load]", '[load]\nlink = "pair"'))
    callbench("run", file, "--quick", "--out", "run", check=True)
    journal = (tmp_path / "run" / "journal.jsonl").read_text()
    assert '"link":"pair"' in journal
    rows = callbench(
        "query", "run", "SELECT count(*) AS n FROM trials WHERE agree AND error_count = 0", "--json", check=True
    )
    assert '"n": 6' in rows.stdout


@pytest.mark.usefixtures("lab", "nothing_left")
def test_a_killed_run_over_a_pair_leaves_nothing(begin: Begin, tmp_path: Path, mark: str) -> None:
    file = tmp_path / "far.toml"
    file.write_text(SMALL.replace("[load]", '[load]\nlink = "pair"').replace("seconds = 0.02", "seconds = 60"))
    with begin("run", file, "--out", "run"):
        assert eventually(lambda: '"start"' in _text(tmp_path / "run" / "journal.jsonl"), 60), "no start began"
    assert eventually(lambda: not marked(mark), 30), "something outlived the core"


def _text(file: Path) -> str:
    return file.read_text() if file.exists() else ""


@pytest.mark.usefixtures("lab", "nothing_left")
def test_the_lab_answers_nonsense_with_a_sentence() -> None:
    with HostPair() as pair:
        for do in ("make", "dance"):
            with pytest.raises(LinkFailure) as failure:
                pair.ask(do, "made")
            assert failure.value.kind == "bad-request"
        assert pair.ask("offload", "offloads", on=False)["on"] is False


@pytest.mark.parametrize(
    ("endpoint", "wrong"),
    [
        ("10.77.0.2:4000", False),
        ("http://10.77.0.2:4000/soap", False),
        ("/run/x.socket", False),
        ("IOR:000000", False),
        ("127.0.0.1:4000", True),
        ("http://0.0.0.0:80", True),
        ("rmi://10.77.0.20:1099/service", True),
    ],
)
def test_an_endpoint_elsewhere_is_found_out(endpoint: str, wrong: bool) -> None:
    assert (why_unreachable(endpoint, Host("10.77.0.2")) is not None) is wrong
