"""One load by agents on several hosts, against a server that knows each call: namespaces on one bridge, real agents."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fleet_lab import Program, entering, made_keys, namespaces, ran, started
from two_hosts import journal

from callbench.stats.estimate.histogram import Buckets
from conftest import assert_one_sentence
from study_text import cells, study_text

if TYPE_CHECKING:
    from callbench.adapter.network.host import Host

SHARED = study_text(
    cells("Hello", "native/bin+supertcp"),
    cells("Paced", "native/bin+supertcp", clients=7, arrivals="poisson", rate=200),
    load={"clients": [1, 7], "calls": 1, "seconds": 0.02, "rounds": 2, "minutes": 60},
)
pytestmark = [
    pytest.mark.usefixtures("lab", "nothing_left"),
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("ip") is None or os.geteuid() != 0, reason="a bridge needs root and `ip`"),
]


class Lab:
    """A core with a counting server, and agents g2, g3, ... on hosts of their own."""

    def __init__(self, folder: Path, count: int, stack: ExitStack, *, seconds: float = 0.0) -> None:
        """Start all of it. A call takes so many seconds, one after the other."""
        self.core, self.hosts = stack.enter_context(namespaces(count))
        self.names = [f"g{number}" for number in range(2, count + 2)]
        self.keys = made_keys(folder / "hosts", *self.names, address=self.core.address)
        stack.enter_context(started(["hosts", "start", "--keys", self.keys.folder], "agents can connect", self.core))
        agents = [Program(["agent", self.keys.folder / name], self.host_of(name)) for name in self.names]
        for name, agent in zip(self.names, agents, strict=True):
            stack.callback(agent.end)
            agent.await_line(f"host {name} serves")
        port = stack.enter_context(counting(self.core, seconds))
        self.url = f"http://{self.core.address}:{port}"

    def host_of(self, name: str) -> "Host":
        """The host with the number of the name."""
        return self.hosts[self.names.index(name)]

    def run(self, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run the program on the core."""
        return ran(self.core, *words, cwd=cwd, CALLBENCH_HOSTS=str(self.keys.folder))

    def counts(self) -> dict[str, int]:
        """What the server has counted, by address."""
        fetch = f"import urllib.request as r; print(r.urlopen('{self.url}/counts').read().decode())"
        line = [*entering(self.core), sys.executable, "-c", fetch]
        found: dict[str, int] = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
        return found


@contextmanager
def counting(host: "Host", seconds: float = 0.0) -> Iterator[int]:
    """The port of a counting server on a host, whose calls take so many seconds."""
    program = Path(__file__).with_name("counting_server.py")
    line = [*entering(host), sys.executable, str(program), host.address, str(seconds)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline().split()[-1])
        finally:
            server.kill()


@pytest.fixture
def lab_of(tmp_path: Path) -> Iterator[Callable[[int], Lab]]:
    with ExitStack() as stack:
        yield lambda count: Lab(tmp_path, count, stack)


def assert_counted(found: dict[str, Any], lab: Lab) -> None:
    """Each host made the calls that it reports, to the last one; the first host also makes the look at the server."""
    counts = lab.counts()
    made = {one["host"]: one["calls"] + one["errors"] for one in found["generators"]}
    assert sum(made.values()) == found["calls"] + sum(found["errors"].values())
    assert {name: counts.get(lab.host_of(name).address, 0) for name in made} == {
        name: calls + (name == lab.names[0]) for name, calls in made.items()
    }
    assert found["histogram_ns"]["count"] == found["calls"]
    own = Buckets.of(dict(found["histogram_ns"]["buckets"]))
    assert found["latency_us"]["p50"] == pytest.approx(own.percentiles([0.5])[0] / 1e3, rel=1e-6)
    # No clock may say that a host began before it was told to, but for what clocks are known to.
    assert all(one["late_start_ns"] >= -2 * one["clock_bound_ns"] - 1 for one in found["generators"])


