"""omniORB and JacORB as each other's client and server: two ORBs that others wrote check each other."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench import catalogue, placement
from callbench.verify import suite
from conftest import ROOT

KNOWN = catalogue.load([ROOT / "adapters" / "cpp", ROOT / "adapters" / "java"])
CPP, JAVA = "cpp/corba-omniorb", "java/corba-jacorb"
WAYS = [f"{CPP}:{JAVA}", f"{JAVA}:{CPP}"]
WHY_NOT = "; ".join(str(adapter.why_not) for adapter in KNOWN.adapters if adapter.why_not)

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


@pytest.mark.slow
@pytest.mark.parametrize("stack", WAYS)
@pytest.mark.usefixtures("nothing_left")
def test_they_keep_the_contract_together(stack: str) -> None:
    outcomes = list(suite.of(KNOWN, [stack], every=False, placement=placement.placed()))
    assert len(outcomes) > 100
    assert [outcome.sentence for outcome in outcomes if outcome.fails] == []
    known = {outcome.check for outcome in outcomes if not outcome.passed}
    # The wide strings of C++ end at U+0000 on whichever side it is, and its client does not even send them.
    assert known == {"EchoString/nul"} | ({"Send/string-nul"} if stack.startswith(CPP) else set())


@pytest.mark.usefixtures("nothing_left")
def test_a_study_of_the_thesis_has_rows_of_both_ways(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    wanted = ("--select", "group=byte", "--select", "clients=1", "--select", "*corba*:*corba*")
    callbench("run", "thesis-time", "--quick", "--blocks", 1, *wanted, "--no-floors", "--out", "r", check=True)
    rows = json.loads(callbench("query", "r", "SELECT stack, calls FROM cells", "--json", check=True).stdout)
    assert sorted(row["stack"] for row in rows) == WAYS
    shown = json.loads(callbench("show", "r", "--json", check=True).stdout)
    assert [cell["excluded"] for cell in shown["cells"]] == [None, None]
    callbench("report", "r", "--format", "md", "--out", "r.md", check=True)
    assert "CORBA (omniORB to JacORB)" in (tmp_path / "r.md").read_text()
