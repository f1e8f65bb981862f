"""omniORB and JacORB as each other's client and server: two ORBs that others wrote check each other."""

import pytest

from callbench.catalog import catalogue
from callbench.catalog.study import load
from conftest import ROOT
from contract_suite import assert_it_keeps_the_contract

KNOWN = catalogue.load([ROOT / "adapters" / "cpp", ROOT / "adapters" / "java"])
CPP, JAVA = "cpp/corba-omniorb", "java/corba-jacorb"
WAYS = [f"{CPP}:{JAVA}", f"{JAVA}:{CPP}"]
WHY_NOT = "; ".join(str(adapter.why_not) for adapter in KNOWN.adapters if adapter.why_not)

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


@pytest.mark.slow
@pytest.mark.parametrize("stack", WAYS)
@pytest.mark.usefixtures("nothing_left")
def test_they_keep_the_contract_together(stack: str) -> None:
    outcomes = assert_it_keeps_the_contract(KNOWN, stack)
    known = {outcome.check for outcome in outcomes if not outcome.passed}
    # The wide strings of C++ end at U+0000 on whichever side it is, and its client does not even send them.
    assert known == {"EchoString/nul"} | ({"Send/string-nul"} if stack.startswith(CPP) else set())


@pytest.mark.parametrize("name", ["thesis-time", "one-byte"])
def test_a_study_has_cells_and_rows_of_both_ways(name: str) -> None:
    study = load(name)
    cells = {cell.stack: cell.group for cell in study.cells(KNOWN.every, quick=False)}
    assert {stack for stack in cells if ":" in stack} == set(WAYS)
    rows = {row.where.stack for table in study.part.tables for row in table.rows}
    assert set(WAYS) <= rows
