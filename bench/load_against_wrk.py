"""The load driver beside wrk, both against one nginx: processor time a call of the client, and the rate, in pairs.

`bench/run load_against_wrk`, or with the number of pairs: `.venv/bin/python bench/load_against_wrk.py 20`.
50 connections that are kept, a small answer. nginx has the last processor, the client the first. The driver compares
every answer octet by octet and keeps its histograms; wrk does neither.
"""

import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from callbench import manifest
from callbench.adapter import Adapter
from callbench.stats.interval import geometric_mean

ROOT = Path(__file__).resolve().parents[1]
CLIENTS, SECONDS = 50, 2.0
BODY = "Hello World"
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2; fastcgi_temp_path {folder}/3;
  uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{ listen 127.0.0.1:{port}; location / {{ default_type text/plain; return 200 "{body}"; }} }}
}}
"""


def main() -> None:
    """Runs the pairs, and prints both ratios."""
    program("wrk")
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    processors = sorted(os.sched_getaffinity(0))
    client, server = processors[0], processors[-1]
    with tempfile.TemporaryDirectory(prefix="callbench-bench-") as folder:
        port = free_port()
        configuration = Path(folder) / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, port=port, body=BODY))
        nginx = subprocess.Popen(
            [program("taskset"), "-c", str(server), program("nginx"), "-c", str(configuration)],
            stderr=subprocess.DEVNULL,
        )
        try:
            await_port(port)
            measured(f"http://127.0.0.1:{port}/", pairs, client)
        finally:
            nginx.send_signal(signal.SIGQUIT)
            nginx.wait(timeout=10)


def measured(url: str, pairs: int, processor: int) -> None:
    """Both in turn, in random order within each pair."""
    read = manifest.read(ROOT / "engine" / "load" / "adapter.toml")
    costs, rates = [], []
    with Adapter(read, "the driver", (processor,)) as driver:
        driver.connect("load/http1", url, CLIENTS, options={"expect_body": BODY})
        for _ in range(pairs):
            sides = {"wrk": lambda: wrk(url, processor), "ours": lambda: ours(driver)}
            order = random.sample(sorted(sides), 2)
            found = {name: sides[name]() for name in order}
            costs.append(found["ours"][0] / found["wrk"][0])
            rates.append(found["ours"][1] / found["wrk"][1])
            print(
                "  ".join(
                    f"{name} {cost:5.2f} us a call, {rate:7,.0f}/s" for name, (cost, rate) in sorted(found.items())
                )
            )
    for what, ratios in (("processor time a call", costs), ("rate", rates)):
        mean = geometric_mean(ratios)
        print(f"{what}, ours over wrk's: {mean.middle:.3f} ({mean.low:.3f} to {mean.high:.3f}), {pairs} pairs")


def ours(driver: Adapter) -> tuple[float, float]:
    """Microseconds of processor time a call, and calls a second."""
    done = driver.drive("Hello", {}, calls=1, seconds=SECONDS, timing="each")
    if done["errors"]:
        sys.exit(f"the driver met errors: {done['errors']}")
    used = done["processor"]
    start, end = (int(at["user_ns"]) + int(at["system_ns"]) for at in (used["start"], used["end"]))
    return (end - start) / 1e3 / done["calls"], done["calls"] / done["elapsed_ns"] * 1e9


def wrk(url: str, processor: int) -> tuple[float, float]:
    """Likewise; its processor time is the whole process's, start and all, a few milliseconds of seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    argv = ["taskset", "-c", str(processor), "wrk", "-t1", f"-c{CLIENTS}", f"-d{SECONDS:.0f}s", url]
    said = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    calls, rate = re.search(r"(\d+) requests in", said), re.search(r"Requests/sec:\s*([\d.]+)", said)
    if not calls or not rate:
        sys.exit(f"wrk said something else than expected: {said}")
    return used * 1e6 / int(calls[1]), float(rate[1])


def program(name: str) -> str:
    """Where it is."""
    found = shutil.which(name)
    if found is None:
        sys.exit(f"{name} is not installed: setup/system nginx-light wrk")
    return found


def free_port() -> int:
    """One that nobody has now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def await_port(port: int) -> None:
    """Until somebody listens there."""
    for _ in range(100):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("nginx did not start")


if __name__ == "__main__":
    main()