def test_five_hosts_share_a_number_of_calls(lab_of: Callable[[int], Lab], tmp_path: Path) -> None:
    lab = lab_of(5)
    names = ",".join(lab.names)
    ran = lab.run("load", lab.url, "--hosts", names, "--calls", 503, "--clients", 12, "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert [one["host"] for one in found["generators"]] == lab.names
    assert [one["clients"] for one in found["generators"]] == [3, 3, 2, 2, 2]
    # A closed loop goes on until its calls are made, and each client may have begun one more.
    assert 503 <= found["calls"] <= 503 + 12
    assert_counted(found, lab)
    assert_a_run_shares_its_clients_out(lab, tmp_path)


def assert_a_run_shares_its_clients_out(lab: Lab, folder: Path) -> None:
    """A study's cells of one client and of seven, its server on one host and its clients on four.

    An open loop is dealt out as well, and none of its schedules are left.
    """
    file = folder / "shared.toml"
    file.write_text(SHARED)
    hosts = dict(zip(("server", "client", "client 2", "client 3", "client 4"), lab.names, strict=True))
    options = ("--forks", 1, "--no-baselines", "--warm-up", "none", "--hosts", ",".join(hosts.values()))
    ended = lab.run("run", file, *options, "--out", "run", cwd=folder)
    assert ended.returncode == 0, ended.stderr
    plan = json.loads((folder / "run" / "plan.json").read_text())
    assert plan["links"] == {"real": {"link": None, "hosts": hosts}}
    shares = {1: [1], 7: [2, 2, 2, 1]}
    clients = {cell["id"]: cell["clients"] for cell in plan["cells"]}
    slices = [one for line in journal(folder / "run") for one in line.get("slices", [])]
    assert {clients[one["cell"]] for one in slices} == set(shares)
    for one in slices:
        done, mine = one["done"], shares[clients[one["cell"]]]
        each = done["generators"]
        assert [(part["host"], part["clients"]) for part in each] == list(zip(lab.names[1:], mine, strict=False))
        assert sum(part["calls"] for part in each) == done["calls"] == done["latency"]["count"]
        # The server counted all of them, and no failed call.
        assert one["agree"] is True
        assert not done["errors"]
    watched = {side["side"]: side["end"]["processes"] for one in slices if "processes" in one
               for side in one["processes"]["sides"]}  # fmt: skip
    assert watched["client"] == len(hosts) - 1
    assert watched["server"] == 1
    assert not list((folder / "run" / "schedules").glob("*"))


def test_two_hosts_make_one_schedule(lab_of: Callable[[int], Lab], tmp_path: Path) -> None:
    """100 arrivals a second for 2 s; the last one is due when the time is over, and is not made, as by one host."""
    lab = lab_of(2)
    words = ["load", lab.url, "--hosts", "g2,g3", "--rate", 100, "--poisson", "--seconds", 2, "--clients", 20, "--json"]
    ran = lab.run(*words, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert [one["calls"] for one in found["generators"]] == [100, 99]
    assert_counted(found, lab)
    starved = [one["starved"] for one in found["generators"] if one["starved"]]
    if starved:
        assert found["verdict"] == {"limit": "generator", "why": "; ".join(starved)}
    shown = lab.run("show", next((tmp_path / "runs").iterdir()), cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert all(f"{lacked[1:]}." in shown.stdout for lacked in starved)


def test_a_url_of_loopback_is_no_server_of_hosts(lab_of: Callable[[int], Lab], tmp_path: Path) -> None:
    lab = lab_of(1)
    ran = lab.run("load", "http://127.0.0.1:9", "--hosts", "g2", cwd=tmp_path)
    assert ran.returncode == 2
    assert_one_sentence(ran.stderr.strip(), ("127.0.0.1", "give the address at which the hosts reach the server"))
    twice = lab.run("load", lab.url, "--hosts", "g2,g2", cwd=tmp_path)
    assert twice.returncode == 2
    assert_one_sentence(twice.stderr.strip(), ("--hosts g2,g2", "different names"))
    none = lab.run("load", lab.url, "--hosts", "g9", cwd=tmp_path)
    assert none.returncode == 2
    assert_one_sentence(none.stderr.strip(), ("no host is called g9", "callbench hosts init"))
    assert not (tmp_path / "runs").exists()
