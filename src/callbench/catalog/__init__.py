"""What there is to measure: manifests, stacks, studies, links and servers of one's own."""
