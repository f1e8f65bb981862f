"""A secret is sent as it was given, and stands in no file that a command leaves."""

import base64
import json
import secrets
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from callbench.model.secrets import Secrets, is_secret_header, is_secret_name
from callbench.runner.peer import jmeter
from callbench.store.record import Record

Run = Callable[..., subprocess.CompletedProcess[str]]
TOKEN = "tok+/" + secrets.token_hex(12)


class _Guarded(BaseHTTPRequestHandler):
    """Answers only who sends the token, at /four in four places, and says in its refusal what was sent."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        sent = " ".join((*self.headers.values(), unquote(self.path), body))
        right = sent.count(TOKEN) >= (4 if self.path.startswith("/four") else 1)
        answer = b"welcome" if right else f"no: {sent}".encode()
        self.send_response(200 if right else 403)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST  # noqa: N815 - as the server calls it

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture
def url() -> Iterator[str]:
    """A server that asks for the token."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Guarded)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def forms(token: str) -> list[str]:
    """Return how a token could stand in a file."""
    long = base64.b64encode(f'{{"password":"{token}"}}'.encode()).decode()
    return [token, quote(token, safe=""), token.encode().hex(), base64.b64encode(token.encode()).decode()[:-4], long]


def kept_in(folder: Path) -> list[str]:
    """Return the files in which the token stands, in any form."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    return [str(file) for file in files if any(form.encode() in file.read_bytes() for form in forms(TOKEN))]


PLACES = {
    "header": ("--header", f"Authorization: Bearer {TOKEN}"),
    "api-key": ("--header", f"X-Api-Key: {TOKEN}"),
    "vault": ("--header", f"X-Vault-Token: {TOKEN}"),
    "cookie": ("--header", f"Cookie: theme=dark; s={TOKEN}"),
    "query": ("--path", f"/x?a=1&access_token={quote(TOKEN, safe='')}"),
    "json": ("--body", json.dumps({"user": "me", "nested": {"password": TOKEN}})),
    "form": ("--body", f"user=me&client_secret={TOKEN}"),
    "hex": ("--body-hex", f"password={TOKEN}".encode().hex()),
    "xml": ("--body", f"<login><password>{TOKEN}</password></login>"),
}


@pytest.fixture
def ended(callbench: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The program, with its cache and its temporary files in the test's folder."""
    for name in ("TMPDIR", "XDG_CACHE_HOME"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    return callbench


@pytest.mark.parametrize("place", PLACES)
def test_a_load_sends_it_and_keeps_it_not(url: str, place: str, ended: Run, tmp_path: Path) -> None:
    words = ("load", url, *PLACES[place], "--clients", "1", "--calls", "5", "--out", "load", "--json")
    load = ended(*words)
    assert load.returncode == 0, load.stderr
    assert json.loads(load.stdout)["calls"] >= 5
    assert TOKEN not in load.stdout
    # A report is made of these files alone.
    assert kept_in(tmp_path) == []
    assert json.loads((tmp_path / "load" / "record.json").read_text())["secrets"] == "masked"


def test_a_refusal_does_not_repeat_it(url: str, ended: Run) -> None:
    """The server's answer to a wrong request has the token, and so has the message about it."""
    words = ("load", url, *PLACES["header"], "--expect-body", TOKEN, "--calls", "5", "--clients", "1", "--out", "load")
    refused = ended(*words)
    assert refused.returncode == 2
    assert refused.stderr
    assert "differs from the expected one" in refused.stderr
    assert TOKEN[:12] not in refused.stderr + refused.stdout


def test_it_is_kept_where_that_is_asked_for(url: str, ended: Run, tmp_path: Path) -> None:
    words = ("load", url, *PLACES["header"], "--keep-secrets", "--calls", "5", "--clients", "1", "--out", "load")
    assert ended(*words).returncode == 0
    record = json.loads((tmp_path / "load" / "record.json").read_text())
    assert record["secrets"] == "kept"
    assert TOKEN in json.dumps(record["request"])


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("cookie", ("soak", "{url}", "--clients", "1", "--seconds", "1", "--every", "0.5", "--rest", "0")),
        ("json", ("compare", "{url}/a", "{url}/b", "--seconds", "1", "--rounds", "2")),
        ("cookie", ("torture", "{url}", "--seconds", "1", "--test", "garbage")),
        ("json", ("capacity", "{url}", "--along", "clients", "--seconds", "5", "--objective", "p99 < 200ms")),
        ("cookie", ("overload", "{url}", "--capacity", "100", "--times", "2", "--seconds", "1", "--rest", "0")),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_other_commands_keep_it_not_and_say_it_not(
    url: str, place: str, words: Sequence[str], ended: Run, tmp_path: Path
) -> None:
    done = ended(*(word.replace("{url}", url) for word in words), *PLACES[place], "--out", "record")
    assert (tmp_path / "record" / "record.json").is_file(), done.stderr
    said = done.stderr + done.stdout
    assert said
    shown = ended("report", "record")
    assert [form for form in forms(TOKEN) if form in said + shown.stdout + shown.stderr] == []
    assert kept_in(tmp_path) == []


@pytest.mark.parametrize("command_", ["load", "overload", "soak", "capacity"])
def test_a_request_that_nobody_answers_is_named_without_it(command_: str, ended: Run) -> None:
    address = f"http://127.0.0.1:1?access_token={quote(TOKEN, safe='')}"
    refused = ended(command_, address, *PLACES["json"])
    assert refused.returncode == 2
    assert "access_token=***" in refused.stderr
    assert [form for form in forms(TOKEN) if form in refused.stderr + refused.stdout] == []


@pytest.mark.parametrize(
    "text",
    [
        f"http://127.0.0.1:80/?api_key={TOKEN}",
        f"http://localhost:8080/orders?access_token={TOKEN}: no server listens on this port",
        f"python3 server.py --at http://host:1/?password={TOKEN} --quiet",
        f"url=http://host/?token={TOKEN}",
    ],
    ids=["url", "message", "command", "named"],
)
def test_the_first_parameter_of_a_query_is_one_as_well(text: str) -> None:
    """All of `//host/?token=...` was taken for the value of `http`."""
    known = Secrets()
    assert TOKEN not in Secrets().masked_text(text)
    known.learn(["load", text.partition(": ")[0]])
    assert TOKEN not in known.masked_text(f"it said {TOKEN}")
    assert "host" in known.masked_text(text) or "127.0.0.1:80" in known.masked_text(text)


@pytest.mark.parametrize(
    "value",
    [
        "http://h/?user%5Bpassword%5D=HUNTER-1x&page=2",
        "http://h/?X-Amz-Signature=HUNTER-1x&X-Amz-Security-Token=HUNTER-2x&page=2",
        "user[password]=HUNTER-1x&page=2",
        {"login": {"newPassword": "HUNTER-1x"}, "DB_PASSWORD": "HUNTER-2x", "page": "page=2"},
        {"oauth_token_secret": "HUNTER-1x", "AWS_SECRET_ACCESS_KEY": ["HUNTER-2x"], "page": "page=2"},
        [["X-Auth", "HUNTER-1x"], ["Ocp-Apim-Subscription-Key", "HUNTER-2x"], ["A", "page=2"]],
        'Content-Disposition: form-data; name="password"\r\n\r\nHUNTER-1x\r\n--b\r\npage=2',
        "-----BEGIN PRIVATE KEY-----\nHUNTER/1x\n-----END PRIVATE KEY-----\npage=2",
        "ghp_HUNTER0123456789abcdef page=2",
        {"body": '{"auth":{"password":"HUNTER-1x"},"page":"page=2"}'},
    ],
)
def test_names_and_forms_of_secrets_in_requests_of_others(value: object) -> None:
    """Of Rails and PHP, AWS, Azure, forms with files, keys in PEM; and nothing else is masked."""
    masked = json.dumps(Secrets().masked(value))
    assert "HUNTER" not in masked
    assert "page=2" in masked


@pytest.mark.parametrize("unit", ["ab12", "a.", "[[", "eyJ", "a=", "aa:", '<a name="x">\n', "Bearer "])
def test_a_long_text_of_any_kind_is_masked_at_once(unit: str) -> None:
    """A body of a megabyte without a space took hours, for it was read again from each of its letters."""
    text = unit * (60_000 // len(unit))
    assert Secrets().masked([text, "password=HUNTER-1x"]) == [text, "password=***1***"]


@pytest.mark.parametrize("mark", ["`... it has 7 bytes", "...", "…"])
def test_neither_is_its_beginning_where_a_message_was_cut(mark: str) -> None:
    known = Secrets()
    known.learn([["Authorization", f"Bearer {TOKEN}"]])
    assert known.masked_text(f"not `{TOKEN[:24]}{mark}").removesuffix(mark).startswith("not `***")
    assert TOKEN[:8] not in known.masked_text(f"not `{TOKEN[:24]}{mark}")
    assert known.masked_text(f"not `welcome, tok{mark}") == f"not `welcome, tok{mark}"


STUDY = """
title = "Guarded"
about = "A server that asks for a token."
[servers.guarded]
url = "{url}/x"
[servers.guarded.request]
headers = [["Authorization", "Bearer {token}"]]
[load]
clients = [1]
calls = 5
seconds = 0.02
forks = 1
rounds = 2
minutes = 0.01
[[cells]]
group = "x"
stacks = ["load/http1:servers/guarded"]
call = "Hello"
"""


def test_a_run_of_a_study_sends_it_also_when_it_is_resumed(url: str, ended: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    study = tmp_path.parent / f"{tmp_path.name}.toml"
    study.write_text(STUDY.replace("{url}", url).replace("{token}", TOKEN))
    run = ended("run", study, "--out", "run")
    assert run.returncode == 0, run.stderr
    assert kept_in(tmp_path) == []
    resumed = ended("run", study, "--resume", "--out", "run")
    assert resumed.returncode == 0, resumed.stderr
    assert kept_in(tmp_path) == []


def test_a_record_that_is_continued_needs_its_secrets_again(url: str, ended: Run, tmp_path: Path) -> None:
    """Before, the server was asked without them, and its refusal was all that was said."""
    soak = ("soak", url, "--clients", "1,1", "--seconds", "0.5", "--every", "0.25", "--rest", "0", "--out", "record")
    assert ended(*soak, *PLACES["header"]).returncode in {0, 3}
    refused = ended(*soak, "--resume")
    assert refused.returncode == 2
    (sentence,) = refused.stderr.strip().splitlines()
    assert "*** stands for a secret, which is to be given again" in sentence
    assert "403" not in sentence
    again = ended(*soak, *PLACES["header"], "--resume")
    assert again.returncode in {0, 3}, again.stderr
    assert kept_in(tmp_path) == []


def test_a_password_in_a_url_is_refused_and_not_repeated(url: str, ended: Run, tmp_path: Path) -> None:
    password = secrets.token_hex(12)
    address = url.replace("http://", f"http://someone:{password}@")
    for command_ in ("load", "soak", "peer"):
        refused = ended(command_, address)
        assert refused.returncode == 2
        assert password not in refused.stderr + refused.stdout
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and password.encode() in file.read_bytes()]


needs_jmeter = pytest.mark.skipif(jmeter.why_not() is not None, reason=str(jmeter.why_not()))
SHORT = ("--rounds", "1", "--seconds", "1", "--warm-up", "0")


@needs_jmeter
@pytest.mark.jmeter
def test_a_peer_sends_it_in_every_place_and_nobody_says_it(url: str, ended: Run, tmp_path: Path) -> None:
    places = (*PLACES["header"], *PLACES["cookie"], *PLACES["json"])
    seen = ended("peer", f"{url}/four?a=1&access_token={quote(TOKEN, safe='')}", *places, "--clients", "1", *SHORT)
    # 1, 3: what the two came to is no matter here; both were let in.
    assert seen.returncode in {0, 1, 3}, seen.stderr
    assert "rate over Callbench's" in seen.stdout
    assert [form for form in forms(TOKEN) if form in seen.stdout + seen.stderr] == []
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


@needs_jmeter
@pytest.mark.jmeter
def test_a_study_with_a_peer_keeps_it_not_also_when_it_is_resumed(url: str, ended: Run, tmp_path: Path) -> None:
    study = tmp_path.parent / f"{tmp_path.name}.toml"
    study.write_text(STUDY.replace("{url}", url).replace("{token}", TOKEN))
    for more in ((*SHORT, "--out", "kept"), ("--resume", "--out", "kept")):
        seen = ended("peer", study, *more)
        assert seen.returncode in {0, 1, 3}, seen.stderr
        assert TOKEN not in seen.stdout + seen.stderr
        assert kept_in(tmp_path) == []
    rounds = [line for line in Record(tmp_path / "kept").lines() if line["kind"] == "round"]
    assert len(rounds) == 1
    assert rounds[0]["peers"]["errors"] == 0
    for form in ("html", "json"):
        assert ended("report", "kept", "--format", form).returncode == 0
    assert kept_in(tmp_path) == []
    assert (tmp_path / "kept/record.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "kept/journal.jsonl").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700


def test_names_of_secrets() -> None:
    for name in ("Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Goog-Api-Key"):
        assert is_secret_header(name)
    for name in ("Accept", "Content-Type", "Host", "X-Request-Id", "User-Agent"):
        assert not is_secret_header(name)
    assert is_secret_name("client_secret")
    for name in ("secretary", "max_tokens", "nextPageToken", "compass", "primaryKey", "token_type", "author"):
        assert not is_secret_name(name)


def test_short_and_common_values_are_masked_where_their_name_is_and_nowhere_else() -> None:
    known = Secrets()
    record = {"pin": 1234, "password": "honest", "stack": "honest/tcp", "calls": 1234, "text": "pwd=ab x=ab"}
    masked = known.masked(record)
    assert masked["stack"] == "honest/tcp"
    assert masked["calls"] == 1234
    assert "1234" not in str(masked["pin"])
    assert "honest" not in masked["password"]
    assert masked["text"].endswith("x=ab")
    assert known.restored(masked, "it")["password"].startswith("honest")
