#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp debug --gdb: a client of GDB's remote protocol, and GDB itself where it is installed. What is wanted follows from the text of
tests/debug/kernels.ptx.

Usage: debug_gdb_test.py COWARP FOLDER"""
import pathlib
import re
import shutil
import socket
import subprocess
import sys

COWARP, FOLDER = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
SECONDS = 60
seen = []


def check(what, got, wanted):
    seen.append(what)
    if got != wanted and not (hasattr(wanted, "search") and wanted.search(str(got))):
        sys.exit(f"{what}: wanted {wanted!r}, there was {got!r}")


class Client:
    """One that speaks the protocol, and nothing more."""

    def __init__(self, *run):
        self.process = subprocess.Popen([COWARP, "debug", "--gdb", "0", *run], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        port = int(re.search(r":(\d+)$", self.process.stderr.readline().strip()).group(1))
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        self.bytes = b""

    def byte(self):
        while not self.bytes:
            self.bytes = self.socket.recv(65536)
            if not self.bytes:
                sys.exit("the server has gone")
        first, self.bytes = self.bytes[:1], self.bytes[1:]
        return first

    def ask(self, packet):
        self.socket.sendall(f"${packet}#{sum(packet.encode()) % 256:02x}".encode())
        check("acknowledgement", self.byte(), b"+")
        check("a packet begins", self.byte(), b"$")
        text = b""
        while (one := self.byte()) != b"#":
            text += one
        check("sum", int(self.byte() + self.byte(), 16), sum(text) % 256)
        self.socket.sendall(b"+")
        return re.sub(r"}(.)", lambda match: chr(ord(match.group(1)) ^ 0x20), text.decode("latin-1"))

    def registers(self):
        """By name, as the description has them; None: not available."""
        text, description = "", ""
        while not text.startswith("l"):
            text = self.ask(f"qXfer:features:read:target.xml:{len(description):x},7ff")
            description += text[1:]
        cells, values = self.ask("g"), {}
        for name, bits in re.findall(r'<reg name="(\w+)" bitsize="(\d+)"', description):
            cell, cells = cells[:int(bits) // 4], cells[int(bits) // 4:]
            values[name] = None if "x" in cell else int.from_bytes(bytes.fromhex(cell), "little")
        check("no register is left over", cells, "")
        return values

    def close(self):
        self.ask("k")
        self.socket.close()
        check("the server's status", self.process.wait(SECONDS), 0)


def exec_of(kernel, *rest):
    return ["exec", str(FOLDER / "kernels.ptx"), "--kernel", kernel, "--grid", "1", *rest]


def test_protocol():
    c = Client(*exec_of("loop", "--block", "32", "--arg", "zero:2048"))
    check("what it can", c.ask("qSupported:x"), re.compile("ReverseStep\\+;ReverseContinue\\+"))
    check("at the first instruction", c.ask("?"), "T05thread:1;")
    check("an unknown packet", c.ask("nonsense"), "")
    # A breakpoint at the loop's product, which is micro-operation 6: six instructions of the text stand before it.
    at = 0x80000000 + 4 * 6
    check("Z0", c.ask(f"Z0,{at:x},4"), "OK")
    check("continue", c.ask("vCont;c"), "T05thread:1;")
    check("threads", c.ask("qfThreadInfo"), "m" + ",".join(f"{lane + 1:x}" for lane in range(32)))
    values = c.registers()
    check("rip", values["rip"], at)
    check("%r3, the turns", values["ptx_r3"], 0)
    check("a register without a value", values["ptx_f1"], None)
    check("the thread of lane 3", c.ask("Hg4"), "OK")
    check("x of lane 3", c.registers()["ptx_r2"], 3)
    check("step", c.ask("vCont;s:4"), "T05thread:4;")
    check("3 x + 1", c.registers()["ptx_r2"], 10)
    check("reverse step", c.ask("bs"), "T05thread:4;")
    check("x again", c.registers()["ptx_r2"], 3)
    check("continue", c.ask("vCont;c"), re.compile("^T05thread"))
    check("second turn", c.registers()["ptx_r3"], 1)
    check("z0", c.ask(f"z0,{at:x},4"), "OK")
    check("reverse continue to the start", c.ask("bc"), re.compile("replaylog:begin"))
    c.close()


def test_watch():
    c = Client(*exec_of("sum", "--block", "64", "--arg", "zero:128"))
    # part[5] of shared memory: stored by thread 5, which is lane 5 of the first warp.
    check("Z2", c.ask("Z2,1000014,4"), "OK")
    check("continue", c.ask("vCont;c"), "T05thread:6;watch:1000014;")
    check("memory behind the store", c.ask("m1000014,4"), "06000000")
    check("second store", c.ask("vCont;c"), "T05thread:6;watch:1000014;")
    check("memory behind it", c.ask("m1000014,4"), "2c000000")
    check("back in front of it", c.ask("bc"), "T05thread:6;watch:1000014;")
    check("memory there", c.ask("m1000014,4"), "06000000")
    check("and on", c.ask("vCont;c"), "T05thread:6;watch:1000014;")
    check("no such memory", c.ask("m10,4"), "E01")
    check("to the end", [c.ask("z2,1000014,4"), c.ask("vCont;c")][0], "OK")
    check("the run's end", c.ask("vCont;c"), "W00")
    c.socket.close()
    check("status", c.process.wait(SECONDS), 0)


def test_fault():
    c = Client(*exec_of("fault", "--block", "64", "--arg", "zero:256"))
    # Thread 37 is lane 5 of warp 1.
    check("a fault", c.ask("vCont;c"), f"T0bthread:{1 + 64 + 5:x};")
    check("its number", c.registers()["ptx_r1"], 37)
    c.close()


def talk(gdb, run, commands):
    """What GDB says to the commands."""
    server = subprocess.Popen([COWARP, "debug", "--gdb", "0", *run], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    port = re.search(r":(\d+)$", server.stderr.readline().strip()).group(1)
    words = [gdb, "-q", "-nx", "-batch", "-ex", "set pagination off", "-ex", "set confirm off"]
    for command in [f"target remote 127.0.0.1:{port}", *commands, "kill"]:
        words += ["-ex", command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    check("the server's status", server.wait(SECONDS), 0)
    return done.stdout + done.stderr


def test_gdb_itself(gdb):
    """GDB's own commands. The loop's product is micro-operation 6; x of lane 0 is 0, 1, 4, that of lane 5 is 5, 16. part[5] of `sum` is 0, 6, 44."""
    said = talk(gdb, exec_of("loop", "--block", "32", "--arg", "zero:2048"),
                ["break *0x80000018", "continue", "continue", "stepi", "print 1000 + $ptx_r2", "reverse-stepi", "print 2000 + $ptx_r2", "thread 6",
                 "info registers ptx_r2 ptx_r3", "delete", "continue", "x/4xw 0x100000100", "reverse-continue"])
    for wanted in ("Breakpoint 1, 0x0000000080000018", r"ptx_r2 +0x10 +16\n", r"ptx_r3 +0x1 +1\n", "= 1004\n", "= 2001\n",
                   # (3^10 - 1) / 2 in lane 0, and 3^10 more in each that follows
                   "0x100000100:\t" + "\t".join(f"0x{(3 ** 10 - 1) // 2 + 3 ** 10 * lane:08x}" for lane in range(4)), "No more reverse-execution history"):
        check("GDB", said, re.compile(wanted))
    said = talk(gdb, exec_of("sum", "--block", "64", "--arg", "zero:128"),
                ["watch *(unsigned int *) 0x1000014", "continue", "continue", "reverse-continue"])
    check("GDB's watch", said, re.compile(r"Old value = 0\nNew value = 6\n(.|\n)*Old value = 6\nNew value = 44\n(.|\n)*Old value = 44\nNew value = 6\n"))
    said = talk(gdb, exec_of("sum", "--block", "64", "--arg", "zero:128"), ["rwatch *(unsigned int *) 0x10000fc", "continue"])
    check("GDB's rwatch", said, re.compile(r"read watchpoint 1(.|\n)*Value = 64\n"))


def test_gdb(gdb):
    commands = ["monitor break 161", "continue", "maintenance flush register-cache",
                "monitor print %r2 + 1000", "stepi", "monitor print %r3 + 2000", "reverse-stepi", "monitor print %r2 + 3000",
                "thread 9", "monitor print %r2 + 4000", "info threads"]
    said = talk(gdb, exec_of("loop", "--block", "32", "--arg", "zero:2048"), commands)
    for wanted in ("= 1000\n", "= 2000\n", "= 3000\n", "= 4008\n", "core 0 warp 0 lane 31"):
        check(f"GDB shows {wanted!r}", wanted if wanted in said else said, wanted)


def main():
    test_protocol()
    test_watch()
    test_fault()
    gdb = shutil.which("gdb-multiarch") or shutil.which("gdb")
    if gdb:
        test_gdb(gdb)
        test_gdb_itself(gdb)
    print(f"{len(seen)} checks{'' if gdb else '; no GDB is installed, so it was not tried'}")


if __name__ == "__main__":
    main()
