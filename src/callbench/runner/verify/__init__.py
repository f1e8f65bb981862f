"""The contract suite: whether a stack does what CONTRACT.md and SERVICE.md say, told in sentences."""
