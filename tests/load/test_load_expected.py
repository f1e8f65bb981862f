"""What an answer must hold, on the command line of `callbench load`: answers with ids and times of their own."""

import http.server
import itertools
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from callbench.cli.options.expected import expected_json

Run = Callable[..., subprocess.CompletedProcess[str]]


class _Numbering(http.server.BaseHTTPRequestHandler):
    """Answers with a number that is another each time; a problem with its reason at /broken."""

    protocol_version = "HTTP/1.1"
    numbers: Iterator[int]

    def do_GET(self) -> None:
        """Answers everything."""
        broken = self.path == "/broken"
        said: dict[str, Any] = {"id": next(self.numbers), "user": {"name": "x", "age": 30}, "items": [1, 2]}
        body = json.dumps({"error": "no database"} if broken else said).encode()
        self.send_response(500 if broken else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """Of a server on loopback."""
    handler = type("Numbering", (_Numbering,), {"numbers": itertools.count(1000)})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_answers_that_differ_are_right_by_what_they_hold(callbench: Run, url: str, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}))
    words = ["--clients", "2", "--calls", "20", "--json"]
    for number, expected in enumerate(
        (
            ["--expect-json", "$.user.name=x", "--expect-json", "$.user.age=30.0", "--expect-json", "$.id"],
            ["--expect-match", '"id": 1[0-9]{3}'],
            ["--expect-schema-file", str(schema)],
        )
    ):
        finished = callbench("load", url, *words, *expected, "--out", f"{number}")
        assert finished.returncode == 0, finished.stderr
        said = json.loads(finished.stdout)
        assert (said["calls"], said["errors"]) == (20, {}), expected


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--expect-json", "$.user.name=y"], 'at $.user.name the body has "x", not "y"'),
        (["--expect-json", "$.nobody"], "the body has nothing at $.nobody: it is `{"),
        (["--expect-json", "user=x"], "is not a JSON path such as $.user.name"),
        (["--expect-match", "Hello"], "the body has nothing that matches `Hello`: it is `{"),
        (["--expect-match", "("], "is not a regular expression"),
        (["--expect-body", '{"id": 7, "user"'], "differs from the expected one at byte 7, counted from 0: `{"),
        (["--expect-json", "$.id", "--grpc"], "an answer of gRPC is not JSON"),
    ],
)
def test_the_first_difference_is_shown(callbench: Run, url: str, words: list[str], why: str) -> None:
    finished = callbench("load", url, "--calls", "3", *words, "--out", "no")
    assert finished.returncode == 2
    assert why in finished.stderr, finished.stderr
    assert finished.stderr.count("\n") == 1


def test_another_status_is_reported_with_what_the_server_said_of_it(callbench: Run, url: str) -> None:
    finished = callbench("load", f"{url}broken", "--calls", "3", "--out", "no")
    assert 'the status 500; its body is `{"error": "no database"}`' in finished.stderr


def test_a_path_ends_at_the_sign_outside_of_its_brackets_and_quotes() -> None:
    assert expected_json([]) == {"expect_json": None, "expect_path": []}
    read = expected_json(["$.a=1", "$['x=y'].b = two", "$.items[?@.n == 2]", '$.items[?@.s=="]"].n=[1]', "$.c=x=y"])
    assert read["expect_json"] == {"$.a": 1, "$['x=y'].b": "two", '$.items[?@.s=="]"].n': [1], "$.c": "x=y"}
    assert read["expect_path"] == ["$.items[?@.n == 2]"]
