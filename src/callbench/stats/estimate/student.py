"""Student's distribution, from SciPy's special functions: `scipy.stats` takes half a second and 40 MB to load.

Even these take a third of a second, and most commands need none of them. So they are loaded where they are called.
"""

from typing import Any

import numpy as np


def quantile(probability: float, freedom: float) -> float:
    """Return the value below which a share of the distribution lies."""
    from scipy import special  # noqa: PLC0415 - see above

    return float(special.stdtrit(freedom, probability))


def each_quantile(
    probability: float, freedoms: "np.ndarray[tuple[int], np.dtype[Any]]"
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return the quantile for each of several degrees of freedom."""
    from scipy import special  # noqa: PLC0415 - see above

    return np.asarray(special.stdtrit(freedoms, probability), dtype=float)


def above(value: float, freedom: float) -> float:
    """Return the share of the distribution that lies above a value."""
    from scipy import special  # noqa: PLC0415 - see above

    return float(special.stdtr(freedom, -value))


def each_above(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", freedoms: "np.ndarray[tuple[int], np.dtype[Any]]"
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return the share above each value, with the degrees of freedom beside it."""
    from scipy import special  # noqa: PLC0415 - see above

    return np.asarray(special.stdtr(freedoms, -values), dtype=float)
