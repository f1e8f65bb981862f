"""The folder of a service of the user's own: what `callbench import` writes, and a person may change."""
