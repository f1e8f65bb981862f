"""The program as a user starts it: its output, its exit code, and one sentence for each error."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.cli import main
from conftest import ROOT, SMALL, native_stacks

Program = Callable[..., subprocess.CompletedProcess[str]]


def refused(ended: subprocess.CompletedProcess[str], says: str) -> None:
    """It ended with 2 and one sentence."""
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("callbench: ")
    assert ended.stderr.count("\n") == 1
    assert says in ended.stderr


@pytest.fixture
def in_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """Run the program within this one: for what ends before it starts anything. A start takes a second."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["callbench", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        code = ended.value.code if isinstance(ended.value.code, int) else 1
        return subprocess.CompletedProcess(sys.argv, code, said.out, said.err)

    return run


def test_version(callbench: Program) -> None:
    assert callbench("--version", check=True).stdout.startswith("callbench 0.")


@pytest.mark.parametrize(
    ("what", "key"), [("stacks", "id"), ("calls", "call"), ("studies", "study"), ("links", "link")]
)
def test_lists(callbench: Program, what: str, key: str) -> None:
    rows = json.loads(callbench("list", what, "--json", check=True).stdout)
    assert rows
    shown = callbench("list", what, check=True).stdout
    assert all(row[key] in shown for row in rows)


def test_stacks_are_listed_with_what_the_issue_asks(callbench: Program) -> None:
    rows = json.loads(callbench("list", "stacks", "--json", check=True).stdout)
    honest = next(row for row in rows if row["id"] == "honest/tcp")
    assert {"id", "message", "channel", "language", "library", "version", "available", "why_not"} <= set(honest)
    assert honest["available"] is True
    # Beside them, native's clients of the servers of other languages.
    assert [row["id"] for row in rows if row["id"].startswith("native/") and ":" not in row["id"]] == native_stacks()


def test_a_run_is_made_shown_and_reported(callbench: Program, study: Path, tmp_path: Path) -> None:
    ran = callbench("run", study, "--quick", "--out", "r", "--seed", 7, "--set", "persons=2", check=True)
    assert f"page: {Path('r') / 'report.html'}" in ran.stdout
    assert (tmp_path / "r" / "report.html").stat().st_size > 1000
    info = json.loads((tmp_path / "r" / "record.json").read_text())
    request = info["request"]
    assert (request["seed"], request["quick"], request["settings"], info["state"]) == (
        7,
        True,
        {"persons": "2"},
        "finished",
    )
    environment = json.loads((tmp_path / "r" / "environment.json").read_text())
    assert {"machine", "processors", "kernel", "load", "placement", "commit", "python"} <= set(environment)
    assert json.loads(callbench("show", "r", "--json", check=True).stdout)
    assert "honest/tcp" in callbench("show", "r", check=True).stdout
    for form in ("html", "md", "csv", "json"):
        callbench("report", "r", "--format", form, "--out", f"out.{form}", check=True)
        assert (tmp_path / f"out.{form}").stat().st_size
    told = callbench(
        "query", "r", "SELECT DISTINCT arguments FROM cells WHERE call = 'GetPersons'", "--json", check=True
    )
    assert json.loads(told.stdout) == [{"arguments": '{"n":2}'}]


def test_a_run_is_read_by_a_program(callbench: Program, study: Path, tmp_path: Path) -> None:
    words = ("run", study, "--quick", "--select", "group=Sum", "--forks", 1, "--json")
    ahead = json.loads(callbench(*words, "--dry-run", check=True).stdout)
    assert (ahead["title"], ahead["forks"], ahead["cells"]) == ("Small", 1, sum(ahead["stacks"].values()))
    assert (ahead["left_out"], ahead["without"], ahead["limit_s"]) == ([], None, None)
    assert ahead["seconds"] > 0
    assert not (tmp_path / "runs").exists()
    made = json.loads(callbench(*words, "--out", "r", check=True).stdout)
    assert made == json.loads(callbench("show", "r", "--json", check=True).stdout)
    assert (tmp_path / "r" / "report.html").is_file()


