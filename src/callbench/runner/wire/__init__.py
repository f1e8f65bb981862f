"""The wire ledger: what each byte of a call was for, in trials of its own over two hosts where nothing else talks."""
