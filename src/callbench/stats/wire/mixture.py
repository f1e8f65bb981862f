"""What a mean over sizes says, and what it hides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

ByBlock = Mapping[int, float]


def mean_by_fork(figures: Sequence[ByBlock]) -> dict[int, float]:
    """Take the arithmetic mean of several values fork by fork, over the forks that all of them have.

    Args:
        figures: a value a fork for each size.

    Returns:
        The mean by fork; empty if no fork has all sizes, or none was given.
    """
    common = set[int].intersection(*(set(by_fork) for by_fork in figures)) if figures else set()
    return {fork: float(np.mean([by_fork[fork] for by_fork in figures])) for fork in sorted(common)}


@dataclass(frozen=True)
class MixtureParts:
    """What lies behind a mean of rates over sizes.

    Attributes:
        mean: the arithmetic mean of the rates.
        mixed: the rate of a program that sends each size equally often: the harmonic mean, since times add up and
            rates do not. Never above the arithmetic mean.
        stretch: the rate at the first size over that at the last.
    """

    mean: float
    mixed: float
    stretch: float


def hidden(rates: Sequence[float]) -> MixtureParts:
    """Compute what a mean hides.

    Args:
        rates: of the sizes, the smallest size first; each above 0, at least one.

    Raises:
        ValueError: there is none, or one is not above 0.
    """
    if not rates or min(rates) <= 0:
        raise ValueError("a mean needs rates above 0")
    return MixtureParts(float(np.mean(rates)), len(rates) / float(np.sum(1 / np.asarray(rates))), rates[0] / rates[-1])
