"""Servers whose truth is arithmetic, in virtual time."""
