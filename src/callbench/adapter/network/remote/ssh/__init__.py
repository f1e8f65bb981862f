"""Agents that the core starts itself, over the system's ssh. They end with it."""
