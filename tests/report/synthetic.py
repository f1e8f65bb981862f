"""A run that never took place: the real folder layout, figures from a simple model and a fixed seed."""

import functools
import json
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from callbench.catalog.study import load
from callbench.catalog.study.cells import LOOPBACK
from callbench.model.cell import AS_IS, Cell, Stack
from callbench.store.record import Record
from histograms import buckets
from record_json import record_json

if TYPE_CHECKING:
    from callbench.model.card import StackCard

CHANNEL_US = {
    "inproc": 0.1,
    "library": 0.15,
    "shm-spin": 0.6,
    "shm": 11.0,
    "mqueue": 14.0,
    "pipe": 16.0,
    "unix": 18.0,
    "supertcp": 26.0,
    "http-keepalive": 48.0,
    "http": 160.0,
}
PER_BYTE_US = {"inproc": 0.0, "library": 2e-5, "http": 4e-4, "http-keepalive": 4e-4}
BYTES = {
    "Sum": {"soap": 980, "xmlrpc": 420, "json": 95, "msgpack": 22, "protobuf": 31, "bin": 105, "bincomp": 105},
    "GetPersons": {
        "soap": 61_000,
        "xmlrpc": 72_000,
        "json": 17_500,
        "msgpack": 11_000,
        "protobuf": 5_900,
        "bin": 13_200,
        "bincomp": 4_300,
    },
    "GetBinaryData": {
        "soap": 44_600,
        "xmlrpc": 44_200,
        "json": 43_900,
        "msgpack": 32_800,
        "protobuf": 32_790,
        "bin": 32_850,
        "bincomp": 14_900,
    },
    "GetBinaryData-zero": {"bincomp": 180},
}
NS_PER_BYTE = {"soap": 6.0, "xmlrpc": 5.2, "json": 1.8, "msgpack": 0.6, "protobuf": 0.35, "bin": 0.25, "bincomp": 0.25}
MESSAGES = tuple(BYTES["Sum"])

_TEMPORARY = tempfile.gettempdir()
# Of a quick run: few, whatever the study has.
QUICK_FORKS = 3


def stacks() -> list[Stack]:
    """Every message of the study over every channel of it."""
    made = []
    for message in MESSAGES:
        for channel in CHANNEL_US:
            card: StackCard = {
                "server_model": "a thread a connection",
                "connections_per_client": 1,
                "waits": "spins" if channel == "shm-spin" else "blocks",
                "nagle": "off",
                "tuning": "stock",
                "roles": "in-process" if channel in {"inproc", "library"} else "both",
            }
            made.append(
                Stack(f"native/{message}+{channel}", "native", message, channel, "rust", "quick-xml", "0.38", card)
            )
    return made


def _mean_us(group: str, message: str, channel: str) -> float:
    size = BYTES[group][message]
    codec = 0.2 + size * NS_PER_BYTE[message] / 1e3
    if message == "bincomp" and group != "Sum":
        codec += 0.9 * 32.8 if group == "GetBinaryData-zero" else 13.2 * 14 if group == "GetPersons" else 32.8 * 22
    return CHANNEL_US[channel] + size * PER_BYTE_US.get(channel, 1.5e-4) + codec


