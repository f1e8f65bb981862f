"""A run with its server on one host and its clients on another: two network namespaces, agents, TLS."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fleet_lab import Program
from two_hosts import TwoHosts, journal, rounds

from callbench.adapter.network.remote.allowed_commands import commands_file
from callbench.adapter.network.remote.keys import create
from callbench.model.errors import HostLost
from callbench.runner.run.links import enter_link
from conftest import SMALL, assert_one_sentence

# Of some slices alone: the machine was away, or a paused process was resumed.
NOT_ALWAYS = {"absence_ns", "repeated", "resume_ns"}
pytestmark = [pytest.mark.usefixtures("lab", "nothing_left"), pytest.mark.engine]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TwoHosts]:
    # Agents look there for commands that they may run.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with ExitStack() as stack:
        yield TwoHosts(tmp_path, stack)


def test_the_printed_command_is_planned(two: TwoHosts, tmp_path: Path) -> None:
    """As docs/guide/hosts.md has it."""
    planned = two.run("run", "remobjects", "--quick", "--hosts", "alpha,beta", "--dry-run", cwd=tmp_path)
    assert planned.returncode == 0, planned.stderr
    assert " cells" in planned.stdout
    assert_each_host_sends_to_the_other(two, tmp_path)


def assert_each_host_sends_to_the_other(two: TwoHosts, tmp_path: Path) -> None:
    """As `hosts check` has it, with the rights and tools of each."""
    checked = two.run("hosts", "check", "--json", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    hosts = json.loads(checked.stdout)
    assert [(host["name"], host["stream"]["to"]) for host in hosts] == [("alpha", "beta"), ("beta", "alpha")]
    for host in hosts:
        assert host["stream"]["mbit_s"] > 0, host
        assert host["tools"]["network-lab"] is True
        assert host["rights"]["namespaces"] is None, host


def form(lines: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The kinds of lines, and the members of each; notes aside, which a run writes of a moment that went wrong."""
    found: dict[str, set[str]] = {}
    for line in (one for one in lines if one["kind"] != "note"):
        found.setdefault(line["kind"], set()).update(line)
        for one in line.get("slices", []):
            found.setdefault(f"slice of a {line['kind']}", set()).update(one.keys() - NOT_ALWAYS)
    return found


