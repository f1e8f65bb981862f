"""`callbench load` where the client's machine gives no more: file descriptors, and ports."""

import json
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "callbench", "load"]
# In its own network: eight ports, none of which becomes free within a minute, and a server that answers.
ALONE = """
set -e
ip link set lo up
echo "40000 40007" > /proc/sys/net/ipv4/ip_local_port_range
echo 0 > /proc/sys/net/ipv4/tcp_tw_reuse
"$0" - <<'END' &
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
        self.close_connection = False  # Who closes first keeps the port: the client.
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", 18080), Handler).serve_forever()
END
server=$!
trap 'kill $server' EXIT
for _ in $(seq 200); do (exec 3<>/dev/tcp/127.0.0.1/18080) 2>/dev/null && break; sleep 0.1; done
"$0" -m callbench load http://127.0.0.1:18080/ "$@"
"""


def test_too_few_file_descriptors_are_reported_with_the_remedy(tmp_path: Path) -> None:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))

    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        words = [f"http://127.0.0.1:{server.getsockname()[1]}/", "--clients", "100"]
        refused = subprocess.run(
            [*COMMAND, *words], preexec_fn=few, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
        )
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert "raise the limit (ulimit -n), or make fewer (out-of-resources)" in refused.stderr


def test_too_few_ports_are_an_error_of_their_own_and_end_nothing(tmp_path: Path) -> None:
    alone = ["unshare", "-rn"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives nobody a network of their own")
    words = ["--clients", "1", "--no-keep-alive", "--calls", "20", "--out", "ports", "--json"]
    argv = [*alone, "bash", "-c", ALONE, sys.executable, *words]
    ended = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False)
    said = json.loads(ended.stdout or "null")
    assert said, ended.stderr
    assert said["calls"] + said["errors"]["out-of-resources"] == 20
    assert "no port is left for another connection" in said["error_messages"]["out-of-resources"]
