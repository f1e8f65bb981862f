"""The processes of one adapter: all below its supervisor."""

from collections.abc import Mapping, Sequence

from callbench.adapter.external.program import NAME as EXTERNAL
from callbench.model.process_tree import PROC, descendants

# Cut to 15 bytes as in the kernel.
_OURS = (b"callbench-supervisor"[:15], EXTERNAL)


def descendants_of(root: int | None) -> tuple[int, ...]:
    """Return the process `root` and its descendants, without supervisor and init. None is on another machine."""
    return () if root is None else below(root, descendants(root))


def below(root: int, children: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """Return the process `root` and its descendants, without supervisor, init, and an external server's adapter."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        pid = waiting.pop(0)
        found.append(pid)
        waiting += sorted(children.get(pid, ()))
    keeping = [pid for pid in found[:3] if _command(pid) in _OURS]
    return tuple(pid for pid in found if pid not in keeping and (pid != root or (PROC / str(pid)).exists()))


def _command(pid: int) -> bytes:
    try:
        return (PROC / str(pid) / "comm").read_bytes().strip()
    except OSError:
        return b""
