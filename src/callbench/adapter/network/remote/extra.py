"""The extra `hosts` of the installation: Dask and certificates, which one machine does not need."""

from importlib.util import find_spec

from callbench.adapter.network.remote.host_failure import HostFailure
from callbench.model.installation import wheel

_PACKAGES = ("distributed", "cryptography")


def require_extra(what: str = "hosts need") -> None:
    """Refuse if it is not installed.

    Args:
        what: needs it: the begin of a sentence.

    Raises:
        HostFailure: it is not; the sentence says how to install it.
    """
    if any(find_spec(name) is None for name in _PACKAGES):
        how = "setup/python hosts" if wheel() is None else "pip install 'callbench[hosts]'"
        raise HostFailure(f"{what} packages that are not installed: run `{how}`")
