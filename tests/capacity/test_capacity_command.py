"""`callbench capacity` as a person uses it, on servers whose capacity follows from how they are made."""

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from callbench.analysis.capacity.result import evidence_of
from callbench.stats.estimate.histogram import merged
from callbench.stats.load.bottleneck import Evidence, Side
from callbench.stats.load.capacity_plan import COARSE
from callbench.store.lines.capacity import EvidenceRecord
from callbench.store.typed import typed
from conftest import eventually
from left_behind import marked
from loaded_program import Begin
from sealed import sealed
from shop import ENDPOINTS, ORDER, SHOP, SHOP_SERVER

SERVER = Path(__file__).with_name("known_server.py")
Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]


def start(*arguments: object, server: Path = SERVER) -> tuple[str, str]:
    return "--start", shlex.join([sys.executable, str(server), "{port}", *map(str, arguments)])


def found(finished: Finished) -> dict[str, Any]:
    assert finished.stdout, finished.stderr
    return sealed("capacity", finished.stdout)


def code_of(record: dict[str, Any]) -> int:
    """The exit code of a search that needs nothing: 0 where it knows what is held at least, and nobody disturbed it."""
    return 0 if record["capacity"]["low"] is not None and record["valid"] else 3


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "places", "ms"), [("pool", 4, 40), ("lock", 1, 30)])
@pytest.mark.usefixtures("nothing_left")
def test_the_capacity_of_a_known_server(callbench: Run, kind: str, places: int, ms: int) -> None:
    """Five clients a worker wait for five calls' times, and one more makes some wait for six: see bench/."""
    truth, limit = 5 * places, 5.5 * ms
    finished = callbench(
        "capacity", *start(kind, places, ms), "--objective", f"p90 under {limit:g} ms", "--seconds", 40, "--json"
    )
    record = found(finished)
    assert finished.returncode == code_of(record)
    assert record["capacity"]["end"] == "found"
    # What the machine takes makes it hold less, and never more.
    assert truth / 3 <= record["capacity"]["level"] <= truth
    assert record["calls_per_s"]["middle"] <= places / ms * 1e3 * 1.05
    if record["valid"]:
        assert record["saturated"]["resource"] == kind
    levels = [one["level"] for one in record["steps"]]
    assert levels[:4] == [1, 2, 4, 8]


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left", "lab")
def test_a_slow_link_is_used_up_before_the_server(callbench: Run) -> None:
    """12 Mbit/s carry about 72 answers of 20 kB a second."""
    options = ("--link", "lte", "--objective", "p95 under 300 ms", "--seconds", 60, "--json")
    record = found(callbench("capacity", *start("large", 20_000, 1, "{host}"), *options))
    assert record["calls_per_s"]["middle"] <= 75
    # Where something else took the machine, the record is not valid, and the server may seem used up first.
    if record["valid"]:
        assert record["saturated"]["resource"] == "link"
        assert record["calls_per_s"]["middle"] >= 40


@pytest.mark.usefixtures("nothing_left")
def test_connections_that_are_refused_are_a_pool_that_is_full(callbench: Run) -> None:
    finished = callbench("capacity", *start("refuse", 6, 5), "--objective", "max under 2 s", "--seconds", 15, "--json")
    record = found(finished)
    assert record["capacity"]["level"] in (5, 6)
    assert record["saturated"]["resource"] == "pool"


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_need_decides_the_exit_code(callbench: Run, tmp_path: Path) -> None:
    """What lies far below or above the capacity needs no long search."""
    server = start("lock", 1, 10)
    objective = ("--objective", "mean under 100 ms", "--seconds", 30)
    held = callbench("capacity", *server, *objective, "--need", 2, "--out", "held")
    missed = callbench("capacity", *server, *objective, "--need", 500, "--out", "missed")
    for name, ended, code in (("held", held, 0), ("missed", missed, 1)):
        record = found(callbench("show", name, "--json", check=True))
        assert record["kind"] == "capacity"
        # Ten clients wait for ten calls of 10 ms.
        assert record["capacity"]["level"] <= 10
        # Where it has an end of an interval and nobody disturbed it, the need is decided, and rightly.
        right = {code} if code_of(record) == 0 else {code, 3}
        assert ended.returncode in right, ended.stderr
        word = {0: "passed", 1: "failed", 3: "undecided"}[ended.returncode]
        assert record["outcome"] == word
        # The need is what was asked, so the title answers it.
        assert ended.stdout.startswith(f"{word.capitalize()}: ")
        assert "the needed " in ended.stdout.splitlines()[0]
    for form in ("html", "md", "json"):
        written = callbench("report", "held", "--format", form, check=True).stdout.strip()
        assert (tmp_path / written).stat().st_size > 500
    lines = [json.loads(line) for line in (tmp_path / "held" / "journal.jsonl").read_text().splitlines()]
    assert {line["kind"] for line in lines} == {"step", "proof"}


