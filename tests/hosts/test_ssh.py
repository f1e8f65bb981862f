"""Agents over a real ssh: `--hosts ssh:USER@HOST` needs nothing but ssh and Callbench there, and leaves nothing."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from ssh_lab import PORT, SSHD, SshLab, refuses_silently
from test_generators_on_hosts import counting
from two_hosts import journal, rounds

from callbench.adapter.network.remote import facts
from conftest import SMALL, assert_one_sentence, eventually
from left_behind import marked

pytestmark = [
    pytest.mark.usefixtures("lab", "nothing_left"),
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("ip") is None or os.geteuid() != 0, reason="a bridge needs root and `ip`"),
    pytest.mark.skipif(SSHD is None, reason="no sshd: `setup/system openssh-server` installs it"),
]
RUN = ("--quick", "--forks", 1, "--no-baselines", "--select", "stack=honest/tcp", "--out", "run")


@pytest.fixture
def lab_of(tmp_path: Path) -> Iterator[Callable[[int], SshLab]]:
    with ExitStack() as stack:
        yield lambda count: SshLab(_folder(tmp_path), count, stack)


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ssh"
    folder.mkdir()
    return folder


def test_a_run_on_two_hosts_needs_ssh_alone(
    lab_of: Callable[[int], SshLab], tmp_path: Path, study: Path, mark: str
) -> None:
    """No keys, no scheduler, no agent before it, and none of them after it."""
    lab = lab_of(2)
    before = {*marked(mark)}
    ended = lab.run("run", study, *RUN, "--hosts", lab.places, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert all(one["done"]["calls"] > 0 for line in rounds(journal(tmp_path / "run")) for one in line["slices"])
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    server, client = lab.places.split(",")
    assert plan["links"]["real"]["hosts"] == {"server": server, "client": client}
    environment = json.loads((tmp_path / "run" / "environment.json").read_text())
    assert [one["address"] for one in environment["hosts"].values()] == [host.address for host in lab.hosts]
    assert eventually(lambda: {*marked(mark)} == before)
    assert not (lab.folder / "hosts").exists()


def test_several_hosts_share_a_load_over_ssh(lab_of: Callable[[int], SshLab], tmp_path: Path) -> None:
    lab = lab_of(2)
    with counting(lab.core) as port:
        url = f"http://{lab.core.address}:{port}"
        words = ("--hosts", lab.places, "--calls", 60, "--clients", 4, "--json")
        ran = lab.run("load", url, *words, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert [one["host"] for one in json.loads(ran.stdout)["generators"]] == lab.names


def test_a_killed_core_leaves_no_agent(lab_of: Callable[[int], SshLab], tmp_path: Path, mark: str) -> None:
    """Its end closes the input of ssh, and so that of the agents. The run goes on by ssh."""
    lab = lab_of(2)
    before = {*marked(mark)}
    file = tmp_path / "longer.toml"
    file.write_text(SMALL.replace("rounds = 2", "rounds = 8"))
    words = ("--forks", 2, "--no-baselines", "--select", "stack=honest/tcp", "--out", "run")
    core = lab.begin("run", file, *words, "--hosts", lab.places, cwd=tmp_path)
    try:
        core.await_file(tmp_path / "run" / "journal.jsonl", '"kind":"round"')
    finally:
        core.end()
    assert eventually(lambda: {*marked(mark)} == before)
    had = rounds(journal(tmp_path / "run"))
    ended = lab.run("run", file, "--out", "run", "--resume", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert rounds(journal(tmp_path / "run"))[: len(had)] == had


def test_agents_stay_until_the_scheduler_ends(lab_of: Callable[[int], SshLab], tmp_path: Path, mark: str) -> None:
    """`hosts start ssh:...` makes the keys, and other commands then name the hosts."""
    lab = lab_of(2)
    before = {*marked(mark)}
    serving = lab.begin("hosts", "start", *(lab.place(name) for name in lab.names), cwd=tmp_path)
    try:
        for name in lab.names:
            serving.await_line(f"host {name} serves this core")
        checked = lab.run("hosts", "check", cwd=tmp_path)
        assert checked.returncode == 0, checked.stderr
        assert all(host.address in checked.stdout for host in lab.hosts)
    finally:
        serving.end()
    assert eventually(lambda: {*marked(mark)} == before)


def test_what_is_wrong_is_one_sentence(lab_of: Callable[[int], SshLab], tmp_path: Path, study: Path) -> None:
    """Each has its remedy, and nothing is left or begun."""
    lab = lab_of(1)

    def says(place: str, *parts: str) -> None:
        ended = lab.run("run", study, *RUN, "--hosts", f"{lab.place('s2')},{place}", cwd=tmp_path)
        assert ended.returncode == 2, ended.stderr
        assert_one_sentence(ended.stderr.strip(), parts)
        assert not (tmp_path / "run").exists()

    says("ssh:nothere.invalid", "ssh finds no host nothere.invalid", "~/.ssh/config")
    says(lab.place("s3", "/nothing/callbench"), "ssh finds no host s3")
    says("ssh:-oProxyCommand=x", "is no host for ssh", "ssh:USER@HOST")
    says("alpha", "alpha: give all hosts in one of the two ways")
    address = lab.hosts[0].address
    says(f"ssh:root@{address}:/nothing/callbench", f"{address} has no program /nothing/callbench", "install Callbench")
    other = lab.there("other", 'echo \'{"callbench agent": {"version": "0.0.1"}, "connection": []}\'; cat')
    says(f"ssh:{address}:{other}", "has Callbench 0.0.1, and this is", "install the same wheel")
    older = lab.there("older", "echo 'callbench: - has no keys of hosts: make them' >&2; exit 2")
    says(f"ssh:{address}:{older}", "host 10-78-0-2: - has no keys of hosts")
    says(f"ssh:{address}:{lab.program}", "are the same machine", "name another host")
    nobody = f"Host nobody\n HostName {address}\n Port 9\n"
    lab.configure(more=nobody)
    says("ssh:nobody", "nobody listens for ssh on nobody", "start sshd")


def test_a_core_behind_a_nat(lab_of: Callable[[int], SshLab], tmp_path: Path) -> None:
    """Its hosts see it at an address to which no agent can connect."""
    lab = lab_of(1)
    seen = json.dumps({"callbench agent": facts.version(), "connection": ["192.0.2.9", "50000", "10.78.0.2", "22"]})
    there = lab.there("nat", f"echo '{seen}'; cat")
    ended = lab.run("load", "http://10.78.0.1:9", "--hosts", lab.place("s2", there), cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr
    assert_one_sentence(
        ended.stderr.strip(), ("s2 sees this machine as 192.0.2.9", "a NAT lies between", "start the run")
    )


@pytest.mark.parametrize(
    ("keys", "parts"),
    [
        ({"key": "other"}, ("s2 refuses the key of ssh", "BatchMode=yes s2")),
        ({"host_key": "changed"}, ("the host key of s2 has changed", "ssh-keygen -R s2")),
        ({"host_key": None}, ("the host key of s2 is not known here", "`ssh s2`")),
    ],
)
def test_keys_of_ssh_that_do_not_fit(
    lab_of: Callable[[int], SshLab], tmp_path: Path, keys: dict[str, Any], parts: tuple[str, ...]
) -> None:
    lab = lab_of(1)
    lab.configure(**keys)
    ended = lab.run("load", "http://10.78.0.1:9", "--hosts", lab.place("s2"), cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr
    assert_one_sentence(ended.stderr.strip(), parts)


def test_a_firewall_that_drops_what_ssh_sends(lab_of: Callable[[int], SshLab], tmp_path: Path) -> None:
    lab = lab_of(1)
    with ExitStack() as stack:
        refuses_silently(stack, lab.hosts[0], PORT + 1)
        lab.configure(more=f"Host silent\n HostName {lab.hosts[0].address}\n Port {PORT + 1}\n")
        ended = lab.run("load", "http://10.78.0.1:9", "--hosts", "ssh:silent", cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr
    assert_one_sentence(ended.stderr.strip(), ("silent does not answer ssh within 4 s", "a firewall"))
