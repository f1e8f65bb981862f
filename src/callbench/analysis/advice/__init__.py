"""From a measured record and a situation to advice: what to choose, what it saves, and what that depends on."""
