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


def named(health: Health) -> str:
    """Name a side: `native/soap+tcp, the server`."""
    side = "both sides" if health.side == "both" else f"the {health.side}"
    clients = int(health.cell.attributes["clients"])
    under = f", {clients} clients" if clients > 1 else ""
    return f"{health.cell.attributes['stack']} {health.cell.attributes['group']}{under}, {side}"


def leaks(every: Sequence[Health]) -> list[str]:
    """Write a sentence for each side that grows beyond doubt."""
    texts = []
    for health in every:
        if health.leaks_memory and health.memory is not None:
            rise = health.memory.per_thousand.middle / 1024
            texts.append(f"The memory of {named(health)} grew by {figure(rise)} KiB per 1,000 calls.")
        if health.leaks_threads and health.threads is not None:
            more = figure(health.threads.per_thousand.middle)
            texts.append(f"The threads of {named(health)} grew by {more} per 1,000 calls.")
    return texts


def deaths(every: Sequence[EndedProcesses]) -> list[str]:
    """Write a sentence for each way that a stack's processes ended in trials."""
    return [
        f"{death.stack}: {HOW.get(death.how, death.how)} ({death.times} times;"
        f" {after(death.least, death.most, death.restarts)}): {death.why}"
        for death in every
    ]
