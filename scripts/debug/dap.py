#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debug Adapter Protocol over the engine, on standard input and output. A thread of the editor is a warp: number 1 + core * SLOTS + warp.

`launch` takes `command`, the words behind `cowarp debug` (["run", "ht-h"]), or they stand on the command line. A breakpoint in a .ptx file is
one of a line of the PTX, in any other file one of a source line (.loc). Filters of exceptions are FILTERS."""
import json
import pathlib
import sys

from engine import Ended, Engine, Wrong

SLOTS = 256
FILTERS = ("abort", "commit", "diverge", "converge", "barrier", "finding", "oracle")
CAPABILITIES = {
    "supportsConfigurationDoneRequest": True, "supportsStepBack": True, "supportsConditionalBreakpoints": True, "supportsEvaluateForHovers": True,
    "supportsTerminateRequest": True, "supportsFunctionBreakpoints": True, "supportsReadMemoryRequest": True,
    "exceptionBreakpointFilters": [{"filter": name, "label": f"transactions and warps: {name}"} for name in FILTERS],
}
REGISTERS, THREAD, MODULE, FRAME = 1, 2, 3, 100  # references of scopes; of variables of frame N: FRAME + N
LANES, PARTS = 1000, 1000000  # a register's lanes are at LANES + its number; members and elements of variables from PARTS on


class Adapter:
    def __init__(self, cowarp, command, read, write):
        self.cowarp, self.command, self.read, self.write = cowarp, command, read, write
        self.engine, self.number, self.next_stop = None, 0, 1
        self.stops = {}  # what an editor has set together: (kind, path) -> numbers of stops
        self.shown = []
        self.parts = []  # (frame, expression) of what has members, since the last stop
        self.modules = {}

    # ---- messages ----

    def receive(self):
        """The next message; None: the editor has gone."""
        length = 0
        while (line := self.read.readline()) not in (b"\r\n", b"\n"):
            if not line:
                return None
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        return json.loads(self.read.read(length))

    def send(self, kind, **members):
        self.number += 1
        text = json.dumps({"seq": self.number, "type": kind, **members}).encode()
        self.write.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.write.flush()

    def event(self, name, **body):
        self.send("event", event=name, body=body)

    # ---- the run ----

    def thread(self):
        return 1 + self.engine.place["core"] * SLOTS + self.engine.place["warp"]

    def select(self, thread):
        core, warp = divmod(thread - 1, SLOTS)
        if thread != self.thread():
            self.engine.ask(f"select {core} {warp} {self.engine.place['lane']}")
            self.engine.place = self.engine.ask("place")

    def go(self, command):
        """The run goes on; what comes of it is told as events."""
        self.parts = []
        try:
            place = self.engine.go(command)
        except Wrong as wrong:  # it stands where it has been
            self.event("output", category="console", output=f"{wrong}\n")
            place = {"stopped": str(wrong)}
        except Ended as ended:
            self.event("exited", exitCode=ended.status)
            self.event("terminated")
            return
        why = place["stopped"]
        reason = "step" if why == "step" else "exception" if ": block (" in why and not why.startswith("stop") else \
            "breakpoint" if why.startswith("stop ") else "entry" if why == "the run begins here" else "pause"
        self.event("stopped", reason=reason, description=why, text=why, threadId=self.thread(), allThreadsStopped=True)

    def request_launch(self, arguments):
        command = arguments.get("command") or self.command
        if not command:
            raise Wrong("launch: 'command' is missing: the words behind cowarp debug, as in [\"run\", \"ht-h\"]")
        self.engine = Engine(self.cowarp, command, stdout=sys.stderr)
        self.event("initialized")

    def request_configurationDone(self, _):  # noqa: N802  (the protocol's names)
        return lambda: self.go("go")

    def request_continue(self, _):
        return lambda: self.go("go")

    def request_reverseContinue(self, _):  # noqa: N802
        return lambda: self.go("back go")

    def paced(self, arguments, by_line, by_instruction):
        self.select(arguments.get("threadId", self.thread()))
        return lambda: self.go(by_instruction if arguments.get("granularity") == "instruction" else by_line)

    def request_next(self, arguments):
        return self.paced(arguments, "next", "step")

    def request_stepIn(self, arguments):  # noqa: N802
        return self.paced(arguments, "line", "step")

    def request_stepBack(self, arguments):  # noqa: N802
        return self.paced(arguments, "back next", "back step")

    def request_stepOut(self, arguments):  # noqa: N802
        return self.paced(arguments, "finish", "finish")

    def request_terminate(self, _):
        return lambda: self.event("terminated")

    def request_disconnect(self, _):
        return None

    # ---- stops ----

    def set_stops(self, key, wanted):
        """The stops of a kind are these, as engine commands with their conditions. What came of each."""
        for number in self.stops.pop(key, []):
            self.engine.ask(f"delete {number}")
        results, self.stops[key] = [], []
        for what, line in wanted:
            number, self.next_stop = self.next_stop, self.next_stop + 1
            try:
                self.engine.ask(f"stop {number} {what}")
                self.stops[key].append(number)
                results.append({"id": number, "verified": True} | ({"line": line} if line else {}))
            except Wrong as wrong:
                results.append({"id": number, "verified": False, "message": str(wrong)})
        return {"breakpoints": results}

    def request_setBreakpoints(self, arguments):  # noqa: N802
        path = arguments["source"].get("path") or arguments["source"].get("name", "")
        wanted = []
        for point in arguments.get("breakpoints", []):
            place = f"ptx {point['line']}" if path.endswith(".ptx") else f"source {pathlib.PurePath(path).name} {point['line']}"
            condition = f" if {point['condition']}" if point.get("condition") else ""
            wanted.append((place + condition, point["line"]))
        return self.set_stops(("line", path), wanted)

    def request_setFunctionBreakpoints(self, arguments):  # noqa: N802
        return self.set_stops(("kernel", ""), [(f"kernel {point['name']}", None) for point in arguments["breakpoints"]])

    def request_setExceptionBreakpoints(self, arguments):  # noqa: N802
        names = [name for name in arguments.get("filters", []) if name in FILTERS]
        return self.set_stops(("exception", ""), [(f"{name} -" if name == "abort" else name, None) for name in names])

    # ---- shows ----

    def request_threads(self, _):
        try:
            warps = self.engine.ask("warps")["warps"]
        except Wrong:
            warps = []
        rows = [{"id": 1 + warp["core"] * SLOTS + warp["warp"],
                 "name": f"core {warp['core']} warp {warp['warp']}, block ({','.join(map(str, warp['block']))}): {warp['wait']}"} for warp in warps]
        return {"threads": rows or [{"id": self.thread(), "name": "the run"}]}

    def source(self, call):
        path = call.get("file") or self.engine.place.get("module", "")
        return {"name": pathlib.PurePath(path).name, "path": path}, call.get("line", call["ptx_line"])

    def request_stackTrace(self, arguments):  # noqa: N802
        self.select(arguments["threadId"])
        try:
            calls = self.engine.ask("calls")["calls"]
        except Wrong:
            calls = []
        frames = []
        for depth, call in enumerate(calls):
            source, line = self.source(call)
            frames.append({"id": depth + 1, "name": call["function"], "source": source, "line": line, "column": 1})
        return {"stackFrames": frames, "totalFrames": len(frames)}

    def request_scopes(self, arguments):
        lane = self.engine.place["lane"]
        scopes = {f"Variables of lane {lane}": FRAME + arguments.get("frameId", 1) - 1, "Variables of the module": MODULE,
                  f"Registers of lane {lane}": REGISTERS, "Thread": THREAD}
        return {"scopes": [{"name": name, "variablesReference": reference, "expensive": False} for name, reference in scopes.items()]}

    def in_frame(self, frame, command):
        """What the engine says in one of the calls."""
        if frame:
            self.engine.ask(f"frame {frame}")
        try:
            return self.engine.ask(command)
        finally:
            if frame:
                self.engine.ask("frame 0")

    def described(self, frame, expression, row):
        """A variable, a member or an element, as the protocol has them."""
        reference = 0
        if row.get("parts"):
            self.parts.append((frame, expression))
            reference = PARTS + len(self.parts) - 1
        return {"type": row["type"], "value": row.get("value", row.get("wrong", "")), "variablesReference": reference}

    def variables(self, frame, command):
        try:
            rows = self.in_frame(frame, command)["variables"]
        except Wrong:  # no lane of the warp runs
            rows = []
        return [{"name": row["name"], "evaluateName": row["name"], **self.described(frame, row["name"], row)} for row in rows]

    def members(self, frame, expression):
        rows = self.in_frame(frame, f"members {expression}")["members"]
        of_pointer = len(rows) == 1 and rows[0]["name"] == "[0]"
        return [{"name": f"*{expression}" if of_pointer else row["name"].lstrip("."), "evaluateName": f"({expression}){row['name']}",
                 **self.described(frame, f"({expression}){row['name']}", row)} for row in rows]

    def request_variables(self, arguments):
        reference = arguments["variablesReference"]
        if reference == THREAD:
            place = self.engine.place
            names = ("cycle", "kernel", "core", "warp", "lane", "block", "thread", "active", "attempt", "text")
            return {"variables": [{"name": name, "value": str(place[name]), "variablesReference": 0} for name in names if name in place]}
        if reference >= PARTS:
            return {"variables": self.members(*self.parts[reference - PARTS])}
        if reference == MODULE or FRAME <= reference < LANES:
            return {"variables": self.variables(0, "variables module") if reference == MODULE else self.variables(reference - FRAME, "variables")}
        if reference >= LANES:
            row = self.shown[reference - LANES]
            return {"variables": [{"name": f"lane {lane}", "value": value, "variablesReference": 0} for lane, value in enumerate(row["lanes"])]}
        self.shown = self.engine.ask("registers")["registers"]
        lane = self.engine.place["lane"]
        return {"variables": [{"name": row["name"], "type": row["type"], "value": row["lanes"][lane], "variablesReference": LANES + number}
                              for number, row in enumerate(self.shown)]}

    def request_evaluate(self, arguments):
        """An expression; in the editor's console also a command of the prompt."""
        import io  # noqa: PLC0415

        from prompt import Prompt  # noqa: PLC0415
        if arguments.get("context") == "repl":
            out = io.StringIO()
            Prompt(self.engine, out).attempt(arguments["expression"])
            return {"result": out.getvalue().rstrip(), "variablesReference": 0}
        frame, expression = arguments.get("frameId", 1) - 1, arguments["expression"]
        row = self.in_frame(frame, f"value {expression}")
        return {"result": row["value"], "variablesReference": self.described(frame, expression, {"type": "", **row})["variablesReference"]}

    def request_readMemory(self, arguments):  # noqa: N802
        import base64  # noqa: PLC0415
        address = int(arguments["memoryReference"], 0) + arguments.get("offset", 0)
        found = self.engine.ask(f"memory generic {address} {arguments['count']}")
        return {"address": hex(address), "data": base64.b64encode(bytes.fromhex(found["bytes"])).decode()}

    # ---- the loop ----

    def carry_out(self, message):
        """Answers; what is to happen behind the answer."""
        name, after, success, body, text = message["command"], None, True, None, None
        try:
            if name == "initialize":
                body = CAPABILITIES
            elif not hasattr(self, f"request_{name}"):
                raise Wrong(f"{name} is no request that is known here")
            elif self.engine is None and name not in ("launch", "disconnect", "terminate"):
                raise Wrong(f"{name}: nothing has been launched")
            else:
                body = getattr(self, f"request_{name}")(message.get("arguments") or {})
            if callable(body):
                after, body = body, {"allThreadsContinued": True} if name == "continue" else None
        except (Wrong, Ended, KeyError, OSError) as wrong:
            success, body, text = False, None, str(wrong)
        answer = {"request_seq": message["seq"], "command": name, "success": success}
        self.send("response", **answer, **({"body": body} if body is not None else {}), **({"message": text} if text else {}))
        if after is not None:
            after()
        return name != "disconnect"

    def serve(self):
        try:
            while (message := self.receive()) is not None and self.carry_out(message):
                pass
        finally:
            if self.engine is not None:
                self.engine.close()
        return 0


def serve(cowarp, command):
    return Adapter(cowarp, command, sys.stdin.buffer, sys.stdout.buffer).serve()
