"""What a report says in words: sections of text and tables, and the sentences in them."""
