"""Measures remote calls: message formats over channels, with a verdict and how sure it is."""
