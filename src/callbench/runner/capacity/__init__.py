"""`callbench capacity`: how many clients a server holds.

`request` has the options. `search` tries loads and writes each to the journal. `result` computes from the journal: the
capacity with its interval, and the resource that was saturated first.
"""
