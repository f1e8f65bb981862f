"""The service of contract/SERVICE.md, worked out anew: what the right answer to any call is.

The core compares what adapters answer with what stands here. It is written from the text, not from the
engine, so that one mistake has to be made twice to go unseen.
"""

from callbench.adapter.service.canonical import canonical, digest_if_large
from callbench.adapter.service.expect import BadArgumentsError, ServiceFault, expected, sent

__all__ = ["BadArgumentsError", "ServiceFault", "canonical", "digest_if_large", "expected", "sent"]
