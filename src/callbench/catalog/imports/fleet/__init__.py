"""Payloads that come along: sizes and shapes of large fleets and of public documents, from published sources."""
