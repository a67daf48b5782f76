#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GDB's remote protocol over the engine. A thread of GDB is a lane of a warp: number 1 + (core * slots + warp) * width + lane, of lanes that live.

GDB has no architecture for PTX, and takes none that it does not know. So the description is that of an x86-64, whose registers are 0 but for
rip, and behind them the kernel's own: $ptx_r1 is %r1, $ptx_rd2 is %rd2, with the type that the PTX gives them. rip is the number of a
micro-operation times 4, above BASE. Memory is one space: device addresses, and the windows of shared, local, constant and parameter memory
that the PTX machine has. Breakpoints (Z0, Z1), watchpoints (Z2, Z3, Z4), steps and reverse steps (bs, bc) are those of the engine."""
import re
import socket
import struct
import sys

from engine import Ended, Wrong, lanes

BASE = 0x80000000  # of code: where pointers to functions point, and nothing can be loaded
WIDTH = 64  # lanes that a warp may have, in a thread's number
SLOTS = 256  # and warps of a core
WINDOWS = {"shared": 0x01000000, "local": 0x02000000, "const": 0x03000000, "param": 0x04000000}
WINDOW_BYTES = 0x01000000
SIGTRAP, SIGSEGV = 5, 11
SETTLE_CYCLES = 2000  # a store takes to memory, at most
FIRST = 1 << 30  # number of the stop at the first kernel
# (name, bytes, type) of the registers that GDB wants of an x86-64.
CARRIER = [(name, 8, "int64") for name in ("rax", "rbx", "rcx", "rdx", "rsi", "rdi")] + [("rbp", 8, "data_ptr"), ("rsp", 8, "data_ptr")]
CARRIER += [(f"r{number}", 8, "int64") for number in range(8, 16)] + [("rip", 8, "code_ptr"), ("eflags", 4, "int")]
CARRIER += [(name, 4, "int") for name in ("cs", "ss", "ds", "es", "fs", "gs")] + [(f"st{number}", 10, "i387_ext") for number in range(8)]
CARRIER += [(name, 4, "int") for name in ("fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop")]
BYTES = {"pred": 1, "u8": 4, "s8": 4, "u16": 4, "s16": 4, "u32": 4, "s32": 4, "f16": 4, "f32": 4, "u64": 8, "s64": 8, "f64": 8}
KINDS = {"f32": "ieee_single", "f64": "ieee_double", "s32": "int32", "s64": "int64"}


def own_name(name):
    """%rd1 as GDB may call it beside the registers of an x86."""
    return "ptx_" + re.sub(r"\W", "_", name.lstrip("%"))


class Gone(Exception):
    """GDB has left."""


class Wire:
    """Packets: $TEXT#SUM, answered by +."""

    def __init__(self, read, write):
        self.read, self.write, self.acknowledges, self.bytes = read, write, True, b""

    def byte(self):
        if not self.bytes:
            self.bytes = self.read()
            if not self.bytes:
                raise Gone
        first, self.bytes = self.bytes[:1], self.bytes[1:]
        return first

    def receive(self):
        while True:
            first = self.byte()
            if first == b"\x03":
                return "\x03"
            if first != b"$":
                continue
            text = b""
            while (one := self.byte()) != b"#":
                text += one
            wanted = int(self.byte() + self.byte(), 16)
            right = sum(text) % 256 == wanted
            if self.acknowledges:
                self.write(b"+" if right else b"-")
            if right:
                return re.sub(r"}(.)", lambda match: chr(ord(match.group(1)) ^ 0x20), text.decode("latin-1"), flags=re.DOTALL)

    def send(self, text):
        raw = re.sub(r"[}$#*]", lambda match: "}" + chr(ord(match.group()) ^ 0x20), text).encode("latin-1")
        self.write(b"$" + raw + b"#" + f"{sum(raw) % 256:02x}".encode())


def thread_of(core, warp, lane):
    return 1 + (core * SLOTS + warp) * WIDTH + lane


def focus_of(thread):
    rest, lane = divmod(thread - 1, WIDTH)
    return (*divmod(rest, SLOTS), lane)


def unsigned(value, kind):
    """A register's value as its 64 bits."""
    if kind == "f32":
        return struct.unpack("<I", struct.pack("<f", float(value)))[0]
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", float(value)))[0]
    return int(value) & (2 ** 64 - 1)


