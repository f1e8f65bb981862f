"""All processes of a running server are found by its URL: masters, workers, and later ones."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from callbench.adapter.external import listeners, processes
from callbench.adapter.external.processes import RunningServer, root_processes
from callbench.adapter.placement import choose_placement
from callbench.adapter.stack.target import Target, TargetSpec
from callbench.catalog import catalogue
from callbench.model import process_tree
from conftest import eventually
from ports import free_ports

Run = Callable[..., subprocess.CompletedProcess[str]]
PREFORK = Path(__file__).parent / "prefork.py"
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 4;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen {listen}; location / {{ default_type text/plain; return 200 "Hello World"; }} }}
}}
"""


@contextmanager
def _running(port: int, processes: int, *words: object) -> Iterator[int]:
    """A server with so many processes; its first one's number."""
    running = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        whole = eventually(lambda: len(process_tree.family([running.pid])) == processes and _answers(port))
        assert whole, process_tree.family([running.pid])
        yield running.pid
    finally:
        running.terminate()
        running.wait(60)


def _answers(port: int) -> bool:
    return any(bool(_asked(port, host)) for host in ("127.0.0.1", "::1"))


def _asked(port: int, host: str = "127.0.0.1", path: str = "/") -> bytes:
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return b""
    finally:
        connection.close()


@contextmanager
def _nginx(folder: Path, port: int, listen: str) -> Iterator[int]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is not there: setup/system nginx-light")
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, listen=listen))
    with _running(port, 5, program, "-c", folder / "nginx.conf") as pid:
        yield pid


