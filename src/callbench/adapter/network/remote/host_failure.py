"""What is wrong with a host or with its keys, in one sentence."""

from callbench.model.errors import BadInput


class HostFailure(BadInput):
    """A host, its agent, the scheduler or a key cannot be used. The sentence has the place and the remedy."""
