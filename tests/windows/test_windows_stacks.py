"""The channels of Windows, in Wine, against the contract suite."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.catalog import catalogue
from conftest import ROOT
from contract_suite import assert_it_begins_and_ends_as_the_contract_says, assert_it_keeps_the_contract

ADAPTER = catalogue.load([ROOT / "adapters" / "windows"]).adapter("windows")

pytestmark = pytest.mark.skipif(ADAPTER.why_not is not None, reason=str(ADAPTER.why_not))


# Each channel with one message and each message with one channel: what is shared is tested natively.
@pytest.mark.slow
@pytest.mark.parametrize(
    "stack",
    ["windows/bin+winmsg", "windows/bincomp+namedpipe", "windows/soap+dll", "windows/xmlrpc+winmsg", "windows/com"],
)
def test_it_keeps_the_contract(stack: str) -> None:
    assert_it_keeps_the_contract(catalogue.load([ROOT / "adapters" / "windows"]), stack)


def test_it_begins_and_ends_as_the_contract_says() -> None:
    assert_it_begins_and_ends_as_the_contract_says(ADAPTER)


def test_what_wines_server_takes_stands_beside_both_sides(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "w.toml").write_text(
        'title = "W"\nabout = "One call."\n[load]\nclients = [1]\ncalls = 200\nseconds = 0.2\n'
        "forks = 2\nrounds = 2\nminutes = 0.01\n"
        '[[cells]]\ngroup = "Sum"\nstacks = ["windows/bin+namedpipe", "native/bin+pipe"]\ncall = "Sum"\n'
        "arguments = { a = 1, b = 2 }\n"
    )
    callbench("run", "w.toml", "--out", "run", check=True)
    shown = json.loads(callbench("show", "run", "--json", check=True).stdout)
    costs = {cell["stack"]: cell["metrics"] for cell in shown["cells"]}
    assert costs["windows/bin+namedpipe"]["wineserver_us"]["value"] > 0
    assert "wineserver_us" not in costs["native/bin+pipe"]
    page = (tmp_path / "run" / "report.html").read_text()
    assert page.count("Processor time of Wine's server") == 1
