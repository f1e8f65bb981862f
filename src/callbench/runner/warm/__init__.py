"""Stacks that compile while they run are warmed up before anything counts."""
