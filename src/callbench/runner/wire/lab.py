"""The hosts of an account: a pair, its cable counted, adapters started on it."""

from pathlib import Path
from typing import Any, Self

from callbench.adapter.network.pair import Pair
from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.analysis.wire.counts import Row, rows
from callbench.catalog.manifest import Programs
from callbench.model.cell import Cell, sides_of

PATIENCE_SECONDS = 10.0


class Lab:
    """A pair of hosts whose frames are those of a cable. Close it.

    Attributes:
        pair: the hosts.
    """

    def __init__(self, placement: Placement) -> None:
        """Makes the hosts.

        Raises:
            LinkFailure: they cannot be made here, or their cable cannot be counted.
        """
        self._placement = placement
        self.pair = Pair()
        try:
            # With offloads one frame of 64 KiB stands for 45 packets, and packets are what is counted.
            self.pair.ask("offload", "offloads", on=False)
        except BaseException:
            self.pair.close()
            raise

    def server(self, programs: Programs) -> Adapter:
        """Starts an adapter on the server's host; it is yet to be greeted."""
        return Adapter(programs.server, "the server", self._placement.server, self.pair.hosts.server.entered())

    def client(self, programs: Programs) -> Adapter:
        """Starts an adapter on the client's host; it is yet to be greeted."""
        host = self.pair.hosts.client
        return Adapter(programs.client, "the client", self._placement.client, host.entered(), programs.request)

    def serve(self, server: Adapter, cell: Cell) -> str:
        """Serves the cell's stack on the server's host. Returns its endpoint."""
        return server.serve(sides_of(cell.stack)[1], self.pair.hosts.server.address)

    def begin(self, pcap: Path | None = None) -> None:
        """Begins an account.

        Raises:
            LinkFailure: nothing can be counted here, or the capture cannot be kept.
        """
        self.pair.ask("account", "accounting", phase="", pcap=str(pcap.absolute()) if pcap else None)

    def ended(
        self, phase: str, *, quiet_ms: int = 0, closed: bool = False, within_s: float = PATIENCE_SECONDS
    ) -> tuple[list[Row], bool]:
        """Ends the phase under way and calls it `phase`, once all that was sent is acknowledged.

        Args:
            phase: its name.
            quiet_ms: and nothing has come for so long.
            closed: and every connection is closed.
            within_s: or so long has passed.

        Returns:
            What it counted, and whether what was waited for came.
        """
        wait: dict[str, Any] = {"quiet_ms": quiet_ms, "closed": closed, "within_ms": round(within_s * 1000)}
        said = self.pair.ask("mark", "marked", within_s + PATIENCE_SECONDS, phase="", **wait)
        return rows(said["phase"], phase), bool(said["settled"])

    def end(self) -> tuple[int, str | None]:
        """Ends the account. Returns how many frames were lost, and what went wrong."""
        said = self.pair.ask("end-account", "account")
        return int(said["lost"]), said["trouble"]

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the hosts."""
        self.pair.close()
