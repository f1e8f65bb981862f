"""Whether a peer agrees with the load driver, from the record of both."""
