"""What this machine can run, what is missing, and the command that installs it."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from callbench.adapter import placement, session
from callbench.adapter.generators import compiled_cache
from callbench.adapter.network import creation, kernel
from callbench.catalog import setup
from callbench.catalog.catalogue import Catalogue, KnownAdapter
from callbench.catalog.links import profile
from callbench.catalog.reach import PAIR
from callbench.model.errors import AdapterFailure
from callbench.model.installation import engine_remedy, home, supervisor
from callbench.runner.machine import environment
from callbench.runner.machine.idle_states import DEVICE


@dataclass(frozen=True)
class DoctorFinding:
    """The result of one check.

    Attributes:
        state: `good`, `missing` (something cannot run without it) or `poor` (measurements suffer).
        remedy: the command or advice that helps, or None.
    """

    subject: str
    state: str
    found: str
    remedy: str | None = None

    def record(self) -> dict[str, object]:
        """Return the finding as a JSON object."""
        return asdict(self)


def findings(catalogue: Catalogue) -> Iterator[DoctorFinding]:
    """Check the machine, then start each adapter once and read its hello message."""
    yield from _machine()
    yield _supervisor()
    yield _own_service()
    yield _cache()
    yield from _lab()
    for sentence in catalogue.broken:
        yield DoctorFinding("manifest", "missing", sentence, "correct the manifest: contract/CONTRACT.md explains it")
    for each in catalogue.adapters:
        yield from _adapter(each)


def _cache() -> DoctorFinding:
    size = sum(entry.size for entry in compiled_cache.entries()) / 1e9
    limit = compiled_cache.limit_bytes() / 1e9
    size_text = f"{size:.2f} of at most {limit:g} GB of compiled services in {compiled_cache.place()}"
    return DoctorFinding(
        "cache", "good" if size <= limit else "poor", size_text, "callbench cache --clear" if size else None
    )


def _machine() -> Iterator[DoctorFinding]:
    where = placement.choose_placement()
    usable = len(os.sched_getaffinity(0))
    if where.shared:
        yield DoctorFinding(
            "processors", "poor", f"{usable} usable: client and server share it", "give the machine two or more"
        )
    else:
        yield DoctorFinding(
            "processors",
            "good",
            f"{usable} usable: the client on {list(where.client)}, the server on {list(where.server)}",
        )
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor.exists() and (setting := governor.read_text().strip()) != "performance":
        yield DoctorFinding("governor", "poor", setting, "cpupower frequency-set -g performance")
    yield from _idle_states()
    load = os.getloadavg()[0]
    busy = load > 0.5 * usable
    yield DoctorFinding(
        "load",
        "poor" if busy else "good",
        f"{load:.2f} in the last minute",
        "wait until the machine is idle" if busy else None,
    )
    steal = environment.busyness()["steal_share"]
    if steal is not None and steal > 0.01:
        yield DoctorFinding(
            "steal", "poor", f"{steal:.1%} of processor time went to other guests", "use a machine without other guests"
        )
    memory = psutil.virtual_memory().available / 2**30
    yield DoctorFinding("memory", "good" if memory > 1 else "poor", f"{memory:.1f} GiB available")
    free = shutil.disk_usage(home()).free / 2**30
    yield DoctorFinding("disk", "good" if free > 1 else "poor", f"{free:.1f} GiB free at {home()}")


def _idle_states() -> Iterator[DoctorFinding]:
    """Say which idle states the processors have, and whether `--hold-idle` can keep them out of the deep ones."""
    states = environment.idle_states()
    yield DoctorFinding("idle states", "good", ", ".join(states) if states else "the system shows none")
    if states and not os.access(DEVICE, os.W_OK):
        found = f"{DEVICE} cannot be written, which `--hold-idle` needs"
        yield DoctorFinding("holding idle states", "poor", found, "run as root")


def _supervisor() -> DoctorFinding:
    program = supervisor()
    if program:
        return DoctorFinding("supervisor", "good", str(program))
    return DoctorFinding(
        "supervisor", "poor", "not built: adapters run without a PID namespace of their own", engine_remedy()
    )


def _own_service() -> DoctorFinding:
    """Look for what compiles the calls of an imported service."""
    missing = [title for title, program in (("Rust", "cargo"), ("a C compiler", "cc")) if shutil.which(program) is None]
    if not missing:
        return DoctorFinding("a service of your own", "good", "Rust and a C compiler are there for `run` and `advise`")
    return DoctorFinding(
        "a service of your own",
        "missing",
        f"{' and '.join(missing)}: `run` and `advise` compile its calls; `import` and its table of bytes need neither",
        "install Rust 1.88 or newer with rustup, and the packages gcc and libc6-dev",
    )


def _lab() -> Iterator[DoctorFinding]:
    """Try to make two hosts and links with a profile, and list the kernel features that links need."""
    for name, subject in ((PAIR, "two hosts"), ("lan100", "a fast line (lan100)"), ("wan50", "a delay (wan50)")):
        attempt = creation.try_link(profile.find(name).wire)
        by = {"kernel": ", by the kernel's own queue", "emulator": f", by our emulator ({attempt.why})"}
        result = attempt.why_not or f"can be made{by.get(attempt.maker or '', '')}"
        yield DoctorFinding(subject, "good" if attempt.maker else "missing", result)
    yield DoctorFinding(
        "kernel for links", "good", f"{kernel.parts()}; without htb or BPF our emulator makes every link"
    )


def _adapter(each: KnownAdapter) -> Iterator[DoctorFinding]:
    subject, remedy = f"adapter {each.name}", setup.command(each.manifest) or None
    if each.why_not:
        yield DoctorFinding(subject, "missing", f"{len(each.stacks)} stacks cannot run: {each.why_not}", remedy)
        return
    try:
        with session.Adapter(each.manifest, "checked by the doctor") as running:
            hello = running.hello
    except AdapterFailure as failure:
        yield DoctorFinding(subject, "missing", f"{len(each.stacks)} stacks cannot run: {failure}", remedy)
        return
    unavailable = hello.get("unavailable", {})
    clock = hello["clock"]
    able = len(each.stacks) - len(unavailable)
    yield DoctorFinding(
        subject,
        "good" if able else "missing",
        f"{able} of {len(each.stacks)} stacks can run; {hello['runtime']};"
        f" a clock reading costs {clock['reading_ns']:.3g} ns",
    )
    for stack, why in unavailable.items():
        yield DoctorFinding(stack, "missing", why)
