"""Student's distribution, from SciPy's special functions: `scipy.stats` takes half a second and 40 MB to load."""

from typing import Any

import numpy as np
from scipy import special


def quantile(probability: float, freedom: float) -> float:
    """Give the value below which a share of the distribution lies."""
    return float(special.stdtrit(freedom, probability))


def each_quantile(
    probability: float, freedoms: "np.ndarray[tuple[int], np.dtype[Any]]"
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Give the quantile for each of several degrees of freedom."""
    return np.asarray(special.stdtrit(freedoms, probability), dtype=float)


def above(value: float, freedom: float) -> float:
    """Give the share of the distribution that lies above a value."""
    return float(special.stdtr(freedom, -value))


def each_above(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", freedoms: "np.ndarray[tuple[int], np.dtype[Any]]"
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Give the share above each value, with the degrees of freedom beside it."""
    return np.asarray(special.stdtr(freedoms, -values), dtype=float)