def test_a_run_on_two_hosts_is_a_run_over_a_link(two: TwoHosts, tmp_path: Path, study: Path) -> None:
    """Its journal has the same lines with the same members: nothing above `adapter/` did anything else."""
    options = ("--quick", "--seed", 5, "--forks", 2, "--no-baselines", "--select", "stack=honest/tcp")
    ended = two.run("run", study, *options, "--hosts", "alpha,beta", "--out", "there", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    here = two.run("run", study, *options, "--link", "pair", "--out", "here", cwd=tmp_path)
    assert here.returncode == 0, here.stderr
    there, local = journal(tmp_path / "there"), journal(tmp_path / "here")
    assert form(there) == form(local)
    for mine, other in zip(rounds(there), rounds(local), strict=True):
        assert [one["done"]["calls"] > 0 for one in mine["slices"]] == [True] * len(other["slices"])
        assert all(one["agree"] for one in mine["slices"])
        assert not any(one["done"]["errors"] for one in mine["slices"])
    assert_both_sides_were_watched(there)
    plan = json.loads((tmp_path / "there" / "plan.json").read_text())
    assert plan["links"] == {"real": {"link": None, "hosts": {"server": "alpha", "client": "beta"}}}
    environment = json.loads((tmp_path / "there" / "environment.json").read_text())
    assert {side: one["name"] for side, one in environment["hosts"].items()} == {"server": "alpha", "client": "beta"}
    assert environment["hosts"]["server"]["address"] == two.hosts.server.address
    shown = two.run("show", "there", "--json", cwd=tmp_path)
    assert {cell["link"] for cell in json.loads(shown.stdout)["cells"]} == {"real"}


def assert_both_sides_were_watched(lines: list[dict[str, Any]]) -> None:
    """Memory and threads of both hosts were read there."""
    watched = [one["processes"]["sides"] for line in lines for one in line.get("slices", []) if one.get("processes")]
    assert watched
    for sides in watched:
        assert [side["side"] for side in sides] == ["client", "server"]
        for side in sides:
            assert side["begin"]["resident_bytes"] > 1_000_000
            assert side["end"]["threads"] > 0
            assert side["samples"]


def test_a_study_names_its_hosts_or_says_what_they_must_have(two: TwoHosts, tmp_path: Path) -> None:
    """The server by name, the client as the other one that can run the adapter; without --hosts.

    The study's own server is started on its host, which allows the command. One call is made with a profile, too.
    """
    file, site = tmp_path / "between.toml", tmp_path / "site"
    hosts = '[hosts]\nserver = "alpha"\nclient = { processors = 1, adapters = ["honest"], network.mbit_s = 1.0 }\n'
    start = [sys.executable, "-m", "http.server", "--protocol", "HTTP/1.1", "--bind", "{host}", "{port}"]
    server = f'[servers.files]\nstart = {json.dumps(start)}\n[[cells]]\ngroup = "files"\ncall = "Hello"\n'
    server += 'stacks = ["load/http1:servers/files"]\n'
    both = SMALL.replace('call = "Sum"\n', 'call = "Sum"\nlink = ["real", "real+branch"]\n')
    profile = "[links.branch]\ndelay_ms = 2\n"
    file.write_text(both.replace("[load]", f'{hosts}{profile}[load]\nlink = "real"') + server)
    site.mkdir()
    commands_file().parent.mkdir(parents=True)
    commands_file().write_text(f'"{" ".join(start)}" = "{site}"\n')
    chosen = ("--select", "stack=honest/tcp", "--select", "stack=load/http1:servers/files")
    options = ("--quick", "--forks", 1, "--no-baselines", *chosen)
    ended = two.run("run", file, *options, "--out", "run", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    for link in ("real", "real+branch"):
        assert plan["links"][link]["hosts"] == {"server": "alpha", "client": "beta"}
    cells = {cell["id"]: (cell["stack"], cell["link"]) for cell in plan["cells"]}
    driven = {cells[each["cell"]] for line in rounds(journal(tmp_path / "run")) for each in line["slices"]}
    assert driven == {("honest/tcp", "real"), ("honest/tcp", "real+branch"), ("load/http1:servers/files", "real")}
    environment = json.loads((tmp_path / "run" / "environment.json").read_text())
    makers = {link: made["maker"] for link, made in environment["links"].items()}
    assert makers == {"real": "real hosts", "real+branch": "emulator"}
    file.write_text(file.read_text().replace("processors = 1", "processors = 4096"))
    refused = two.run("run", file, *options, "--out", "none", cwd=tmp_path)
    assert refused.returncode == 2
    assert_one_sentence(refused.stderr.strip(), ("between.toml: [hosts]", "of 4096 processors (for the client)"))
    file.write_text(file.read_text().replace(hosts.replace("= 1,", "= 4096,"), '[hosts]\nserver = "a"\nclient = "a"\n'))
    refused = two.run("run", file, *options, "--out", "none", cwd=tmp_path)
    assert refused.returncode == 2
    assert_one_sentence(refused.stderr.strip(), ("between.toml: [hosts] names a twice",))


def test_a_run_goes_on_after_its_core_was_killed(two: TwoHosts, tmp_path: Path) -> None:
    """Finished rounds are on the disk of the core; the hosts are free again."""
    file = tmp_path / "longer.toml"
    file.write_text(SMALL.replace("rounds = 2", "rounds = 8"))
    words = ("run", file, "--forks", 2, "--no-baselines", "--select", "stack=honest/tcp", "--out", "run")
    core = Program([*words, "--hosts", "alpha,beta"], two.core, cwd=tmp_path, CALLBENCH_HOSTS=str(two.keys.folder))
    core.await_file(tmp_path / "run" / "journal.jsonl", '"kind":"round"')
    core.end()
    before = rounds(journal(tmp_path / "run"))
    for name in ("alpha", "beta"):
        two.programs[name].await_line("of its adapters")
    ended = two.run("run", file, "--out", "run", "--resume", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    after = rounds(journal(tmp_path / "run"))
    assert after[: len(before)] == before
    assert len(after) == 16


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--hosts", "alpha"], ["--hosts alpha", "give different names"]),
        (["--hosts", "alpha,alpha"], ["give different names"]),
        (["--hosts", "alpha,beta,gamma", "--link", "wan50"], ["a profile lies between two hosts"]),
        (["--hosts", "alpha,beta", "--link", "pair"], ["--hosts and --link"]),
    ],
)
def test_hosts_that_make_no_sense(
    callbench: Callable[..., subprocess.CompletedProcess[str]], study: Path, words: list[str], says: list[str]
) -> None:
    ended = callbench("run", study, *words, "--out", "run")
    assert ended.returncode == 2, ended.stderr
    assert_one_sentence(ended.stderr.strip(), says)


def test_hosts_that_cannot_be_had(two: TwoHosts, tmp_path: Path, study: Path) -> None:
    create(two.keys.folder, two.core.address, ["delta"], port=two.keys.port)
    for hosts, says in (
        ("alpha,gamma", ["no host is called gamma"]),
        ("alpha,delta", ["host delta has no agent", "callbench agent"]),
    ):
        ended = two.run("run", study, "--hosts", hosts, "--out", "run", cwd=tmp_path)
        assert ended.returncode == 2, ended.stderr
        assert_one_sentence(ended.stderr.strip(), says)
        assert not (tmp_path / "run").exists()


def test_a_host_without_keys_is_said(
    callbench: Callable[..., subprocess.CompletedProcess[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    study: Path,
) -> None:
    monkeypatch.setenv("CALLBENCH_HOSTS", str(tmp_path / "nothing"))
    ended = callbench("run", study, "--hosts", "alpha,beta")
    assert ended.returncode == 2
    assert_one_sentence(ended.stderr.strip(), ["has no keys of hosts", "callbench hosts init"])
    # A run that goes on ends then: it excludes nothing.
    with ExitStack() as links, pytest.raises(HostLost, match=r"the link real cannot be created: .* has no keys"):
        enter_link("real", {"real": {"link": None, "hosts": {"server": "alpha", "client": "beta"}}}, links)


def test_a_host_that_is_lost_is_said_and_the_run_goes_on_when_it_is_back(two: TwoHosts, tmp_path: Path) -> None:
    """Nothing waits for it for ever: what was finished is kept, and the rest is made when the agent runs again."""
    file = tmp_path / "longer.toml"
    file.write_text(SMALL.replace("rounds = 2", "rounds = 8"))
    words = ("run", file, "--forks", 2, "--no-baselines", "--select", "stack=honest/tcp", "--out", "run")
    core = Program([*words, "--hosts", "alpha,beta"], two.core, cwd=tmp_path, CALLBENCH_HOSTS=str(two.keys.folder))
    core.await_file(tmp_path / "run" / "journal.jsonl", '"kind":"round"')
    two.programs["alpha"].end()
    assert core.process.wait(120) == 1
    assert_one_sentence(core.rest().splitlines()[-1], ["host alpha", "callbench run", "--resume"])
    before = rounds(journal(tmp_path / "run"))
    assert_it_waits_for_the_host(two, tmp_path, "run", file, "--out", "run", "--resume")
    two.start("alpha", two.hosts.server)
    ended = two.run("run", file, "--out", "run", "--resume", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    after = rounds(journal(tmp_path / "run"))
    assert after[: len(before)] == before
    assert len(after) == 16
    assert not [line for line in journal(tmp_path / "run") if line["kind"] == "excluded"]
    # Nothing is left to do, so no host is needed to show it. The report has who ran where, and who was lost.
    two.programs["alpha"].end()
    shown = two.run("run", file, "--out", "run", "--resume", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert json.loads((tmp_path / "run" / "record.json").read_text())["lost_hosts"] == {"alpha": 1}
    page = (tmp_path / "run" / "report.html").read_text()
    for text in (two.hosts.server.address, "round trip, µs", "honest 1 ("):
        assert text in page


def assert_it_waits_for_the_host(two: TwoHosts, tmp_path: Path, *words: object) -> None:
    """Without the host, nothing goes on, and nothing of the record changes: no cell is excluded from what is left."""
    files = {file: file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file()}
    refused = two.run(*words, cwd=tmp_path)
    assert refused.returncode == 2, refused.stderr
    says = ["run needs the link real to go on: host alpha has no agent", "callbench agent"]
    assert_one_sentence(refused.stderr.strip(), says)
    assert {file: file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file()} == files
