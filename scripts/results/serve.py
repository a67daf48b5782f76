#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page in the browser of what the runner does (runner.py): commands, their runs with counters, what waits, what has ended. `cowarp serve` calls it.

It listens on the loopback address and nowhere else. Who asks has to know the token, which only the line that it begins with says; and has to have asked
for this address, so that no page of another name in the same browser is answered. Exit status: 2 the request was wrong, 130 or 143 for a signal."""
import hmac
import http.server
import json
import os
import pathlib
import secrets
import signal
import sys
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import children  # noqa: E402  (after the path is set)
import runner  # noqa: E402
from serve_page import PAGE  # noqa: E402
from statsfile import Parser, Wrong, run_main  # noqa: E402

ADDRESS = "127.0.0.1"
ENDED_COMMANDS = 20  # of which the page still tells
REPORT_SECONDS = 60
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
           "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'"}


def read(path):
    """A file of JSON that its writer replaces whole; None: it is not there."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


class Boards:
    """The commands that run, and the last ones that have ended while this page was served."""

    def __init__(self):
        self.known, self.lock = {}, threading.Lock()

    def look(self):
        """{id: state}, the oldest first."""
        there = set()
        with self.lock:
            for folder, state in runner.states().items():
                for job in state["running"]:
                    job["run"] = read(folder / f"{job['number']}.json")
                self.known[state["id"]] = {**state, "alive": True}
                there.add(state["id"])
            gone = [name for name in self.known if name not in there]
            for name in gone:
                self.known[name].update(alive=False, running=[])
            for name in gone[:-ENDED_COMMANDS]:
                del self.known[name]
            return dict(self.known)


def shown(state):
    """What the page gets: of what has ended whether there is a report, and not where."""
    ended = [{**job, "stats": bool(job["stats"]) and os.path.isfile(job["stats"])} for job in state["ended"]]
    return {**state, "ended": ended}


def report_of(path):
    """(status, HTML or the reason why there is none)"""
    done = children.run([sys.executable, str(HERE / "report.py"), path, "--out", "-"], timeout=REPORT_SECONDS, text=True, errors="replace")
    return (200, done.stdout) if done.returncode == 0 else (500, done.stderr.strip() or "no report")


class Answers(http.server.BaseHTTPRequestHandler):
    """server: with .token, .names (of this address) and .boards."""
    server_version, sys_version = "cowarp", ""

    def log_message(self, *_):
        pass

    def answer(self, status, text, kind="text/plain"):
        data = text.encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def asked(self):
        """(path, {name: value}) of a request that may be answered; else None, and it has been refused."""
        url = urllib.parse.urlsplit(self.path)
        words = {name: values[-1] for name, values in urllib.parse.parse_qs(url.query).items()}
        if self.headers.get("Host") not in self.server.names:
            return self.answer(403, "this address has another name; open the one that 'cowarp serve' has printed")
        if not hmac.compare_digest(words.get("token", "").encode(), self.server.token.encode()):
            return self.answer(403, "the token is not right; open the address that 'cowarp serve' has printed")
        return url.path, words

    def state_of(self, words):
        """Of the command that the words name; None, and it has been refused."""
        return self.server.boards.look().get(words.get("id")) or self.answer(404, "no such command")

    def do_GET(self):
        path, words = self.asked() or ("", None)
        if words is None:
            return
        if path == "/":
            self.answer(200, PAGE, "text/html")
        elif path == "/state":
            self.answer(200, json.dumps({"commands": [shown(state) for state in reversed(self.server.boards.look().values())]}), "application/json")
        elif path == "/report":
            self.report(words)
        else:
            self.answer(404, "no such page")

    def report(self, words):
        state = self.state_of(words)
        if state is None:
            return
        stats = next((job["stats"] for job in state["ended"] if str(job["number"]) == words.get("number")), None)
        if stats is None:
            self.answer(404, "no such report")
            return
        status, text = report_of(stats)
        self.answer(status, text, "text/html" if status == 200 else "text/plain")

    def do_POST(self):
        path, words = self.asked() or ("", None)
        if words is None:
            return
        if path != "/stop":
            self.answer(404, "no such page")
            return
        state = self.state_of(words)
        if state is None:
            return
        if not state["alive"]:
            self.answer(409, "it has ended")
            return
        os.kill(state["pid"], signal.SIGTERM)
        self.answer(200, "it was asked to end")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A browser that has gone, or a report that a signal has ended, is nobody's fault."""

    def __init__(self, port, token):
        super().__init__((ADDRESS, port), Answers)
        self.token, self.boards = token, Boards()
        self.names = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}


def main():
    parser = Parser(prog="cowarp serve", description="Shows in a browser what sweeps, reproductions, syntheses and other long commands of yours do: their runs, counters, what waits; "
                                                     "stops them, and opens reports of what has ended.",
                    epilog="It listens on 127.0.0.1 alone, and answers who knows the token of the address that it prints. Ctrl-C ends it; the commands go on.")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the address (one that is free)")
    options = parser.parse_args()
    if not 0 <= options.port <= 65535:
        raise Wrong(f"--port {options.port}: a port is 0 to 65535")
    token = secrets.token_urlsafe(24)
    try:
        server = Server(options.port, token)
    except OSError as error:
        raise Wrong(f"--port {options.port}: {error.strerror}; give another one") from None
    print(f"cowarp serve: http://{ADDRESS}:{server.server_port}/?token={token}", flush=True)
    with server:
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp serve", main))
