"""What the page has, which the API shares."""

from dataclasses import dataclass
from pathlib import Path

from callbench.store.shelf import Shelf
from callbench.web.comparing import Comparing
from callbench.web.histories import Histories
from callbench.web.hosts import OtherMachines
from callbench.web.jobs import Jobs
from callbench.web.reports import Reports
from callbench.web.services import Services
from callbench.web.serving import Serving
from callbench.web.settings import Settings
from callbench.web.watching import Watching


@dataclass(frozen=True)
class PageParts:
    """What answers the page.

    Attributes:
        kept: a folder for what goes with the server.
    """

    shelf: Shelf
    kept: Path
    jobs: Jobs
    reports: Reports
    histories: Histories
    comparing: Comparing
    watching: Watching
    settings: Settings
    serving: Serving
    hosts: OtherMachines
    services: Services
