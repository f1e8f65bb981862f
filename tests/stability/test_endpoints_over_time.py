"""Soak and overload of a server with several endpoints: each has its calls and times."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.stats.estimate.histogram import merged
from sealed import sealed
from shop import ENDPOINTS, SHOP_SERVER

Program = Callable[..., subprocess.CompletedProcess[str]]
NAMES = ["GET /products", "GET /slow", "GET /cart"]
SLOW_US = 50_000


@pytest.fixture
def shop(tmp_path: Path) -> list[str]:
    """The options that start it and call its endpoints."""
    (tmp_path / "shop.toml").write_text(ENDPOINTS.replace("[200]", "[403]"))
    start = [sys.executable, str(SHOP_SERVER), "{port}", str(tmp_path / "counts.json")]
    return ["--start", shlex.join(start), "--requests", "shop.toml"]


@pytest.mark.usefixtures("nothing_left")
def test_each_step_of_a_soak_has_its_endpoints(callbench: Program, tmp_path: Path, shop: list[str]) -> None:
    words = ("--clients", "1,3", "--seconds", 2, "--every", 0.5, "--rest", 0, "--out", "kept", "--json")
    record = sealed("soak", callbench("soak", *shop, *words).stdout)
    assert len(record["steps"]) == 2
    for step in record["steps"]:
        assert [one["name"] for one in step["endpoints"]] == NAMES
        assert sum(one["calls"] for one in step["endpoints"]) == step["calls"]
        assert step["endpoints"][1]["latency_us"]["min"] >= SLOW_US
        assert sum(one["time_share"] for one in step["endpoints"]) == pytest.approx(1)
    lines = [json.loads(line) for line in (tmp_path / "kept" / "journal.jsonl").read_text().splitlines()]
    whole = [dict(line["buckets"]) for line in lines if line["kind"] == "histogram"]
    each = [one["histogram_ns"] for line in lines if line["kind"] == "endpoints" for one in line["endpoints"]]
    assert merged(dict(one["buckets"]) for one in each if one) == merged(whole)
    shown = callbench("show", "kept").stdout
    assert "Endpoints, 1 client\n" in shown
    assert "Endpoints, 3 clients\n" in shown
    assert "uses most of the clients' time" in shown


@pytest.mark.usefixtures("nothing_left")
def test_each_overload_has_its_endpoints(callbench: Program, shop: list[str]) -> None:
    words = ("--clients", 6, "--capacity", 20, "--times", "2,4", "--seconds", 1, "--rest", 0, "--out", "kept", "--json")
    record = sealed("overload", callbench("overload", *shop, *words).stdout)
    assert [one["factor"] for one in record["overloads"]] == [2, 4]
    for over in record["overloads"]:
        assert [one["name"] for one in over["endpoints"]] == NAMES
        assert sum(one["calls"] for one in over["endpoints"]) == over["calls"]
        assert over["endpoints"][1]["latency_us"]["min"] >= SLOW_US
    shown = callbench("show", "kept").stdout
    assert "Endpoints, 2 times the capacity\n" in shown
    assert "GET /slow" in shown


@pytest.mark.usefixtures("nothing_left")
def test_one_endpoint_has_no_table(callbench: Program, tmp_path: Path, shop: list[str]) -> None:
    (tmp_path / "shop.toml").write_text('[[request]]\npath = "/products"\n')
    words = ("--clients", 1, "--seconds", 0.4, "--every", 0.2, "--rest", 0, "--out", "kept", "--json")
    record = sealed("soak", callbench("soak", *shop, *words).stdout)
    assert record["steps"][0]["endpoints"] == []
    assert "Endpoints" not in callbench("show", "kept").stdout
