"""A short line of each command."""

NATIVE = "native/json+http"
STUDY = """
title = "Small"
about = "Two stacks."
[load]
clients = [1]
calls = 20
seconds = 0.02
forks = 2
rounds = 2
minutes = 0.01
[[cells]]
group = "Hello"
stacks = ["native/json+http", "native/bin+tcp"]
call = "Hello"
"""
COMMANDS: dict[str, tuple[str, ...]] = {
    "import": ("import", "order.json", "--out", "OUT"),
    "run": ("run", "study.toml", "--out", "OUT"),
    "advise": ("advise", "study.toml", "--no-tls", "--out", "OUT"),
    "compare": ("compare", NATIVE, "native/bin+tcp", "--seconds", "0.1", "--rounds", "2", "--out", "OUT"),
    "compare, stored": ("compare", "runs/compare"),
    "show": ("show", "runs/load"),
    "report": ("report", "runs/soak", "--out", "OUT"),
    "ui": ("ui", "runs", "--port", "0"),
    "history": ("history", "runs"),
    "publish": ("publish", "runs", "--out", "OUT"),
    "query": ("query", "runs/compare", "SELECT 1"),
    # It reads what a run of a quarter of a minute has captured, by a program of others.
    "exchange": ("exchange", "--help"),
    "load": ("load", NATIVE, "--seconds", "0.2", "--warm-up", "0", "--out", "OUT"),
    "capacity": ("capacity", NATIVE, "--seconds", "2", "--out", "OUT"),
    "soak": ("soak", NATIVE, "--seconds", "0.5", "--clients", "1", "--rest", "0", "--out", "OUT"),
    "overload": (
        "overload", NATIVE, "--capacity", "200", "--times", "2", "--seconds", "0.5", "--rest", "0", "--out", "OUT",
    ),
    "torture": ("torture", NATIVE, "--test", "garbage", "--seconds", "0.3", "--out", "OUT"),
    "peer": (
        "peer", "--start", "python3 -m http.server {port} --bind 127.0.0.1", "--path", "/", "--clients", "1",
        "--seconds", "0.5", "--warm-up", "0",
    ),
    "verify": ("verify", NATIVE),
    "list": ("list", "stacks"),
    "doctor": ("doctor",),
    "setup": ("setup",),
    "cache": ("cache",),
    "link try": ("link", "try", "lan100", "--seconds", "0.1"),
    "hosts init": ("hosts", "init", "127.0.0.1", "alpha", "--keys", "OUT"),
    "hosts start": ("hosts", "start", "--keys", "keys"),
    "agent": ("agent", "keys/alpha"),
    "serve": ("serve", NATIVE),
    "manual": ("manual",),
}  # fmt: skip
