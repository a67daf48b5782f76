#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The debugger's own prompt: commands to read and to write, for people and for scripts."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import view
from engine import Ended, Wrong, lanes, ranges

TYPES = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}
WATCHED = ("global", "shared", "local")
SPACES = ("global", "shared", "local", "const", "param", "generic")
HELP = """Stops
  break LINE | FILE:LINE | KERNEL [core C] [warp W] [if CONDITION]    a warp comes to a line of the PTX, or of a source; a kernel begins
  watch [SPACE] ADDRESS [BYTES]      a store or an atomic there issues; rwatch: a load; awatch: any. SPACE: global, shared, local
  catch abort [CAUSE] | begin | commit | barrier | persist | diverge | converge | block | finding | oracle | port UNIT.PORT VALUE
    [if CONDITION]   finding: --check has found something; oracle: --check-serial, --check-persist
  info stops, delete [N]
  wave here [CYCLES] [UNIT ...]      a wave of the last cycles (200), with a view of the warp and the units; GTKWave opens it where a display is
Steps
  step [N]           an instruction of the warp            reverse-step [N]
  next [N]           a source line, calls in one go        reverse-next [N]
  line [N]           a source line, into calls             reverse-line [N]
  cycle [N]          core cycles                           reverse-cycle [N]
  continue           to the next stop                      reverse-continue, restart
  finish             out of the function; in the kernel    reverse-finish
                     itself: of the transaction            at CYCLE: there, on or back
  until UNIT         until the hardware unit answers       reverse-until UNIT
Shows
  where, list, backtrace             the place, the PTX around it, calls; up, down, frame N: in which of them
  info warps | blocks [CORE]         what each warp waits for, what those of a block do
  info registers [NAME]              of the lane, or one of all lanes
  info stack | sets [all] | symbols | report
  info ports [UNIT]                  of a hardware unit, when it was clocked last
  info state [PART [NUMBER [NAME]]]  a unit's state by its names: info state validation_unit 2
  info row ADDRESS                   what the units hold of a word: logical times, owner, who waits for it
  info variables [module]            of the call, or of the module, with types where nvcc -G or clang -g have written them
  print EXPRESSION                   variables (p->tag[2]), registers (%r1), tid.x, lane, cycle, u32[ADDRESS], shared.f32[ADDRESS]; C's operators, casts
  x [N] [TYPE] [SPACE] ADDRESS       memory: u8 .. u64, s8 .. s64, f32, f64
  warp CORE.WARP, lane N             whom to look at
quit"""


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        raise Wrong(f"'{text}' is no number") from None


def records(pieces):
    """Pieces of state as records: one ends where a name comes again that is not of an array in it."""
    found = [{}]
    for piece in pieces:
        name = re.sub(r"^\w+->", "", piece["name"])
        if piece["elements"] != 1:
            continue
        if name in found[-1] and "[" not in name:
            found.append({})
        found[-1].setdefault(name, []).append(piece["values"]["0"])
    return found


