"""Requests to a user's own server from bodies, a log, or a file of endpoints and sessions.

`bodies` finds the bodies that a command line names. `log_line` reads a line of a log, and `access_log` makes endpoints
of a whole log. `requests_file` reads a file of endpoints and sessions. All of them give the script that `model.script`
describes; `defaults` adds what all requests have.
"""
