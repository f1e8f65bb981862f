"""At the end of the tests, where their time went: by file, by program that was started, and in compilers.

A plugin of pytest, asked for by --where-time-goes. CONTRIBUTING.md says how to read what it prints.
"""

import os
import resource
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import process_starts
from process_starts import LOADED, LOADING, Start, used_s

_OPTION = "--where-time-goes"
_FILES = 30
_PROGRAMS = 20


@dataclass
class FileTime:
    """What a file of tests took, all workers together."""

    tests: set[str] = field(default_factory=set)
    seconds: float = 0.0
    processor_s: float = 0.0
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
        of_file.processor_s += getattr(report, "processor_s", 0.0)
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
            # The program that is kept loaded waits for its runs, and not the test.
            of_file.processor_s += start.processor_s if start.program == LOADED else 0.0
            # Its runs are told, each with its own test: they are not told again with the test in which it ends.
            of_file.processor_s -= start.processor_s if start.program == LOADING and start.test else 0.0
        total, used = (sum(getattr(its, name) for its in self.files.values()) for name in ("seconds", "processor_s"))
        compiling = sum(start.seconds for start in started if start.compiles)
        counts = f"{len(started)} processes started, {compiling:.0f} s in compilers"
        return [
            f"{total:.0f} s of tests, {counts}, {used:.0f} s of processors",
            "workers: " + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in sorted(self.workers.items())),
            "",
            *self._of_files(),
            "",
            *_of_programs(started),
        ]

    def _of_files(self) -> Iterator[str]:
        yield f"{'processor s':>11} {'seconds':>8} {'tests':>6} {'starts':>7} {'compile s':>10}  file"
        for name, its in sorted(self.files.items(), key=lambda item: -item[1].processor_s)[:_FILES]:
            figures = f"{its.seconds:8.1f} {len(its.tests):6} {its.starts:7} {its.compile_seconds:10.1f}"
            yield f"{its.processor_s:11.1f} {figures}  {name}"


def _of_programs(started: list[Start]) -> Iterator[str]:
    """Say what each program took; a run has not what it started, and what is kept loaded has not its runs."""
    programs: defaultdict[str, list[Start]] = defaultdict(list)
    for start in started:
        programs[start.program].append(start)
    processors = {name: sum(start.processor_s for start in starts) for name, starts in programs.items()}
    if LOADING in programs:
        processors[LOADING] -= processors.get(LOADED, 0.0)
    if LOADED in programs:
        processors[LOADED] -= sum(start.processor_s for start in started if start.is_within)
    yield f"{'processor s':>11} {'lived s':>8} {'starts':>7}  program"
    for name in sorted(processors, key=lambda name: -processors[name])[:_PROGRAMS]:
        starts = programs[name]
        lived = sum(start.seconds for start in starts)
        yield f"{max(0.0, processors[name]):11.1f} {lived:8.1f} {len(starts):7}  {name}"


class ProcessorTime:
    """Adds to each report what was computed since the last one, by the tests' process and what it waited for."""

    def __init__(self) -> None:
        """Begin now."""
        self._last_s = _used_s()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Leave out what was computed between tests."""
        self._last_s = _used_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add it."""
        report = yield
        before_s, self._last_s = self._last_s, _used_s()
        report.processor_s = self._last_s - before_s  # type: ignore[attr-defined]
        return report


def _used_s() -> float:
    return used_s(resource.RUSAGE_SELF) + used_s(resource.RUSAGE_CHILDREN)


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
        config.pluginmanager.register(ProcessorTime())
