"""What must be there before a stack can be measured: toolchains, adapters, and the command that installs them."""
