"""What an adapter's processes use, read on the machine where they run: by the core, or by the agent of a host."""
