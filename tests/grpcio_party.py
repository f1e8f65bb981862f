"""Python's grpcio as the other party: what Google's generator makes of contract/service.proto, and a server of it."""

import functools
import importlib
import sys
import tempfile
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import Any

import grpc
from grpc_tools import protoc

from conftest import ROOT


@functools.cache
def contract_stubs() -> tuple[Any, Any]:
    """Return the modules of the messages and of the stubs; they are made once in each process."""
    with tempfile.TemporaryDirectory(prefix="callbench-stubs-") as made:
        words = ["protoc", f"-I{ROOT / 'contract'}", f"--python_out={made}", f"--grpc_python_out={made}"]
        assert protoc.main([*words, "service.proto"]) == 0
        sys.path.insert(0, made)
        try:
            return importlib.import_module("service_pb2"), importlib.import_module("service_pb2_grpc")
        finally:
            sys.path.remove(made)


@contextmanager
def served(service: Any) -> Iterator[str]:
    """Serve the methods of a servicer at a free port while the block runs; yield host and port."""
    _, stubs = contract_stubs()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    stubs.add_SpeedServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(grace=None).wait()
