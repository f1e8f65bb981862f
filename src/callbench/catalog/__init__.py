"""What can be measured: manifests, stacks, studies, links and external servers."""
