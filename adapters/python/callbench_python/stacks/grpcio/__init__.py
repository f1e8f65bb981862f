"""gRPC by grpcio, for a service of the user's own."""
