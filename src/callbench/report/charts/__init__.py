"""Charts: one file describes one, in Vega-Lite; `gallery` chooses which a report shows."""
