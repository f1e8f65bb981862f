"""From a record to what it says: results, verdicts, decisions and claims. Nothing here starts a process."""
