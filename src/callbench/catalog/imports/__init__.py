"""Documents that people have, read into the one form of a service: an importer a file or folder."""
