"""The native channels meet clients and servers that others wrote: curl, Python's ssl, and gRPC of Google."""

import hashlib
import json
import socket
import ssl
import subprocess
from typing import Any

import grpc
import pytest
from foreign_server import PROGRAM

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.model.errors import AdapterFailure
from conftest import ROOT
from grpcio_party import contract_stubs, served

pytestmark = pytest.mark.engine

SUM = '{"jsonrpc":"2.0","method":"Sum","params":[2,3],"id":1}'
FAULT = "n is -1: it must be from 0 to 1000000"
# Of curl: the version of HTTP that was spoken stands behind the answer.
VERSION = "\n%{http_version}"


def running() -> Adapter:
    """The native adapter."""
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built: run make engine")
    return Adapter(catalogue.load([ROOT / "engine" / "native"]).adapter("native").manifest, "the test")


def parted(endpoint: str) -> tuple[str, str]:
    """An endpoint without the certificate's fingerprint, and the fingerprint."""
    place, _, fingerprint = endpoint.partition("#sha256=")
    return place, fingerprint


@pytest.mark.parametrize(
    ("channel", "options", "version"),
    [
        ("http-unix", ["--http1.1"], "1.1"),
        ("http2", ["--http2-prior-knowledge"], "2"),
        ("https", ["--insecure", "--http1.1"], "1.1"),
        ("https-keepalive", ["--insecure"], "1.1"),
        ("http2-tls", ["--insecure", "--http2"], "2"),
    ],
)
def test_curl_speaks_with_it(channel: str, options: list[str], version: str) -> None:
    with running() as server:
        url, _ = parted(server.serve(f"native/json+{channel}"))
        if channel == "http-unix":
            name, _, path = url.removeprefix("http+unix://").partition("/")
            options = [*options, "--abstract-unix-socket", name]
            url = f"http://localhost/{path}"
        command = [
            "curl",
            "--silent",
            "--fail",
            "--max-time",
            "60",
            *options,
            "--write-out",
            VERSION,
            "--data",
            SUM,
            url,
        ]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        body, _, spoken = answer.rpartition("\n")
        assert (json.loads(body)["result"], spoken) == (5, version)


def secure() -> ssl.SSLContext:
    """Accepts the certificate, whoever signed it: it is compared with the endpoint."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@pytest.mark.parametrize("channel", ["tcp-tls", "https-keepalive", "http2-tls", "grpc-tls"])
def test_the_certificate_is_the_one_of_the_endpoint(channel: str) -> None:
    message = "protobuf" if channel == "grpc-tls" else "json"
    with running() as server:
        place, fingerprint = parted(server.serve(f"native/{message}+{channel}"))
        host, _, port = place.removeprefix("https://").partition("/")[0].partition(":")
        with socket.create_connection((host, int(port)), 60) as plain, secure().wrap_socket(plain) as stream:
            found = stream.getpeercert(binary_form=True)
            assert found is not None
            assert hashlib.sha256(found).hexdigest() == fingerprint
            assert stream.version() == "TLSv1.3"


def test_a_frame_goes_over_tls() -> None:
    with running() as server:
        place, _ = parted(server.serve("native/json+tcp-tls"))
        host, _, port = place.partition(":")
        with socket.create_connection((host, int(port)), 60) as plain, secure().wrap_socket(plain) as stream:
            stream.sendall(len(SUM).to_bytes(4, "big") + SUM.encode())
            source = stream.makefile("rb")
            length = int.from_bytes(source.read(4), "big")
            assert json.loads(source.read(length))["result"] == 5


def test_another_certificate_is_refused() -> None:
    with running() as server, running() as client:
        place, fingerprint = parted(server.serve("native/json+tcp-tls"))
        with pytest.raises(AdapterFailure, match="another certificate than its endpoint says"):
            client.connect("native/json+tcp-tls", f"{place}#sha256={fingerprint[::-1]}", 1)


def test_a_client_of_grpcio_calls_our_server() -> None:
    types, generated = contract_stubs()
    with running() as server:
        with grpc.insecure_channel(server.serve("native/protobuf+grpc")) as channel:
            service = generated.SpeedServiceStub(channel)
            assert service.Sum(types.SumRequest(a=2, b=3)).result == 5
            assert [it.id for it in service.GetPersons(types.CountRequest(n=300)).result] == list(range(300))
            text = "a <&> ä €"
            assert service.EchoString(types.StringHolder(value=text)).value == text
            service.SendByteArray(types.ByteArrayHolder(value=bytes(200_000)))
            with pytest.raises(grpc.RpcError) as refused:
                service.GetPersons(types.CountRequest(n=-1))
            assert (refused.value.code(), refused.value.details()) == (grpc.StatusCode.INVALID_ARGUMENT, FAULT)
            nowhere = channel.unary_unary("/callbench.SpeedService/Fly")
            with pytest.raises(grpc.RpcError) as refused:
                nowhere(b"")
            assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED
            assert service.Sum(types.SumRequest(a=1, b=1)).result == 2
        assert server.counted()["calls"]["Sum"] == 2


def test_our_client_calls_a_server_of_grpcio() -> None:
    types, generated = contract_stubs()

    class Speed(generated.SpeedServiceServicer):  # type: ignore[misc, name-defined]
        def Sum(self, request: Any, _: object) -> Any:  # noqa: N802 - the service's name
            return types.SumAnswer(result=request.a + request.b)

        def GetPersons(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802 - the service's name
            if request.n < 0:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, FAULT)
            person = types.Person(id=7, first_name="Ada", last_name="Lovelace")
            return types.GetPersonsAnswer(result=[person] * request.n)

        def Hello(self, _: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802 - the service's name
            context.abort(grpc.StatusCode.UNAVAILABLE, "not today, 100 % sure")

    with served(Speed()) as place, running() as client:
        client.connect("native/protobuf+grpc", place, 1)
        assert client.call("Sum", {"a": 2, "b": 3})["value"] == 5
        (ada,) = client.call("GetPersons", {"n": 1})["value"]
        assert ada == {"ID": 7, "FirstName": "Ada", "LastName": "Lovelace"}
        assert client.call("GetPersons", {"n": -1})["fault"] == {"message": FAULT}
        with pytest.raises(AdapterFailure, match="grpc-status 14: not today, 100 % sure"):
            client.call("Hello", {})
        assert client.call("Sum", {"a": -1, "b": 1})["value"] == 0
