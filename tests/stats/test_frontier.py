"""The frontier of several costs: who is worse follows from intervals that lie apart, and from nothing else."""

from collections.abc import Sequence

import numpy as np
import pytest

from callbench.stats.decide.frontier import CostInterval, Standing, standings

ON, REACHES, WORSE = Standing.FRONTIER, Standing.REACHES, Standing.WORSE


def exact(*values: float) -> list[CostInterval]:
    return [CostInterval(value, value, value) for value in values]


def within(share: float, *values: float) -> list[CostInterval]:
    """Costs whose intervals reach so far to both sides."""
    return [CostInterval(value, value * (1 - share), value * (1 + share)) for value in values]


@pytest.mark.parametrize(
    ("costs", "found"),
    [
        ([exact(1, 1, 1), exact(2, 2, 2)], [ON, WORSE]),
        ([exact(1, 2, 3), exact(3, 2, 1), exact(2, 2, 2)], [ON, ON, ON]),
        ([exact(1, 2, 3), exact(3, 2, 1), exact(3, 2, 2)], [ON, ON, WORSE]),
        ([exact(1, 1, 1), exact(1, 1, 1)], [ON, ON]),
        ([exact(1, 1, 1), exact(1, 1, 1.01)], [ON, WORSE]),
        ([within(0.1, 1, 1, 1), within(0.1, 1.1, 1.1, 1.1)], [ON, REACHES]),
        ([within(0.1, 1, 1, 1), within(0.1, 1.3, 1.3, 1.3)], [ON, WORSE]),
        ([within(0.1, 1, 1, 1), within(0.1, 1.3, 1.3, 1.1)], [ON, REACHES]),
        ([within(0.1, 1, 1, 1), [*exact(2, 2), CostInterval(2.0)]], [ON, REACHES]),
        ([[*exact(1, 1), CostInterval(1.0)], exact(2, 2, 2)], [ON, REACHES]),
        ([exact(5, 5, 5)], [ON]),
        ([], []),
    ],
)
def test_who_is_beaten_in_every_cost(costs: Sequence[Sequence[CostInterval]], found: list[Standing]) -> None:
    assert standings(costs) == found


def test_someone_is_on_the_frontier_and_only_the_beaten_are_worse() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        values, share = random.lognormal(size=(20, 3)), float(random.uniform(0.01, 0.5))
        found = standings([within(share, *map(float, row)) for row in values])
        assert ON in found
        for row, standing in zip(values, found, strict=True):
            apart = np.all(values * (1 + share) <= row * (1 - share), axis=1)
            assert (standing is WORSE) == bool(apart.any())
            beaten = np.all(values <= row, axis=1).sum() > 1
            assert (standing is ON) == (not beaten)
