"""What a run is to measure and how long that takes: the plan, its estimate and preview, what is still undecided."""
