"""The gateway and its backend: payloads of the published sizes, read by others; answers of the core; faults."""

import http.client
import json
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.json_format import MessageToDict
from grpc_tools import protoc

from callbench.adapter import equivalent, placement
from callbench.adapter.network.pair import HostPair
from callbench.adapter.service.canonical import float_form
from callbench.adapter.service.search import search_response
from callbench.adapter.session import Adapter
from callbench.adapter.stack.sides import Sides
from callbench.catalog import catalogue
from callbench.model import process_tree
from callbench.model.errors import AdapterFailure
from conftest import ROOT, eventually
from left_behind import marked

Run = Callable[..., subprocess.CompletedProcess[str]]

GATEWAYS = ["xml", "json", "protobuf", "protobuf-object", "protobuf-length", "protobuf-both"]
SELECT = ["searchResult.item", "errorMessage"]
SERVICE = "{http://www.example.org/marketplace/search/v1/services}"
# Published: studies/published/qlio-2012.toml. A percent either way.
PUBLISHED = tomllib.loads((ROOT / "studies/published/qlio-2012.toml").read_text())["backend_payload_bytes"]

# Runs all three behind their supervisors, says where the gateway is, and waits to be killed.
HOLDER = """
import sys
from callbench.adapter import placement
from callbench.catalog import catalogue
from callbench.adapter.stack.sides import Sides
known = catalogue.load()
stack = known.stack("load/http1:gateway/xml")
print(Sides(known.programs(stack), placement.choose_placement(), in_process=False).serve(stack), flush=True)
sys.stdin.read()
"""


def manifest() -> Any:
    found = catalogue.load([ROOT / "adapters" / "gateway"]).adapter("gateway")
    if found.why_not:
        pytest.skip(found.why_not)
    return found.manifest


def ask(endpoint: str, path: str, method: str = "GET", body: str | None = None) -> tuple[int, bytes]:
    """Asks once, by Python's own client."""
    where = urlsplit(endpoint)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.fixture
def serve(nothing_left: None) -> Iterator[Callable[..., tuple[Adapter, str]]]:  # noqa: ARG001 - is made first, so looks last
    """Starts an adapter that serves one of its stacks."""
    with ExitStack() as alive:

        def serving(name: str, **options: Any) -> tuple[Adapter, str]:
            one = alive.enter_context(Adapter(manifest(), "the server"))
            return one, one.serve(f"gateway/{name}", options=options)

        yield serving


def test_the_backends_answers_have_the_published_sizes_and_others_read_them(serve: Any, tmp_path: Path) -> None:
    backend, endpoint = serve("backend")
    answers = {name: ask(endpoint, f"/items/50.{name}", "POST", "<q/>")[1] for name in ("xml", "protobuf", "json")}
    for name, size in PUBLISHED.items():
        assert abs(len(answers[name]) / size - 1) <= 0.01, name
    right = search_response(50)
    assert equivalent.check_body(None, {"n": 50}, {"value": answers["json"].decode()})

    envelope = ET.fromstring(answers["xml"])  # noqa: S314 - our own text
    response = envelope[0][0]
    assert response.tag == f"{SERVICE}findItemsByKeywordsResponse"
    assert same(tree_of(response), right)
    assert {price.get("currencyId") for price in response.iter(f"{SERVICE}currentPrice")} == {"USD"}

    message = message_of("contract/service.proto", "callbench.SearchResponse", tmp_path / "descriptors")
    message.ParseFromString(answers["protobuf"])
    read = MessageToDict(message, preserving_proto_field_name=False, always_print_fields_with_no_presence=True)
    assert same(renamed(read), right)
    assert backend.counted()["calls"] == {"FindItems": 3}
    assert ask(endpoint, "/items/50.yaml", "POST")[0] == 404


def tree_of(element: ET.Element) -> Any:
    """An element as nested members; items are a list, leaves texts."""
    if not len(element):
        return element.text or ""
    items = [tree_of(one) for one in element if one.tag == f"{SERVICE}item"]
    return {"item": items} if items else {one.tag.removeprefix(SERVICE): tree_of(one) for one in element}


def message_of(file: str, name: str, out: Path) -> Any:
    """An empty message of an interface file, by Google's own compiler and runtime."""
    whole = descriptor_pb2.FileDescriptorSet()
    assert protoc.main(["protoc", f"-I{ROOT}", f"-o{out}", str(ROOT / file)]) == 0
    whole.ParseFromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for one in whole.file:
        pool.Add(one)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))()


