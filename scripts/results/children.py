# SPDX-License-Identifier: Apache-2.0
"""Programs that a command runs, and what becomes of them when a signal ends the command: they end within a second, and so does the command.

A command calls catch_signals() once, and run() in the place of subprocess.run. SIGINT, SIGTERM or SIGHUP raises Stopped in the main thread, when each
child has been told to end. Whoever ends the command calls end(), and exits with Stopped.status. runner.py makes many runs with it."""
import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time

GRACE_SECONDS = 0.5  # of a child between the request to end and its end by force


class Stopped(KeyboardInterrupt):
    """A signal has come. status: the exit status that says so, as shells have it."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


# A child ends with the command, even where SIGKILL ends that: setpriv asks the kernel for it, and becomes the program.
TIED = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
# What the child has started itself ends then too: this shell reads which groups there are, and ends them when its input ends, as it does with the command.
GUARD = """trap '' INT TERM HUP
groups=' '
while read -r sign group; do
    case $sign in
        +) groups="$groups-$group " ;;
        *) groups="${groups%%" -$group "*} ${groups#*" -$group "}" ;;
    esac
done
for group in $groups; do kill -s KILL -- "$group" 2>/dev/null; done
"""

job = threading.local()  # of a thread: .environment, more variables for its children (runner.py)
_lock = threading.Lock()
_running = set()  # of Popen
_guard = None
_stopped_by = 0


def _register(sign, child):
    """With the guard, which is there from the first child on. Called under the lock."""
    global _guard
    if _guard is None:
        _guard = subprocess.Popen(["sh", "-c", GUARD], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0, text=True)
    with contextlib.suppress(OSError):  # where somebody has ended the guard, the kernel still ends the child
        _guard.stdin.write(f"{sign} {child.pid}\n")
        _guard.stdin.flush()


def _tell(child, number):
    """The child leads a group of its own, so what it has started hears it too."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def _on_signal(number, _frame):
    global _stopped_by
    if _stopped_by == 0:
        _stopped_by = number
    signal.signal(number, signal.SIG_DFL)  # a second one ends the command at once
    for child in list(_running):
        _tell(child, signal.SIGTERM)
    raise Stopped(number)


def catch_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it, or a shell's background job
            signal.signal(number, _on_signal)


def _start(words, options):
    more = getattr(job, "environment", None)
    if more:
        options["env"] = {**(options.get("env") or os.environ), **more}
    with _lock:
        if _stopped_by:
            raise Stopped(_stopped_by)
        child = subprocess.Popen([*TIED, *words], process_group=0, **options)
        _running.add(child)
        _register("+", child)
    if _stopped_by:  # it has come between the two
        _tell(child, signal.SIGTERM)
    return child


def _forget(child):
    _running.discard(child)
    with _lock:
        _register("-", child)


def run(words, timeout=None, **options):
    """As subprocess.run with capture_output and without check; raises Stopped, in any thread, when a signal has ended the command."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    child = _start(words, options)
    try:
        out, err = child.communicate(timeout=timeout)
    except BaseException:
        _tell(child, signal.SIGTERM if isinstance(_stopped_by, int) and _stopped_by else signal.SIGKILL)
        if not _stopped_by:
            child.wait()
        raise
    finally:
        if child.poll() is not None and not _stopped_by:
            _forget(child)
    if _stopped_by:
        raise Stopped(_stopped_by)
    return subprocess.CompletedProcess(words, child.returncode, out, err)


def end():
    """No child is there any more, nor what it has started."""
    limit = time.monotonic() + GRACE_SECONDS
    for child in list(_running):
        while child.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        _tell(child, signal.SIGKILL)  # also when it has ended: its group may not have
        with contextlib.suppress(ChildProcessError):
            child.wait()
        _running.discard(child)
    if _guard is not None:
        with contextlib.suppress(OSError):
            _guard.stdin.close()
        _guard.wait()
