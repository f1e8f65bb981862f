"""The calls of a service of one's own over gRPC: grpcio is the other side, with messages of Google's own compiler."""

import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from by_protobuf import filled
from compiling import compiled
from everything_service import SCHEMA, SERVICE
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from callbench.adapter import oracle
from callbench.adapter.own_answers import PAIR
from callbench.adapter.session import Adapter
from callbench.catalog.manifest import Manifest
from callbench.catalog.own import protoc
from callbench.catalog.own.proto_text import grpc_text
from callbench.model.errors import AdapterFailure

# The first test waits for the compiler, which takes long on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

FILE = "everything.proto"


@dataclass(frozen=True)
class Stubs:
    """What stubs of the service have, as protobuf's own compiler reads it.

    The messages are apart from those of other tests, which have the same names.

    Attributes:
        service: the full name.
        methods: by call, the classes of its request and of its answer.
    """

    service: str
    methods: Mapping[str, tuple[Any, Any]]

    def pairs(self, name: str) -> list[tuple[Any, Any]]:
        """The messages of each pair of a call."""
        asked, answered = self.methods[name]
        return [
            (
                filled(asked(), asked.DESCRIPTOR.name, pair.request),
                filled(answered(), answered.DESCRIPTOR.name, pair.answer),
            )
            for pair in SERVICE.payloads[name]
        ]

    def called(self, way: grpc.Channel, name: str) -> Any:
        """What a stub has as its method."""
        asked, answered = self.methods[name]
        return way.unary_unary(
            f"/{self.service}/{name}",
            request_serializer=asked.SerializeToString,
            response_deserializer=answered.FromString,
        )


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """The native adapter with the calls."""
    return compiled(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Stubs:
    folder = tmp_path_factory.mktemp("grpc")
    (folder / FILE).write_text(grpc_text(SCHEMA))
    pool = DescriptorPool()
    for one in protoc.compiled(folder, FILE).file:
        pool.Add(one)
    (service,) = pool.FindFileByName(FILE).services_by_name.values()
    methods = {it.name: (GetMessageClass(it.input_type), GetMessageClass(it.output_type)) for it in service.methods}
    return Stubs(service.full_name, methods)


def _channel(endpoint: str) -> grpc.Channel:
    """A channel of grpcio to an endpoint of ours."""
    place, secured, _ = endpoint.removeprefix("https://").partition("#sha256=")
    place = place.removesuffix("/")
    if not secured:
        return grpc.insecure_channel(place)
    host, _, port = place.partition(":")
    shown = ssl.get_server_certificate((host, int(port)))
    return grpc.secure_channel(place, grpc.ssl_channel_credentials(shown.encode()))


@pytest.mark.parametrize("channel", ["grpc", "grpc-tls"])
def test_a_client_of_grpcio_gets_the_answer_of_each_pair(channel: str, native: Manifest, stubs: Stubs) -> None:
    """By the path that stubs of schema.proto have, and with no envelope."""
    with Adapter(native, "the server") as server, _channel(server.serve(f"native/protobuf+{channel}")) as way:
        for name in stubs.methods:
            for request, right in stubs.pairs(name):
                assert stubs.called(way, name)(request, timeout=30) == right, name
        with pytest.raises(grpc.RpcError) as refused:
            stubs.called(way, "Grow")(stubs.methods["Grow"][0](type="unknown"), timeout=30)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        with pytest.raises(grpc.RpcError) as refused:
            way.unary_unary(f"/{stubs.service}/Fly")(b"", timeout=30)
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_our_client_calls_a_server_of_grpcio(native: Manifest, stubs: Stubs) -> None:
    """It sends what the server's own library finds equal, and reads what that library writes."""

    def handler(name: str) -> grpc.RpcMethodHandler:
        known = stubs.pairs(name)

        def answer(request: Any, context: grpc.ServicerContext) -> Any:
            found = [right for asked, right in known if asked == request]
            return found[0] if found else context.abort(grpc.StatusCode.NOT_FOUND, "the request is in no pair")

        asked, answered = stubs.methods[name]
        return grpc.unary_unary_rpc_method_handler(answer, asked.FromString, answered.SerializeToString)

    names = [name for name in stubs.methods if name != "Rest"]
    with ThreadPoolExecutor(2) as pool:
        server = grpc.server(pool)
        handlers = {name: handler(name) for name in names}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(stubs.service, handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            with Adapter(native, "the client") as client:
                client.connect("native/protobuf+grpc", f"127.0.0.1:{port}", 1)
                for name in names:
                    for number in range(1, len(SERVICE.payloads[name]) + 1):
                        arguments = {PAIR: number}
                        outcome = client.call(name, arguments)
                        assert oracle.error_in(name, arguments, outcome, client.service) is None
                with pytest.raises(AdapterFailure, match="grpc-status 12"):
                    client.call("Rest", {PAIR: 1})
        finally:
            server.stop(None).wait()
