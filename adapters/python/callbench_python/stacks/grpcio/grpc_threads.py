"""`protobuf+grpc`: gRPC's methods that block; each client has its own channel, and a thread of its own."""

import queue
from typing import Any

import grpc

from callbench_python import own
from callbench_python.loop import Call
from callbench_python.own import messages
from callbench_python.stacks.failures import Refusal
from callbench_python.stacks.failures import kind_of as kind_of_other
from callbench_python.stacks.grpcio.grpc_server import UNLIMITED
from callbench_python.values import Values

# Channels of one process share a connection unless told otherwise.
OPTIONS = [*UNLIMITED, ("grpc.use_local_subchannel_pool", 1)]
_KINDS = {
    grpc.StatusCode.INVALID_ARGUMENT: "fault",
    grpc.StatusCode.DEADLINE_EXCEEDED: "timeout",
    grpc.StatusCode.UNAVAILABLE: "closed",
    grpc.StatusCode.CANCELLED: "closed",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "too-large",
    grpc.StatusCode.UNIMPLEMENTED: "protocol",
}


def kind_of(error: Exception) -> tuple[str, str]:
    """The kind of a failed call, and a sentence."""
    if isinstance(error, grpc.RpcError):
        return _KINDS.get(error.code(), "internal"), error.details() or str(error.code())
    return kind_of_other(error)


def method_of(channel: Any, call: str) -> Any:  # noqa: ANN401 - a channel of either kind
    """A method of the client, made as a generated stub makes it."""
    asked, answered = (messages.class_of(name) for name in messages.types_of(call))
    return channel.unary_unary(
        f"/{own.SCHEMA['service']}/{call}", asked.SerializeToString, answered.FromString, _registered_method=True
    )


class Threads:
    """Connected clients."""

    awaits = False
    kind_of = staticmethod(kind_of)

    def __init__(self, endpoint: str, clients: int, timeout: float) -> None:
        """Connect them.

        Raises:
            Refusal: nobody is there.
        """
        self._timeout, self.connections = timeout, clients
        self._channels = [grpc.insecure_channel(endpoint, options=OPTIONS) for _ in range(clients)]
        for channel in self._channels:
            _connect(channel, endpoint, timeout)

    def caller(self, place: int, operation: str) -> Call:
        """The function by which a client calls an operation."""
        method, timeout = method_of(self._channels[place], operation), self._timeout
        return lambda arguments: method(arguments["request"], timeout=timeout)

    def close(self) -> None:
        """Close the connections."""
        for channel in self._channels:
            channel.close()


def _connect(channel: Any, endpoint: str, timeout: float) -> None:  # noqa: ANN401 - grpc has no types
    states: queue.SimpleQueue[grpc.ChannelConnectivity] = queue.SimpleQueue()
    channel.subscribe(states.put, try_to_connect=True)
    try:
        while (state := states.get(timeout=timeout)) is not grpc.ChannelConnectivity.READY:
            if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                raise Refusal("refused", f"no connection to {endpoint}")
    except queue.Empty:
        raise Refusal("refused", f"no connection to {endpoint} within {timeout:g} s") from None
    finally:
        channel.unsubscribe(states.put)


VALUES = Values(
    arguments=lambda call, plain: {"request": messages.from_json(messages.types_of(call)[0], plain["request"])},
    answer=lambda call, plain: messages.from_json(messages.types_of(call)[1], plain),
    plain=lambda call, answer: messages.to_json(messages.types_of(call)[1], answer),
    look=lambda call, right: own.look_by(messages.same_of(messages.types_of(call)[1]), right),
)
connect = Threads
