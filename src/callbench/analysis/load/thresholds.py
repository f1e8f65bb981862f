"""`--fail-if 'p99 > 50 ms'`: the conditions that make a load fail."""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from callbench.model.errors import BadInput
from callbench.stats.estimate.digits import end, figure
from callbench.store.lines.load import ThresholdRecord

_FORM = re.compile(r"\s*([a-z]+[0-9.]*)\s*(>=|<=|>|<)\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([a-zA-Zµμ/%]*)\s*", re.ASCII)
_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
# Microseconds by unit.
_TIMES = {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}
_RATES = {"": 1.0, "/s": 1.0, "calls/s": 1.0}
_SHARES = {"%": 0.01}
# An interval that is wider takes no more digits from its value than one of this half-width.
_WIDEST = 0.2
# How a value is shown: its factor, unit and digits.
_SHOWN = {"errors": (100, "%", 0.001), "rate": (1, "calls/s", 0.001), "mean": (1e-3, "ms", 0.001)}
_LONGEST = 60
_ASSUMED = ", if no call waits for another: so short an open loop does not show a queue"
_NEAR = "is too near to the limit"
EXAMPLES = "'errors > 1%', 'p99 > 50 ms' or 'rate < 1000/s'"


@dataclass(frozen=True)
class Threshold:
    """A condition that makes a load fail.

    Attributes:
        text: as given.
        metric: `errors`, `rate`, `mean`, `max`, or a percentile: `p50`, `p99.9` ...
        sign: `>`, `>=`, `<` or `<=`.
        limit: a share, calls/s, or microseconds.
    """

    text: str
    metric: str
    sign: str
    limit: float

    def is_true(self, value: float) -> bool:
        """Whether the condition is true of a value in the unit of the limit."""
        return _COMPARED[self.sign](value, self.limit)


@dataclass(frozen=True)
class ThresholdResult:
    """A threshold with the measured value.

    Attributes:
        value: the metric's value in the unit of the limit; None if no call succeeded, which fails, or if too few calls
            know a percentile.
        few_calls: how many calls that percentile needs; else "".
        shown: whether the condition is shown to be true, or not to be; None: neither.
        alike: that calls resemble each other so much that they are too few for that percentile; else "".
        unserved: how many of the clients got no right answer, where that makes it true; else "".
        ends: between what the true value lies, in the unit of the limit; None of a percentile, and of a fact.
        assumed: that it is decided only if no call waits for another, which an open loop so short does not show.
    """

    threshold: Threshold
    value: float | None
    few_calls: str = ""
    shown: bool | None = None
    alike: str = ""
    ends: tuple[float, float] | None = None
    assumed: bool = False
    unserved: str = ""

    @property
    def failed(self) -> bool:
        """Whether the load fails because of it."""
        return self.shown is True or (self.value is None and not self.few_calls)

    @property
    def undecided(self) -> str:
        """Why it is undecided; "" if it is decided."""
        if self.failed or self.shown is not None:
            return ""
        if self.alike:
            return f"{self.threshold.text}: {self.alike}"
        return self.few_calls or f"{self.threshold.text} {_NEAR}"

    @property
    def sentence(self) -> str:
        """The threshold, the value, and the outcome."""
        outcome = "failed" if self.failed else "undecided" if self.undecided else "passed"
        return f"Fail if {self.threshold.text}: {self._value()}: {outcome}{_ASSUMED if self.assumed else ''}."

    def _value(self) -> str:
        if self.few_calls:
            return self.few_calls
        if self.value is None:
            return "no call succeeded"
        if self.unserved:
            return f"{self.unserved} got no right answer"
        scale, unit, share = _SHOWN.get(self.threshold.metric, _SHOWN["mean"])
        if self.ends is None or math.isinf(self.ends[1]):
            return f"{figure(self.value * scale, share)} {unit}"
        low, middle, high = (point * scale for point in (self.ends[0], self.value, self.ends[1]))
        half = high / middle - 1 if middle else None
        # However wide the interval is, 27 is not to be read as 30 beside a limit of 30.
        shown = figure(middle, None if half is None else min(half, _WIDEST))
        return f"{shown} {unit} ({end(low, middle, half)} to {end(high, middle, half)})"


def undecided_sentence(why: Sequence[str]) -> str:
    """Say what the calls leave undecided, and what would tell."""
    return f"Undecided: {'; '.join(why)}. Give more --seconds."


def from_record(kept: ThresholdRecord) -> ThresholdResult:
    """Read a result as the record of a load has it.

    Raises:
        BadInput: its condition is none.
    """
    undecided = kept.get("undecided", "")
    shown = None if undecided else bool(kept["failed"])
    before = f"{kept['fail_if']}: "
    alike = undecided.removeprefix(before) if undecided.startswith(before) else ""
    few = "" if alike or undecided.endswith(_NEAR) else undecided
    ends = (kept["low"], kept["high"]) if "low" in kept else None
    return ThresholdResult(
        parse(kept["fail_if"]),
        kept["value"],
        few_calls=few,
        shown=shown,
        alike=alike,
        ends=ends,
        unserved=kept.get("unserved", ""),
        assumed=kept.get("assumed", False),
    )


def parse(text: str) -> Threshold:
    """Parse `METRIC SIGN VALUE UNIT`.

    Raises:
        BadInput: the text is not a threshold.
    """
    # Of what cannot be printed, each letter takes ten.
    quoted = repr(text)
    shown = f"--fail-if {quoted if len(quoted) <= 3 * _LONGEST else f'{quoted[: 3 * _LONGEST]}...'}"
    match = _FORM.fullmatch(text)
    if match is None:
        raise BadInput(f"{shown}: give a metric, a sign and a value, as {EXAMPLES}")
    metric, sign, number, unit = match.groups()
    # The Greek letter is the micro sign.
    unit = unit.replace("\u03bc", "\u00b5")
    units = _units(metric)
    if units is None:
        raise BadInput(f"{shown}: there is no metric {metric}: errors, rate, mean, max and p50, p99, p99.9 ... are")
    value = float(number)
    # Zero needs no unit.
    factor = units.get(unit, 1.0 if value == 0 and not unit else None)
    if factor is None:
        raise BadInput(f"{shown}: {metric} is given in {' or '.join(unit for unit in units if unit)}")
    return Threshold(" ".join(text.split()), metric, sign, value * factor)


def _units(metric: str) -> Mapping[str, float] | None:
    if metric in ("mean", "max") or share_of(metric) is not None:
        return _TIMES
    return {"errors": _SHARES, "rate": _RATES}.get(metric)


def share_of(metric: str) -> float | None:
    """Return the share of a percentile's name: 0.999 for `p99.9`. Return None for any other name."""
    match = re.fullmatch(r"p([0-9]{1,2}(?:\.[0-9]{1,6})?)", metric)
    share = float(match[1]) / 100 if match else 0.0
    return share if 0 < share < 1 else None