def renamed(value: Any) -> Any:
    """Members as the service calls them: only in three does protobuf's own way of writing names differ."""
    if isinstance(value, list):
        return [renamed(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {(name[:-3] + "URL" if name.endswith("Url") else name): renamed(one) for name, one in value.items()}


def same(said: Any, right: Any) -> bool:
    """Whether texts, numbers or flags are the service's."""
    if isinstance(right, dict):
        return set(said) == set(right) and all(same(said[name], right[name]) for name in right)
    if isinstance(right, list):
        return len(said) == len(right) and all(map(same, said, right))
    if isinstance(right, bool):
        return str(said).lower() == str(right).lower()
    if isinstance(right, str) and right.startswith("0x"):
        return float_form(float(said)) == right
    return str(said) == str(right)


def test_every_gateway_answers_the_cores_projection_and_says_where_its_time_went(serve: Any) -> None:
    """One after the other by one process, before one backend."""
    _, behind = serve("backend")
    gateway, endpoint = serve(GATEWAYS[0], backend=behind)
    answers_the_cores_projection(gateway, endpoint, behind, GATEWAYS[0])
    for name in GATEWAYS[1:]:
        gateway.stop_serving()
        endpoint = gateway.serve(f"gateway/{name}", options={"backend": behind})
        answers_the_cores_projection(gateway, endpoint, behind, name)


def answers_the_cores_projection(gateway: Adapter, endpoint: str, behind: str, name: str) -> None:
    for n in (0, 1, 50):
        status, body = ask(endpoint, f"/find/ipad/{n}")
        assert status == 200
        assert set(json.loads(body)) == {"searchResult"}
        equivalent.check_body(SELECT, {"n": n}, {"value": body.decode()})
    counts = gateway.counted()
    assert counts["calls"] == {"FindItems": 3}, name
    assert {stage: one["times"] for stage, one in counts["stages"].items()} == {
        "decode": 3,
        "transform": 3,
        "encode": 3,
        "wait": 3,
    }
    worked = [one for stage, one in counts["stages"].items() if stage != "wait"]
    used = counts["processor"]
    assert 0 < sum(int(one["processor_ns"]) for one in worked) <= int(used["user_ns"]) + int(used["system_ns"])
    assert "processor_ns" not in counts["stages"]["wait"]
    format_ = name.partition("-")[0]
    sizes = [len(ask(behind, f"/items/{n}.{format_}", "POST")[1]) for n in (0, 1, 50)]
    assert int(counts["stages"]["decode"]["bytes"]) == sum(sizes)
    assert ask(endpoint, "/find/ipad/many")[0] == ask(endpoint, "/find/%ff%/1")[0] == 404


def test_what_is_not_the_cores_answer_is_refused_with_its_place() -> None:
    body: dict[str, Any] = {"searchResult": {"item": []}}
    assert equivalent.check_body(SELECT, {"n": 0}, {"value": json.dumps(body)})
    for wrong, told in (
        ({**body, "ack": "Success"}, "ack is too much"),
        ({}, "searchResult is missing"),
        ({"searchResult": {"item": [{}]}}, "searchResult.item has 1 members, not 0"),
        ({"searchResult": {"item": None}}, "searchResult.item is null, not []"),
    ):
        with pytest.raises(AdapterFailure, match=told.replace("[", "\\[").replace(".", "\\.")) as failure:
            equivalent.check_body(SELECT, {"n": 0}, {"value": json.dumps(wrong)})
        assert failure.value.kind == "wrong-answer"
    with pytest.raises(AdapterFailure, match="no JSON"):
        equivalent.check_body(SELECT, {"n": 0}, {"value": "<a/>"})


class Sick(BaseHTTPRequestHandler):
    """The tests' own backend: it stores its requests, and answers as given."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, bytes]] = []  # noqa: RUF012 - one server at a time
    status, octets, length = 200, b"", 0

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).asked.append((self.path, self.headers["Content-Type"], body))
        self.send_response(self.status)
        self.send_header("Content-Length", str(self.length or len(self.octets)))
        # Said, so that the gateway does not ask again over a connection that is about to end.
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(self.octets)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def sick() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sick)
    Sick.asked.clear()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_the_query_is_xml_from_a_template_and_a_failing_backend_is_reported(serve: Any, sick: str) -> None:
    _, behind = serve("backend")
    whole = ask(behind, "/items/2.xml", "POST")[1]
    _, endpoint = serve("xml", backend=sick)
    for status, octets, length, told in (
        (500, b"no", 0, "answered with the status 500"),
        (200, whole[: len(whole) // 2], len(whole), "ended in the middle of its answer"),
        (200, whole[: len(whole) // 2], 0, "cannot be understood: "),
        (200, b"<a/>", 0, "cannot be understood: the answer has no Envelope"),
    ):
        Sick.status, Sick.octets, Sick.length = status, octets, length
        got, body = ask(endpoint, "/find/%3Cipad%20%26%20co%3E/2")
        assert got == 502
        assert told in json.loads(body)["error"]
    Sick.status, Sick.octets, Sick.length = 200, whole, 0
    assert ask(endpoint, "/find/ipad/2")[0] == 200
    path, kind, body = Sick.asked[0]
    query = ET.fromstring(body)  # noqa: S314 - our own text
    said = {one.tag.rpartition("}")[2]: one.text for one in query.iter()}
    assert (path, kind) == ("/items/2.xml", "application/xml")
    assert (said["keywords"], said["entriesPerPage"]) == ("<ipad & co>", "2")


def test_a_gateway_without_a_backend_says_so(serve: Any) -> None:
    with pytest.raises(AdapterFailure, match="backend is") as failure:
        serve("xml")
    assert failure.value.kind == "bad-request"


def test_a_backend_that_dies_is_errors_of_the_row(nothing_left: None) -> None:  # noqa: ARG001
    manifest()
    known = catalogue.load()
    stack = known.stack("load/http1:gateway/protobuf")
    with Sides(known.programs(stack), placement.choose_placement(), in_process=False) as sides:
        sides.client.connect("load/http1", sides.serve(stack), 4)
        sides.client.call("FindItems", {"n": 10})
        good = sides.client.drive("FindItems", {"n": 10}, calls=40, seconds=0)
        assert (good["calls"], good["errors"]) == (40, {})
        assert int(good["received_bytes"]) > 40 * 10_000
        assert sides.backend is not None
        assert sides.backend.process.pid is not None
        # The server itself is dead when the kernel has ended its namespace, a moment after its supervisor.
        processes = process_tree.family([sides.backend.process.pid])
        assert len(processes) > 1
        sides.backend.process.signal(signal.SIGKILL)
        assert eventually(lambda: not any(process_tree.is_alive(pid) for pid in processes))
        lost = sides.client.drive("FindItems", {"n": 10}, calls=20, seconds=0)
        assert lost["calls"] == 0
        assert sum(lost["errors"].values()) == lost["errors"]["status"] >= 20
        assert "502" in lost["error_messages"]["status"]
        with pytest.raises(AdapterFailure, match="the backend"):
            sides.counted()
        assert sides.broken


def test_killed_at_once_nothing_stays(nothing_left: None, mark: str) -> None:  # noqa: ARG001
    manifest()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as core:
        assert core.stdout is not None
        endpoint = core.stdout.readline().strip()
        assert ask(endpoint, "/find/ipad/1")[0] == 200
        assert len(marked(mark)) >= 4
        core.kill()
    assert eventually(lambda: not marked(mark))


SMALL = """
title = "Small"
published = "{published}"
[load]
clients = [3]
calls = 30
seconds = 0.3
forks = 2
rounds = 2
minutes = 0.01
[[cells]]
group = "users"
stacks = ["load/http1:gateway/xml", "load/http1:gateway/json"]
call = "FindItems"
arguments = {{ n = 2 }}
think_ms = 5
ramp_up_ms = 100
link = {link}
[[summaries]]
id = "article"
title = "As JMeter has it"
group = "users"
link = {link}
rows = [{{ label = "XML", where = {{ stack = "load/http1:gateway/xml" }}, published = "xml" }}]
"""


def small(tmp_path: Path, link: str) -> Path:
    published = ROOT / "studies" / "published" / "qlio-2012.toml"
    (tmp_path / "small.toml").write_text(SMALL.format(published=published, link=json.dumps(link)))
    return tmp_path / "small.toml"


def test_a_run_has_the_articles_table_the_gateways_stages_and_the_backends_time(callbench: Run, tmp_path: Path) -> None:
    manifest()
    run = tmp_path / "run"
    callbench("run", small(tmp_path, "loopback"), "--out", run, check=True)
    callbench("report", run, "--format", "md", check=True)
    page = (run / "report.md").read_text()
    assert "XML, published" in page
    assert "734,339" in page
    assert "| decode | transform | encode | rest | all | wait, by the clock | bytes to decode |" in page
    assert "| backend busy |" in page
    assert "| backend, in addition |" in page
    sides = callbench("query", run, "SELECT DISTINCT side FROM sides ORDER BY side", "--json", check=True)
    assert [row["side"] for row in json.loads(sides.stdout)] == ["backend", "client", "server"]
    behind = "SELECT bool_and(backend_user_ns + backend_system_ns > 0) AS used FROM trials"
    assert json.loads(callbench("query", run, behind, "--json", check=True).stdout) == [{"used": True}]
    shown = json.loads(callbench("show", run, "--json", check=True).stdout)["cells"]
    # On a machine that becomes faster meanwhile, a trial may not count.
    steady = [one for one in shown if one["trials"]]
    assert steady
    assert all(one["warm_up"]["compiles"] for one in shown)
    assert all(one["metrics"]["backend_cpu_us"]["value"] > 0 and "backend" in one["processes"] for one in steady)
    asked = (
        "SELECT (SELECT count(DISTINCT stage) FROM stages) AS n, bool_and(agree)::INT AS a, sum(error_count)::INT AS e"
    )
    assert callbench("query", run, f"{asked} FROM trials", check=True).stdout.split()[-3:] == ["4", "1", "0"]


def test_a_link_lies_between_the_gateway_and_its_backend(
    callbench: Run,
    tmp_path: Path,
    lab: None,  # noqa: ARG001
) -> None:
    manifest()
    run = tmp_path / "run"
    callbench(
        "run",
        small(tmp_path, "wan50"),
        "--select",
        "stack=load/http1:gateway/json",
        "--warm-up",
        "1",
        "--out",
        run,
        check=True,
    )
    crossed = "SELECT direction, min(bytes / calls) AS each FROM traffic JOIN trials USING (trial) GROUP BY ALL"
    rows = json.loads(callbench("query", run, crossed, "--json", check=True).stdout)
    each = {row["direction"]: row["each"] for row in rows}
    # The query one way, an answer of two items the other: a client's call does not cross, and an answer is larger.
    body = len(json.dumps(search_response(2)))
    assert body < each["to_client"] < 3 * body
    assert 400 < each["to_server"] < 2000
    told = callbench("query", run, "SELECT min(min_ns) / 1e6 AS ms, sum(error_count)::INT AS e FROM trials", check=True)
    least_ms, errors = told.stdout.split()[-2:]
    # The link has 25 ms each way before the backend.
    assert float(least_ms) >= 50
    assert errors == "0"


@pytest.mark.parametrize(("name", "kind"), [("xml", "text/xml"), ("protobuf", "application/octet-stream")])
def test_what_crosses_the_cable_behind_the_gateway_is_what_tshark_finds(
    tmp_path: Path,
    name: str,
    kind: str,
    lab: None,  # noqa: ARG001
) -> None:
    manifest()
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not there: setup/system tshark")
    known = catalogue.load()
    stack = known.stack(f"load/http1:gateway/{name}")
    capture = tmp_path / "cable.pcap"
    with (
        HostPair() as pair,
        Sides(known.programs(stack), placement.choose_placement(), in_process=False, hosts=pair.hosts) as sides,
    ):
        pair.ask("offload", "offloads", on=False)
        sides.client.connect("load/http1", sides.serve(stack), 1)
        pair.ask("account", "accounting", phase="", pcap=str(capture))
        for _ in range(2):
            sides.client.call("FindItems", {"n": 50})
        pair.ask("mark", "marked", phase="", quiet_ms=20, closed=False, within_ms=20_000)
        pair.ask("end-account", "account")
        counts = sides.counted()
    assert counts is not None
    fields = ["http.request.method", "http.request.uri", "http.content_type", "http.content_length"]
    words = [tshark, "-n", "-r", str(capture), "-Y", "http", "-T", "fields", "-E", "separator=|"]
    words += [word for field in fields for word in ("-e", field)]
    # The backend's port is an ephemeral one, which a dissector would not take for HTTP.
    words += ["-d", "tcp.port==1-65535,http"]
    seen = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout.split()
    exchanges = [line.split("|") for line in seen]
    asked, answered = exchanges[::2], exchanges[1::2]
    assert [one[:3] for one in asked] == [["POST", f"/items/50.{name}", "application/xml"]] * 2
    assert {one[2].partition(";")[0] for one in answered} == {kind}
    sizes = {int(one[3]) for one in answered}
    assert all(abs(size / PUBLISHED[name] - 1) <= 0.01 for size in sizes)
    assert int(counts["stages"]["decode"]["bytes"]) == 2 * sizes.pop()


def test_the_study_is_planned(callbench: Run) -> None:
    manifest()
    told = callbench("run", "qlio", "--quick", "--dry-run", check=True).stdout
    assert "load/http1:gateway/protobuf-both: 1 cells" in told
    assert "left out" not in told
