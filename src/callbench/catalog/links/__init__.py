"""The profiles of links: loopback, two hosts, and what lies between them."""
