# SPDX-License-Identifier: Apache-2.0
"""Callbacks of the library, and what must not get lost in them: exceptions and signals.

ctypes prints an exception that leaves a callback and goes on. So a callback keeps it, has the run stopped, and it is raised when the call into
the library has returned. A signal's Python handler runs in the main thread between two instructions of Python, perhaps before a callback
could catch what it raises. So while the library runs the handlers keep their exceptions, too. While RTL is built the main thread only
waits, and other threads ask whether to stop: they see the signal in a pipe that Python's own C handler writes to."""
import contextlib
import os
import signal
import sys
import threading

from . import _library as c


class Calls:
    def __init__(self, on_progress=None, on_message=None, on_print=None):
        self.on_progress, self.on_message, self.on_print = on_progress, on_message, on_print
        self.pending = None
        self.pipe, self.seen = None, b""
        # the library keeps these pointers, so this object keeps the functions
        self.progress, self.message, self.print = c.PROGRESS(self._progress), c.MESSAGE(self._message), c.PRINT(self._print)
        self.stop = c.STOP(lambda context: self._progress(context, 0, 0, 0))

    def _keep(self, function, *arguments):
        try:
            return function(*arguments)
        except BaseException as error:  # KeyboardInterrupt and SystemExit too
            self.pending = self.pending or error
            return 1

    def _signalled(self):
        if self.pipe is None:
            return False
        with contextlib.suppress(BlockingIOError):
            self.seen += os.read(self.pipe, 64)
        return signal.SIGINT in self.seen

    def _progress(self, _context, cycles, done, total):
        if self.pending is None and self._signalled():
            return 1
        if self.pending is None and self.on_progress is not None:
            stop = self._keep(self.on_progress, cycles, done, total)
        return int(self.pending is not None or (self.on_progress is not None and bool(stop)))

    def _message(self, _context, text):
        if self.on_message is not None:
            self._keep(self.on_message, text.decode(errors="replace"))

    def _print(self, _context, text, length):
        write = self.on_print if self.on_print is not None else sys.stdout.write
        self._keep(write, text[:length].decode(errors="replace"))

    def _handlers(self):
        """The Python handlers that there are, each replaced by one that keeps what it raises."""
        handlers = {}
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler) and not isinstance(handler, signal.Handlers):
                handlers[number] = handler
                signal.signal(number, lambda *arguments, handler=handler: self._keep(handler, *arguments))
        return handlers

    @contextlib.contextmanager
    def guard(self):
        """Around a call into the library. Raises what callbacks and handlers have kept."""
        if threading.current_thread() is threading.main_thread():
            self.pipe, end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
            before, handlers = signal.set_wakeup_fd(end, warn_on_full_buffer=False), self._handlers()
            try:
                yield
            finally:
                for number, handler in handlers.items():
                    signal.signal(number, handler)
                signal.set_wakeup_fd(before)
                self._signalled()  # what is left
                if before >= 0 and self.seen:
                    os.write(before, self.seen)  # it has an owner, asyncio for one
                os.close(end)
                os.close(self.pipe)
                self.pipe, self.seen = None, b""
        else:
            yield
        pending, self.pending = self.pending, None
        if pending is not None:
            raise pending
