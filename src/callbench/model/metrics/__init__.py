"""Every metric of a cell, declared once: registry.py has them all, and what lists them follows from it."""
