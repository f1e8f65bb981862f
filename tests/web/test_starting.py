"""Commands that the page starts: their command line, their log, Stop and Resume."""

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import urlencode

import psutil
import pytest
from starlette.testclient import TestClient

from callbench.catalog.study import names as studies
from callbench.model.errors import BadInput, MachineFailure
from callbench.store import turn
from callbench.store.shelf import Shelf
from callbench.web.choosing import together
from callbench.web.forms import command_line
from callbench.web.jobs import MOST_KEPT, Job, Jobs
from callbench.web.program import in_turn
from conftest import eventually
from web_page import HOSTILE, KINDS, names

pytest_plugins = ["web_page"]
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]

SERVER = "python3 -m http.server {port} --bind 127.0.0.1"
LONG = {"start": SERVER, "path": "/", "clients": "1", "seconds": "600"}


def started(page: TestClient, what: str, values: dict[str, str]) -> str:
    answer = page.post(f"/new/{what}", data=values)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/watch/")


def test_an_address_keeps_the_command(page: TestClient) -> None:
    asked = {"study": "remobjects", "select": "message=soap channel=tcp", "quick": "yes"}
    text = page.get("/new/run", params=asked).text
    assert "callbench run remobjects --select=message=soap --select=channel=tcp --quick" in text
    assert "<option selected>remobjects</option>" in text
    assert all(f"<option>{name}</option>" in page.get("/new/run").text for name in studies())


def test_what_is_shown_can_be_pasted_into_a_shell() -> None:
    words = command_line("load", {"start": "a 'b' $(c) {port}", "path": "/x y", "clients": "3"})
    assert words == ["load", "--start=a 'b' $(c) {port}", "--path=/x y", "--clients=3"]
    assert shlex.split(shlex.join(words)) == words


@pytest.mark.parametrize(
    ("what", "values", "why"),
    [
        ("load", {"server": "--out=/etc/x"}, "would be an option"),
        ("compare", {"a": "-x"}, "would be an option"),
        ("load", {"server": "http://x/\nb"}, "printable"),
        ("run", {"study": "x" * 2001}, "printable"),
        ("doctor", {}, "there is no form for 'doctor'"),
    ],
)
def test_a_value_adds_no_option_of_its_own(
    page: TestClient, what: str, values: dict[str, str], why: str, folder: Path
) -> None:
    with pytest.raises(BadInput, match=why):
        command_line(what, values)
    for answer in (page.get(f"/new/{what}", params=values), page.post(f"/new/{what}", data=values)):
        assert answer.status_code == 400
    assert not (folder / ".started").exists()


def test_nothing_is_started_by_reading_or_by_an_empty_form(page: TestClient, folder: Path) -> None:
    page.get("/new/load", params=LONG)
    assert "nothing was started" in page.post("/new/load", data={"clients": "3"}).text
    assert not (folder / ".started").exists()


def test_a_load_is_started_and_becomes_a_record(page: TestClient, jobs: Jobs, folder: Path) -> None:
    name = started(page, "load", {**LONG, "seconds": "0.5"})
    log = page.get(f"/watch/{name}/log").text
    assert f"record: {folder / name}" in log
    assert log.endswith("The command has ended.</p>")
    assert not jobs.job(name).running
    assert f"--out={folder / name}" in page.get(f"/watch/{name}").text
    assert f'href="/records/{name}"' in page.get("/").text
    assert f'href="/watch/{name}"' in page.get("/watch").text


def test_secrets_of_a_command_are_neither_kept_nor_shown(page: TestClient, jobs: Jobs, folder: Path) -> None:
    jobs.start(["load", "http://127.0.0.1:1/?api_key=Zebra-Quartz-77", "--header", "X-Auth-Token: Walrus-Opal-88"])
    (job,) = jobs.jobs()
    eventually(lambda: not jobs.job(job.name).running)
    kept = "".join(file.read_text() for file in (folder / ".started").iterdir())
    shown = page.get(f"/watch/{job.name}").text + page.get(f"/watch/{job.name}/log").text + page.get("/watch").text
    for secret in ("Zebra-Quartz-77", "Walrus-Opal-88"):
        assert secret not in kept
        assert secret not in shown
    assert "api_key=***" in shown


