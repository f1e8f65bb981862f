"""At the end of the tests, where their time went: by file, by program that was started, and in compilers.

A plugin of pytest, asked for by --where-time-goes. CONTRIBUTING.md says how to read what it prints.
"""

import os
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import process_starts
from process_starts import Start

_OPTION = "--where-time-goes"
_FILES = 30
_PROGRAMS = 20


@dataclass
class FileTime:
    """What a file of tests took, all workers together."""

    tests: set[str] = field(default_factory=set)
    seconds: float = 0.0
    starts: int = 0
    compile_seconds: float = 0.0


@dataclass
class WhereTimeGoes:
    """Adds up what the workers report."""

    starts: Path
    files: defaultdict[str, FileTime] = field(default_factory=lambda: defaultdict(FileTime))
    workers: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def pytest_configure_node(self, node: pytest.Item) -> None:
        """Tell a worker of pytest-xdist where process starts are noted."""
        node.workerinput["starts"] = str(self.starts)  # type: ignore[attr-defined]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test's preparation, the test and its end."""
        of_file = self.files[report.nodeid.partition("::")[0]]
        of_file.tests.add(report.nodeid)
        of_file.seconds += report.duration
        node = getattr(report, "node", None)
        self.workers["this process" if node is None else node.gateway.id] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the tables."""
        started = list(process_starts.noted(self.starts))
        self.starts.unlink(missing_ok=True)
        terminalreporter.section("where time goes")
        for line in self.lines(started):
            terminalreporter.write_line(line)

    def lines(self, started: list[Start]) -> list[str]:
        """Return the tables, the largest first."""
        for start in started:
            of_file = self.files[start.test.partition("::")[0] or "between tests"]
            of_file.starts += 1
            of_file.compile_seconds += start.seconds if start.compiles else 0.0
        total = sum(of_file.seconds for of_file in self.files.values())
        compiling = sum(start.seconds for start in started if start.compiles)
        said = [
            f"{total:.0f} s of tests, {len(started)} processes started, {compiling:.0f} s in compilers",
            "workers: " + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in sorted(self.workers.items())),
            "",
            f"{'seconds':>8} {'tests':>6} {'starts':>7} {'compile s':>10}  file",
        ]
        largest = sorted(self.files.items(), key=lambda item: -item[1].seconds)
        said += [
            f"{its.seconds:8.1f} {len(its.tests):6} {its.starts:7} {its.compile_seconds:10.1f}  {name}"
            for name, its in largest[:_FILES]
        ]
        programs: defaultdict[str, list[float]] = defaultdict(list)
        for start in started:
            programs[start.program].append(start.seconds)
        said += ["", f"{'lived s':>8} {'starts':>7}  program"]
        longest = sorted(programs.items(), key=lambda item: -sum(item[1]))
        said += [f"{sum(lived):8.1f} {len(lived):7}  {name}" for name, lived in longest[:_PROGRAMS]]
        return said


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption(
        _OPTION, action="store_true", help="print at the end which files, programs and compilers took long"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Notes process starts in each worker, and adds them up where the report is printed."""
    if not config.getoption(_OPTION):
        return
    given = getattr(config, "workerinput", None)
    if given is None:
        handle, name = tempfile.mkstemp(prefix="callbench-test-starts-")
        os.close(handle)
        config.pluginmanager.register(WhereTimeGoes(Path(name)))
    else:
        name = given["starts"]
    os.environ[process_starts.VARIABLE] = name
    if given is not None or not config.getoption("numprocesses", 0):
        process_starts.install(Path(name))
