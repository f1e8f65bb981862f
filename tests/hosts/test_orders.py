"""Orders under way to a host, without a network."""

from concurrent.futures import CancelledError, Future, ThreadPoolExecutor

import pytest

from callbench.adapter.network.remote.orders import Orders

LONG_S = 600.0


def test_a_lost_host_ends_every_order_to_it() -> None:
    """One that waits in another thread too, however long it may, and one that comes later."""
    orders, before, after = Orders(), Future[str](), Future[str]()
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(orders.await_answer, before, LONG_S)
        orders.end()
        with pytest.raises(CancelledError):
            waits.result(LONG_S)
    with pytest.raises(CancelledError):
        orders.await_answer(after, LONG_S)


def test_an_order_without_an_answer_has_an_end() -> None:
    orders, silent, answered = Orders(), Future[str](), Future[str]()
    with pytest.raises(TimeoutError):
        orders.await_answer(silent, 0.0)
    assert silent.cancelled()
    answered.set_result("{}")
    assert orders.await_answer(answered, 0.0) == "{}"