def test_a_command_that_fails_says_why(page: TestClient) -> None:
    name = started(page, "run", {"study": "no-such-study"})
    assert "no-such-study" in page.get(f"/watch/{name}/log").text.partition("callbench: ")[2]
    assert f'href="/records/{name}"' not in page.get(f"/watch/{name}").text


def test_stop_keeps_what_is_known_and_resume_goes_on(
    page: TestClient, jobs: Jobs, folder: Path, study: Path, shelf: Shelf
) -> None:
    name = started(page, "run", {"study": str(study), "forks": "500"})
    journal = folder / name / "journal.jsonl"
    assert eventually(lambda: journal.exists() and b'"fork over"' in journal.read_bytes())
    assert 'action="/watch/' in page.get(f"/watch/{name}").text
    assert page.post(f"/watch/{name}/resume").status_code == 409, "it runs"
    page.post(f"/watch/{name}/stop")
    assert eventually(lambda: not jobs.job(name).running)
    assert shelf.entry(name).state == "stopped"
    before = journal.stat().st_size
    assert f"/watch/{name}/resume" in page.get(f"/watch/{name}").text
    assert page.post(f"/watch/{name}/resume").status_code == 303
    assert eventually(lambda: journal.stat().st_size > before + 1000)
    assert jobs.job(name).running


def claim(folder: Path, words: list[str]) -> None:
    """A command that has ended, by its files alone."""
    kept = folder / ".started"
    kept.mkdir(exist_ok=True)
    (kept / "old.json").write_text(json.dumps({"words": words, "pid": 1, "born": 0.5}))
    (kept / "old.log").write_text("said")


