"""Endpoints in the proportions of a log: the formats that are read, what is left out, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.catalog.requests import access_log, log_line
from callbench.catalog.requests.access_log import shape
from callbench.model.errors import BadInput
from callbench.model.script import Bodies, Script

COMMON = '1.2.3.4 - frank [10/Oct/2000:13:55:36 -0700] "{}" {} 2326'
COMBINED = COMMON + ' "http://x/" "Mozilla/5.0 (\\"quoted\\")" 0.004'


def log(folder: Path, *lines: str) -> Path:
    path = folder / "access.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def outcome(read: Callable[[str, str], log_line.LoggedRequest | None], line: str) -> bool:
    """Whether a line is read as a request with a path, or refused by its place."""
    try:
        entry = read(line, "log, line 1")
    except BadInput as refused:
        return "line 1" in str(refused)
    return entry is None or entry.target is None or entry.target.startswith("/")


def weights(script: Script) -> dict[str, float]:
    return {session.name: session.weight for session in script.sessions}


def test_endpoints_have_the_proportions_of_the_log(tmp_path: Path) -> None:
    lines = [COMMON.format(f"GET /orders/{number} HTTP/1.1", 200) for number in range(6)]
    lines += [COMBINED.format("GET /search?q=a&page=2 HTTP/2.0", 304)] * 3
    lines += [COMBINED.format("DELETE /orders/1 HTTP/1.1", 204), COMMON.format("GET /nothing HTTP/1.1", 404)]
    lines += [COMMON.format("\\x16\\x03\\x01", 400), COMMON.format("-", 408)]
    found = access_log.read(log(tmp_path, *lines))
    assert weights(found.script) == {"GET /orders/{id}": 6, "GET /search?page&q": 3, "DELETE /orders/{id}": 1}
    [orders, search, deleted] = [session.steps[0] for session in found.script.sessions]
    assert orders.paths == tuple(f"/orders/{number}" for number in range(6))
    assert (search.paths, search.expect_status) == (("/search?q=a&page=2",), (200,))
    assert deleted.expect_status == (204,)
    assert "3 requests failed" in " ".join(found.notes)
    assert any("DELETE are sent" in note for note in found.notes)


@pytest.mark.parametrize(
    "members",
    [
        {"method": "GET", "path": "/x", "status": 200},
        {"request_method": "GET", "request_uri": "/x", "status": "200"},
        {"request": {"method": "GET", "uri": "/x"}, "status": 200},
        {"request": "GET /x HTTP/1.1", "status": 200},
        {"httpRequest": {"requestMethod": "GET", "requestUrl": "https://shop.example/x", "status": 200}},
        {"method": "GET", "path": "/x", "response_code": 200, "protocol": "HTTP/1.1"},
        {"RequestMethod": "GET", "RequestPath": "/x", "DownstreamStatus": 200},
        {"req": {"method": "GET", "url": "/x"}, "res": {"statusCode": 200}},
        {"http": {"request": {"method": "GET"}, "response": {"status_code": 200}}, "url": {"path": "/x"}},
        {"method": "GET", "path": "/x", "query": "", "status": 200},
    ],
)
def test_lines_of_json_are_read_by_the_usual_names(members: object) -> None:
    entry = log_line.of_json(json.dumps(members), "log, line 1")
    assert entry is not None
    assert (entry.method, entry.target, entry.status) == ("GET", "/x", 200)


@pytest.mark.parametrize("query", ["a=1&b=2", "?a=1&b=2"])
@pytest.mark.parametrize("name", ["query", "query_string", "args"])
def test_a_query_in_a_member_of_its_own_is_sent(name: str, query: str) -> None:
    members: dict[str, object] = {"method": "GET", "path": "/x", "status": 200, name: query}
    entry = log_line.of_json(json.dumps(members), "log, line 1")
    assert entry is not None
    assert entry.target == "/x?a=1&b=2"
    whole = log_line.of_json(json.dumps({**members, "path": "/x?a=1&b=2"}), "log, line 1")
    assert whole == entry


def test_a_log_without_statuses_says_so(tmp_path: Path) -> None:
    line = {"method": "GET", "path": "/x", "result": 503}
    notes = access_log.read(log(tmp_path, json.dumps(line), json.dumps({**line, "status": 200}))).notes
    assert any("1 request has no status under a name that is known" in note for note in notes)


def test_a_mark_at_the_beginning_is_no_part_of_a_line(tmp_path: Path) -> None:
    file = log(tmp_path, COMMON.format("GET /x HTTP/1.1", 200))
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert access_log.read(file).notes == (f"{file}: 1 endpoints stand for 1 of 1 requests.",)


def test_bodies_are_the_logs_own_or_given_ones(tmp_path: Path) -> None:
    lines = [{"method": "POST", "path": "/orders", "status": 201, "body": {"n": n}} for n in range(2)]
    own = access_log.read(log(tmp_path, *map(json.dumps, lines))).script.sessions[0].steps[0]
    assert [body.text for body in own.bodies or ()] == ['{"n": 0}', '{"n": 1}']
    without = log(tmp_path, COMMON.format("GET /a HTTP/1.1", 200), COMMON.format("POST /orders HTTP/1.1", 201))
    with pytest.raises(
        BadInput, match=r"access\.log, line 2: the log has no body of POST /orders: give one with --body"
    ):
        access_log.read(without)
    body = Bodies(text="{}")
    assert access_log.read(without, [body]).script.sessions[1].steps[0].bodies == (body,)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["GET /x 200"], "line 1 is not in the common or combined log format"),
        ([COMMON.format("GET /x HTTP/1.1", 200), "something", "else"], "line 2 is not in the common"),
        (
            [COMMON.format("hello", 200)],
            "line 1: 'hello' is no request with a method and a path, and its status is 200",
        ),
        (['{"path": "/x"}'], "line 1 has no method: it is looked for as method, request_method"),
        (['{"method": "GET", "path": "/x"}', "{", "{"], "line 2 is not JSON"),
        (['{"method": "GET", "path": "/x", "path": "/y"}'], "the key 'path' occurs twice"),
        (['{"method": "GET", "path": "/x", "status": "OK"}'], "'OK' is no status"),
        ([COMMON.format("GET /x HTTP/1.1", 500)], "none of its 1 requests was answered with a status of 200"),
        ([COMMON.format("GET /x HTTP/1.1", "000")], "none of its 1 requests was answered with a status of 200"),
        ([], "has no lines"),
    ],
)
def test_what_is_unclear_is_refused_by_its_line(tmp_path: Path, lines: list[str], why: str) -> None:
    with pytest.raises(BadInput) as refused:
        access_log.read(log(tmp_path, *lines))
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("request_", "target"),
    [
        ('GET /a?q=\\"x\\" HTTP/1.1', '/a?q="x"'),
        ("GET /a?q=\\x22x\\x22 HTTP/1.1", '/a?q="x"'),
        ("GET /a?q=%22x%22 HTTP/1.1", "/a?q=%22x%22"),
        ("GET /a\\\\b HTTP/1.1", "/a\\b"),
        ("GET /a\\x5Cb HTTP/1.1", "/a\\b"),
        ("GET /\\xC3\\xA9 HTTP/2.0", "/%C3%A9"),
        ("GET /\\xff HTTP/3.0", "/%FF"),
        ("GET /é HTTP/1.1", "/%C3%A9"),
        ("GET /a\\tb HTTP/1.1", "/a%09b"),
        ("GET http://shop.test/x?y HTTP/1.1", "/x?y"),
        ("PROPFIND /x HTTP/1.1", "/x"),
        ("GET /old", "/old"),
    ],
)
def test_a_target_is_sent_as_it_was_asked(tmp_path: Path, request_: str, target: str) -> None:
    """Servers escape what would break the line; bytes that no request has are sent in percents."""
    found = access_log.read(log(tmp_path, COMMON.format(request_, 200)))
    assert found.script.sessions[0].steps[0].paths == (target,)


@pytest.mark.parametrize(
    "line",
    [
        '::1 - - [10/Oct/2000:13:55:36 -0700] "GET /x HTTP/1.1" 200 -',
        '2001:db8::1 - - [10/Oct/2000:13:55:36 -0700] "GET /x HTTP/2.0" 200 5 "-" "-"',
        'shop.test:443 10.0.0.1 - a b [10/Oct/2000:13:55:36 -0700] "GET /x HTTP/1.1" 200 5',
    ],
)
def test_lines_as_servers_and_tools_write_them(tmp_path: Path, line: str) -> None:
    assert weights(access_log.read(log(tmp_path, line)).script) == {"GET /x": 1}


@pytest.mark.parametrize("status", ["000", "-", "101", "499", "999"])
def test_what_was_not_answered_well_is_left_out_and_counted(tmp_path: Path, status: str) -> None:
    """Proxies and nginx log 000 if no answer was sent."""
    found = access_log.read(
        log(tmp_path, COMMON.format("GET /x HTTP/1.1", 200), COMMON.format("GET /y HTTP/1.1", status))
    )
    assert weights(found.script) == {"GET /x": 1}
    assert "1 request failed" in " ".join(found.notes)


@pytest.mark.parametrize(
    "odd",
    [
        "something else",
        COMMON.format("hello", 200),
        '{"path": "/x"}',
        '{"method": "GET", "path": "/x", "status": "OK"}',
        "{",
        "x" * 2**20 + "y",
        COMMON.format("GET /x y HTTP/1.1", 200),
    ],
)
def test_an_odd_line_is_left_out_and_counted(tmp_path: Path, odd: str) -> None:
    """With the place of the first one, and why."""
    found = access_log.read(log(tmp_path, COMMON.format("GET /x HTTP/1.1", 200), odd, COMMON.format("GET /x", 200)))
    assert weights(found.script) == {"GET /x": 2}
    assert any("1 line is left out" in note and "line 2" in note for note in found.notes)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """A path goes as it is, in percents; a name of a browser does not matter."""
    path = tmp_path / "access.log"
    path.write_bytes(COMMON.format("GET /\udce9 HTTP/1.1", 200).encode("utf-8", "surrogateescape") + b' "-" "\xff"\n')
    assert access_log.read(path).script.sessions[0].steps[0].paths == ("/%E9",)


def test_other_points_of_k6_are_no_requests(tmp_path: Path) -> None:
    """It writes a dozen for each request."""
    tags = {"method": "GET", "url": "http://a/x", "status": "200"}
    lines = [
        {"type": "Metric", "metric": "http_reqs", "data": {}},
        {"type": "Point", "metric": "http_reqs", "data": {"tags": tags}},
        {"type": "Point", "metric": "http_req_duration", "data": {"tags": tags}},
        {"type": "Point", "metric": "http_reqs", "data": {"tags": {**tags, "status": "0"}}},
    ]
    found = access_log.read(log(tmp_path, *map(json.dumps, lines)))
    assert weights(found.script) == {"GET /x": 1}
    assert "1 request failed" in " ".join(found.notes)


def test_a_last_line_that_is_still_written_is_left_out(tmp_path: Path) -> None:
    path = log(tmp_path, COMMON.format("GET /x HTTP/1.1", 200))
    path.write_text(path.read_text() + "1.2.3.4 - - [10/Oct/2000:13:5")
    assert weights(access_log.read(path).script) == {"GET /x": 1}


def test_a_compressed_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "access.log.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(BadInput, match="unpack it first"):
        access_log.read(path)


def test_rare_endpoints_are_left_out_and_said_so(tmp_path: Path) -> None:
    lines = [
        COMMON.format(f"GET /page-{'x' * number} HTTP/1.1", 200) for number in range(access_log.MOST_ENDPOINTS + 5)
    ]
    found = access_log.read(log(tmp_path, *lines))
    assert len(found.script.sessions) == access_log.MOST_ENDPOINTS
    assert any("5 rare endpoints with 5 requests are left out" in note for note in found.notes)


@pytest.mark.parametrize(
    ("target", "endpoint"),
    [
        ("/", "/"),
        ("/users/17/orders/4711?b=1&a=2", "/users/{id}/orders/{id}?a&b"),
        ("/f/123e4567-e89b-12d3-a456-426614174000", "/f/{id}"),
        ("/commit/2f5a0241c3d9", "/commit/{id}"),
        ("/deadbeef/internationalization", "/deadbeef/internationalization"),
        ("/v2/list", "/v2/list"),
        ("//v2/list?a=1", "//v2/list?a"),
    ],
)
def test_paths_that_differ_in_identifiers_are_one_endpoint(target: str, endpoint: str) -> None:
    assert shape(target) == endpoint


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_line_is_an_entry_or_a_refusal(line: str) -> None:
    for reader in (log_line.common, log_line.of_json):
        assert outcome(reader, line)


NAMES = st.sampled_from(["request", "method", "path", "status", "body", "uri"])
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=20), lambda inner: st.dictionaries(NAMES, inner, max_size=4)
)


@settings(deadline=None)
@given(VALUES)
def test_any_json_is_an_entry_or_a_refusal(value: object) -> None:
    assert outcome(log_line.of_json, json.dumps(value))


_HAPROXY = (
    "Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/{} "
    '10/0/30/69/109 {} 2750 - - ---- 1/1/1/1/0 0/0 {{1wt.eu}} {{}} "{}"'
)
_ENVOY = '[2016-04-15T20:17:00.310Z] "{}" {} - 154 0 226 100 "10.0.35.28" "nsq2http" "cc21d9b0" "x" "tcp://10.0.2.1:80"'
_AWS = (
    "https 2018-07-02T22:23:00.186641Z app/my/50dc 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 {} 200 "
    '0 57 "{}" "curl/7.46.0" ECDHE TLSv1.2 arn:aws:x "Root=1" "-" "-" 0 2018-07-02T22:22:48.364000Z "forward" "-"'
)
_CLASSIC = (
    "2015-05-13T23:39:43.945958Z my 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 {} 200 "
    '0 29 "{}" "curl/7.38.0" - -'
)
_IIS = (
    "#Software: Microsoft Internet Information Services 10.0",
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs(User-Agent) sc-status time-taken",
    "2026-11-28 10:00:00 10.0.0.1 GET /x a=1 80 Mozilla/5.0+(x) 200 15",
    "2026-11-28 10:00:01 10.0.0.1 GET /x - 80 - 404 15",
    "2026-11-28 10:00:01 10.0.0.1 GET /y",
)
_CLOUDFRONT = (
    "#Fields: date time sc-bytes cs-method cs(Host) cs-uri-stem sc-status cs-uri-query",
    "2019-12-04\t21:02:31\t392\tGET\td1.cloudfront.net\t/x\t200\ta=1",
    "2019-12-04\t21:02:31\t392\tGET\td1.cloudfront.net\t/y\t000\t-",
    "odd",
)


@pytest.mark.parametrize(
    "lines",
    [
        [_HAPROXY.format("srv1", 200, "GET /x?a=1 HTTP/1.1"), _HAPROXY.format("<NOSRV>", -1, "GET /y HTTP/1.1"), "odd"],
        [_ENVOY.format("GET /x?a=1 HTTP/2", 200), _ENVOY.format("GET /y HTTP/2", 0), "odd"],
        [_AWS.format(200, "GET https://x.example:443/x?a=1 HTTP/1.1"), _AWS.format("-", "- https://x:443- -"), "odd"],
        [_CLASSIC.format(200, "GET https://x.example:443/x?a=1 HTTP/1.1"), _CLASSIC.format("-", "- - - "), "odd"],
        [*_IIS],
        [*_CLOUDFRONT],
        [
            'x.example:80 1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /x?a=1 HTTP/1.1" 200 5',
            COMMON.format("-", 408),
            "?",
        ],
    ],
    ids=["haproxy", "envoy", "aws", "classic", "iis", "cloudfront", "virtual hosts"],
)
def test_logs_of_proxies_and_of_w3c_s_format_are_read(tmp_path: Path, lines: list[str]) -> None:
    """A request that went well, one without an answer or refused, and a line that cannot be read."""
    found = access_log.read(log(tmp_path, *lines))
    (step,) = found.script.sessions[0].steps
    assert (step.method, step.paths, step.expect_status) == ("GET", ("/x?a=1",), (200,))
    notes = " ".join(found.notes)
    assert "1 request failed when it was logged" in notes
    assert "1 line is left out since it cannot be read" in notes


def test_hosts_of_whole_urls_are_not_sent_and_named(tmp_path: Path) -> None:
    """A proxy is asked whole URLs, of several servers."""
    hosts = ("shop.example:8080", "user:secret@pay.example", "shop.example:8080")
    lines = [f'1.2.3.4 - - [T] "GET http://{host}/a HTTP/1.1" 200 5' for host in hosts]
    file = tmp_path / "access.log"
    file.write_text("\n".join([*lines, '1.2.3.4 - - [T] "GET /a HTTP/1.1" 200 5', ""]))
    log = access_log.read(file)
    assert [step.paths for session in log.script.sessions for step in session.steps] == [("/a",)]
    said = "its URLs name the hosts pay.example and 1 more, which are not sent: the given server gets every request."
    assert log.notes[-1] == f"{file}: {said}"
