"""A second implementation of the service of contract/SERVICE.md: the right answer to any call.

The core compares the answers of adapters with this one. It was written from the text and not from the engine, so that a
mistake must be made twice to stay unnoticed.
"""

from callbench.adapter.service.canonical import canonical, digest_if_large
from callbench.adapter.service.expect import BadArgumentsError, ServiceFault, expected, sent

__all__ = ["BadArgumentsError", "ServiceFault", "canonical", "digest_if_large", "expected", "sent"]
