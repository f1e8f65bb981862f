"""Several requests and sessions over HTTP/2 and gRPC, against Node's http2 and Python's grpcio. Both count too."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from certificates import self_signed
from other_servers import nginx, running

from conftest import ROOT
from grpcio_party import contract_stubs, served
from ports import free_ports
from sealed import sealed
from shop import ORDER, SESSION, SHOP

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]
SERVER = Path(__file__).parent / "session_h2.mjs"
PROXIED = ROOT / "tests" / "capacity" / "shop_server.py"
# Node's shop has the token deeper in its answer, and wants a header too.
NODE_SHOP = (
    SHOP.replace("$.token", "$.user.token")
    .replace('cookie = "sid" }', 'cookie = "sid" }, csrf = { header = "X-CSRF" }')
    .replace('"sid={sid}"', '"sid={sid}", X-CSRF = "{csrf}"')
)


class _Shop:
    """A running server: its port, and after its end what it counted."""

    def __init__(self, words: tuple[object, ...]) -> None:
        node = shutil.which("node") or "node"
        self._running = subprocess.Popen([node, SERVER, *map(str, words)], stdout=subprocess.PIPE, text=True)
        assert self._running.stdout is not None
        self.port = int(self._running.stdout.readline())

    def counts(self) -> dict[str, int]:
        """End it."""
        self._running.terminate()
        said, _ = self._running.communicate(timeout=60)
        counts: dict[str, int] = json.loads(said)
        return counts

    def end(self) -> None:
        if self._running.poll() is None:
            self._running.kill()
            self._running.communicate()


def _write(folder: Path, requests: str) -> None:
    (folder / "order.json").write_text(ORDER)
    (folder / "shop.toml").write_text(requests)


@contextmanager
def _shop(*words: object) -> Iterator[_Shop]:
    if shutil.which("node") is None:
        pytest.skip("node is not there: make node")
    one = _Shop(words)
    try:
        yield one
    finally:
        one.end()


@pytest.mark.parametrize("tls", [False, True])
def test_a_session_over_http2(callbench: Run, tmp_path: Path, tls: bool) -> None:
    """Clients share connections, and each has its own login, cookie, header and token."""
    _write(tmp_path, NODE_SHOP)
    certificate = [self_signed(tmp_path, "usual")] if tls else []
    with _shop(*(word for one in certificate for word in (one.with_suffix(".key"), one))) as shop:
        url = f"{'https' if tls else 'http'}://127.0.0.1:{shop.port}/"
        words = ("--http2", "--requests", "shop.toml", "--clients", 6, "--streams", 3, "--calls", 600)
        finished = callbench("load", url, *words, *(("--insecure",) if tls else ()), "--json")
        assert finished.returncode == 0, finished.stderr
        record, seen = sealed("load", finished.stdout), shop.counts()
    assert (record["protocol"], record["connections"], record["errors"]) == ("h2", 2, {})
    by_name = {one["name"]: one["calls"] for one in record["endpoints"]}
    # The first client tries every session before anything is measured, so it is logged in already.
    assert (by_name["buy: POST /login"], seen.pop("login")) == (5, 6)
    assert by_name["buy: POST /cart/{token}"] == seen["cart"] - 1
    assert by_name["GET /products/{random}"] == seen["products"] - 1
    total = sum(seen.values())
    for name, share in {"products": 0.6, "orders 1": 0.1, "orders 2": 0.1, "cart": 0.2}.items():
        assert abs(seen[name] / total - share) < 0.03, seen


def test_sessions_go_on_where_a_proxy_ends_connections(callbench: Run, tmp_path: Path) -> None:
    """Nginx says GOAWAY after seven requests. The shop behind it counts, and refuses who is not logged in."""
    counts = tmp_path / "counts.json"
    (tmp_path / "shop.toml").write_text(SESSION)
    behind = free_ports()
    location = f"location / {{ proxy_pass http://127.0.0.1:{behind}; }}"
    proxy = {"protocol": "http2", "settings": "keepalive_requests 7;"}
    with (
        running(behind, sys.executable, PROXIED, behind, counts),
        nginx(tmp_path, self_signed(tmp_path, "usual"), location, **proxy) as port,
    ):
        words = ("--http2", "--insecure", "--requests", "shop.toml", "--clients", 4, "--streams", 2, "--calls", 120)
        finished = callbench("load", f"https://127.0.0.1:{port}/", *words, "--json")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    record, seen = sealed("load", finished.stdout), json.loads(counts.read_text())
    assert record["errors"] == {}
    # The first client is logged in before anything is measured. A lost connection logs nobody out.
    assert seen["login"] == 4
    assert [one["calls"] for one in record["endpoints"]] == [3, seen["cart"] - 1]


def test_a_value_that_is_missing_or_refused_is_told_before_anything_is_driven(callbench: Run, tmp_path: Path) -> None:
    with _shop() as shop:
        url = f"http://127.0.0.1:{shop.port}/"
        for old, new, why in (
            ("$.user.token", "$.nobody", "the body has nothing at $.nobody"),
            ('cookie = "sid"', 'cookie = "other"', "the answer has no Set-Cookie of other"),
            ('header = "X-CSRF"', 'header = "X-Other"', "the answer has no header X-Other"),
            ("sid={sid}", "sid=wrong", "POST /cart/{token} was answered with the status 403"),
        ):
            _write(tmp_path, NODE_SHOP.replace(old, new))
            refused = callbench("load", url, "--http2", "--requests", "shop.toml", "--seconds", 0.2)
            assert refused.returncode == 2, refused.stdout
            assert why in refused.stderr


def test_a_capacity_over_http2_shows_its_endpoints(callbench: Run, tmp_path: Path) -> None:
    _write(tmp_path, NODE_SHOP)
    with _shop() as shop:
        words = ("--objective", "mean under 5 s", "--most", 4, "--seconds", 5, "--json")
        finished = callbench("capacity", f"http://127.0.0.1:{shop.port}/", "--http2", "--requests", "shop.toml", *words)
    record = sealed("capacity", finished.stdout)
    assert [one["name"] for one in record["endpoints"]] == [
        "GET /products/{random}", "POST /orders", "buy: POST /login", "buy: POST /cart/{token}",
    ]  # fmt: skip


@pytest.fixture
def service() -> Iterator[tuple[str, Counter[str]]]:
    """Where grpcio serves, and what it was called. `EchoString` needs what `Hello` gave as metadata."""
    pb2, stubs = contract_stubs()
    called: Counter[str] = Counter()

    class Service(stubs.SpeedServiceServicer):  # type: ignore[misc, name-defined]
        """A login by metadata, a call that needs it, and one that does not."""

        def Hello(self, _request: Any, context: Any) -> Any:  # noqa: N802 - as the interface calls it
            called["Hello"] += 1
            user = dict(context.invocation_metadata())["x-user"]
            context.send_initial_metadata((("x-token", f"t-{user}"),))
            context.set_trailing_metadata((("x-room", f"r-{user}"),))
            return pb2.StringHolder(value=f"desk of {user}")

        def EchoString(self, request: Any, context: Any) -> Any:  # noqa: N802 - likewise
            given = dict(context.invocation_metadata())
            user = given["x-user"]
            needed = {"authorization": f"Bearer t-{user}", "x-room": f"r-{user}", "x-desk": f"desk of {user}"}
            if not needed.items() <= given.items():
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "log in first")
            called["EchoString"] += 1
            return request

        def Sum(self, request: Any, _context: Any) -> Any:  # noqa: N802 - likewise
            called[f"Sum {request.a}"] += 1
            return pb2.SumAnswer(result=request.a + request.b)

    with served(Service()) as place:
        yield f"http://{place}/", called


GRPC = """
    [[request]]
    name = "three of four"
    path = "/callbench.SpeedService/Sum"
    bodies = ["one.bin", "two.bin"]
    weight = 3
    [[request]]
    path = "/callbench.SpeedService/Sum"
    weight = 0.04
    [[session]]
    name = "user"
    [[session.once]]
    path = "/callbench.SpeedService/Hello"
    headers = { x-user = "u{client}" }
    take = { token = { header = "x-token" }, room = { header = "X-Room" }, desk = { field = "1" } }
    [[session.step]]
    path = "/callbench.SpeedService/EchoString"
    headers = { x-user = "u{client}", authorization = "Bearer {token}", x-room = "{room}", x-desk = "{desk}" }
    body_hex = "0a0161"
    """


def test_several_methods_and_a_session_over_grpc(
    callbench: Run, service: tuple[str, Counter[str]], tmp_path: Path
) -> None:
    pb2, _ = contract_stubs()
    url, called = service
    (tmp_path / "one.bin").write_bytes(pb2.SumRequest(a=1, b=2).SerializeToString())
    (tmp_path / "two.bin").write_bytes(pb2.SumRequest(a=7, b=2).SerializeToString())
    (tmp_path / "calls.toml").write_text(GRPC)
    words = ("--grpc", "--requests", "calls.toml", "--clients", 4, "--streams", 2, "--calls", 400)
    finished = callbench("load", url, *words, "--json")
    assert finished.returncode == 0, finished.stderr
    record = sealed("load", finished.stdout)
    assert (record["protocol"], record["errors"]) == ("grpc", {})
    by_name = {one["name"]: one["calls"] for one in record["endpoints"]}
    assert list(by_name) == [
        "three of four",
        "POST /callbench.SpeedService/Sum",
        "user: POST /callbench.SpeedService/Hello",
        "user: POST /callbench.SpeedService/EchoString",
    ]
    assert (by_name["user: POST /callbench.SpeedService/Hello"], called["Hello"]) == (3, 4)
    assert by_name["user: POST /callbench.SpeedService/EchoString"] == called["EchoString"] - 1
    assert by_name["three of four"] == called["Sum 1"] + called["Sum 7"] - 1
    # Without a body, an empty message is sent.
    assert by_name["POST /callbench.SpeedService/Sum"] == called["Sum 0"] - 1 > 0
    assert abs(called["Sum 1"] - called["Sum 7"]) <= 2
    total = called["Sum 1"] + called["Sum 7"] + called["EchoString"]
    assert abs(called["EchoString"] / total - 0.25) < 0.03


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            ('{ header = "x-token" }', '"$.token"'),
            "the value token: an answer of gRPC is not JSON: take a value of its",
        ),
        (('body_hex = "0a0161"', 'body = "{token}"'), "a message of gRPC has lengths in it"),
        (('body_hex = "0a0161"', "expect_status = [404]"), "a gRPC call is correct if its grpc-status is 0"),
        (('field = "1"', 'field = "7"'), "the field 7 of the answer: the message does not have it"),
        (('field = "1"', 'field = "value"'), "'value' is not a path of field numbers"),
        (("Bearer {token}", "Bearer"), "EchoString was answered with the grpc-status 16 (UNAUTHENTICATED)"),
    ],
)
def test_what_grpc_cannot_carry_is_refused_in_a_sentence(
    callbench: Run, service: tuple[str, Counter[str]], tmp_path: Path, change: tuple[str, str], why: str
) -> None:
    for name in ("one.bin", "two.bin"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "calls.toml").write_text(GRPC.replace(*change))
    refused = callbench("load", service[0], "--grpc", "--requests", "calls.toml", "--seconds", 0.2)
    assert refused.returncode == 2, refused.stdout
    assert why in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
