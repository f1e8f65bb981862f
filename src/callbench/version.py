"""Which Callbench this is."""

from importlib.metadata import version

VERSION = version("callbench")
CONTRACT = 1
