"""Java for an imported service: classes for JSON, stubs for gRPC, and classes and a WSDL for SOAP."""

from callbench.adapter.generators.java.compiled import built

__all__ = ["built"]
