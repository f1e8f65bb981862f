"""Measure a trial: the drive itself, and one module for each probe that watches it."""

from callbench.runner.measure.trial import measure_trial
from callbench.runner.measure.warm_up import LIMIT_SECONDS

__all__ = ["LIMIT_SECONDS", "measure_trial"]
