"""The messages of an imported service in each format, by the format's own library: how many bytes they have."""
