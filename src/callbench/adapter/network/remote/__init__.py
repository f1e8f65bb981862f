"""Other machines as hosts: keys, the scheduler, the agent on a host, and the core's connection to it."""
