"""Hosts and links of the network lab: made, kept while they are used, and taken down again."""
