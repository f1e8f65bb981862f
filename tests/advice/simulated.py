"""Records of stacks whose true parameters are known, with the noise that docs/reference/instrument.md states.

The log of a slice's rate varies by 8 %, half of it shared with the slice before. Each start has 0.5 % of its own, and
the machine drifts by 30 % from fork to fork. A fork has 24 slices. Over a link, a call takes up to about 1 % longer
than the model says, and each stack differs by 0.5 % in that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.analysis.advice.figures import Every, Figures, OverLink
from callbench.analysis.advice.prediction import added_ms
from callbench.model.situation import MONTH_S, Goal, Situation

SLICES, SLICE_SD, SHARED, START_SD, DRIFT_SD = 24, 0.08, 0.5, 0.005, 0.3
LINK_SD = 0.005


@dataclass(frozen=True)
class Truth:
    """What a stack is.

    Attributes:
        fixed_us: of each call.
        us_per_byte: of payload.
        overhead_bytes: of each call, both ways together.
        factor: bytes on the wire for each byte of payload.
        trips: round trips of a call.
    """

    name: str
    fixed_us: float
    us_per_byte: float
    overhead_bytes: float
    factor: float
    trips: float = 1.0

    def here_us(self, payload: float) -> float:
        return self.fixed_us + self.us_per_byte * payload

    def account(self, payload: float) -> list[dict[str, float]]:
        """The wire ledger of a steady call: the request is small, the answer has the payload."""
        return rows(self, 0.0, self.factor * payload)


def drawn(random: np.random.Generator, name: str, *, fixed_sd: float, byte_us: float, factor_sd: float) -> Truth:
    """Draw a stack: logarithms of its costs vary by so much around 80 µs a call, `byte_us`, and 1.5 bytes a byte."""
    return Truth(
        name,
        fixed_us=float(random.lognormal(np.log(80), fixed_sd)),
        us_per_byte=float(random.lognormal(np.log(byte_us), 0.8)),
        overhead_bytes=float(random.uniform(80, 900)),
        factor=float(random.lognormal(np.log(1.5), factor_sd)),
    )


def rows(one: Truth, request: float, answer: float) -> list[dict[str, float]]:
    """The wire ledger of a call whose messages have so many bytes besides what each call has."""
    found = []
    for size in (0.4 * one.overhead_bytes + request, 0.6 * one.overhead_bytes + answer):
        packets = float(np.ceil(size / 1448))
        found.append(
            {"connections": 0.0, "packets": packets, "ip": 20 * packets, "tcp": 32 * packets, "payload": size,
             "retransmitted": 0.0, "turns": one.trips}
        )  # fmt: skip
    return found


def true_value(one: Truth, payload: float, situation: Situation) -> float:
    """What the goal wants small, as it truly is: ms of a call, or money a month."""
    figures = _figures(one, "call", payload, OverLink({}, {}, {}), {})
    return value_of(figures, one.here_us(payload), situation)


def value_of(figures: Figures, here_us: float, situation: Situation) -> float:
    """The same of a call that takes so long on this machine, half of it on the server, with its account."""
    if situation.goal is Goal.TIME:
        return sum(link.share * (here_us / 1e3 + added_ms(figures, link.wire)) for link in situation.links)
    prices, calls = situation.prices, situation.calls_per_s
    assert prices is not None
    assert calls is not None
    out = figures.account[1]
    sent = out["ip"] + out["tcp"] + out["payload"]
    spent_hours = here_us / 2 / 3.6e9
    return calls * MONTH_S * (spent_hours * prices.processor_hour + sent / 1e9 * prices.gigabyte_out)


def record(
    truths: Sequence[Truth], payloads: Mapping[str, float], situation: Situation, seed: int, forks: int = 10
) -> Every:
    """Measure every stack with every call, and the first three of them over every link."""
    random = np.random.default_rng(seed)
    drift = np.exp(random.normal(0, DRIFT_SD, forks))
    off = {link.name: random.uniform(0, 0.01) for link in situation.links}
    found: dict[tuple[str, str], Figures] = {}
    for place, one in enumerate(truths):
        for group, payload in payloads.items():
            bare = _figures(one, group, payload, OverLink({}, {}, {}), {})
            over = {}
            for link in situation.links if place < 3 else ():
                added = added_ms(bare, link.wire) * 1e3 * (1 + off[link.name] + random.normal(0, LINK_SD))
                over[link.name] = measured_over(one.here_us(payload), drift, random, added)
            here = measured_over(one.here_us(payload), drift, random)
            found[one.name, group] = _figures(one, group, payload, here, over)
    return found


def _figures(one: Truth, group: str, payload: float, here: OverLink, over: Mapping[str, OverLink]) -> Figures:
    return Figures(
        one.name, group, "Order", "json", "http-keepalive", here, one.account(payload), payload, payload, dict(over)
    )  # fmt: skip


def measured_over(here_us: float, drift: "np.ndarray[tuple[int], np.dtype[np.float64]]", random: np.random.Generator,
                  added_us: float = 0.0) -> OverLink:  # fmt: skip
    """Return a time by fork. The processor parts have noise; the link has none."""
    noise = [_fork_noise(random) for _ in drift]
    times = {fork: here_us * float(drift[fork]) * noise[fork] + added_us for fork in range(len(drift))}
    tails = {fork: time + 2 * here_us * float(drift[fork]) * _fork_noise(random) for fork, time in times.items()}
    spent = {fork: here_us / 2 * float(drift[fork]) * _fork_noise(random) for fork in times}
    return OverLink({"mean_us": times, "p99_us": tails}, spent, dict(spent))


def _fork_noise(random: np.random.Generator) -> float:
    """The factor of one fork: the mean of its slices, each sharing half of its deviation with the one before."""
    shocks = random.normal(0, SLICE_SD * np.sqrt(1 - SHARED**2), SLICES)
    log = random.normal(0, SLICE_SD)
    total = 0.0
    for shock in shocks:
        log = SHARED * log + shock
        total += log
    return float(np.exp(total / SLICES + random.normal(0, START_SD)))
