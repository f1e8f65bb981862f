"""The universal scalability law: what contention and coherency take from n clients."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST_STEPS = 4
Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class Scalability:
    """A fitted law.

    Attributes:
        alone: the rate that it gives one client, calls a second.
        contention: the share of work that cannot be done side by side.
        coherency: what each pair of clients costs.
        measured: the fewest and the most clients it was fitted to: beyond them it is a guess.
    """

    alone: float
    contention: float
    coherency: float
    measured: tuple[float, float]

    def rate(self, clients: float) -> float:
        """Return the rate of that many clients."""
        return float(_law(np.array([clients]), self.alone, self.contention, self.coherency)[0])

    @property
    def peak(self) -> float:
        """Return the clients beyond which the rate falls, infinite without coherency: sqrt((1 - sigma) / kappa)."""
        return math.sqrt(max(0.0, 1 - self.contention) / self.coherency) if self.coherency > 0 else math.inf


def _law(clients: Numbers, alone: float, contention: float, coherency: float) -> Numbers:
    """Return X(n) = gamma n / (1 + sigma (n - 1) + kappa n (n - 1))."""
    return np.asarray(alone * clients / (1 + contention * (clients - 1) + coherency * clients * (clients - 1)))


def fitted(clients: Sequence[float], rates: Sequence[float]) -> Scalability | None:
    """Fit the law by least squares, each coefficient at least 0 and contention at most 1.

    Gunther, "Guerrilla Capacity Planning", 2007, chapter 4, with the rate of one client as a third coefficient, as the
    R package usl (Moeding) has it since version 2. The solver is SciPy's.

    Returns:
        None if there are fewer than four steps, or no fit is found.
    """
    if len(set(clients)) < LEAST_STEPS or not all(rate > 0 for rate in rates):
        return None
    numbers, throughputs = np.asarray(clients, dtype=float), np.asarray(rates, dtype=float)
    # Loaded here: it takes 60 ms, and most reports have no knee.
    from scipy.optimize import OptimizeWarning, curve_fit  # noqa: PLC0415

    guess = float(np.max(throughputs / numbers))
    try:
        # In units of the guess, so that all three are of a size.
        best, _ = curve_fit(
            _law, numbers, throughputs / guess, (1.0, 0.05, 1e-4), bounds=([0, 0, 0], [np.inf, 1, np.inf])
        )
    except (RuntimeError, OptimizeWarning):
        return None
    alone, contention, coherency = (float(value) for value in best)
    return Scalability(alone * guess, contention, coherency, (float(numbers.min()), float(numbers.max())))
