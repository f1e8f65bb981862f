"""One server and a queue: when each call ends, from when it was due and how long it took."""

import numpy as np

Times = np.ndarray[tuple[int], np.dtype[np.int64]]


def latencies(due_ns: Times, services_ns: Times) -> Times:
    """Compute the latency of every call from its intended start, in the unit of the arguments.

    A call begins when it is due or when the one before it ends, whichever is later: the waiting time follows
    W[n+1] = max(0, W[n] + S[n] - T[n+1]) (Lindley, "The theory of queues with a single server", Mathematical
    Proceedings of the Cambridge Philosophical Society 48(2), 1952). Written out from the start, with C the sum of
    services so far, the n-th end is C[n] + max over k <= n of (due[k] - C[k-1]).

    Args:
        due_ns: when each call is due, rising.
        services_ns: how long each takes once begun.
    """
    total = np.cumsum(services_ns)
    ended = total + np.maximum.accumulate(due_ns - (total - services_ns))
    return np.asarray(ended - due_ns, dtype=np.int64)
