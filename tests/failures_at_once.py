"""Prints what failed when it fails: a run that is ended from outside never comes to its summary.

A plugin of pytest.
"""

import pytest

# Of the account of a failure; its end says what was wrong.
_LINES = 40


class FailuresAtOnce:
    """Prints each failure below the dots."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        """Print through pytest's own reporter, which knows where a line begins."""
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the end of a failed test's account."""
        if not report.failed:
            return
        lines = report.longreprtext.splitlines()
        self._terminal.ensure_newline()
        self._terminal.write_line(f"FAILED {report.nodeid} ({report.when}, after {report.duration:.0f} s)", red=True)
        for line in lines[-_LINES:]:
            self._terminal.write_line(line)
        self._terminal.flush()


# The terminal's own part comes first.
@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prints where the terminal is: never in a worker."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if isinstance(terminal, pytest.TerminalReporter) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailuresAtOnce(terminal))
