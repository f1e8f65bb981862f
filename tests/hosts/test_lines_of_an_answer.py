"""Lines of an adapter on a host: those that belong together come with one order."""

from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.remote_process import RemoteProcess
from callbench.adapter.network.remote.session_host import HostedSession, SessionHost

if TYPE_CHECKING:
    from callbench.adapter.process import AdapterProcess

REPORT, DONE, COUNTS = {"is": "interval"}, {"is": "done"}, {"is": "counts"}


class Saying:
    """An adapter whose lines are all there."""

    broken = closed = False

    def __init__(self, *lines: dict[str, Any]) -> None:
        """Say these."""
        self._lines = deque(lines)

    def send(self, *_: object) -> None:
        """It says them anyway."""

    def receive(self, *_: object) -> dict[str, Any]:
        return self._lines.popleft()

    def says_more(self, _: float) -> bool:
        return bool(self._lines)


def test_the_end_of_a_drive_comes_with_its_last_report(tmp_path: Path) -> None:
    """Half of all slices have such a report, and each order would lie between two slices."""
    host = SessionHost(tmp_path, Keys(Path("/nowhere"), "alpha", "127.0.0.1", 1))
    asked: list[str] = []
    with ThreadPoolExecutor(1) as thread:
        session = HostedSession(thread, cast("AdapterProcess", Saying(REPORT, DONE, COUNTS)))

        def ask(do: str, members: Mapping[str, Any], _: float) -> dict[str, Any]:
            asked.append(do)
            return {} if do == "start" else host._exchange(session, members)

        process = RemoteProcess("the client", None, "alpha", 1, ask)
        for line in ({"do": "drive"}, {"do": "counted"}):
            process.send(line, 1.0)
            said = [process.receive(1e12, "an answer")]
            while said[-1] is not COUNTS and said[-1] is not DONE:
                said.append(process.receive(1e12, "an answer"))
            assert said == ([REPORT, DONE] if line["do"] == "drive" else [COUNTS])
    assert asked == ["start", "exchange", "exchange"]
