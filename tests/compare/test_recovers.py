"""A server that recovers while the other one is called: slices in turn call it equal, and it is not."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from callbench.analysis.compare.verdicts import ComparedFigures, Rule, metric_verdicts, recovery_of
from callbench.stats.decide.decision import Outcome

Callbench = Callable[..., subprocess.CompletedProcess[str]]
FORKS, SUSTAINED = 10, 3
# One client, one call after the other: 5 ms each, and of B at most 60 a second once 10 have been saved up.
SERVER = """
import http.server, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1
    tokens, last = 10.0, time.monotonic()
    def do_GET(self):
        time.sleep(0.005)
        if sys.argv[2] == "limited":
            kind = type(self)
            while True:
                now = time.monotonic()
                kind.tokens, kind.last = min(10.0, kind.tokens + 60 * (now - kind.last)), now
                if kind.tokens >= 1:
                    break
                time.sleep((1 - kind.tokens) / 60)
            kind.tokens -= 1
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def _figures(seed: int, true_ratio: float, without_pause: float, noise: float = 0.03) -> ComparedFigures:
    random = np.random.default_rng(seed)
    a = 200 * np.exp(random.normal(0, 0.05, FORKS))
    b = a * true_ratio * np.exp(random.normal(0, 0.01, FORKS))
    sustained = without_pause * np.exp(random.normal(0, noise, SUSTAINED))
    return ComparedFigures("c001", ("a", "b"), "call", (list(a), list(b)), sustained=list(sustained))


@pytest.mark.parametrize("seed", range(30))
def test_what_recovers_is_not_passed_as_equal(seed: int) -> None:
    (verdict,) = metric_verdicts([_figures(seed, 0.99, 0.70)], Rule(threshold=0.1, p99_threshold=None))
    assert (verdict.outcome, verdict.verdict) == (Outcome.UNDECIDED, "undecided")
    said = re.search(r"called without a pause, B / A is about ([0-9.]+) and not", verdict.why)
    assert said is not None
    assert 0.6 < float(said[1]) < 0.8


def test_what_does_not_recover_is_passed() -> None:
    """Of 200 comparisons of equal servers, at most the level's 1 % by chance, and a few besides."""
    rule = Rule(threshold=0.1, p99_threshold=None)
    found = [metric_verdicts([_figures(seed, 1.0, 1.0, noise=0.05)], rule)[0] for seed in range(200)]
    assert sum(verdict.outcome is not Outcome.PASSED for verdict in found) <= 4


def _of_rare_calls(seed: int) -> ComparedFigures:
    """Calls of 5 ms, of B one of a hundred 50 times as long: half a second a fork, and a third without a pause."""
    random = np.random.default_rng(seed)

    def rates(seconds: float, times: int, *, rare: bool) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        calls = round(seconds / 0.005)
        slow = random.binomial(calls, 0.01 if rare else 0.0, times)
        return calls / (calls * 0.005 + slow * 0.245) * np.exp(random.normal(0, 0.03, times))

    a, b = rates(0.5, 4, rare=False), rates(0.5, 4, rare=True)
    both = rates(0.33, SUSTAINED, rare=True) / rates(0.33, SUSTAINED, rare=False)
    sustained = both / (b / a)[:SUSTAINED]
    return ComparedFigures("c001", ("a", "b"), "call", (list(a), list(b)), sustained=list(sustained))


def test_rare_slow_calls_are_no_server_that_recovers() -> None:
    """Beside 0.5 (0.1 to 1.9): "called without a pause, B / A is about 1.2 and not 0.5"."""
    found = [_of_rare_calls(seed) for seed in range(300)]
    said = sum(recovery_of(figures.sustained, figures.difference()) is not None for figures in found)
    assert said <= 9
    assert sum(recovery_of(figures.sustained) is not None for figures in found) > 20


def test_a_regression_stays_one() -> None:
    (verdict,) = metric_verdicts([_figures(1, 0.7, 0.7)], Rule(threshold=0.1, p99_threshold=None))
    assert verdict.outcome is Outcome.FAILED


@pytest.mark.parametrize(("ratio", "without_pause"), [(300, 0.5), (300, 2.0), (1.5, 0.9)])
def test_what_is_better_with_and_without_a_pause_is_better(ratio: float, without_pause: float) -> None:
    """A busy machine slows the side that computes more than the one that sleeps, and more without a pause."""
    (verdict,) = metric_verdicts([_figures(2, ratio, without_pause)], Rule(p99_threshold=None))
    assert (verdict.outcome, verdict.verdict, verdict.recovers) == (Outcome.PASSED, "better", None)


@pytest.mark.parametrize("seed", range(10))
def test_what_may_be_no_better_without_a_pause_is_undecided(seed: int) -> None:
    (verdict,) = metric_verdicts([_figures(seed, 1.2, 0.75)], Rule(p99_threshold=None))
    assert (verdict.outcome, verdict.verdict) == (Outcome.UNDECIDED, "undecided")


def test_too_few_forks_say_nothing() -> None:
    assert recovery_of([]) is None
    assert recovery_of([0.5]) is None


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_bucket_of_tokens_is_seen(callbench: Callbench, tmp_path: Path) -> None:
    """In turn, B is called for a third of the time and has its tokens back: 190 a second, and 60 without a pause."""
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    plain, limited = (f"{sys.executable} {file} {{port}} {kind}" for kind in ("plain", "limited"))
    options = ("--path", "/", "--seconds", "6", "--rounds", "10", "--threshold", "10%", "--p99-threshold", "none")
    ended = callbench("compare", plain, limited, *options, "--out", tmp_path / "out", "--json")
    told = json.loads(ended.stdout)
    assert ended.returncode != 0, told
    (cell,) = told["cells"]
    assert cell["outcome"] in ("undecided", "failed")
    if cell["outcome"] == "undecided":
        assert "called without a pause" in cell["why"]
        shown = callbench("compare", tmp_path / "out").stdout
        assert "rate: undecided, because without a pause between calls it is another one" in shown
        assert "no regression" not in shown
