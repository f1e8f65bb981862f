"""gRPC by grpcio, for a service of the user's own."""

from callbench_python.stacks.technology import Sides, Technology

TECHNOLOGY = Technology(
    "own",
    ("grpcio", "protobuf"),
    {
        "protobuf+grpc": Sides("grpc_threads", "grpc_server"),
        "protobuf+grpc-async": Sides("grpc_async", "grpc_server"),
    },
)
