#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp debug --dap: a client of the Debug Adapter Protocol. What is wanted follows from the text of tests/debug/kernels.ptx.

Usage: debug_dap_test.py COWARP FOLDER"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

COWARP, FOLDER = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
PTX = str(FOLDER / "kernels.ptx")
seen = []


def check(what, got, wanted):
    seen.append(what)
    if got != wanted:
        sys.exit(f"{what}: wanted {wanted!r}, there was {got!r}")


class Client:
    def __init__(self):
        self.process = subprocess.Popen([COWARP, "debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number, self.events = 0, []

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        if not length:
            sys.exit("the adapter has gone")
        return json.loads(self.process.stdout.read(length))

    def ask(self, request, wrong=False, **arguments):
        self.number += 1
        text = json.dumps({"seq": self.number, "type": "request", "command": request, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()
        while (message := self.receive())["type"] == "event":
            self.events.append(message)
        check(f"{request} is answered", (message["command"], message["request_seq"]), (request, self.number))
        check(f"{request} succeeds", message["success"], not wrong)
        return message.get("body")

    def wait(self, name):
        while True:
            for event in self.events:
                if event["event"] == name:
                    self.events.remove(event)
                    return event.get("body", {})
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)

    def registers(self):
        return {row["name"]: row for row in self.ask("variables", variablesReference=1)["variables"]}

    def line(self, thread):
        return self.ask("stackTrace", threadId=thread)["stackFrames"][0]["line"]


def launched(kernel, command=(), **points):
    c = Client()
    check("it can step back", c.ask("initialize", adapterID="cowarp")["supportsStepBack"], True)
    c.ask("threads", wrong=True)
    c.ask("launch", command=command or ["exec", PTX, "--kernel", kernel, "--grid", "1", "--block", "32", "--arg", "zero:2048"])
    c.wait("initialized")
    for path, lines in points.items():
        source = PTX if path == "ptx" else f"/where/ever/{'types' if command else 'kernels'}.cu"
        found = c.ask("setBreakpoints", source={"path": source}, breakpoints=lines)["breakpoints"]
        check("breakpoints are there", [row["verified"] for row in found], [True] * len(lines))
    c.ask("configurationDone")
    return c


def test_lines():
    c = launched("calls", cu=[{"line": 31}])
    check("it stops", c.wait("stopped")["reason"], "breakpoint")
    check("one warp", len(c.ask("threads")["threads"]), 1)
    frames = c.ask("stackTrace", threadId=1)["stackFrames"]
    check("functions", [frame["name"] for frame in frames], ["twice", "calls"])
    check("lines", [frame["line"] for frame in frames], [31, 41])
    # 2 i in lane i.
    values = c.registers()
    lanes = c.ask("variables", variablesReference=values["%r2"]["variablesReference"])["variables"]
    check("lanes of %r2", [row["value"] for row in lanes], [str(2 * lane) for lane in range(32)])
    c.ask("continue", threadId=1)
    check("it stops again", c.wait("stopped")["reason"], "breakpoint")
    check("from the second call", c.ask("stackTrace", threadId=1)["stackFrames"][1]["line"], 42)
    c.ask("reverseContinue", threadId=1)
    c.wait("stopped")
    check("back in the first", c.ask("stackTrace", threadId=1)["stackFrames"][1]["line"], 41)
    finish(c)


def test_steps():
    c = launched("loop", ptx=[{"line": 161, "condition": "%r3 == 4"}])
    c.wait("stopped")
    check("four turns", c.registers()["%r3"]["value"], "4")
    # x of lane 0: 0, 1, 4, 13, 40, 121.
    check("x", c.registers()["%r2"]["value"], "40")
    c.ask("stepIn", threadId=1, granularity="instruction")
    check("a step", c.wait("stopped")["reason"], "step")
    check("x", c.registers()["%r2"]["value"], "121")
    check("an expression", c.ask("evaluate", expression="%r2 * 2")["result"], "242")
    c.ask("stepBack", threadId=1, granularity="instruction")
    c.wait("stopped")
    check("x", c.registers()["%r2"]["value"], "40")
    check("a command", c.ask("evaluate", expression="print %r3 + 1", context="repl")["result"], "%r3 + 1 = 5")
    c.ask("evaluate", wrong=True, expression="%nothing")
    c.ask("next", threadId=1)
    c.wait("stopped")
    check("the next line", c.line(1), 162)
    check("no breakpoint more", c.ask("setBreakpoints", source={"path": PTX}, breakpoints=[])["breakpoints"], [])
    c.ask("continue", threadId=1)
    check("the run's end is a stop", c.wait("stopped")["description"], "the run ends here")
    # out[0] is x after ten turns: (3^10 - 1) / 2.
    data = c.ask("readMemory", memoryReference="0x100000100", count=4)["data"]
    check("memory", data, __import__("base64").b64encode(((3 ** 10 - 1) // 2).to_bytes(4, "little")).decode())
    c.ask("continue", threadId=1)
    check("the exit status", c.wait("exited")["exitCode"], 0)
    c.wait("terminated")
    finish(c)


def test_exceptions():
    c = launched("fault")
    # No thread is 37 here, so the run comes to its end; the branch filter finds nothing in a kernel without branches.
    check("the end", c.wait("stopped")["description"], "the run ends here")
    finish(c)
    c = launched("diverge", cu=[{"line": 11}])
    c.wait("stopped")
    c.ask("setExceptionBreakpoints", filters=["diverge"])
    c.ask("continue", threadId=1)
    check("divergence", c.wait("stopped")["description"].endswith("the warp diverges"), True)
    finish(c)


def children(c, reference):
    return {row["name"]: row for row in c.ask("variables", variablesReference=reference)["variables"]}


def test_variables():
    """Line 51 of types.cu is in twice(), which is inlined into line 77: a is the thread's number, and own[2] ten times as much and 2."""
    with tempfile.TemporaryDirectory() as folder:
        point = pathlib.Path(folder, "point")
        point.write_bytes(struct.pack("<fi3h2x", 0.5, 10, 4, 5, 6))
        c = launched("", command=["exec", str(FOLDER / "types.ptx"), "--kernel", "_Z5typesPi5pointj", "--grid", "1", "--block", "32", "--shared", "128",
                                  "--arg", "zero:128", "--arg", f"bytes:{point}", "--arg", "u32:77"], cu=[{"line": 51, "condition": "a == 6"}])
        c.wait("stopped")
    frames = c.ask("stackTrace", threadId=1)["stackFrames"]
    check("functions", [(frame["name"], frame["line"]) for frame in frames], [("twice", 51), ("types", 77)])
    inner, outer = ({row["name"]: row["variablesReference"] for row in c.ask("scopes", frameId=frame["id"])["scopes"]} for frame in frames)
    found = children(c, inner["Variables of lane 6"])
    check("a", (found["a"]["value"], found["a"]["type"]), ("6", "int"))
    check("its variables only", "own" in found, False)
    found = children(c, outer["Variables of lane 6"])
    own, second = (children(c, found[name]["variablesReference"]) for name in ("own", "second"))
    check("elements", [row["value"] for row in own.values()], ["60", "61", "62", "63"])
    check("members", (list(second), second["value"]["value"]), (["base", "value", "next", ""], "4"))
    first = children(c, second["next"]["variablesReference"])
    check("what a pointer points to", [row["type"] for row in first.values()], ["const node"])
    pointed = next(iter(first.values()))
    check("its members", children(c, pointed["variablesReference"])["value"]["value"], "3")
    check("a name for it", c.ask("evaluate", expression=children(c, pointed["variablesReference"])["value"]["evaluateName"], frameId=2)["result"], "3")
    check("of the module", children(c, inner["Variables of the module"])["origin"]["value"], "{x = 1.5, y = 2, tag = {7, 8, 9}}")
    check("an expression of the caller", c.ask("evaluate", expression="own[2] + a", frameId=1, wrong=True), None)
    check("an expression of the caller", c.ask("evaluate", expression="own[2] + tid", frameId=2)["result"], "68")
    c.ask("stepOut", threadId=1)
    check("out of it", c.wait("stopped")["reason"], "step")
    check("a line on", c.line(1), 77)
    c.ask("stepOut", threadId=1)
    check("nowhere to go", c.wait("stopped")["description"].startswith("finish: this is the kernel itself"), True)
    finish(c)


def finish(c):
    c.ask("disconnect")
    check("status", c.process.wait(60), 0)


# What an editor does with the extension: which program it starts for a configuration.
EDITOR = """
const load = require('module')._load;
require('module')._load = (name, ...rest) => name !== 'vscode' ? load(name, ...rest) : {
    DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, {command, args}); } },
    debug: {registerDebugAdapterDescriptorFactory: (type, factory) => {
        const started = (configuration) => factory.createDebugAdapterDescriptor({configuration});
        console.log(JSON.stringify([type, started({}), started({cowarp: '/opt/cowarp'})]));
    }},
};
require(process.argv[1]).activate({subscriptions: []});
"""


def test_extension():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cowarp.vsix")
        check("it is written", subprocess.run([COWARP, "debug", "--vsix", path]).returncode, 0)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        made = json.loads(pathlib.Path(folder, "extension/package.json").read_text(encoding="utf-8"))
        identity = xml.parse(pathlib.Path(folder, "extension.vsixmanifest")).getroot().find(".//{*}Identity").attrib
        check("one version", identity["Version"], made["version"])
        check("one name", identity["Id"], made["name"])
        suffixes = {row.attrib["Extension"] for row in xml.parse(pathlib.Path(folder, "[Content_Types].xml")).getroot()}
        check("types of all files", suffixes, {".json", ".js", ".vsixmanifest"})
        check("the script is there", pathlib.Path(folder, "extension", made["main"]).exists(), True)
        debugger = made["contributes"]["debuggers"][0]
        check("what a launch needs", debugger["configurationAttributes"]["launch"]["required"], ["command"])
        if shutil.which("node"):
            done = subprocess.run(["node", "-e", EDITOR, pathlib.Path(folder, "extension", made["main"])], capture_output=True, text=True, check=True)
            check("what an editor starts", json.loads(done.stdout),
                  [debugger["type"], {"command": "cowarp", "args": ["debug", "--dap"]}, {"command": "/opt/cowarp", "args": ["debug", "--dap"]}])
        missing = subprocess.run([COWARP, "debug", "--vsix", pathlib.Path(folder, "absent", "x.vsix")], capture_output=True, text=True)
        check("where it cannot be", (missing.returncode, missing.stderr.count("\n"), "absent" in missing.stderr), (2, 1, True))


def main():
    test_extension()
    test_lines()
    test_steps()
    test_exceptions()
    test_variables()
    print(f"{len(seen)} checks")


if __name__ == "__main__":
    main()
