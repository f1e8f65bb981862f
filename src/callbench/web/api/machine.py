"""What the API does with this machine."""

from pydantic import BaseModel

from callbench.web.api.messages import NothingAsked, StartedCommand
from callbench.web.api.operation import Operation
from callbench.web.api.parts import PageParts
from callbench.web.hosts import CheckedHost, ListedHost
from callbench.web.settings import MachineFinding, SetupRow


class FindingList(BaseModel):
    """What `callbench doctor --json` prints."""

    findings: list[MachineFinding]


class SetupList(BaseModel):
    """What `callbench setup --json` prints, without its scripts."""

    parts: list[SetupRow]


class HostList(BaseModel):
    """What `callbench hosts list --json` prints."""

    hosts: list[ListedHost]


class HostCheckList(BaseModel):
    """What `callbench hosts check --json` prints."""

    hosts: list[CheckedHost]


class Machine:
    """What is done with this machine."""

    def __init__(self, parts: PageParts) -> None:
        """Work on what the page shows."""
        self._settings, self._hosts = parts.settings, parts.hosts

    def operations(self) -> list[Operation]:
        """Return what can be asked."""
        return [
            Operation("GET", "/doctor", "getDoctor", self._doctor),
            Operation("GET", "/setup", "listSetup", self._list),
            Operation("POST", "/setup/{name}", "setUp", self._set_up, more=[409]),
            Operation("GET", "/hosts", "listHosts", self._list_hosts),
            Operation("POST", "/hosts/check", "checkHosts", self._check_hosts),
            Operation("POST", "/cache/clear", "clearCache", self._clear, more=[409]),
        ]

    def _doctor(self, _: str, __: NothingAsked) -> FindingList:
        """Look at what this machine can run. Each adapter is started once, which takes some seconds."""
        return FindingList(findings=self._settings.look())

    def _list(self, _: str, __: NothingAsked) -> SetupList:
        """List what can be set up."""
        return SetupList(parts=self._settings.parts())

    def _set_up(self, name: str, _: NothingAsked) -> StartedCommand:
        """Set up what is missing."""
        return StartedCommand.of(self._settings.set_up(name))

    def _list_hosts(self, _: str, __: NothingAsked) -> HostList:
        """List the other machines that have keys, which are there, and what they do."""
        return HostList(hosts=self._hosts.look())

    def _check_hosts(self, _: str, __: NothingAsked) -> HostCheckList:
        """Check the clocks and round trips of all of them. Each is taken for a moment."""
        return HostCheckList(hosts=self._hosts.check())

    def _clear(self, _: str, __: NothingAsked) -> StartedCommand:
        """Remove what was compiled and is not used now."""
        return StartedCommand.of(self._settings.clear_cache())
