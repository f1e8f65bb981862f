"""Sections that any report of a run may have, a file each, a function of the subject; `order` lists them all."""
