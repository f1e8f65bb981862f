"""The Pascal servers against the contract suite, and seen by a client of HTTP: paths, sessions, life cycles."""

import http.client
import json
import signal
import socket
import time
from collections.abc import Mapping
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from callbench.adapter.session import Adapter
from callbench.adapter.watch.process_reading import threads_of
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from callbench.model.process_tree import children_of_all
from conftest import ROOT, eventually
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract

FOLDER = ROOT / "adapters" / "pascal"
DRIVER = ROOT / "engine" / "load"
ADAPTER = catalogue.load([FOLDER]).adapter("pascal")
HELLO = '{"result":["Hello World!"]}'
REST = "/datasnap/rest/TServerMethods1"
STACKS = [stack.id for stack in ADAPTER.stacks]
THREADED = [name for name in STACKS if "fphttpserver" in name]

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


class Answer:
    """What came back: status, headers, body."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        """Reads it to its end."""
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read().decode()
        self.closes = response.will_close

    @property
    def session(self) -> str:
        """The session it names, as DataSnap does."""
        return dict(part.split("=") for part in self.headers["pragma"].split(","))["dssession"]


def get(endpoint: str, path: str | None = None, headers: Mapping[str, str] | None = None) -> Answer:
    """Make a request over a new connection."""
    url = urlsplit(endpoint)
    with closing(http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)) as connection:
        connection.request("GET", path or url.path, headers=dict(headers or {}))
        return Answer(connection.getresponse())


@pytest.mark.parametrize("stack", ["pascal/fphttpserver", "pascal/keepalive"])
def test_it_keeps_the_contract(stack: str) -> None:
    assert_it_keeps_the_contract(catalogue.load([DRIVER, FOLDER]), f"load/http1:{stack}", least=20)


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


@pytest.mark.parametrize("stack", STACKS)
def test_what_it_answers_it_counts_once(stack: str, server: Adapter) -> None:
    endpoint = server.serve(stack)
    assert urlsplit(endpoint).path == ("/service/helloworld" if stack == "pascal/keepalive" else f"{REST}/HelloWorld")
    for _ in range(3):
        answer = get(endpoint)
        assert (answer.status, answer.body) == (200, HELLO)
        assert answer.headers["content-type"].startswith("application/json")
    assert get(endpoint, "/elsewhere").status == 404
    assert server.counted()["calls"] == {"Hello": 3}
    assert server.counted()["calls"] == {}


@pytest.mark.parametrize("stack", THREADED)
def test_the_threaded_one_closes_each_connection_and_says_so(stack: str, server: Adapter) -> None:
    url = urlsplit(server.serve(stack))
    with closing(socket.create_connection((url.hostname, url.port), timeout=60)) as raw:
        raw.sendall(f"GET {url.path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        said = b"".join(iter(lambda: raw.recv(65536), b""))
    head, _, body = said.decode().partition("\r\n\r\n")
    assert "Connection: close" in head.split("\r\n")
    assert body == HELLO


def test_the_kept_one_answers_many_calls_on_a_connection_also_sent_at_once(server: Adapter) -> None:
    url = urlsplit(server.serve("pascal/keepalive"))
    asked = f"GET {url.path} HTTP/1.1\r\nHost: here\r\n\r\n".encode()
    last = asked.replace(b"Host: here", b"Connection: close")
    with closing(socket.create_connection((url.hostname, url.port), timeout=60)) as raw:
        raw.sendall(asked * 49 + last[:20])
        raw.sendall(last[20:])
        said = b"".join(iter(lambda: raw.recv(65536), b"")).decode()
    assert said.count(HELLO) == 50
    assert said.count("Connection: keep-alive") == 49
    assert server.counted()["calls"] == {"Hello": 50}


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET / HTTP/1.1\r\nContent-Length: many\r\n", 400),
        ("POST /service/helloworld HTTP/1.1\r\nContent-Length: 99999999\r\n", 413),
        ("POST /service/helloworld HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", 501),
        ("PUT /service/helloworld HTTP/1.1\r\nConnection: close\r\n", 405),
        ("what is this\r\n", 400),
    ],
)
def test_the_kept_one_refuses_what_it_cannot_read(request_line: str, status: int, server: Adapter) -> None:
    url = urlsplit(server.serve("pascal/keepalive"))
    with closing(socket.create_connection((url.hostname, url.port), timeout=60)) as raw:
        raw.sendall(f"{request_line}\r\n".encode())
        said = b"".join(iter(lambda: raw.recv(65536), b"")).decode()
    assert said.startswith(f"HTTP/1.1 {status} ")
    assert get(f"http://{url.netloc}{url.path}").body == HELLO


def objects(endpoint: str) -> list[int]:
    """Calls that the objects behind four calls have had: twice by a session, once by a second one, once by none."""
    counting = f"{REST}/CallsOfThisObject"
    first = get(endpoint, counting)
    answers = [first, get(endpoint, counting, {"Pragma": f"dssession={first.session}"})]
    answers += [get(endpoint, counting), get(endpoint, counting)]
    assert len({answer.session for answer in answers}) == 3
    return [int(json.loads(answer.body)["result"][0]) for answer in answers]


@pytest.mark.parametrize(
    ("stack", "seen"),
    [
        ("pascal/fphttpserver", [1, 2, 3, 4]),
        ("pascal/fphttpserver-session", [1, 2, 1, 1]),
        ("pascal/fphttpserver-invocation", [1, 1, 1, 1]),
    ],
)
def test_the_life_cycle_says_whose_the_server_object_is(stack: str, seen: list[int], server: Adapter) -> None:
    assert objects(server.serve(stack)) == seen


def test_parameters_are_parts_of_the_path(server: Adapter) -> None:
    endpoint = server.serve("pascal/fphttpserver")
    assert json.loads(get(endpoint, f"{REST}/ReverseString/a%20b").body) == {"result": ["b a"]}
    assert json.loads(get(endpoint, f"{REST}/EchoString/Gr%C3%BC%C3%9Fe%22").body) == {"result": ['Grüße"']}
    unknown = get(endpoint, f"{REST}/EchoString/a/b")
    assert unknown.status == 404
    assert "no method EchoString with 2 parameters" in json.loads(unknown.body)["error"]


def test_a_session_ends_after_its_time_without_requests(server: Adapter) -> None:
    endpoint = server.ask(
        "serve",
        "serving",
        60,
        stack="pascal/fphttpserver-session",
        host="127.0.0.1",
        port=0,
        options={"session_ms": 400},
    )["endpoint"]
    first = get(endpoint)
    assert first.headers["pragma"].endswith(",dssessionexpires=400")

    def expired() -> bool:
        # Asking keeps it alive, so each look comes after its time.
        time.sleep(1)
        return get(endpoint, headers={"Pragma": f"dssession={first.session}"}).status == 403

    assert eventually(expired)
    gone = get(endpoint, headers={"Pragma": f"dssession={first.session}"})
    assert "SessionExpired" in json.loads(gone.body)
    assert get(endpoint, headers={"Pragma": "dssession=1.2.3"}).status == 403
    assert get(endpoint).session != first.session


def test_a_session_of_twenty_minutes_stays(server: Adapter) -> None:
    endpoint = server.serve("pascal/fphttpserver")
    first = get(endpoint)
    assert first.headers["pragma"].endswith(",dssessionexpires=1200000")
    again = get(endpoint, headers={"Pragma": f"dssession={first.session},dssessionexpires=1200000"})
    assert again.session == first.session


def _threads(server: Adapter) -> dict[int, int]:
    below = children_of_all()
    assert server.process.pid is not None
    found, waiting = [], [server.process.pid]
    while waiting:
        found.append(waiting.pop())
        waiting += below.get(found[-1], [])
    return threads_of(found)


@pytest.mark.parametrize(("stack", "fresh"), [("pascal/fphttpserver", True), ("pascal/keepalive", False)])
def test_threads_are_made_for_calls_or_for_connections(stack: str, *, fresh: bool, server: Adapter) -> None:
    url = urlsplit(server.serve(stack))
    before = set(_threads(server))
    with closing(http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)) as connection:
        seen = set()
        for _ in range(3):
            if connection.sock is None:
                connection.connect()
            assert eventually(lambda: len(set(_threads(server)) - before) == 1)
            seen |= set(_threads(server)) - before
            connection.request("GET", url.path)
            assert connection.getresponse().read().decode() == HELLO
    assert len(seen) == (3 if fresh else 1)
    assert eventually(lambda: set(_threads(server)) == before)


def test_stopping_closes_what_is_open_and_another_stack_can_be_served(server: Adapter) -> None:
    for stack in STACKS:
        url = urlsplit(server.serve(stack))
        with closing(socket.create_connection((url.hostname, url.port), timeout=60)) as idle:
            get(f"http://{url.netloc}{url.path}")
            server.stop_serving()
            assert idle.recv(1) == b""
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((url.hostname, url.port), timeout=60).close()


def test_a_port_that_is_taken_is_reported_and_the_server_continues(server: Adapter) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        for stack in ("pascal/fphttpserver", "pascal/keepalive"):
            with pytest.raises(AdapterFailure, match="cannot listen") as caught:
                server.ask("serve", "serving", 60, stack=stack, host="127.0.0.1", port=port, options={})
            assert caught.value.kind == "out-of-resources"
    assert get(server.serve("pascal/keepalive")).body == HELLO


@pytest.mark.parametrize(
    "options", [{"session_ms": 0}, {"delay_us": -1}, {"delay_us": "1"}, {"stall_us": 10}, {"burn_us": 1e12}]
)
def test_an_option_out_of_range_is_refused(options: Mapping[str, object], server: Adapter) -> None:
    with pytest.raises(AdapterFailure) as caught:
        server.serve("pascal/fphttpserver", options=dict(options))
    assert caught.value.kind == "bad-request"
    assert get(server.serve("pascal/fphttpserver")).body == HELLO


@pytest.mark.usefixtures("nothing_left")
def test_nothing_is_left_of_a_server_that_is_killed() -> None:
    with Adapter(ADAPTER.manifest, "the server") as server:
        endpoint = server.serve("pascal/fphttpserver")
        get(endpoint)
        server.process.signal(signal.SIGKILL)
