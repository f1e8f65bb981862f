"""Which tests a worker gets, and when: the longest first, and those of a long file spread over all workers.

A plugin of pytest and of pytest-xdist.
"""

import functools
import re
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

TESTS = Path(__file__).resolve().parent
# The files that take longest, beside those with slow tests. They go first, so that none is left for the end.
LONGEST = (
    "faults/test_kills.py",
    "stability/test_torture.py",
    "external/test_one_way.py",
    "stability/test_soak.py",
    "cli/test_cli.py",
    "compare/test_compare.py",
    "stability/test_overload.py",
    "faults/test_misbehaving.py",
    "stability/test_deaths.py",
    "advice/test_advise_command.py",
    "external/test_external_servers.py",
    "capacity/test_capacity_command.py",
    "hosts/test_run_on_hosts.py",
    "hosts/test_agent.py",
    "report/test_export.py",
    "samples/test_generator.py",
    "advice/test_measuring.py",
    "faults/test_never_steady.py",
    "links/test_pair.py",
    "load/test_load_command.py",
    "load/test_load_tls.py",
    "load/test_load_unusual_answers.py",
    "web/test_api.py",
    "links/test_makers.py",
    "serve/test_serve.py",
    "checkout/test_copy.py",
    "samples/test_inference.py",
    "wire/test_dissected.py",
    "imports/test_hostile.py",
    "core/test_mixed.py",
)
# A fixture that several tests of a file share.
_SHARED = re.compile(r"""\bscope=["'](class|module|package|session)["']""")


@functools.cache
def is_spread(file: Path) -> bool:
    """Return whether each test of a file may be given to another worker: a long file whose tests share nothing."""
    if not file.is_relative_to(TESTS):
        return False
    text = file.read_text(encoding="utf-8")
    long = "pytest.mark.slow" in text or file.relative_to(TESTS).as_posix() in LONGEST
    return long and not _SHARED.search(text)


def unit_of(nodeid: str) -> str:
    """Return what a worker is given a test with: its file, or the test alone if its file is spread."""
    file = nodeid.partition("::")[0]
    return nodeid if is_spread(TESTS.parent / file) else file


class Scheduling(LoadFileScheduling):  # type: ignore[misc]
    """Gives a worker a file after the other, and of a file that is spread a test after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Spread them, where files are what workers are given."""
    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts slow tests first, then their files, then the other long ones."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    ranks = {TESTS / name: rank for rank, name in enumerate(LONGEST)}

    def order(item: pytest.Item) -> tuple[bool, bool, int]:
        alone = is_spread(item.path) and item.get_closest_marker("slow") is not None
        shared = item.path in slow and not is_spread(item.path)
        return not (alone or shared), item.path not in slow, ranks.get(item.path, len(ranks))

    items.sort(key=order)
