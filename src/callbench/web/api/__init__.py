"""The API: what the page does, for programs. HTTP and JSON below `/api`, described by OpenAPI."""