def test_what_a_terminal_can_resume_the_page_can_too(
    page: TestClient, jobs: Jobs, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A soak was called "no run". A commit is in the record, and refused together with --resume."""
    change = folder / "soak/record.json"
    change.write_text(json.dumps({**json.loads(change.read_text()), "state": "stopped"}))
    (folder / "soak").rename(folder / "old")
    words = ["soak", "http://127.0.0.1:1/", f"--out={folder / 'old'}"]
    claim(folder, [*words, "--commit=HEAD"])
    assert "/watch/old/resume" in page.get("/watch/old").text
    assert jobs.resume("old").words == [*words, "--resume"]
    assert eventually(lambda: not jobs.job("old").running)
    with monkeypatch.context() as patched:
        patched.setattr(Job, "running", True)
        patched.setattr(Job, "waiting", True)
        patched.setattr(turn, "waiting", lambda: "It waits for another.")
        text = page.get("/watch/old").text
        assert "It waits for another." in text, "that it has a record already is no reason to say nothing"
        assert "record: stopped" not in text, "it goes on"
    claim(folder, [*words, "--header=X-Auth-Token: ***1***"])
    assert "the secrets of old are not kept" in page.post("/watch/old/resume").text
    claim(folder, ["load", "http://127.0.0.1:1/"])
    assert "a load does not go on" in page.post("/watch/old/resume").text


def job(pid: int) -> Job:
    return Job("load-1", ["load"], Path("load-1.log"), pid, psutil.Process(pid).create_time())


def test_measurements_take_turns_and_say_for_whom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of pages wait, also for a terminal's, which is told of others. One that was killed leaves no lock."""
    monkeypatch.setenv("CALLBENCH_TURN", str(tmp_path / "turn"))
    in_a_terminal = "from callbench.store import turn; print(turn.beside('callbench run three'), flush=True); input()"
    file, pipe = tmp_path / "turn", subprocess.PIPE
    with subprocess.Popen([*in_turn("callbench soak one", [])[:4], "/bin/sleep", "600"]) as soak:
        assert eventually(lambda: file.exists() and file.read_bytes() == f"{soak.pid} callbench soak one".encode())
        with subprocess.Popen([sys.executable, "-c", in_a_terminal], stdin=pipe, stdout=pipe, text=True) as run:
            assert run.stdout
            assert run.stdout.readline() == "`callbench soak one`\n"
            words = [*in_turn("callbench load two", [])[:4], "/bin/false"]
            with subprocess.Popen(words, stdout=pipe, text=True) as waits:
                assert waits.stdout
                said = waits.stdout.readline()
                assert said.startswith("It waits for the end of `callbench soak one` and `callbench run three`: ")
                assert said == f"{turn.waiting()}\n"
                assert [job(process.pid).waiting for process in (soak, waits)] == [False, True]
                waits.send_signal(signal.SIGINT)
                assert waits.stdout.read() == "It was stopped before its turn came: nothing was measured.\n"
            assert waits.returncode == 130
            run.kill()
            soak.kill()
    words = [*in_turn("four", [])[:4], "/bin/sh", "-c", "echo measured, and with turn ${CALLBENCH_TURN:-taken}"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "measured, and with turn taken\n"


def test_two_pages_that_start_in_one_second_name_two_commands(shelf: Shelf) -> None:
    """Each asked for a free name before the other had taken it: one was lost, and both wrote one log."""
    assert [Jobs(shelf)._claimed(name) for name in ("load-1", "load-1", "load-1-again")] == [True, False, True]


def test_what_cannot_be_written_down_does_not_go_on(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the page said that it could not start a command, and had started it."""
    monkeypatch.setattr("callbench.web.jobs.put", Mock(side_effect=OSError(errno.ENOSPC, "No room")))
    with pytest.raises(MachineFailure, match="No room; make room"):
        jobs.start(command_line("load", LONG))
    assert jobs._children[0].wait(60) == -signal.SIGKILL


def test_a_command_outlives_its_page(jobs: Jobs, shelf: Shelf) -> None:
    name = jobs.start(command_line("load", LONG)).name
    other = Jobs(shelf)
    assert [job.name for job in other.jobs()] == [name]
    assert other.job(name).running
    other.stop(name)
    assert eventually(lambda: not other.job(name).running)


def test_another_process_with_its_number_is_left_alone(jobs: Jobs, folder: Path) -> None:
    job = jobs.start(command_line("load", {**LONG, "seconds": "0.1"}))
    assert eventually(lambda: not jobs.job(job.name).running)
    file = folder / ".started" / f"{job.name}.json"
    born = psutil.Process().create_time() - 1
    file.write_text(json.dumps({**json.loads(file.read_text()), "pid": os.getpid(), "born": born}))
    hurt: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: hurt.append(number))
    try:
        jobs.stop(job.name)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not hurt


@pytest.mark.parametrize("name", ["..%2F..%2Fsecret", ".hidden", "no-such", "%00"])
def test_no_log_of_elsewhere(page: TestClient, name: str) -> None:
    for what in ("", "/log"):
        assert page.get(f"/watch/{name}{what}").status_code in {400, 404}


def test_what_a_command_prints_is_escaped(page: TestClient) -> None:
    name = started(page, "run", {"study": "<script>alert(1)</script>.toml"})
    for path in (f"/watch/{name}", f"/watch/{name}/log", "/watch"):
        text = page.get(path).text.replace('<script src="/moving.js" defer></script>', "")
        assert "<script" not in text
        assert re.search(r"&lt;script", text)


def test_what_ended_long_ago_is_forgotten(jobs: Jobs, folder: Path) -> None:
    """The files of commands stayed for ever. A command that runs, and a record, are never among what goes."""
    kept = folder / ".started"
    kept.mkdir()
    old = [f"load-old-{number}" for number in range(MOST_KEPT + 5)]
    with subprocess.Popen(["/bin/sleep", "600"]) as runs:
        try:
            for number, name in enumerate(old):
                pid, born = (runs.pid, psutil.Process(runs.pid).create_time()) if number == 0 else (1, 0.5)
                line = json.dumps({"words": ["load"], "pid": pid, "born": born}) if number != 1 else "{"
                for file, text in ((f"{name}.json", line), (f"{name}.log", "said")):
                    (kept / file).write_text(text)
                    os.utime(kept / file, (number + 1, number + 1))
            begun = jobs.start(["load", "http://127.0.0.1:1/"])
            left = {file.stem for file in kept.glob("*.json")}
            assert left == {begun.name, old[0], *old[5:]}
            assert {file.stem for file in kept.glob("*.log")} == left
            assert set(names(folder)) == {".started", *KINDS}
        finally:
            runs.kill()


def test_a_study_is_chosen_by_its_boxes_and_fields(page: TestClient, study: Path) -> None:
    asked = [
        ("study", str(study)),
        ("quick", "yes"),
        ("select", "channel=tcp"),
        ("select", "clients=9*"),
        ("select", ""),
    ]
    text = page.get(f"/new/run?{urlencode(asked)}").text
    assert "--select=channel=tcp &#39;--select=clients=9*&#39;" in text
    ticked = re.findall(r'value="([^"]+)" checked', text)
    assert ticked == ["channel=tcp", "yes"]
    assert re.search(r'name="select" value="clients=9\*"', text), "what no box has stands in the field"
    assert "--select clients=9* matches nothing" in text, "a choice that cannot be measured is said, and can be mended"


def test_a_study_that_needs_more_says_so_beside_the_field_that_mends_it(page: TestClient) -> None:
    """It was a page of its own, from which nothing led back to the form."""
    text = page.get("/new/run?study=hosts&quick=yes").text
    assert "hosts has cells between real hosts: name them with --hosts SERVER,CLIENT" in text
    assert 'name="hosts" value=""' in text
    assert command_line("run", {"study": "hosts", "hosts": "alpha,beta"}) == ["run", "hosts", "--hosts=alpha,beta"]


def test_a_box_with_a_blank_is_one_value() -> None:
    """The groups of a study have names such as this one."""
    form = [("study", "today"), ("box", "group=messages, Sum"), ("select", "channel=tcp call=Sum"), ("set:a", "x y")]
    words = ["run", "today", "--select=group=messages, Sum", "--select=channel=tcp", "--select=call=Sum", "--set=a=x y"]
    assert command_line("run", together(form)) == words
    with pytest.raises(BadInput, match="'x: no closing quotation; end the quote"):
        command_line("run", {"study": "today", "select": "'x"})


def test_the_boxes_are_the_cells_of_the_study(
    page: TestClient, callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    values = {"study": "remobjects", "quick": "yes", "box": "message+channel=soap+*", "set:persons": "20"}
    sent = page.post("/new/run/line", data=values)
    assert (
        sent.headers["location"]
        == "/new/run?study=remobjects&quick=yes&select=message%2Bchannel%3Dsoap%2B%2A&set=persons%3D20"
    )
    text = page.get(sent.headers["location"]).text
    asked = (
        "run",
        "remobjects",
        "--quick",
        "--select=message+channel=soap+*",
        "--set=persons=20",
        "--dry-run",
        "--json",
    )
    previewed = callbench(*asked, check=True)
    preview = json.loads(previewed.stdout)
    assert f"{preview['cells']} cells</a>: {preview['duration']}." in text
    matrix = [("message", "{}+*"), ("channel", "*+{}"), ("message+channel", "{}")]
    offered = {
        f"message+channel={form.format(choice['label'])}"
        for key, form in matrix
        for choice in preview["choices"].pop(key)
    } | {choice["select"] for choices in preview["choices"].values() for choice in choices}
    assert offered == set(re.findall(r'type="checkbox" name="box" value="([^"]+)"', text))
    assert {"message+channel=json+unix", "message+channel=*+dll", "stack=native/*", "call=Sum"} <= offered
    # The whole column of a message is measured, and nothing beside it.
    assert text.count('data-taken="yes"') == len(re.findall(r'value="message\+channel=soap\+[^*]', text)) > 9
    assert re.search(r'name="set:persons" value="20"', text)
    assert re.search(r'name="set:calls" value=""', text)


def test_the_study_file_stands_beside_the_command(
    page: TestClient, folder: Path, study: Path, callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    values = {"study": str(study), "select": "group=Sum", "set:persons": "20", "quick": "yes"}
    shown = page.get("/new/run", params=values).text
    link = re.search(r'<a href="(/new/run/study\.toml\?[^"]+)" download', shown)
    assert link
    answer = page.get(unescape(link[1]))
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''small.toml"
    assert answer.text in unescape(shown)
    (folder / "mine.toml").write_text(answer.text)
    by_line = ["run", str(study), "--select=group=Sum", "--set=persons=20", "--quick", "--dry-run"]
    said = [
        callbench(*words, check=True).stdout for words in (by_line, ["run", str(folder / "mine.toml"), "--dry-run"])
    ]
    assert said[0] == said[1]
    assert "2 cells" in said[0]
    assert page.get("/new/run/study.toml").status_code == 400


def test_what_cannot_run_is_grey_with_its_reason(
    page: TestClient, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = {"select": "message=soap", "label": "soap", "cells": 3, "why_not": None}
    preview = {
        "title": HOSTILE, "cells": 1, "duration": "soon", "parameters": {HOSTILE: HOSTILE},
        "choices": {
            "adapter": [runs, {**runs, "select": "stack=go/*", "label": "go", "why_not": "it is not built"}],
            "message": [runs, {**runs, "select": HOSTILE, "label": HOSTILE, "why_not": HOSTILE}],
            "channel": [runs],
            "message+channel": [
                {**runs, "label": "soap+soap"},
                {**runs, "label": f"{HOSTILE}+soap", "why_not": HOSTILE},
            ],
        },
        "lacking": [
            {"why": "it is not built: run `make go`", "parts": ["go"], "cells": 3},
            {"why": HOSTILE, "parts": [], "cells": 1},
        ],
        "left_out": [{"why": HOSTILE, "stacks": [HOSTILE]}], "study_file": HOSTILE,
    }  # fmt: skip
    monkeypatch.setattr("callbench.web.choosing.said", lambda _: json.dumps(preview))
    text = page.get("/new/run", params={"study": str(study), "hold_idle": "yes", "until": "2%"}).text
    assert HOSTILE not in text
    assert "--until=2% --hold-idle" in text
    # Not among the buttons of the form: the first of those is what Enter in a field presses.
    assert '<button form="set-up-1">Set up go</button>' in text
    assert re.search(r'</form>\s*<form id="set-up-1" method="post" action="/settings/setup/go"></form>', text)
    assert re.search(r'class="check grey"><input type="checkbox" name="box" value="[^"]*" disabled>', text)
    assert "Grey, 3 of the study's cells: it is not built: run <code>make go</code>" in text
    assert "Grey, 1 of the study's cells: &lt;script&gt;" in text
    assert text.count(" disabled") == 3
    assert re.findall(r'data-taken="(.*?)"', text) == ["yes", "no"], "nothing is ticked: all that can run"


def test_studies_are_cards_that_set_up_what_they_lack(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.get("/new/run").text
    assert all(f'href="/new/run?study={name}&amp;quick=yes"' in text for name in studies())
    lacking = [{"why": f"{HOSTILE} run `make go`", "parts": ["go", "a/b"], "cells": 3}]
    card: dict[str, object] = {
        "study": "one",
        "title": "One",
        "parameters": {},
        "cells": 4,
        "lacking": lacking,
        "why_not": None,
    }
    broken: dict[str, object] = {
        "study": HOSTILE,
        "title": None,
        "parameters": {},
        "cells": 0,
        "lacking": [],
        "why_not": HOSTILE,
    }
    whole = {**card, "study": "two", "cells": 3, "why_not": "..."}
    monkeypatch.setattr("callbench.web.choosing.said", lambda _: json.dumps([card, whole, broken]))
    text = page.get("/new/run").text
    assert HOSTILE not in text
    assert re.findall(r'href="/new/run\?study=(\w+)', text) == ["one"], (
        "a study without a cell that can run has no link"
    )
    assert "3 of 4 cells cannot run" in text
    assert "3 of 3 cells cannot run" in text
    assert text.count('<form method="post" action="/settings/setup/a%2Fb"><button>Set up a/b</button></form>') == 2
