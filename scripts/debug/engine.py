#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run with the debugger's engine in it (harness/debugger/debug.h): starts it, sends commands, takes answers."""
import json
import os
import signal
import socket
import subprocess

SUBCOMMANDS = ("run", "exec", "cuda")


class Wrong(Exception):
    """The engine, or the one who asks, says in a line what cannot be."""


class Ended(Exception):
    """The run is over; status is what its process has ended with."""

    def __init__(self, status):
        super().__init__(f"the run has ended with status {status}")
        self.status = status


class Engine:
    """One run. Answers are dictionaries, as the engine's JSON has them."""

    def __init__(self, command, arguments, stdout=None):
        """command: the path of cowarp. arguments: "run", "ht-h", ... stdout: where the run's standard output goes; None: to this one's."""
        mine, other = socket.socketpair()
        words = [arguments[0], f"--debug-socket={other.fileno()}", *arguments[1:]]
        self.process = subprocess.Popen([command, *words], pass_fds=[other.fileno()], stdin=subprocess.DEVNULL, stdout=stdout,
                                        start_new_session=True)
        other.close()
        self.socket, self.text = mine, b""
        self.place = self.answer()  # of the last stop

    def line(self):
        """The next line of the engine; b"" when there will be none."""
        while b"\n" not in self.text:
            piece = self.socket.recv(65536)
            if not piece:
                return b""
            self.text += piece
        line, _, self.text = self.text.partition(b"\n")
        return line

    def answer(self):
        while True:
            try:
                line = self.line()
                break
            except ConnectionResetError:
                line = b""
                break
            except KeyboardInterrupt:
                self.interrupt()
        if not line:
            raise Ended(self.process.wait())
        found = json.loads(line)
        if "error" in found and len(found) == 1:
            raise Wrong(found["error"])
        return found

    def send(self, command):
        try:
            self.socket.sendall(command.encode() + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            raise Ended(self.process.wait()) from None

    def interrupt(self):
        """The run stops where it is. Its answer comes as that of the command that has let it go."""
        self.send("interrupt")

    def ask(self, command):
        """A command that shows something, or sets a stop."""
        self.send(command)
        return self.answer()

    def go(self, command):
        """A command that lets the run go on, or back: the place where it stops."""
        self.send(command)
        self.place = self.answer()
        return self.place

    def close(self):
        """Ends the run, whatever it does."""
        if self.process.poll() is None:
            try:
                self.socket.sendall(b"quit\n")
                self.socket.shutdown(socket.SHUT_RDWR)
                self.process.wait(2)
            except (OSError, subprocess.TimeoutExpired):
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        self.socket.close()


def lanes(mask):
    """The lanes of a set, as the engine writes it."""
    bits = int(mask, 16)
    return [lane for lane in range(64) if bits >> lane & 1]


def ranges(numbers):
    """[0, 1, 2, 5] as "0-2,5"."""
    parts, numbers = [], list(numbers)
    while numbers:
        first = last = numbers.pop(0)
        while numbers and numbers[0] == last + 1:
            last = numbers.pop(0)
        parts.append(str(first) if first == last else f"{first}-{last}")
    return ",".join(parts) or "none"
