"""Hosts and links of the network lab: create, use and remove them."""
