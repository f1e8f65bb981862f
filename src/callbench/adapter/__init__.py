"""An adapter as the core meets it: its process, the contract, the right answers, the hosts it runs on."""
