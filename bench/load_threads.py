"""The load driver with two threads beside one, against one nginx: processor time a call, and the rate, in pairs.

`bench/run load_threads`, or with the number of pairs: `.venv/bin/python bench/load_threads.py 20`.

Both drivers may use both processors, and nginx has the last one. So the rates show what is left beside the server. Were
the server elsewhere, two processors would carry twice the calls of one, divided by the ratio of processor time a call.
"""

from rivals import BODY, CLIENTS, asked_pairs, compare, driver, nginx, ours, processors


def main() -> None:
    """Runs the pairs, and prints both ratios."""
    with nginx() as port, driver(processors()) as one, driver(processors()) as two:
        url = f"http://127.0.0.1:{port}/"
        for adapter, threads in ((one, 1), (two, 2)):
            adapter.connect("load/http1", url, CLIENTS, options={"expect_body": BODY, "threads": threads})
        compare("one thread", {"ours": lambda: ours(two), "one thread": lambda: ours(one)}, asked_pairs())


if __name__ == "__main__":
    main()