def test_forks_and_selection(callbench: Program, study: Path, tmp_path: Path) -> None:
    callbench(
        "run",
        study,
        "--quick",
        "--forks",
        3,
        "--select",
        "group=Sum",
        "--select",
        "channel=tcp",
        "--out",
        "r",
        check=True,
    )
    plan = json.loads((tmp_path / "r" / "plan.json").read_text())
    assert [cell["stack"] for cell in plan["cells"]] == ["honest/tcp"]
    assert plan["forks"] == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["list", "cheeses"], "there is no list of 'cheeses': stacks, calls, studies, links"),
        (["run", "remobject"], "remobjects"),
        (["run", "nowhere.toml"], "nowhere.toml does not exist"),
        (["run", "."], "folder"),
        (["run", "small.toml", "--select", "channel=udp"], "the study has channel inproc, tcp"),
        (["run", "small.toml", "--select", "colour=red"], "'colour' is not a key"),
        (["run", "small.toml", "--set", "persons"], "--set persons: give NAME=VALUE"),
        (["run", "small.toml", "--set", "people=3"], "people"),
        (["run", "small.toml", "--resume"], "--resume needs --out"),
        (["run", "small.toml", "--resume", "--out", "nowhere"], "nowhere is not a record"),
        (
            ["run", "small.toml", "--resume", "--out", str(ROOT / "tests/records/soak")],
            "is a record of soak, not a run",
        ),
        (["run", "small.toml", "--out", "small.toml"], "small.toml is there already"),
        (["verify"], "say what to verify"),
        (["verify", "honest/tpc"], "did you mean honest/tcp"),
        (["serve"], "say what to serve: --all"),
        (["serve", "--all", "--host", "192.0.2.1"], "add --i-know-what-i-expose"),
        (["serve", "--all", "--host", "here"], "is not an IP address"),
        (["serve", "--all", "--channels", "udp"], "there is no such channel"),
        (["show", "nowhere"], "nowhere is not a record: there is no such folder"),
        (["show", "."], ". is not a record: it has no record.json"),
        (["report", "small.toml"], "small.toml is not a record"),
        (["query", ".", "SELECT 1"], "is not a record"),
    ],
)
@pytest.mark.usefixtures("study")
def test_what_is_wrong_is_one_sentence(in_process: Program, arguments: list[str], says: str) -> None:
    refused(in_process(*arguments), says)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\x00\xff\xfe binary", "not UTF-8"),
        (b"title = ", "is not TOML"),
        (SMALL.replace("honest/tcp", "honest/udp").encode(), "honest/udp"),
        (SMALL.replace('call = "Sum"', 'call = "Som"').encode(), "Sum"),
        (SMALL.replace("clients = [1, 3]", "client = 3").encode(), "clients"),
        (SMALL.replace('"{persons}"', "-1").encode(), "-1"),
        (SMALL.replace('"{persons}"', "1000000000").encode(), "1000000000"),
    ],
)
def test_a_study_that_is_wrong_is_one_sentence(in_process: Program, study: Path, content: bytes, says: str) -> None:
    study.write_bytes(content)
    refused(in_process("run", study), says)


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["advise", "--calls", "5"], None),
        (["load", "--zz"], None),
        (["load", "--secnds", "5"], "--seconds"),
        (["hosts", "list", "--key", "x"], "--keys"),
        (["--versoin"], "--version"),
    ],
)
def test_only_an_option_that_is_near_is_suggested(in_process: Program, arguments: list[str], near: str | None) -> None:
    """`--calls` suggested `--ask` and `--goal`: they share the dashes and two letters."""
    refused = in_process(*arguments)
    assert refused.returncode == 2
    assert f"No such option: {next(word for word in arguments if word.startswith('--'))}" in refused.stderr
    assert ("Possible options" in refused.stderr) == (near is not None)
    assert (near or "") in refused.stderr


def test_the_started_program_says_the_same(callbench: Program) -> None:
    refused(callbench("show", "nowhere"), "nowhere is not a record: there is no such folder")


def test_n_of_nought_is_measured(callbench: Program, study: Path) -> None:
    callbench("run", study, "--quick", "--set", "persons=0", "--select", "group=GetPersons", "--out", "r", check=True)


def test_a_query_that_is_wrong_is_one_sentence(callbench: Program, study: Path) -> None:
    callbench("run", study, "--quick", "--select", "group=Sum", "--out", "r", check=True)
    refused(callbench("query", "r", "SELECT cheese FROM trials"), "the query fails: ")


def test_no_permission(callbench: Program, study: Path) -> None:
    ended = callbench("run", study, "--out", "/proc/run")
    assert ended.returncode == 2
    assert ended.stderr.startswith("callbench: cannot make the folder /proc/run: ")


@pytest.mark.usefixtures("nothing_left")
def test_verify(callbench: Program) -> None:
    ended = callbench("verify", "honest/tcp")
    assert ended.returncode == 0, ended.stdout
    assert "checks of 1 stack: none failed" in ended.stdout
    ended = callbench("verify", "lies/tcp", "--json")
    assert ended.returncode == 1
    told = json.loads(ended.stdout)
    assert told["failed"] == sum(check["fails"] for check in told["checks"])


def test_known_failures_are_distinguished_from_others(
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that is known to fail does not fail the suite; one that is listed and passes does."""
    from conftest import MISBEHAVING  # noqa: PLC0415

    for name in ("lies", "honest"):
        folder = tmp_path / name
        folder.mkdir()
        text = (
            (MISBEHAVING / name / "adapter.toml")
            .read_text()
            .replace('"adapter.py"', f'"{MISBEHAVING / name}/adapter.py"')
        )
        text = text.replace('"../honest.py"', f'"{MISBEHAVING}/honest.py"')
        (folder / "adapter.toml").write_text(text + 'lacks = [{ check = "counts", why = "it boasts" }]\n')
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(tmp_path))
    ended = callbench("verify", "honest/tcp")
    assert ended.returncode == 1
    assert "honest/tcp: counts: passes, though the manifest lists it as known to fail (it boasts)" in ended.stdout
    told = json.loads(callbench("verify", "lies/tcp", "--json").stdout)
    counts = next(check for check in told["checks"] if check["check"] == "counts")
    assert (counts["passed"], counts["fails"]) == (False, False)


@pytest.mark.usefixtures("nothing_left")
def test_doctor(callbench: Program) -> None:
    rows = json.loads(callbench("doctor", "--json", check=True).stdout)
    subjects = {row["subject"]: row for row in rows}
    assert subjects["adapter honest"]["state"] == "good"
    assert subjects["adapter never-ready"]["state"] == "missing"
    assert {"processors", "memory", "supervisor"} <= set(subjects)


def test_a_broken_manifest_does_not_hide_the_others(
    callbench: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "adapters" / "broken"
    broken.mkdir(parents=True)
    (broken / "adapter.toml").write_text("contract = 1\n")
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(broken.parent))
    ended = callbench("list", "stacks", check=True)
    assert "native/soap+tcp" in ended.stdout
    assert f"callbench: {broken / 'adapter.toml'}: the key name is missing" in ended.stderr
