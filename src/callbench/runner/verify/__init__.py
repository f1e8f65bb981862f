"""The contract suite: check whether a stack does what CONTRACT.md and SERVICE.md say."""
