"""The lease of a core on a host, in virtual time."""

from callbench.adapter.network.remote.agent import WATCH_SECONDS
from callbench.adapter.network.remote.lease import LEASE_SECONDS, RENEW_SECONDS, RENEWED_SECONDS, Lease


class Time:
    """A clock that a test sets."""

    def __init__(self) -> None:
        """Begin anywhere."""
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_ends_without_a_word_and_not_before() -> None:
    time = Time()
    lease = Lease(time)
    assert not lease.is_over()
    assert lease.take("core")
    time.now += LEASE_SECONDS
    assert not lease.is_over()
    time.now += 0.01
    assert lease.is_over()


def test_each_word_renews_it() -> None:
    time = Time()
    lease = Lease(time)
    lease.take("core")
    for _ in range(100):
        time.now += RENEW_SECONDS
        assert not lease.is_over()
        assert lease.renew("core")


def test_another_core_neither_takes_nor_renews_it() -> None:
    time = Time()
    lease = Lease(time)
    lease.take("core")
    time.now += LEASE_SECONDS + 1
    assert not lease.take("other")
    assert not lease.renew("other")
    assert lease.is_over()
    lease.end()
    assert lease.take("other")
    assert not lease.renew("core")


def test_all_is_gone_within_five_seconds_and_two_words_may_be_lost() -> None:
    """The promise of the guide: an adapter is killed at once, at the next look after the lease."""
    assert LEASE_SECONDS + 2 * WATCH_SECONDS < 5
    assert LEASE_SECONDS > 3 * RENEW_SECONDS
    # Of a host that was cut off, the core learns by a renewal, and then ends what runs on the others.
    assert RENEW_SECONDS + RENEWED_SECONDS < 4.5
