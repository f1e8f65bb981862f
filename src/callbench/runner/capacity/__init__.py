"""`callbench capacity`: how many clients a server holds.

`search` tries loads and writes each to the journal. `analysis/capacity` has the options and computes from the journal:
the capacity with its interval, and the resource that was saturated first.
"""
