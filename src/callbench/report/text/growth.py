"""Which processes grew and which died, in words."""

from collections.abc import Sequence

from callbench.analysis.judge.health import EndedProcesses, Health
from callbench.model.process_end import after
from callbench.stats.estimate.digits import figure

HOW = {
    "out-of-memory": "a process ran out of memory",
    "crash": "a process crashed",
    "killed": "a process was killed from outside",
    "exit": "a process ended by itself",
}


def named(one: Health) -> str:
    """Name a side: `native/soap+tcp, the server`."""
    side = "both sides" if one.side == "both" else f"the {one.side}"
    clients = int(one.cell.attributes["clients"])
    under = f", {clients} clients" if clients > 1 else ""
    return f"{one.cell.attributes['stack']} {one.cell.attributes['group']}{under}, {side}"


def leaks(every: Sequence[Health]) -> list[str]:
    """Write a sentence for each side that grows beyond doubt."""
    texts = []
    for one in every:
        if one.leaks_memory and one.memory is not None:
            rise = one.memory.per_thousand.middle / 1024
            texts.append(f"The memory of {named(one)} grew by {figure(rise)} KiB per 1,000 calls.")
        if one.leaks_threads and one.threads is not None:
            more = figure(one.threads.per_thousand.middle)
            texts.append(f"The threads of {named(one)} grew by {more} per 1,000 calls.")
    return texts


def deaths(every: Sequence[EndedProcesses]) -> list[str]:
    """Write a sentence for each way that a stack's processes ended in trials."""
    return [
        f"{one.stack}: {HOW.get(one.how, one.how)} ({one.times} times;"
        f" {after(one.least, one.most, one.restarts)}): {one.why}"
        for one in every
    ]
