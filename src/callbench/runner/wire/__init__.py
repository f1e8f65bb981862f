"""The wire ledger: the purpose of each byte of a call, counted in its own trials between two otherwise silent hosts."""
