# SPDX-License-Identifier: Apache-2.0
"""The runner under every long command: many calls side by side, of which each runs programs (children.py). It tells how far they are, and leaves word of
them for `cowarp serve`. A signal ends all of it; what is done stays, and the caller's store keeps it from being done again."""
import atexit
import contextlib
import json
import os
import pathlib
import shutil
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import children

LOG_SECONDS = 60  # between two lines about the calls, where no terminal is
LINE_SECONDS = 0.5  # on a terminal
ENDED_KEPT = 50  # ended calls of which the board has a line
BOARD_VERSION = 1


def cache():
    """Of the user: finished runs, boards, RTL that was built (docs/installing.md)."""
    home = os.environ.get("COWARP_CACHE") or (os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) + "/cowarp"
    return pathlib.Path(home)


def boards():
    """The folder of the boards: a folder each, by the process that has made it."""
    return cache() / "running"


def born(pid):
    """When the process began, in ticks of the kernel; None: there is none. A number is given to another process later, and then at another time."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def states():
    """{folder: state} of the boards of commands that are there. Those of commands that were killed are removed."""
    found = {}
    for folder in sorted(boards().glob("*")):
        try:
            state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):  # it has just begun or just ended, or was killed then
            if folder.name.isdigit() and born(int(folder.name)) is None:
                shutil.rmtree(folder, ignore_errors=True)
            continue
        if state.get("version") == BOARD_VERSION and born(state["pid"]) == state["born"]:
            found[folder] = state
        elif state.get("version") == BOARD_VERSION:
            shutil.rmtree(folder, ignore_errors=True)
    return found


def clock(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Board:
    """What a command's calls do now, as a file of JSON. Where the cache cannot be written there is none: it is no part of a result."""

    def __init__(self, total, what, at_once):
        self.folder, self.lock = boards() / f"{os.getpid()}", threading.Lock()
        self.state = {"version": BOARD_VERSION, "id": f"{os.getpid()}-{time.time_ns()}", "pid": os.getpid(), "born": born(os.getpid()), "command": command_line(), "folder": os.getcwd(), "began": time.time(),
                      "what": what, "total": total, "done": 0, "failed": 0, "jobs": at_once, "left_seconds": None, "running": [], "ended": []}
        states()  # what others have left
        atexit.register(self.close)  # a signal may come before there is anybody who would close it
        with contextlib.suppress(OSError):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)

    def progress(self, number):
        """Where the call with this number has what its run says of itself."""
        return self.folder / f"{number}.json"

    def begin(self, number, name):
        with self.lock:
            self.state["running"].append({"number": number, "name": name, "began": time.time()})
            self._write()

    def end(self, number, name, stats, error, left):
        """Of a call, and the time that the others will take."""
        state, now = self.state, time.time()
        with self.lock:
            began = [job["began"] for job in state["running"] if job["number"] == number]
            state["running"] = [job for job in state["running"] if job["number"] != number]
            ended = {"number": number, "name": name, "seconds": now - (began or [now])[0], "stats": stats and str(stats), "error": error and str(error)}
            state.update(done=state["done"] + 1, failed=state["failed"] + (error is not None), left_seconds=left, ended=[*state["ended"], ended][-ENDED_KEPT:])
            with contextlib.suppress(OSError):
                self.progress(number).unlink(missing_ok=True)
            self._write()

    def _write(self):
        partial = self.folder / "state.partial"
        with contextlib.suppress(OSError):
            partial.write_text(json.dumps(self.state))
            partial.replace(self.folder / "state.json")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        if not self.folder.exists():  # a call that is still ending has written into it: then once more, when all have ended
            atexit.unregister(self.close)


def command_line():
    """As the user has typed it, but for the interpreter."""
    name = pathlib.PurePath(sys.argv[0]).stem
    return (["cowarp", name] if "COWARP" in os.environ else [pathlib.PurePath(sys.argv[0]).name]) + sys.argv[1:]


class Progress:
    """How many calls are done, and how long the others will take: a line that changes on a terminal, elsewhere a line each minute."""

    def __init__(self, total, what):
        self.total, self.what, self.done, self.began = total, what, 0, time.monotonic()
        self.told = self.began

    def left(self):
        """Seconds, or None before the first has ended."""
        return (time.monotonic() - self.began) / self.done * (self.total - self.done) if self.done else None

    def text(self):
        left = self.left()
        return f"{self.done} of {self.total} {self.what}" + (f", {clock(left)} left" if left is not None else "")

    def tell(self):
        terminal, now = sys.stderr.isatty(), time.monotonic()
        if self.total == 1:  # which says itself how far it is
            return
        if terminal and (now - self.told >= LINE_SECONDS or self.done == self.total):
            print(f"\r{self.text()}\x1b[K", end="", file=sys.stderr, flush=True)
        elif not terminal and now - self.told >= LOG_SECONDS:
            print(self.text(), file=sys.stderr, flush=True)
        else:
            return
        self.told = now

    def erase(self):
        if sys.stderr.isatty() and self.total > 1:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Batch:
    """The calls of one command. call: of an item, in a thread, with children.run for its programs. about: of an item, (its name, the path of the statistics
    file that it leaves, or None)."""

    def __init__(self, call, items, at_once, what, about):
        self.call, self.about = call, about
        self.progress, self.board = Progress(len(items), what), Board(len(items), what, at_once)
        self.pool = ThreadPoolExecutor(at_once)
        self.pending = {self.pool.submit(self._one, number, item): (number, item) for number, item in enumerate(items)}

    def _one(self, number, item):
        self.board.begin(number, self.about(item)[0])
        children.job.environment = {"COWARP_PROGRESS": str(self.board.progress(number))}
        return self.call(item)

    def _ended(self, future):
        number, item = self.pending.pop(future)
        self.progress.done += 1
        self.board.end(number, *self.about(item), future.exception(), self.progress.left())
        return item, future

    def __iter__(self):
        """(item, future) as the calls end. Who stops to ask for more, as after a signal, ends those that run."""
        try:
            while self.pending:
                finished, _ = wait(self.pending, timeout=LINE_SECONDS, return_when=FIRST_COMPLETED)
                ended = [self._ended(future) for future in finished]
                self.progress.tell()
                yield from ended
        finally:
            self.progress.erase()
            self.pool.shutdown(wait=False, cancel_futures=True)
            self.board.close()


def each(call, items, at_once, what="runs", about=lambda item: (str(item), None)):
    """Yields (item, future) as the calls end."""
    items = list(items)
    return iter(Batch(call, items, max(1, at_once), what, about)) if items else iter(())


def results(call, items, at_once, what="runs", about=lambda item: (str(item), None)):
    """Yields what the calls return, in the order of the items. The first that raises ends the others."""
    items, done, next_one = list(items), {}, 0
    for number, future in each(lambda number: call(items[number]), range(len(items)), at_once, what, lambda number: about(items[number])):
        done[number] = future.result()
        while next_one in done:
            yield done.pop(next_one)
            next_one += 1


def one(words, name, timeout=None, **options):
    """A program as the only call: as children.run."""
    return next(results(lambda words: children.run(words, timeout=timeout, **options), [words], 1, "runs", lambda _: (name, None)))
