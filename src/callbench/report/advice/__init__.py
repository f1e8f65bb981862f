"""An advice on one page: the choice, what it saves and depends on, what a move costs, what was not measured."""
