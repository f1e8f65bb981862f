"""What a comparison decides: better, worse, equivalent or undecided, ranks with ties, what more forks would settle."""
