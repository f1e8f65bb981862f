"""The two sides of a stack: a server and a client, each a process; or one process that plays both."""

from typing import Self

from callbench.adapter import Adapter
from callbench.contract import Options
from callbench.errors import AdapterFailure
from callbench.links.host import LOOPBACK_HOSTS, Hosts, misplaced
from callbench.manifest import Manifest
from callbench.placement import Placement


class Sides:
    """Both sides of an adapter, started. Close them: nothing of them is then left.

    Attributes:
        server: serves.
        client: connects, calls, drives. The same one where the stack is in-process.
    """

    def __init__(
        self, manifest: Manifest, placement: Placement, *, in_process: bool, hosts: Hosts = LOOPBACK_HOSTS
    ) -> None:
        """Starts what is needed, each side on its host.

        Raises:
            AdapterFailure: a side cannot be started.
        """
        self._hosts = hosts
        part = "both sides" if in_process else "the client"
        self.client = Adapter(manifest, part, placement.client, hosts.client.entered())
        self.server = self.client
        try:
            if not in_process:
                self.server = Adapter(manifest, "the server", placement.server, hosts.server.entered())
                self.server.greeted()
            self.client.greeted()
        except BaseException:
            self.close(at_once=True)
            raise

    def serve(self, stack: str, options: Options | None = None) -> str:
        """Serves a stack on the server's host, with options of the server. Returns its endpoint.

        Raises:
            AdapterFailure: the server cannot, or serves somewhere else.
        """
        endpoint = self.server.serve(stack, self._hosts.server.address, options)
        wrong = misplaced(endpoint, self._hosts.server)
        if wrong:
            raise AdapterFailure("protocol", f"{self.server.process.who} {wrong}")
        return endpoint

    @property
    def broken(self) -> bool:
        """Whether a side died or left the contract."""
        return self.client.broken or self.server.broken

    def close(self, *, at_once: bool = False) -> None:
        """Ends both: politely, and by force after 5 s.

        Args:
            at_once: by force without waiting.
        """
        for side in dict.fromkeys((self.client, self.server)):
            if at_once:
                side.process.close(grace=0)
            else:
                side.stop()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Closes them: at once where something went wrong."""
        self.close(at_once=kind is not None)