@pytest.mark.usefixtures("nothing_left")
def test_more_than_requested_and_less_than_one(callbench: Run) -> None:
    server = start("pool", 8, 5)
    most = callbench("capacity", *server, "--objective", "mean under 2 s", "--most", 2, "--seconds", 10, "--json")
    assert found(most)["capacity"]["end"] == "at least"
    # A busy machine may leave no time for an interval.
    assert most.returncode == code_of(found(most))
    none = callbench("capacity", *server, "--objective", "p50 under 1 ms", "--seconds", 10, "--json")
    assert found(none)["capacity"]["end"] == "below"
    # Where others took most of the processors, they may be why it fails.
    assert none.returncode == (1 if found(none)["valid"] else 3)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_a_search_that_is_stopped_continues(begin: Begin, callbench: Run, tmp_path: Path) -> None:
    words = ("capacity", *start("pool", 2, 10), "--objective", "mean under 80 ms", "--seconds", 12, "--out", "kept")
    running = begin(*words)
    journal = tmp_path / "kept" / "journal.jsonl"
    assert eventually(lambda: journal.exists() and len(journal.read_text().splitlines()) > 2)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "goes on with it" in said
    before = journal.read_text()
    partial = callbench("show", "kept", check=True).stdout
    assert "It holds" in partial or "at least" in partial
    resumed = callbench(*words, "--resume", "--json")
    assert resumed.returncode == code_of(found(resumed)), resumed.stderr
    assert journal.read_text().startswith(before)
    assert len(found(resumed)["steps"]) > len([line for line in before.splitlines() if '"step"' in line])
    other = callbench(*words, "--resume", "--objective", "mean under 90 ms")
    assert other.returncode == 2
    assert "is another capacity" in other.stderr


@pytest.mark.usefixtures("nothing_left")
def test_a_finished_search_goes_on_with_more_time(callbench: Run, tmp_path: Path) -> None:
    """The remedy that was printed, --resume with more --seconds, was refused: "its search differ"."""
    words = ("capacity", *start("pool", 2, 10), "--objective", "mean under 80 ms", "--out", "kept")
    first = callbench(*words, "--seconds", 3)
    assert first.returncode == 3, first.stdout + first.stderr
    assert "Give more --seconds; --resume then goes on with this search." in first.stdout
    journal = tmp_path / "kept" / "journal.jsonl"
    before = journal.read_text()
    same = callbench(*words, "--seconds", 3, "--resume")
    assert same.returncode == 3
    # A load is driven to its end, so it may have taken longer than was given.
    finished = r"kept is finished: it has taken its [0-9]+ s; give more than --seconds 3 to go on"
    assert re.search(finished, " ".join(same.stderr.split())), same.stderr
    assert journal.read_text() == before
    longer = callbench(*words, "--seconds", 20, "--resume")
    record = found(callbench("show", "kept", "--json", check=True))
    assert longer.returncode == code_of(record), longer.stderr
    # 16 clients wait for eight turns of two places, which take 80 ms.
    assert record["capacity"]["level"] <= 16
    assert journal.read_text().startswith(before)
    assert journal.read_text().count('"step"') > before.count('"step"')
    assert "continued with --seconds 20: it was begun with 3" in longer.stdout
    assert "stopped or killed" not in same.stdout + longer.stdout
    other = callbench(*words, "--resume", "--seconds", 25, "--objective", "mean under 90 ms")
    assert other.returncode == 2
    assert "kept is another capacity: its objective differs;" in other.stderr


@pytest.mark.usefixtures("nothing_left")
def test_nothing_outlives_a_core_that_is_killed(begin: Begin, tmp_path: Path, mark: str) -> None:
    words = ("capacity", *start("pool", 2, 10), "--seconds", 60, "--out", "kept")
    journal = tmp_path / "kept" / "journal.jsonl"
    with begin(*words):
        assert eventually(lambda: journal.exists() and bool(journal.read_text()))
    assert eventually(lambda: not marked(mark))