class Prompt:
    def __init__(self, engine, out=sys.stdout, as_json=False):
        self.engine, self.out, self.json = engine, out, as_json
        self.stops, self.met, self.next_stop, self.last = {}, set(), 1, ""

    def say(self, text):
        print(text, file=self.out, flush=True)

    # ---- places ----

    def tell(self, place):
        if self.json:
            self.say(json.dumps(place))
            return
        why = place.get("stopped")
        if why not in (None, "step"):
            self.say(why)
        if "kernel" not in place:
            return
        head = f"cycle {place['cycle']}, {place['kernel']}"
        if "block" not in place:
            self.say(head)
            return
        active = ranges(lanes(place["active"]))
        block, thread = (",".join(map(str, place[name])) for name in ("block", "thread"))
        attempt = f", attempt {place['attempt']}" if "attempt" in place else ""
        self.say(f"{head}, core {place['core']} warp {place['warp']} lane {place['lane']}: block ({block}) thread ({thread}), "
                 f"lanes {active}{attempt}")
        if "ptx_line" in place:
            source = f"  {place['file']}:{place['line']}" if "file" in place else ""
            self.say(f"{place['ptx_line']:>6}  {' '.join(place['text'].split())}{source}")

    def go(self, command, times="1"):
        for _ in range(number(times)):
            place = self.engine.go(command)
            if place["stopped"] != "step":
                break
        self.tell(place)
        self.met.update(int(stop) for stop in re.findall(r"\bstop (\d+)", place["stopped"]))
        if place["stopped"] == "the run ends here" and not self.json:
            for stop, text in self.stops.items():
                if stop not in self.met:
                    self.say(f"stop {stop} ({text}) was never met")

    # ---- stops ----

    def add(self, what, text):
        self.engine.ask(f"stop {self.next_stop} {what}")
        self.stops[self.next_stop] = text
        self.say(json.dumps({"stop": self.next_stop}) if self.json else f"stop {self.next_stop}: {text}")
        self.next_stop += 1

    def do_break(self, words):
        if not words:
            raise Wrong("break takes a line, FILE:LINE or a kernel")
        where, rest = words[0], " ".join(words[1:])
        match = re.fullmatch(r"(.+):(\d+)", where)
        if where.isdigit():
            what = f"ptx {where}"
        elif match:
            what = f"source {match.group(1)} {match.group(2)}"
        else:
            what = f"kernel {where}"
        self.add(f"{what} {rest}", " ".join(["break", *words]))

    def watch(self, name, direction, words):
        space = words.pop(0) if words and words[0] in SPACES else None
        if not words:
            raise Wrong(f"{name} takes an address or a variable, and behind it how many bytes")
        of_it, address, size = self.place(words.pop(0))
        space, size = space or of_it or "global", words.pop(0) if words and words[0].isdigit() else size or "4"
        if space not in WATCHED:
            raise Wrong(f"{name}: what is in {space} memory does not change")
        self.add(f"access {direction} {space} {address} {size} {' '.join(words)}", f"{name} {space} {address:#x} {size}")

    def place(self, text):
        """Space, address and bytes of a variable; None, the number and None of any other expression."""
        if re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", text):
            return None, int(text, 0), None
        found = self.engine.ask(f"value {text}")
        if "space" in found and not re.match(r"(\w+\.)?[usf]\d+\[", text):
            return found["space"], found["address"], str(found["bytes"])
        try:
            return None, int(found["value"], 0), None
        except ValueError:
            raise Wrong(f"{text} is no address, and has none") from None

    def do_catch(self, words):
        kinds = ("abort", "begin", "commit", "barrier", "persist", "diverge", "converge", "block", "finding", "oracle", "port")
        if not words or words[0] not in kinds:
            raise Wrong(f"catch takes one of {', '.join(kinds)}")
        given = list(words)
        if words[0] == "abort" and (len(words) == 1 or words[1] in ("if", "core", "warp")):
            given.insert(1, "-")
        self.add(" ".join(given), " ".join(["catch", *words]))

    def do_delete(self, words):
        for stop in [number(words[0])] if words else list(self.stops):
            self.engine.ask(f"delete {stop}")
            self.stops.pop(stop, None)

    # ---- shows ----

    def show(self, command):
        found = self.engine.ask(command)
        if self.json:
            self.say(json.dumps(found))
            return None
        return found

    def do_info(self, words):
        what = words[0] if words else ""
        infos = {"stops": self.info_stops, "warps": self.info_warps, "blocks": self.info_blocks, "registers": self.info_registers, "stack": self.info_stack,
                 "sets": self.info_sets, "variables": self.info_variables, "state": self.info_state, "symbols": self.info_symbols,
                 "report": self.info_report, "row": self.info_row, "ports": self.info_ports}
        known = [name for name in infos if name.startswith(what)] if what else []
        if not known:
            raise Wrong(f"info takes one of {', '.join(infos)}")
        infos[known[0]](words[1:])

    def info_stops(self, _):
        if self.json:
            self.say(json.dumps({"stops": self.stops}))
        for stop, text in self.stops.items() if not self.json else ():
            self.say(f"stop {stop}: {text}")

    def info_warps(self, words):
        found = self.show(" ".join(["warps", *words]))
        for warp in found["warps"] if found else ():
            line = f" at {warp['ptx_line']}: {' '.join(warp['text'].split())}" if "ptx_line" in warp else ""
            block = ",".join(map(str, warp["block"]))
            self.say(f"{warp['core']}.{warp['warp']} block ({block}) warp {warp['number']}, lanes {ranges(lanes(warp['active']))}{line}; {warp['wait']}")

    def info_blocks(self, words):
        found, blocks = self.engine.ask(" ".join(["warps", *words]))["warps"], {}
        for warp in found:
            blocks.setdefault((warp["core"], tuple(warp["block"])), []).append(re.split(r"[;:,(]", warp["wait"])[0].strip() or warp["state"])
        rows = [{"core": core, "block": list(block), "warps": len(waits), "waits": {wait: waits.count(wait) for wait in sorted(set(waits))}}
                for (core, block), waits in blocks.items()]
        if self.json:
            self.say(json.dumps({"blocks": rows}))
        for row in rows if not self.json else ():
            waits = ", ".join(f"{count} {wait}" for wait, count in row["waits"].items())
            self.say(f"core {row['core']} block ({','.join(map(str, row['block']))}), {row['warps']} warps: {waits}")

    def info_registers(self, words):
        found = self.show(" ".join(["registers", *words]))
        for register in found["registers"] if found else ():
            late = "  (a load is on its way)" if register["pending"] else ""
            if words:
                self.say(f"{register['name']} {register['type']}{late}")
                for lane, value in enumerate(register["lanes"]):
                    self.say(f"  lane {lane}: {value}")
            else:
                self.say(f"{register['name']:<8} {register['type']:<5} {register['lanes'][self.engine.place['lane']]} (0x{register['bits']}){late}")

    def info_variables(self, words):
        found = self.show(" ".join(["variables", *words[:1]]))
        for row in found["variables"] if found else ():
            self.say(f"{row['name']} = {row['value']} ({row['type']})" if "value" in row else f"{row['name']}: {row['wrong']} ({row['type']})")
        if found and "no_types" in found:
            self.say(f"as the PTX declares them: {found['no_types']}")

    def info_stack(self, _):
        found = self.show("stack")
        if found:
            self.say(found["stack"] or "all lanes run together")

    def info_sets(self, words):
        found, lane = self.show("sets"), self.engine.place["lane"]
        for word in found["words"] if found else ():
            if word["lane"] != lane and words != ["all"]:
                continue
            kind = "writes" if "writes" in word else "reads"
            self.say(f"lane {word['lane']} {kind} {word[kind]}: {word['value']}")

    def info_state(self, words):
        found = self.show(" ".join(["state", *words]))
        if found and not words:
            counts = {}
            for part in found["state"]:
                counts[part["group"]] = counts.get(part["group"], 0) + 1
            self.say("\n".join(f"{name}: {count}" for name, count in counts.items()))
        for piece in found["state"] if found and words else ():
            values, name = piece["values"], re.sub(r"^\w+->", "", piece["name"])
            if piece["elements"] == 1:
                self.say(f"{name} = {values['0']}")
            elif values:
                self.say("\n".join(f"{name}[{place}] = {value}" for place, value in values.items()))

    def info_row(self, words):
        """What the units of a word's partition hold of its granule, a record per line."""
        home = self.engine.ask(f"home {self.place(words[0])[1] if words else 0}")
        found = []
        for unit in sorted({part["group"] for part in self.engine.ask("state")["state"]}):
            try:
                pieces = self.engine.ask(f"state {unit} {home['partition']}")["state"]
            except Wrong:  # there is one of the GPU, or one of each core
                continue
            found += [(unit, record) for record in records(pieces) if record.get("granule") == [home["granule"]] and record.get("used") != [0]]
        if self.json:
            self.say(json.dumps({**home, "rows": [{"unit": unit, **record} for unit, record in found]}))
            return
        self.say(f"partition {home['partition']}, granule {home['granule']}{'' if found else ': no unit holds anything of it'}")
        for unit, record in found:
            self.say(f"{unit}: {', '.join(f'{name} = {chr(32).join(map(str, values))}' for name, values in record.items())}")

    def info_symbols(self, _):
        found = self.show("symbols")
        for symbol in found["symbols"] if found else ():
            self.say(f"{symbol['name']} {symbol['space']} {symbol['address']:#x}, {symbol['bytes']} bytes")
        for parameter in found["parameters"] if found else ():
            self.say(f"{parameter['name']} param {parameter['offset']:#x}, {parameter['type']}, {parameter['bytes']} bytes")

    def info_ports(self, words):
        found = self.show(" ".join(["ports", *words]))
        for unit in found.get("units", ()) if found else ():
            self.say(unit)
        for port in found.get("ports", ()) if found else ():
            self.say(f"{port['name']} = {port['value']}")

    def info_report(self, _):
        found = self.show("report")
        if found:
            self.say(found["error"] or "no launch has failed")
            self.out.write(found["report"])

    def do_print(self, words):
        found = self.show("value " + " ".join(words))
        if found:
            self.say(f"{' '.join(words)} = {found['value']}")

    def do_x(self, words):
        count, kind, space = 1, "u32", None
        while words and (words[0] in TYPES or words[0] in SPACES or (words[0].isdigit() and len(words) > 1)):
            word = words.pop(0)
            if word in TYPES:
                kind = word
            elif word in SPACES:
                space = word
            else:
                count = int(word)
        if not words:
            raise Wrong("x takes an address")
        of_it, address, _ = self.place(words[0])
        space, size = space or of_it or "generic", struct.calcsize("<" + TYPES[kind])
        found = self.show(f"memory {space} {address} {size * count}")
        if not found:
            return
        values = struct.unpack(f"<{count}{TYPES[kind]}", bytes.fromhex(found["bytes"]))
        per_line = max(1, 32 // size)
        for i in range(0, count, per_line):
            row = "  ".join(f"{value:.9g}" if isinstance(value, float) else str(value) for value in values[i:i + per_line])
            self.say(f"{address + i * size:#x}:  {row}")

    def do_where(self, _):
        self.tell(self.engine.ask("place"))

    def do_list(self, words):
        line = number(words[0]) if words else self.engine.place.get("ptx_line", 1)
        found = self.show(f"lines {max(1, line - 5)} {line + 5}")
        for row in found["lines"] if found else ():
            mark = "=>" if row["line"] == self.engine.place.get("ptx_line") else "  "
            self.say(f"{mark} {row['line']:>6}  {row['text']}")

    def do_backtrace(self, _):
        found = self.show("calls")
        for depth, call in enumerate(found["calls"] if found else ()):
            source = f", {call['file']}:{call['line']}" if "file" in call else ""
            mark = "  (here)" if depth == found["frame"] and depth else ""
            self.say(f"#{depth} {call['function']} at PTX line {call['ptx_line']}{source}{mark}")

    def frame(self, by, words):
        """Calls are looked at from outside: frame N, or so many up or down."""
        calls = self.engine.ask("calls")
        times = number(words[0]) if words else 1 if by else calls["frame"]
        at = calls["frame"] + by * times if by else times
        if not 0 <= at < len(calls["calls"]):
            raise Wrong("there is no such frame; 'backtrace' lists them")
        self.engine.ask(f"frame {at}")
        call = calls["calls"][at]
        source = f", {call['file']}:{call['line']}" if "file" in call else ""
        self.say(json.dumps({"frame": at, **call}) if self.json else f"#{at} {call['function']} at PTX line {call['ptx_line']}{source}")

    def select(self, command):
        self.engine.ask(command)
        self.engine.place = self.engine.ask("place")
        self.tell(self.engine.place)

    def do_warp(self, words):
        match = re.fullmatch(r"(\d+)\.(\d+)", words[0] if words else "")
        if not match:
            raise Wrong("warp takes CORE.WARP, as 'info warps' shows them")
        self.select(f"select {match.group(1)} {match.group(2)} {self.engine.place['lane']}")

    def do_lane(self, words):
        place = self.engine.place
        self.select(f"select {place['core']} {place['warp']} {number(words[0]) if words else 0}")

    def do_wave(self, words):
        """wave here [CYCLES] [UNIT ...]"""
        if not words or words[0] != "here":
            raise Wrong("wave takes 'here', and behind it how many cycles and which units; 'info ports' lists units")
        words = words[1:]
        cycles = number(words.pop(0)) if words and words[0].isdigit() else 200
        units = [unit for unit in self.engine.ask("ports")["units"] if unit in words or (not words and self.is_at_hand(unit))]
        if (unknown := [word for word in words if word not in units]):
            raise Wrong(f"no unit is called {unknown[0]}; 'info ports' lists them")
        trace = f"cowarp-{self.engine.place['cycle']}.fst"
        place = self.engine.go(f"wave {trace} {cycles}")
        if not place["stopped"].startswith("wave of"):
            raise Wrong(place["stopped"])
        ports = {unit: self.engine.ask(f"ports {unit}")["ports"] for unit in units}
        path = view.write(trace, place, ports)
        self.tell(place)
        self.say(json.dumps({"wave": trace, "view": path}) if self.json else f"written {trace}; to look at it: gtkwave {trace} {path}")
        if os.environ.get("DISPLAY") and sys.stdin.isatty() and shutil.which("gtkwave"):
            subprocess.Popen(["gtkwave", trace, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def is_at_hand(self, unit):
        """Units of the core, and those of partitions, where a unit of each kind is enough."""
        return unit.startswith((f"core{self.engine.place['core']}.", "partition0."))

    # ---- commands ----

    def commands(self):
        go, engine = self.go, self.engine
        paced = {"step": "step", "next": "next", "line": "line", "reverse-step": "back step", "reverse-next": "back next",
                 "reverse-line": "back line"}
        table = {name: lambda words, command=command: go(command, *words[:1]) for name, command in paced.items()}
        table |= {
            "continue": lambda words: go("go"), "reverse-continue": lambda words: go("back go"),
            "restart": lambda words: go("back start"),
            "cycle": lambda words: go(f"cycles {number(words[0]) if words else 1}"),
            "reverse-cycle": lambda words: go(f"back cycles {number(words[0]) if words else 1}"),
            "finish": lambda words: go("finish"), "reverse-finish": lambda words: go("back finish"),
            "until": lambda words: go(f"answer {' '.join(words[:1])}"), "reverse-until": lambda words: go(f"back answer {' '.join(words[:1])}"),
            "at": lambda words: go(f"at {number(words[0]) if words else 0}"),
            "break": self.do_break, "catch": self.do_catch, "delete": self.do_delete,
            "watch": lambda words: self.watch("watch", "w", words), "rwatch": lambda words: self.watch("rwatch", "r", words),
            "awatch": lambda words: self.watch("awatch", "rw", words),
            "info": self.do_info, "print": self.do_print, "x": self.do_x, "where": self.do_where, "list": self.do_list,
            "backtrace": self.do_backtrace, "up": lambda words: self.frame(1, words), "down": lambda words: self.frame(-1, words),
            "frame": lambda words: self.frame(0, words), "warp": self.do_warp, "lane": self.do_lane, "help": lambda words: self.say(HELP), "wave": self.do_wave,
        }
        del engine
        return table

    SHORT = {"b": "break", "c": "continue", "s": "step", "si": "step", "stepi": "step", "n": "next", "p": "print", "bt": "backtrace",
             "l": "list", "rs": "reverse-step", "rn": "reverse-next", "rc": "reverse-continue", "i": "info", "h": "help", "d": "delete",
             "run": "continue", "r": "continue", "q": "quit"}

    def carry_out(self, line):
        """False: the one who asks is done."""
        words = line.split()
        if not words or words[0].startswith("#"):
            return True
        name = self.SHORT.get(words[0], words[0])
        if name == "quit":
            return False
        table = self.commands()
        known = [name] if name in table else [other for other in table if other.startswith(name)]
        if len(known) != 1:
            raise Wrong(f"'{words[0]}' is no command{': ' + ', '.join(known) if known else ''}; help lists them")
        table[known[0]](words[1:])
        return True

    def attempt(self, line):
        """The same; what is wrong is told. Returns whether to go on, and whether all was right."""
        try:
            return self.carry_out(line), True
        except Wrong as wrong:
            self.say(json.dumps({"error": str(wrong)}) if self.json else f"error: {wrong}")
            return True, False

    def script(self, lines, keeps_going=False):
        """Whether all lines were right, and none of them was 'quit'."""
        for line in lines:
            if not self.json and line.strip() and not line.startswith("#"):
                self.say(f"(cowarp) {line.strip()}")
            goes_on, right = self.attempt(line)
            if not goes_on or not (right or keeps_going):
                return False, right
        return True, True

    def converse(self, prompt="(cowarp) "):
        """With the one at the terminal. An empty line is the last one again."""
        if sys.stdin.isatty():
            import readline  # noqa: PLC0415  (it changes how input() reads a line)
            names = [*self.commands(), "quit"]
            readline.set_completer(lambda text, i: next(iter([n + " " for n in names if n.startswith(text)][i:]), None))
            readline.set_completer_delims(" ")
            readline.parse_and_bind("tab: complete")
        elif self.json:
            prompt = ""
        while True:
            try:
                line = input(prompt)
            except EOFError:
                return
            except KeyboardInterrupt:
                print()
                continue
            self.last = line if line.strip() or not sys.stdin.isatty() else self.last
            if not self.attempt(self.last)[0]:
                return


__all__ = ["Ended", "Prompt"]
