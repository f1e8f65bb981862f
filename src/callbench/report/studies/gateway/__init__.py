"""The gateway article of 2012: summaries beside the published ones, and the stages within the gateway."""
