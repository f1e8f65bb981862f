"""The two hosts of a wire ledger, with a cable whose frames are counted, and the adapters on them."""

import signal
from pathlib import Path
from typing import Self

from callbench.adapter.network.pair import HostPair
from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.analysis.wire.counts import Row, rows
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell, sides_of

PATIENCE_SECONDS = 10.0


class Lab:
    """Two hosts with a plain cable. Close it.

    Attributes:
        pair: the hosts.
    """

    def __init__(self, placement: Placement) -> None:
        """Create the hosts.

        Raises:
            LinkFailure: they cannot be created, or their cable cannot be counted.
        """
        self._placement = placement
        self._adapters: list[Adapter] = []
        self.pair = HostPair()
        try:
            # With offloading, one frame of 64 KiB would stand for 45 packets, and packets are counted.
            self.pair.ask("offload", "offloads", on=False)
        except BaseException:
            self.pair.close()
            raise

    def server(self, programs: Programs) -> Adapter:
        """Start an adapter on the server's host. Its hello message is not read yet."""
        return self._started(Adapter(programs.server, "the server", self._placement.server, self.pair.hosts.server))

    def client(self, programs: Programs) -> Adapter:
        """Start an adapter on the client's host. Its hello message is not read yet."""
        host = self.pair.hosts.client
        return self._started(Adapter(programs.client, "the client", self._placement.client, host, programs.request))

    def _started(self, adapter: Adapter) -> Adapter:
        self._adapters = [*(adapter for adapter in self._adapters if not adapter.process.closed), adapter]
        return adapter

    def kill(self) -> None:
        """Kill the adapters that still live. A thread that waits for one of them sees its end."""
        for adapter in self._adapters:
            adapter.process.signal(signal.SIGKILL)

    def serve(self, server: Adapter, cell: Cell) -> str:
        """Serve the cell's stack on the server's host. Return its endpoint."""
        return server.serve(sides_of(cell.stack)[1], self.pair.hosts.server.address)

    def begin(self, pcap: Path | None = None) -> None:
        """Begin counting.

        Raises:
            LinkFailure: nothing can be counted here, or the capture cannot be written.
        """
        self.pair.ask("account", "accounting", phase="", pcap=str(pcap.absolute()) if pcap else None)

    def end_phase(
        self, phase: str, *, quiet_ms: int = 0, closed: bool = False, within_s: float = PATIENCE_SECONDS
    ) -> tuple[list[Row], bool]:
        """End the current phase with the name `phase`, after all sent data is acknowledged.

        Args:
            phase: its name.
            quiet_ms: also wait until the cable is quiet for so long.
            closed: also wait until every connection is closed.
            within_s: wait no longer than this.

        Returns:
            The counts of the phase, and whether the wait was successful.
        """
        wait: dict[str, object] = {"quiet_ms": quiet_ms, "closed": closed, "within_ms": round(within_s * 1000)}
        reply = self.pair.ask("mark", "marked", within_s + PATIENCE_SECONDS, phase="", **wait)
        return rows(reply["phase"], phase), bool(reply["settled"])

    def end(self) -> tuple[int, str | None]:
        """End counting. Return the number of lost frames, and what went wrong."""
        reply = self.pair.ask("end-account", "account")
        return int(reply["lost"]), reply["trouble"]

    def __enter__(self) -> Self:
        """Return the lab."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the hosts."""
        self.pair.close()