def _done(mean_us: float, seconds: float, calls: int, random: np.random.Generator) -> dict[str, Any]:
    """One drive's answer, as the contract has it."""
    made = max(calls, int(seconds * 1e6 / mean_us))
    spent = int(made * mean_us * 1e3)
    batch = mean_us < 0.9
    done: dict[str, Any] = {
        "calls": made,
        "errors": {},
        "elapsed_ns": spent + 1_000,
        "timed": "batch" if batch else "each",
        "batch": 256 if batch else 1,
        "latency": None,
        "service": None,
        "lateness": None,
        "in_call_ns": str(spent),
        "think_ns": "0",
        "gap_ns": "1000",
        "threads": 1,
        "processor": {
            "start": {"user_ns": "0", "system_ns": "0"},
            "end": {"user_ns": str(spent // 3), "system_ns": str(spent // 4)},
        },
        "intervals": [[int(spent * step / 5), made * step // 5, 0] for step in range(1, 6)],
    }
    if not batch:
        sample = random.lognormal(np.log(mean_us * 1e3) - 0.02, 0.2, size=400)
        sample[:3] *= 6
        each = max(1, made // 400)
        count = len(sample) * each
        done["latency"] = {
            "count": count,
            "sum_ns": str(int(count * mean_us * 1e3)),
            "min_ns": int(sample.min()),
            "max_ns": int(sample.max()),
            "buckets": [[index, many * each] for index, many in buckets(sample.astype(np.int64))],
        }
    return done


def _started(fork: int, trials: int) -> str:
    """When a trial began: each fork begins at a full minute."""
    return (datetime(2026, 11, 21, 3, fork, tzinfo=UTC) + timedelta(milliseconds=40 * trials)).isoformat()


def _beside(done: dict[str, Any], in_process: bool) -> dict[str, Any]:
    """The probes' values: two sides that each ran for a third of the time, and no other programs."""
    elapsed = done["elapsed_ns"]
    ran = elapsed // 3
    thread = {"name": "client", "threads": 1, "run_ns": ran, "wait_ns": ran // 100, "busiest_ns": ran}
    side = {
        "cpus": [0],
        "processes": 1,
        "user_ns": 0,
        "system_ns": 0,
        "run_ns": ran,
        "wait_ns": ran // 100,
        "neighbour_ns": 0,
        "threads": [thread],
    }
    names = ("both",) if in_process else ("client", "server")
    return {
        "warm_up": [[done["calls"] // 20, elapsed // (8 - step)] for step in range(4)],
        "processors": {
            "elapsed_ns": elapsed,
            "seen_ns": elapsed,
            "own_ns": 1000,
            "steal_ns": 0,
            "processors": 2,
            "busy_ns": {"0": ran, "1": ran},
            "sides": [{"side": name, **side} for name in names],
        },
        "gaps": {
            "watched_ns": elapsed,
            "cost_ns": 1000,
            "processors": [{"cpu": 0, "looks": 20, "gaps": 0, "gap_ns": 0, "longest_ns": 0, "first": True}],
        },
    }


def write(
    folder: Path,
    *,
    quick: bool = True,
    excluded: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
    clients: tuple[int, ...] = (1,),
    slower: Mapping[str, float] | None = None,
    seed: int = 1,
) -> Path:
    """Write a run folder with its tables: a copy, where this process has made such a run already.

    Args:
        folder: where; it must not be there yet.
        quick: three forks in the place of five.
        excluded: stacks that answered wrongly.
        only: the stacks to measure (all if empty).
        clients: how many clients, one cell each.
        slower: by channel, by what factor its calls take longer in this run.
        seed: of what varies.
    """
    made = _made(quick, excluded, only, clients, tuple((slower or {}).items()), seed)
    # Not with its times: a file is as old as the run that a test writes.
    shutil.copytree(made, folder, copy_function=shutil.copy)
    return folder


@functools.cache
def _place() -> tempfile.TemporaryDirectory[str]:
    """Where runs are made, gone with this process; not in the folder of the test that is first."""
    return tempfile.TemporaryDirectory(prefix="callbench-synthetic-", dir=_TEMPORARY)


@functools.cache
def _made(  # noqa: PLR0917 - what a run is made from
    quick: bool,
    excluded: tuple[str, ...],
    only: tuple[str, ...],
    clients: tuple[int, ...],
    slower: tuple[tuple[str, float], ...],
    seed: int,
) -> Path:
    """Make a run and its tables."""
    folder = Path(_place().name) / str(uuid.uuid4())
    factors = dict(slower)
    study = load("remobjects")
    mine = [one for one in stacks() if not only or one.id in only]
    every = [cell for cell in study.cells(stacks(), quick) if cell.idle == AS_IS]
    # What the study asks besides has no figures here.
    every = [cell for cell in every if cell.link == LOOPBACK and cell.group in BYTES]
    chosen = [cell for cell in every if any(cell.stack == one.id for one in mine)]
    cells: list[Cell] = []
    for count in clients:
        cells += [
            Cell(
                f"c{len(cells) + place + 1:03d}",
                one.group,
                one.stack,
                one.call,
                one.arguments,
                one.load.__class__(count, one.load.calls, one.load.seconds),
            )
            for place, one in enumerate(chosen)
        ]
    random = np.random.default_rng(seed)
    by_id = {one.id: one for one in mine}
    journal: list[dict[str, Any]] = []
    for fork in range(QUICK_FORKS if quick else study.forks(quick)):
        drift, trials = random.lognormal(0, 0.05), 0
        for start, stack in enumerate(by_id.values()):
            own = [cell for cell in cells if cell.stack == stack.id]
            if stack.id in excluded:
                if fork == 0:
                    why = "answered wrongly: Sum(1, 2) gave 4, not 3"
                    journal.append({"kind": "excluded", "stack": stack.id, "fork": 0, "cell": None, "why": why})
                continue
            journal.append(
                {
                    "kind": "start",
                    "fork": fork,
                    "start": fork * 1000 + start,
                    "stack": stack.id,
                    "start_s": 0.02,
                    "verify_s": 0.1,
                    "connect_s": 0.001,
                    "connections": 1,
                    "warm_up": [],
                    "hello": {
                        "runtime": "rustc 1.95.0",
                        "libraries": {"quick-xml": "0.38"},
                        "clock": {"name": "CLOCK_MONOTONIC", "resolution_ns": 1, "reading_ns": 22.5},
                    },
                }
            )
            for order, cell in enumerate(own):
                trials += 1
                mean = _mean_us(cell.group, stack.message, stack.channel) * drift * random.lognormal(0, 0.03)
                mean *= factors.get(stack.channel, 1.0)
                done = _done(mean, cell.load.seconds, cell.load.calls, random)
                journal.append(
                    {
                        "kind": "trial",
                        "trial": len(journal),
                        "fork": fork,
                        "start": fork * 1000 + start,
                        "order": order,
                        "cell": cell.id,
                        "started": _started(fork, trials),
                        "done": done,
                        "counted": {"calls": {cell.call: done["calls"]}, "processor": done["processor"]},
                        "agree": True,
                        "placement": {"client": [0], "server": [1]},
                        **_beside(done, stack.channel in {"inproc", "library"}),
                        "disturbed": "",
                        "repeated": order == 0 and fork == 1,
                    }
                )
                if order == 0 and fork == 1:
                    why = "a processor stood still for 7.0 % of the time"
                    journal.append({**journal[-1], "kind": "disturbed", "disturbed": why, "repeated": False})
        for place, round_trip in (("start", 20_000), ("end", 21_000 + 2_000 * fork)):
            song = {"calls": 10_000, "elapsed_ns": 10_000 * round_trip, "p50_ns": round_trip, "p99_ns": 3 * round_trip}
            started = f"2026-11-21T03:0{fork}:{'00' if place == 'start' else '59'}.000Z"
            journal.append({"kind": "echo", "fork": fork, "place": place, "started": started, "echo": song})
    journal += _codecs(cells, by_id)
    journal.append({"kind": "note", "text": "resumed after 3 trials"})
    _write_files(folder, quick, study.source.decode(), (study.published_source or b"").decode(), mine, cells, journal)
    Record(folder).parquet()
    return folder


def _codecs(cells: list[Cell], by_id: dict[str, Stack]) -> list[dict[str, Any]]:
    """One line a message and group."""
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for cell in cells:
        message = by_id[cell.stack].message
        size = BYTES[cell.group][message]
        encode = _mean_us(cell.group, message, "inproc") * 400
        lines[message, cell.group] = {
            "kind": "codec",
            "stack": cell.stack,
            "message": message,
            "cell": cell.id,
            "group": cell.group,
            "call": cell.call,
            "arguments": cell.arguments,
            "payloads": 64,
            "request": {"bytes": min(size, 0.4 * BYTES["Sum"][message]), "encode_ns": 210.0, "decode_ns": 320.0},
            "answer": {"bytes": float(size), "encode_ns": encode, "decode_ns": encode * 1.3},
        }
    return list(lines.values())


def _write_files(  # noqa: PLR0917 - the files of a run
    folder: Path,
    quick: bool,
    study: str,
    published: str,
    mine: list[Stack],
    cells: list[Cell],
    journal: list[dict[str, Any]],
) -> None:
    """Write the folder's files."""
    folder.mkdir(parents=True)
    flat = [{**(one := asdict(cell)), **one.pop("load")} for cell in cells]
    forks = max((line["fork"] for line in journal if line["kind"] == "trial"), default=0) + 1
    files = {
        "record.json": record_json(
            "run",
            {
                "callbench": "0.1.0",
                "study": "remobjects",
                "title": "Message formats over channels",
                "seed": 42,
                "quick": quick,
                "forks": forks,
                "rounds": 10,
                "select": [],
                "settings": {},
                "started": "2026-11-21T03:00:00.000Z",
                "finished": "2026-11-21T03:03:20.000Z",
                "state": "finished",
            },
        ),
        "plan.json": {"stacks": [asdict(one) for one in mine], "cells": flat, "forks": [[] for _ in range(forks)]},
        "environment.json": {
            "machine": "a synthetic machine",
            "kernel": "Linux 6.18",
            "processors": 2,
            "governor": None,
            "versions": {"python": "3.11", "rustc": "1.95"},
        },
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "study.toml").write_text(study)
    (folder / "published.toml").write_text(published)
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in journal))
