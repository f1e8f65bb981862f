"""An MCP server over standard input and output, in pages of one tool. Its only argument says how it behaves."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TOOLS = json.loads((Path(__file__).parent / "documents" / "tools.json").read_text())["result"]["tools"]
META = {"protocolVersion", "clientInfo", "clientCapabilities"}


def answer(message: dict[str, Any], how: str) -> dict[str, Any]:
    """What a server answers to a request."""
    method, params = message["method"], message.get("params", {})
    stateless = {key.rpartition("/")[2] for key in params.get("_meta", {})} >= META
    if method == "initialize":
        if how == "stateless":
            return {"error": {"code": -32601, "message": "there is no handshake"}}
        about = {"name": "Web weather", "version": "1"}
        return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {}, "serverInfo": about}}
    if method != "tools/list" or stateless != (how == "stateless") or how == "refuses":
        return {"error": {"code": -32601, "message": f"no {method} here"}}
    if how == "no-list":
        return {"result": {"tools": "none"}}
    at = int(params.get("cursor", 0))
    result: dict[str, Any] = {"tools": TOOLS[at : at + 1]}
    if at + 1 < len(TOOLS) or how in {"circle", "endless"}:
        result["nextCursor"] = "0" if how == "circle" else str(at + 1)
    return {"result": result}


def say(message: dict[str, Any]) -> None:
    """Send a message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main(how: str) -> None:
    """Serve until the end of input."""
    if how == "dies":
        sys.exit("no database")
    if how == "leaves":
        # A process that leaves the group of its parent, and lets go of its pipes.
        subprocess.Popen(["/bin/sleep", "600"], start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
        Path("started").touch()
    initialized = how == "stateless"
    for line in sys.stdin:
        message = json.loads(line)
        initialized |= message.get("method") == "notifications/initialized"
        if "method" not in message or "id" not in message:
            continue
        if message["method"] != "initialize" and not initialized:
            time.sleep(600)
        if how == "banner":
            sys.stdout.write("Ready!\n")
        if how == "asks":
            for number, asked in enumerate(["ping", "roots/list"]):
                say({"id": number, "method": asked})
                said = json.loads(sys.stdin.readline())
                assert ("result" in said, said["id"]) == (asked == "ping", number)
            say({"method": "notifications/message"})
        say({"id": message["id"], **answer(message, how)})
    if how == "stays":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
