"""A run from its request to its record: launch, execution, forks and their batches, ledgers and codecs."""
