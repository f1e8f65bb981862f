"""Which Callbench this is, in the one place where it stands, and which contract it speaks."""

VERSION = "0.1.0"
CONTRACT = 1
