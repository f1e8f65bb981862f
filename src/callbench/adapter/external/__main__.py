"""`python -m callbench.adapter.external TABLES`: the adapter that represents external servers."""

from callbench.adapter.external.program import main

main()
