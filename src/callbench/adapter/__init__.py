"""Adapters as the core sees them: their processes, the contract, the right answers, and the hosts that they run on."""
