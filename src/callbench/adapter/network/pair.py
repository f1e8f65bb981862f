"""Two hosts on this machine, created by the engine's network lab. They are removed when its process ends."""

from typing import Any

from callbench.adapter.network.host import Host, Hosts
from callbench.adapter.network.lab_process import LabProcess, LinkFailure, link_failure
from callbench.adapter.process import AdapterProcess
from callbench.model.errors import AdapterFailure
from callbench.model.installation import engine_remedy, home, netlab, supervisor


class HostPair(LabProcess):
    """Two hosts. Close it to remove them.

    Attributes:
        pid: the process that holds the hosts.
        hosts: the hosts of client and server.
        maker: who makes the link: `kernel`, `emulator`, or `cable` for a plain cable.
        why_emulated: why the emulator is used instead of the kernel.
    """

    def __init__(self, **members: Any) -> None:  # noqa: ANN401 - JSON
        """Create the hosts.

        Args:
            **members: of the lab's request `make`, besides the hosts themselves.

        Raises:
            LinkFailure: the hosts cannot be created; the sentence has the remedy.
        """
        program = netlab()
        if program is None or supervisor() is None:
            raise LinkFailure("missing", f"two hosts need the engine, which is not built: {engine_remedy()}")
        try:
            process = AdapterProcess("the network lab", [str(program)], home(), (), supervised=False)
        except AdapterFailure as failure:
            raise link_failure(failure) from failure
        self.pid = process.pid
        super().__init__(process)
        try:
            made = self.ask("make", "made", **members)
        except BaseException:
            self.close()
            raise
        self.maker: str = made.get("maker") or "cable"
        self.why_emulated: str | None = made.get("why_emulated")
        user = made["user"]
        client, server = (Host(made[side]["address"], made[side]["netns"], user) for side in ("client", "server"))
        # Of a plain cable the lab knows nothing, and asking it would lie between two slices.
        self.hosts = Hosts(client, server) if self.maker == "cable" else Hosts(client, server, self.carried)