class Server:
    def __init__(self, engine, wire):
        self.engine, self.wire = engine, wire
        self.stops, self.next_stop, self.thread, self.names = {}, 1, None, None
        self.threads = []

    # ---- places ----

    def current(self):
        place = self.engine.place
        return thread_of(place["core"], place["warp"], place["lane"])

    def select(self, thread):
        if thread is None or thread <= 0:
            return
        place = self.engine.place
        if thread != self.current():
            core, warp, lane = focus_of(thread)
            self.engine.ask(f"select {core} {warp} {lane}")
            stopped = place.get("stopped", "")
            self.engine.place = self.engine.ask("place") | {"stopped": stopped}

    def stop_reply(self):
        place = self.engine.place
        why = place.get("stopped", "")
        watch = ""
        if " stores " in why or " atomic " in why or " loads " in why:
            kind = "watch" if " stores " in why else "rwatch" if " loads " in why else "awatch"
            address = self.watched(re.search(r"()(shared|address) 0x([0-9a-f]+)", why))
            watch = f"{kind}:{address:x};"
        elif why == "the run begins here":
            watch = "replaylog:begin;"
        signal = SIGSEGV if ": block (" in why and not why.startswith("stop") else SIGTRAP
        return f"T{signal:02x}thread:{self.current():x};{watch}"

    def list_threads(self):
        found = self.engine.ask("warps")["warps"]
        self.threads = [thread_of(warp["core"], warp["warp"], lane) for warp in found for lane in lanes(warp["live"])]
        return self.threads or [self.current()]

    def pc(self):
        return BASE + 4 * self.engine.place.get("pc", 0)

    # ---- registers ----

    def learn(self):
        """(name, type) of the kernel's registers. GDB asks once, so the first kernel's are those of the session."""
        if self.names is None and "kernel" in self.engine.place:
            self.names = [(name["name"], name["type"]) for name in self.engine.ask("names")["names"]]
        return self.names or []

    def values(self):
        try:
            found = self.engine.ask("registers")["registers"]
        except Wrong:
            return {}
        lane = self.engine.place["lane"]
        return {register["name"]: unsigned(register["lanes"][lane], register["type"]) for register in found}

    def registers(self):
        values = self.values()
        cells = [struct.pack(f"<{size}s", self.pc().to_bytes(8, "little")[:size] if name == "rip" else b"").hex()
                 for name, size, _ in CARRIER]
        for name, kind in self.learn():
            size = BYTES[kind]
            cells.append(values[name].to_bytes(8, "little")[:size].hex() if name in values else "x" * 2 * size)
        return cells

    def description(self):
        carrier = "".join(f'<reg name="{name}" bitsize="{8 * size}" type="{kind}"/>' for name, size, kind in CARRIER)
        own = "".join(f'<reg name="{own_name(name)}" bitsize="{8 * BYTES[kind]}" type="{KINDS.get(kind, f"uint{8 * BYTES[kind]}")}" '
                      f'group="ptx"/>' for name, kind in self.learn())
        return ('<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0"><architecture>i386:x86-64</architecture>'
                f'<feature name="org.gnu.gdb.i386.core">{carrier}</feature><feature name="org.cowarp.ptx">{own}</feature></target>')

    # ---- memory ----

    @staticmethod
    def space_of(address):
        for name, base in WINDOWS.items():
            if base <= address < base + WINDOW_BYTES:
                return name, address - base
        return "global", address

    def memory(self, address, length):
        if BASE <= address < 2 * BASE:
            return "00" * length
        space, at = self.space_of(address)
        return self.engine.ask(f"memory {space} {at} {min(length, 4096)}")["bytes"]

    # ---- running ----

    def go(self, command):
        try:
            self.engine.go(command)
            if not command.startswith("back"):
                self.settle()
        except Ended as ended:
            return f"W{ended.status & 0xff:02x}"
        return self.stop_reply()

    def settle(self):
        """GDB's `watch` compares values, so it wants to be behind a store that changes one. The engine stops in front of it."""
        stop = self.engine.place
        match = re.search(r"stores 0x([0-9a-f]+) to (shared|address) 0x([0-9a-f]+)", stop["stopped"])
        length = match and next((key[2] for key in self.stops if key[0] in (2, 4) and key[1] <= self.watched(match) < key[1] + key[2]), 0)
        if not length:
            return
        where = f"memory {'shared' if match.group(2) == 'shared' else 'global'} {int(match.group(3), 16)} {min(length, 8)}"
        before = self.engine.ask(where)["bytes"]
        if int.from_bytes(bytes.fromhex(before), "little") == int(match.group(1), 16) % 256 ** min(length, 8):
            return
        for _ in range(SETTLE_CYCLES):
            if self.engine.ask(where)["bytes"] != before:
                break
            self.engine.go("cycles 1")
        self.engine.place |= {"stopped": stop["stopped"]}

    @staticmethod
    def watched(match):
        return int(match.group(3), 16) + (WINDOWS["shared"] if match.group(2) == "shared" else 0)

    def continue_by(self, actions):
        """vCont;s:THREAD;c"""
        for action in actions.split(";"):
            kind, _, thread = action.partition(":")
            if kind[:1] in ("s", "S"):
                self.select(int(thread, 16) if thread else self.thread)
                return self.go("step")
        return self.go("go")

    def add_stop(self, kind, address, length):
        number, self.next_stop = self.next_stop, self.next_stop + 1
        if kind in (0, 1):
            self.engine.ask(f"stop {number} pc {(address - BASE) // 4}")
        else:
            space, at = self.space_of(address)
            self.engine.ask(f"stop {number} access {('w', 'r', 'rw')[kind - 2]} {space} {at} {length}")
        self.stops[kind, address, length] = number

    def breakpoint_command(self, packet):
        kind, address, length = packet[1:].split(";")[0].split(",")
        key = int(kind), int(address, 16), int(length, 16)
        if key[0] > 4:
            return ""
        if packet[0] == "Z" and key not in self.stops:
            self.add_stop(*key)
        elif packet[0] == "z" and key in self.stops:
            self.engine.ask(f"delete {self.stops.pop(key)}")
        return "OK"

    # ---- packets ----

    def query(self, packet):
        if packet.startswith("qSupported"):
            return "PacketSize=4000;qXfer:features:read+;vContSupported+;ReverseStep+;ReverseContinue+;QStartNoAckMode+;hwbreak+"
        if packet.startswith("qXfer:features:read:target.xml:"):
            start, length = (int(number, 16) for number in packet.rsplit(":", 1)[1].split(","))
            text = self.description()
            return ("l" if start + length >= len(text) else "m") + text[start:start + length]
        if packet == "qfThreadInfo":
            return "m" + ",".join(f"{thread:x}" for thread in self.list_threads()[:2000])
        if packet == "qsThreadInfo":
            return "l"
        if packet == "qC":
            return f"QC{self.current():x}"
        if packet.startswith("qThreadExtraInfo,"):
            core, warp, lane = focus_of(int(packet.split(",")[1], 16))
            return f"core {core} warp {warp} lane {lane}".encode().hex()
        if packet.startswith("qRcmd,"):
            return self.monitor(bytes.fromhex(packet[6:]).decode())
        return {"qAttached": "1", "qTStatus": "", "qSymbol::": "OK"}.get(packet, "")

    def monitor(self, command):
        """`monitor COMMAND`: a command of the debugger's own prompt."""
        import io  # noqa: PLC0415

        from prompt import Prompt  # noqa: PLC0415  (only this command needs it)
        out = io.StringIO()
        Prompt(self.engine, out).attempt(command)
        return out.getvalue().encode().hex() or "OK"

    def answer(self, packet):
        first = packet[:1]
        if packet == "\x03":
            return None
        if packet == "?":
            return self.stop_reply()
        if packet == "QStartNoAckMode":
            self.wire.send("OK")
            self.wire.acknowledges = False
            return None
        if packet.startswith("vCont?"):
            return "vCont;c;C;s;S"
        if packet.startswith("vCont;"):
            return self.continue_by(packet[6:])
        if first == "q":
            return self.query(packet)
        if first == "H":
            thread = int(packet[2:], 16) if not packet[2:].startswith("-") else None
            self.thread = thread or self.thread
            self.select(thread)
            return "OK"
        if first == "T":
            return "OK" if int(packet[1:], 16) in (self.threads or self.list_threads()) else "E01"
        if first == "g":
            return "".join(self.registers())
        if first == "p":
            return (self.registers()[int(packet[1:], 16):] or ["E01"])[0]
        if first == "m":
            return self.memory(*(int(number, 16) for number in packet[1:].split(",")))
        if first in "Zz":
            return self.breakpoint_command(packet)
        if packet in ("bs", "bc"):
            return self.go("back step" if packet == "bs" else "back go")
        if first in "cs":
            return self.go("go" if first == "c" else "step")
        return ""

    def serve(self):
        while True:
            packet = self.wire.receive()
            if packet in ("k", "D") or packet.startswith("vKill"):
                self.wire.send("OK")
                return 0
            try:
                answer = self.answer(packet)
            except Wrong:
                answer = "E01"
            if answer is not None:
                self.wire.send(answer)
            if answer and answer[0] == "W" and len(answer) == 3:
                return int(answer[1:], 16)


def serve(engine, port):
    if port == "-":
        wire = Wire(lambda: sys.stdin.buffer.raw.read(4096), lambda text: (sys.stdout.buffer.write(text), sys.stdout.buffer.flush()))
        return run(engine, wire)
    if not port.isdigit() or int(port) > 65535:
        raise Wrong(f"--gdb {port}: takes a port, 0 for any that is free, or -")
    listener = socket.create_server(("127.0.0.1", int(port)))
    print(f"gdb: target remote 127.0.0.1:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
    connection, _ = listener.accept()
    with connection, listener:
        return run(engine, Wire(lambda: connection.recv(4096), connection.sendall))


def run(engine, wire):
    engine.ask(f"stop {FIRST} kernel -")
    engine.go("go")  # GDB asks for registers once, and a kernel has to be there for it
    engine.ask(f"delete {FIRST}")
    try:
        return Server(engine, wire).serve()
    except Gone:
        return 0
