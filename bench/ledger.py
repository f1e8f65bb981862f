"""Does the wire ledger agree to the byte with a program of known bytes, where nothing is lost and where frames are?

A client sends 10,000 requests of 40 bytes, a server answers each with 300: what crosses the streams is known without
looking. bench/ledger.py [CALLS]
"""

import subprocess
import sys
from typing import Any

from callbench.adapter.network.pair import HostPair
from callbench.catalog.links.profile import find
from callbench.model.installation import supervisor

CALLS, UP, DOWN = 10_000, 40, 300

SERVER = """
import socket, sys
host, calls, up, down = sys.argv[1], *map(int, sys.argv[2:])
listener = socket.create_server((host, 0))
print(listener.getsockname()[1], flush=True)
peer, _ = listener.accept()
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
with peer.makefile("rb") as reader:
    for _ in range(calls):
        assert len(reader.read(up)) == up
        peer.sendall(b"a" * down)
    assert not reader.read(1)
peer.close()
"""

CLIENT = """
import socket, sys
host, port, calls, up, down = sys.argv[1], *map(int, sys.argv[2:])
peer = socket.create_connection((host, port))
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
with peer.makefile("rb") as reader:
    for _ in range(calls):
        peer.sendall(b"r" * up)
        assert len(reader.read(down)) == down
peer.close()
"""


def main() -> None:
    """Counts over both cables and says how far the ledger is off."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    off = 0
    for link in ("pair", "lossy1"):
        wire: dict[str, Any] = {} if link == "pair" else dict(find(link).wire)
        counts, lost = counted(wire, calls)
        up, down = counts["to_server"], counts["to_client"]
        wrong = abs(up["payload"] - calls * UP) + abs(down["payload"] - calls * DOWN)
        off += wrong
        again = up["retransmitted"] + down["retransmitted"]
        print(
            f"{link}: {calls} calls, {up['payload']} bytes there and {down['payload']} back, {wrong} off what was sent;"
            f" {again} bytes came again, {up['turns']} turns of the client, {lost} frames lost by the capture"
        )
    sys.exit(1 if off else 0)


def counted(wire: dict[str, Any], calls: int) -> tuple[dict[str, Any], int]:
    """Lets both talk over a cable of their own. Returns what was counted, and how many frames the capture lost."""
    kept = supervisor()
    if kept is None:
        sys.exit("the engine is not built: make engine")
    with HostPair(**wire) as pair:
        pair.ask("offload", "offloads", on=False)
        pair.ask("account", "accounting", phase="all", pcap=None)
        sizes = [str(calls), str(UP), str(DOWN)]
        there = [str(kept), *pair.hosts.server.enter_options(), "--", sys.executable, "-c", SERVER]
        here = [str(kept), *pair.hosts.client.enter_options(), "--", sys.executable, "-c", CLIENT]
        address = pair.hosts.server.address
        with subprocess.Popen(
            [*there, address, *sizes], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            port = server.stdout.readline().strip() if server.stdout else ""
            subprocess.run([*here, address, port, *sizes], check=True, timeout=600)
            server.wait(60)
        said = pair.ask("mark", "marked", 60.0, phase="over", quiet_ms=50, closed=True, within_ms=30_000)
        ended = pair.ask("end-account", "account")
    return said["phase"], int(ended["lost"])


if __name__ == "__main__":
    main()
