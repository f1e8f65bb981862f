"""Dask's scheduler and worker without their web pages, which would listen without TLS."""

from typing import Any

from distributed import Scheduler, Worker


class QuietScheduler(Scheduler):  # type: ignore[misc]
    """A scheduler that listens at one address, by TLS."""

    def start_http_server(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - Dask's
        """Do not."""


class QuietWorker(Worker):  # type: ignore[misc]
    """A worker that listens at one address, by TLS."""

    def start_http_server(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - Dask's
        """Do not."""
