"""How many rounds a batch makes: as many as its warm-up is worth, and no more than the time of the run has room for."""

import time

from callbench.runner.run.context import ForkTask
from callbench.runner.warm.worthwhile_rounds import LEAST_ROUNDS, rounds_in_time, worthwhile_rounds


class RoundPace:
    """Decides after each round of a batch whether another one follows."""

    def __init__(self, fork_task: ForkTask, *, exact: bool, warm_up_s: float, start_s: float, share: float) -> None:
        """Begin with the first round.

        Args:
            fork_task: the fork of the batch.
            exact: whether the number of rounds is fixed.
            warm_up_s: seconds in which runtimes that compile were warmed up for it; 0: there are none.
            start_s: seconds of the batch so far, warm-up included.
            share: of the fork's units that are in the batch.
        """
        self._task, self._exact = fork_task, exact
        self._warm_up_s, self._start_s, self._share = warm_up_s, start_s, share
        self._rounds = fork_task.rounds
        self._seconds: list[float] = []

    @property
    def round_s(self) -> float:
        """Seconds of a round on average; 0 if there was none."""
        return sum(self._seconds) / max(1, len(self._seconds))

    def round_over(self, seconds: float) -> None:
        """Take the duration of a round. The first one says how many are worthwhile."""
        self._seconds.append(seconds)
        if len(self._seconds) == 1 and not self._exact:
            self._rounds = self._worthwhile(seconds)

    def another(self, number: int) -> bool:
        """Return whether the round of this number, from 0, is to be made."""
        fork_time = self._task.time
        if number >= self._rounds or fork_time is None or not self._seconds:
            return number < self._rounds
        ends = fork_time.latest if number < LEAST_ROUNDS else fork_time.ends
        return time.monotonic() + self.round_s <= ends

    def _worthwhile(self, round_s: float) -> int:
        rounds = worthwhile_rounds(self._task.rounds, self._warm_up_s, round_s)
        fork_time = self._task.time
        if fork_time is None or round_s <= 0:
            return rounds
        left_s = (fork_time.ends - fork_time.began) * self._share
        return rounds_in_time(rounds, self._start_s, round_s, left_s, fork_time.forks)
