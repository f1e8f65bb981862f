"""Slices in which other programs had a part of the processors."""

from callbench.store.lines.sides import MachineUse


def machine(share: float, *, known: bool = True) -> MachineUse:
    """What two processors did in a slice in which other programs had so much of them."""
    others_ns = round(share * 2e9)
    return MachineUse(
        elapsed_ns=10**9,
        processors=2,
        busy_ns=10**9 + others_ns,
        steal_ns=0,
        ours_ns=10**9,
        known=known,
        most=[("cc1plus", others_ns)],
    )
