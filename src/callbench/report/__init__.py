"""What a record says, shown: in the terminal, as a page, as Markdown, CSV and JSON. Always from what is stored.

Nothing is imported here: a table in the terminal needs no charts.
"""