@pytest.mark.usefixtures("nothing_left")
def test_a_shop_with_sessions_and_shares(callbench: Run, tmp_path: Path) -> None:
    """The server refuses requests without a login, and counts its requests."""
    (tmp_path / "order.json").write_text(ORDER)
    (tmp_path / "shop.toml").write_text(SHOP)
    counts = tmp_path / "counts.json"
    finished = callbench(
        "load",
        *start(counts, server=SHOP_SERVER),
        "--requests",
        "shop.toml",
        "--calls",
        400,
        "--clients",
        4,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    seen = json.loads(counts.read_text())
    logins = seen.pop("login")
    assert logins in (4, 5)  # The first client tries every session before anything is measured.
    total = sum(seen.values())
    for name, share in {"products": 0.6, "orders 1": 0.1, "orders 2": 0.1, "cart": 0.2}.items():
        assert abs(seen[name] / total - share) < 0.03, seen


@pytest.mark.usefixtures("nothing_left")
def test_the_proportions_of_a_log(callbench: Run, tmp_path: Path) -> None:
    line = '1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /{} HTTP/1.1" 200 23\n'
    log = tmp_path / "access.log"
    failed = line.format("products/9").replace(" 200 ", " 000 ")
    log.write_text(line.format("products/1") * 3 + line.format("products/2") + line.format("health") + failed)
    counts = tmp_path / "counts.json"
    finished = callbench("load", *start(counts, server=SHOP_SERVER), "--log", log, "--calls", 500)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    seen = json.loads(counts.read_text())
    assert abs(seen["products"] / sum(seen.values()) - 0.8) < 0.02
    # Only a search for a capacity said it.
    assert "1 request failed when it was logged (no answer, or no status of 200 to 399): left out." in finished.stdout


@pytest.mark.usefixtures("nothing_left")
def test_each_endpoint_of_a_load_has_its_times(callbench: Run, tmp_path: Path) -> None:
    """The server counts too, one endpoint sleeps 50 ms in it, and one always fails."""
    (tmp_path / "shop.toml").write_text(ENDPOINTS)
    counts = tmp_path / "counts.json"
    words = ("--requests", "shop.toml", "--calls", 60, "--clients", 3, "--out", "kept", "--json")
    # The first client tries each endpoint before anything is measured, so this one must be right at first.
    refused = callbench("load", *start(counts, server=SHOP_SERVER), *words)
    assert refused.returncode == 2
    assert "GET /cart was answered with the status 403" in refused.stderr
    (tmp_path / "shop.toml").write_text(ENDPOINTS.replace("[200]", "[403]"))
    finished = callbench("load", *start(counts, server=SHOP_SERVER), *words)
    record = sealed("load", finished.stdout)
    seen = json.loads(counts.read_text())
    endpoints = {one["name"]: one for one in record["endpoints"]}
    assert list(endpoints) == ["GET /products", "GET /slow", "GET /cart"]
    tried = dict.fromkeys(("products", "slow", "cart"), 1)
    assert {name: endpoints[f"GET /{name}"]["calls"] + once for name, once in tried.items()} == seen
    assert sum(one["calls"] for one in record["endpoints"]) == record["calls"]
    whole, parts = dict(record["histogram_ns"]["buckets"]), [one["histogram_ns"] for one in record["endpoints"]]
    assert merged(dict(one["buckets"]) for one in parts) == whole
    assert endpoints["GET /slow"]["latency_us"]["min"] >= 50_000
    assert sum(one["time_share"] for one in record["endpoints"]) == pytest.approx(1)
    shown = callbench("show", "kept", check=True).stdout
    assert "endpoint" in shown
    assert "uses most of the clients' time" in shown


@pytest.mark.usefixtures("nothing_left")
def test_each_endpoint_at_the_capacity_has_its_times(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(ENDPOINTS.replace("[200]", "[403]"))
    words = ("--requests", "shop.toml", "--objective", "mean under 5 s", "--most", 3, "--seconds", 5, "--out", "kept")
    finished = callbench("capacity", *start(tmp_path / "counts.json", server=SHOP_SERVER), *words, "--json")
    record = found(finished)
    assert [one["name"] for one in record["endpoints"]] == ["GET /products", "GET /slow", "GET /cart"]
    lines = [json.loads(line) for line in (tmp_path / "kept" / "journal.jsonl").read_text().splitlines()]
    # The loads at the capacity, each endpoint's calls added up; that of the coarse search where time left no other.
    level = record["capacity"]["level"]
    at = [line for line in lines if line["level"] == level and line["phase"] != COARSE]
    at = at or [line for line in lines if line["level"] == level]
    assert sum(one["calls"] for one in record["endpoints"]) == sum(line["load"]["calls"] for line in at)
    assert record["endpoints"][1]["latency_us"]["min"] >= 50_000
    page = callbench("report", "kept", "--format", "md", check=True).stdout.strip()
    text = (tmp_path / page).read_text()
    assert "### Endpoints" in text
    assert "| GET /slow |" in text
    (tmp_path / "shop.toml").write_text('[[request]]\npath = "/products"\n')
    alone = ("--requests", "shop.toml", "--seconds", 0.2, "--json")
    single = callbench("load", *start(tmp_path / "counts.json", server=SHOP_SERVER), *alone)
    assert sealed("load", single.stdout)["endpoints"] is None


def test_a_side_that_could_not_be_seen_is_no_damage() -> None:
    """A search on a busy machine ended with "is damaged: evidence.server.busy is not a number"."""
    unseen = asdict(Evidence(clients=1, in_process=False, client=Side(busy=0.5), server=Side()))
    assert asdict(evidence_of(typed(json.loads(json.dumps(unseen)), EvidenceRecord))) == unseen


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--objective", "fast"), "--objective is"),
        (("--along", "time"), "--along time: clients or rate"),
        (("--need", "50", "--most", "20"), "--need 50 is above --most 20"),
        (("--along", "rate", "--think", "5"), "--think is for clients"),
        (("--body", "no.json"), "--body no.json: there is no such file"),
        (("--resume",), "--resume needs --out"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(callbench: Run, words: tuple[str, ...], why: str) -> None:
    refused = callbench("capacity", *start("pool", 2, 10), *words)
    assert refused.returncode == 2
    assert why in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
