"""What is measured of a trial: the drive itself, and one file a probe that watches beside it."""

from callbench.runner.measure.trial import measured
from callbench.runner.measure.warm_up import LIMIT_SECONDS

__all__ = ["LIMIT_SECONDS", "measured"]
