"""What a comparison with a peer came to: sentences, tables, JSON."""
