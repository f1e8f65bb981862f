"""Whether a warm-up has become steady, where a runtime compiles while it runs: a test of its curve over seconds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from callbench.stats.estimate.digits import percent

# The rate may rise by as much, and the compiler take as much of one processor.
RISE = 0.05
BUSY = 0.05
# Driven at least: the first operation of a pair of processes, another one, which shares most of the first one's code,
# and a further cell of an operation that was steady before.
FIRST_SECONDS = 8.0
OTHER_SECONDS = 4.0
AGAIN_SECONDS = 0.4
# Each part that is compared has as many pieces at least, and is so long at the most: a machine that drifts by a third
# in a minute is no compiler.
_FEWEST = 2
_LONGEST = 8.0
# Where the compiler can be seen, what lies before it fell silent is no part of the comparison. A piece in which it took
# more than this share of a processor was none of silence; each part is so long at the least.
_AT_WORK = 0.1
_SHORTEST = 2.0
# A curve is steady if it is so at as many looks in a row, each a piece later.
_LOOKS = 3


@dataclass(frozen=True)
class WarmUpSegment:
    """A piece of a warm-up.

    Attributes:
        calls: answered rightly.
        seconds: that it took.
        compiler_seconds: that the busiest side's compiler took meanwhile; 0 if it cannot be seen.
    """

    calls: int
    seconds: float
    compiler_seconds: float = 0.0


@dataclass(frozen=True)
class WarmUpFit:
    """What a curve says of its end.

    Attributes:
        rise: by how much the later part of the time compared was faster than the earlier one, as a share; the larger of
            what means and medians say. None if there are too few pieces to say.
        compiler: the share of a processor that the compiler took meanwhile.
    """

    rise: float | None
    compiler: float

    @property
    def steady(self) -> bool:
        """Whether neither the rate rises any more nor the compiler is at work."""
        return self.rise is not None and self.rise <= RISE and self.compiler <= BUSY

    @property
    def why_not(self) -> str:
        """What was still going on, or nothing."""
        if self.rise is None:
            return "too short to tell"
        parts = [f"the rate rose by {percent(self.rise)}"] if self.rise > RISE else []
        parts += [f"the compiler took {percent(self.compiler)} of a processor"] if self.compiler > BUSY else []
        return " and ".join(parts)


def look(pieces: Sequence[WarmUpSegment], least_seconds: float = FIRST_SECONDS) -> WarmUpFit:
    """WarmUpFit at a warm-up from its end: has it become steady?

    The last half of its time, of which 16 s at the most, is parted in two: the later part must not be faster than the
    earlier one by more than 5 %, neither by their means nor by the medians of their pieces, and the compiler must not
    have taken more than 5 % of a processor. This has to hold for the whole curve, for the curve without its last piece
    and for that without its last two: the worst of the three counts. It is Geweke's comparison of an early with a late
    part of a chain ("Evaluating the accuracy of sampling-based approaches to the calculation of posterior moments",
    Bayesian Statistics 4, 1992), with a margin instead of a test of significance, which would let a noisy curve pass
    for a steady one. What is compared grows with the time that has passed: a just-in-time compiler's curve has flat
    pieces between its steps (Barrett et al., "Virtual machine warmup blows hot and cold", OOPSLA 2017), and a window of
    fixed length stops on one of them (Traini et al., "Towards effective assessment of steady state performance in Java
    software", Empirical Software Engineering 28, 2023). A rate that falls does not prolong a warm-up: waiting brings
    nothing back. Means see a step in the last piece; medians are not misled by a pause of the machine.

    Where the compiler's own time can be seen, its silence says more than the curve: the parts compared then begin with
    it, if they are 2 s long each. A compiler of the virtual machine of Java at work for 20 s needs no 20 s more to show
    that it has ended. A compiler that cannot be seen is judged by the curve alone.

    Args:
        pieces: in the order of time.
        least_seconds: a shorter curve says nothing.
    """
    # What is driven by the clock ends a little before or after its time.
    if sum(piece.seconds for piece in pieces) < 0.99 * least_seconds:
        return WarmUpFit(None, 0.0)
    looks = [_once(pieces[: len(pieces) - left]) for left in range(_LOOKS)]
    rises = [at_end.rise for at_end in looks if at_end.rise is not None]
    return WarmUpFit(max(rises) if len(rises) == _LOOKS else None, max(at_end.compiler for at_end in looks))


def _once(pieces: Sequence[WarmUpSegment]) -> WarmUpFit:
    """Compare the two parts of a curve's last half."""
    whole = sum(piece.seconds for piece in pieces)
    part = min(whole / 4, _LONGEST, _silence(pieces))
    early, late, left = [], [], whole
    for piece in pieces:
        left -= piece.seconds
        middle = left + piece.seconds / 2
        if middle <= part:
            late.append(piece)
        elif middle <= 2 * part:
            early.append(piece)
    compared = sum(piece.seconds for piece in (*early, *late))
    compiler = sum(piece.compiler_seconds for piece in (*early, *late)) / compared if compared else 0.0
    if min(len(early), len(late)) < _FEWEST:
        return WarmUpFit(None, compiler)
    return WarmUpFit(max(_mean(late) / _mean(early), _median(late) / _median(early)) - 1, compiler)


def _silence(pieces: Sequence[WarmUpSegment]) -> float:
    """Return half of the time since the compiler was last at work, 2 s at least; infinity if it was never seen."""
    passed = 0.0
    for piece in reversed(pieces):
        if piece.compiler_seconds > _AT_WORK * piece.seconds:
            return max(_SHORTEST, passed / 2)
        passed += piece.seconds
    return math.inf


def _mean(pieces: Sequence[WarmUpSegment]) -> float:
    """Calls a second of all of them; never nothing, so that a start from nothing is a rise."""
    return max(sum(piece.calls for piece in pieces), 0.5) / sum(piece.seconds for piece in pieces)


def _median(pieces: Sequence[WarmUpSegment]) -> float:
    """The median of their rates; never nothing."""
    return max(median(piece.calls / piece.seconds for piece in pieces), 1e-9)
