"""`python -m callbench.external TABLES`: the adapter that plays external servers."""

from callbench.external.program import main

main()