@pytest.fixture(autouse=True)
def every_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at who listens is a new one."""
    monkeypatch.setattr(processes, "_MOMENT_S", -1.0)


def _family(pid: int) -> set[int]:
    return set(process_tree.family([pid]))


@pytest.mark.parametrize(
    ("listen", "host"),
    [
        ("127.0.0.1:{}", "127.0.0.1"),
        ("127.0.0.1:{}", "localhost"),
        ("0.0.0.0:{}", "127.0.0.1"),
        ("127.0.0.1:{} reuseport", "127.0.0.1"),
        ("[::1]:{}", "[::1]"),
        ("[::]:{} ipv6only=off", "127.0.0.1"),
        ("[::]:{} ipv6only=off", "[::1]"),
    ],
)
def test_every_process_of_nginx_is_found_by_its_url(tmp_path: Path, listen: str, host: str) -> None:
    port = free_ports()
    with _nginx(tmp_path, port, listen.format(port)) as master:
        url = f"http://{host}:{port}/"
        found = RunningServer(url).pids()
        assert set(found) == _family(master)
        assert len(found) == 5
        # Whichever of them is named, it is the same server.
        for pid in found:
            assert RunningServer(url, pid).pids() == found
        assert root_processes(found) == (master,)
        assert not RunningServer(url).unseen()


def test_workers_that_are_replaced_are_found(tmp_path: Path) -> None:
    port = free_ports()
    with _nginx(tmp_path, port, f"127.0.0.1:{port}") as master:
        server = RunningServer(f"http://127.0.0.1:{port}/")
        before = set(server.pids())
        os.kill(master, signal.SIGHUP)
        assert eventually(lambda: len(_family(master)) == 5 and len(_family(master) & before) == 1)
        assert set(server.pids()) == _family(master)


def test_workers_with_a_socket_each_and_their_master_are_one_server() -> None:
    port = free_ports()
    with _running(port, 4, sys.executable, PREFORK, port) as master:
        server = RunningServer(f"http://127.0.0.1:{port}/")
        assert master not in listeners.listeners_at("127.0.0.1", port).pids
        first = set(server.pids())
        assert first == _family(master)
        assert _asked(port, path="/end") == b"Hello World"
        # The worker that answered is gone, and replaced by another.
        assert eventually(lambda: len(set(server.pids())) == 4 and set(server.pids()) != first)
        assert set(server.pids()) == _family(master)
        assert root_processes(server.pids()) == (master,)


def test_a_server_of_another_address_on_the_same_port_is_another() -> None:
    port = free_ports()
    with (
        _running(port, 3, sys.executable, PREFORK, port, 2) as one,
        socket.create_server(("127.0.0.2", port)),
    ):
        assert set(RunningServer(f"http://127.0.0.1:{port}/").pids()) == _family(one)
        assert os.getpid() in RunningServer(f"http://127.0.0.2:{port}/").pids()
        assert RunningServer(f"http://127.0.0.3:{port}/").pids() == ()


def test_we_are_not_among_those_whom_a_server_started() -> None:
    # We listen, and what we have started does not: as where a test, or a notebook, serves and measures.
    with socket.create_server(("127.0.0.1", 0)) as one:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        try:
            assert child.pid in process_tree.family([os.getpid()])
            asked = (
                "import os, sys; from callbench.adapter.external.processes import RunningServer;"
                "print(os.getpid() in RunningServer(sys.argv[1]).pids(),"
                " os.getppid() in RunningServer(sys.argv[1]).pids())"
            )
            url = f"http://127.0.0.1:{one.getsockname()[1]}/"
            said = subprocess.run([sys.executable, "-c", asked, url], capture_output=True, text=True, check=True)
            assert said.stdout.split() == ["False", "True"]
        finally:
            child.kill()
            child.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_what_another_user_runs_is_said_to_be_unseen(tmp_path: Path) -> None:
    port = free_ports()
    tmp_path.chmod(0o755)
    with _running(port, 3, sys.executable, PREFORK, port, 2):
        pid = os.fork()
        if pid == 0:
            os.setuid(65534)
            server = RunningServer(f"http://127.0.0.1:{port}/")
            right = server.pids() == () and "cannot be seen: run callbench as its user or as root" in server.unseen()
            os._exit(0 if right else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_load_reports_every_process(callbench: Run, tmp_path: Path) -> None:
    port = free_ports()
    with _nginx(tmp_path, port, f"127.0.0.1:{port}") as master:
        words = ["--clients", "4", "--calls", "200", "--json"]
        by_url = json.loads(callbench("load", f"http://127.0.0.1:{port}/", *words, "--out", "a").stdout)
        named = ["--pid", str(master), "--out", "b"]
        by_pid = json.loads(callbench("load", f"http://127.0.0.1:{port}/", *words, *named).stdout)
    assert by_url["server"]["end"]["processes"] == by_pid["server"]["end"]["processes"] == 5
    assert by_url["server"]["end"]["threads"] == by_pid["server"]["end"]["threads"] == 5
    assert by_url["server_unseen"] is None


def test_a_soak_sees_every_process_and_takes_a_replaced_worker_for_no_death() -> None:
    port = free_ports()
    with _running(port, 3, sys.executable, PREFORK, port, 2) as master:
        aim = TargetSpec(name=f"http://127.0.0.1:{port}/")
        with Target(aim, catalogue.load(), choose_placement()) as target:
            before = set(target.pids()["server"])
            assert before == _family(master)
            _asked(port, path="/end")
            assert eventually(lambda: len(_family(master)) == 3 and _family(master) != before)
            assert set(target.pids()["server"]) == _family(master)
            assert target.lost() is None
            os.kill(master, signal.SIGTERM)
            assert eventually(lambda: target.lost() is not None)
            lost = target.lost()
            assert lost is not None
            assert str(master) in lost.why


def test_a_study_counts_every_process(callbench: Run, tmp_path: Path) -> None:
    port = free_ports()
    study = tmp_path / "many.toml"
    study.write_text(f"""
title = "Many"
about = "One server of several processes."
[load]
clients = [2]
calls = 20
seconds = 0.05
forks = 1
rounds = 2
minutes = 0.01
[servers.nginx]
url = "http://127.0.0.1:{port}/"
request = {{ expect_body = "Hello World" }}
[[cells]]
group = "Hello"
stacks = ["load/http1:servers/nginx"]
call = "Hello"
""")
    with _nginx(tmp_path, port, f"127.0.0.1:{port}"):
        finished = callbench("run", str(study), "--out", str(tmp_path / "run"))
        assert finished.returncode == 0, finished.stderr
    journal = (tmp_path / "run" / "journal.jsonl").read_text().splitlines()
    lines = [line for line in map(json.loads, journal) if line["kind"] == "watched round"]
    watched = [one for line in lines for one in line["slices"]]
    sides = [side for one in watched for side in one["processes"]["sides"] if side["side"] == "server"]
    assert sides
    assert all(side["end"]["processes"] == side["end"]["threads"] == 5 for side in sides)
    seen = [side for one in watched for side in one["processors"]["sides"] if side["side"] == "server"]
    assert all(side["processes"] == 5 for side in seen)
