"""`python -m callbench`."""

from callbench.cli import main

main()
