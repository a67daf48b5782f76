# SPDX-License-Identifier: Apache-2.0
"""Activity counted in a run of a workload: toggles per clock and duty of each bit of a unit, from traces of the RTL inside the simulated GPU.

The run is traced in a few windows spread over its length, so that what is counted stands for the whole run. A unit is found in the
trace by its ports: each scope that has a signal of that width for each of them is an instance. Units inside other units are found as well. Of all
instances the clocks with a request are counted; of the one that has most of them, everything."""
import hashlib
import json
import os
import pathlib
import subprocess

from tools import children, need, schema
from units import STANDARD_RUN, Failed

WINDOWS = 5
WINDOW_CYCLES = 400
RUN_SECONDS = 1800  # of a run, on a machine that has other work, too
# What a control policy runs, for its units see work only where threads part; and the machine on which every policy runs.
POLICY_RUN = ["lps", "--param", "n=32", "--set", "core.warps=32", "--set", "core.blocks=16", "--set", "core.schedulers=1", "--set", "core.scheduler=lrr"]
# And a persistency model, whose units see persists.
MODEL_RUN = ["gpkvs", "--param", "pairs=4096", "--param", "buckets=65536", "--preset", "sbrp-near"]
# What a machine without any of these has (cowarp list), as soon as its key says so (units.STANDARD_RUN).
MACHINE, MACHINE_RUN = "every machine", ["ht-h", "--system", "getm"]
# Systems that do not run the workload: transactions of shared memory.
SYSTEM_RUN = {"localtm": ["it-hc", "--param", "groups=16", "--preset", "localtm"]}


def cowarp(command, arguments):
    try:
        done = children.run([str(command), *arguments], text=True, errors="replace", timeout=RUN_SECONDS)
    except OSError as error:
        raise Failed(f"{command}: {error.strerror}; --cowarp names the simulator", 2) from None
    except subprocess.TimeoutExpired:
        raise Failed(f"'cowarp {' '.join(arguments)}': no end after {RUN_SECONDS} s") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise Failed(f"'cowarp {' '.join(arguments)}' failed: {lines[-1]}")
    return done.stdout


LISTED = {"controls": [{"name": str}], "persistency": [{"name": str}], "units": [{"name": str, "system": str}]}


def read_list(command):
    """What there is to run; raises Failed where the command is none."""
    try:
        return schema.parsed(cowarp(command, ["list", "--json"]), LISTED, f"'{command} list --json'", "is --cowarp the simulator?")
    except schema.BadJson as bad:
        raise Failed(str(bad), 2) from None


def words_of_run(command, workload, system):
    """What to run for the units of a system, a control policy or a persistency model; the workload is for systems."""
    listed = read_list(command)
    if system in (control["name"] for control in listed["controls"]):
        return [*POLICY_RUN, "--set", f"core.divergence={system}"]
    if system in (model["name"] for model in listed["persistency"]):
        return [*MODEL_RUN, "--persistency", system]
    if system == MACHINE:
        return MACHINE_RUN
    return [*SYSTEM_RUN.get(system, [workload]), "--system", system]


def systems(command):
    """system, control policy or persistency model -> names of its units that can be RTL; few, which have all units between them."""
    having, left = {}, set()
    for unit in read_list(command)["units"]:
        left.add(unit["name"])
        for system in unit["system"].split(", "):
            having.setdefault(system, []).append(unit["name"])
    result = {}
    while left:
        best = max(having, key=lambda system: len(left.intersection(having[system])))
        result[best] = having[best]
        left -= set(having[best])
    return result


class Scope:
    def __init__(self, path):
        self.path = path
        self.variables = []  # (name, width, code)


def read_scopes(lines):
    scopes, stack = {}, []
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            stack.append(words[2])
            scopes["/".join(stack)] = Scope(tuple(stack))
        elif words[0] == "$upscope":
            stack.pop()
        elif words[0] == "$var" and words[1] != "parameter":
            scopes["/".join(stack)].variables.append((words[4].split("[")[0], int(words[2]), words[3]))
        elif words[0] == "$enddefinitions":
            return scopes
    raise Failed("the trace has no header")


def find_scopes(scopes, ports):
    """The instances: scopes that have all ports in their widths, or the one further in that has more signals, which is the module inside its shim."""
    wanted = {(name, bits) for name, (_, bits) in ports.items()}
    fitting = [s for s in scopes.values() if wanted <= {(name, width) for name, width, _ in s.variables}]
    groups = []
    for scope in fitting:  # an outer scope comes before those inside
        if groups and scope.path[:len(groups[-1][0].path)] == groups[-1][0].path:
            groups[-1].append(scope)
        else:
            groups.append([scope])
    return [max(group, key=lambda s: (len(s.variables), -len(s.path))) for group in groups]


def misfit(scopes, ports):
    """What is other in the run's unit, when one has all ports but not in these widths; or None when there is no such unit."""
    for scope in scopes.values():
        widths = {name: width for name, width, _ in scope.variables}
        if all(name in widths for name in ports):
            other = [f"{name} {widths[name]} bits, here {bits}" for name, (_, bits) in sorted(ports.items()) if widths[name] != bits]
            return f"the run's unit has another size: {', '.join(other)}"
    return None


def subtree(scopes, scope):
    """RTL name -> (code, width) of everything below a scope, named as Yosys names it after flatten."""
    result, depth = {}, len(scope.path)
    for other in scopes.values():
        if other.path[:depth] == scope.path:
            prefix = "".join(f"{part}." for part in other.path[depth:])
            for name, width, code in other.variables:
                result[prefix + name] = (code, width)
    return result


class Pace:
    """Smallest distance between two changes of a unit's signals: its clock period. Units of one trace have clocks of their own."""

    def __init__(self):
        self.last = self.step = None

    def change(self, now, start):
        if self.last is not None and now != self.last and self.last != start:
            self.step = now - self.last if self.step is None else min(self.step, now - self.last)
        self.last = now


class Counter:
    """Toggles and time at 1 of each bit of one signal."""
    __slots__ = ("value", "since", "toggles", "ones", "width", "log", "paces")

    def __init__(self, width):
        self.width, self.value, self.since = width, None, 0
        self.toggles, self.ones = [0] * width, [0] * width
        self.log = None  # or (time, value) of each change
        self.paces = []  # of the units that have the signal

    def _bits(self, value, into, amount):
        while value:
            low = value & -value
            index = low.bit_length() - 1
            if index < self.width:
                into[index] += amount
            value ^= low

    def change(self, value, now):
        if self.value is not None:
            self._bits(self.value, self.ones, now - self.since)
            self._bits(self.value ^ value, self.toggles, 1)
        self.value, self.since = value, now
        if self.log is not None:
            self.log.append((now, value))

    def close(self, now):
        if self.value is not None:
            self.change(self.value, now)


def count_changes(lines, codes):
    """Counts one trace. Returns (start, end), in the trace's time unit."""
    now, start = 0, None
    for line in lines:
        head = line[0]
        if head == "#":
            now = int(line[1:])
            start = now if start is None else start
            continue
        if head in "bB":
            digits, code = line[1:].split()
        elif head in "01xXzZ":
            digits, code = head, line[1:].strip()
        else:
            continue
        counter = codes.get(code)
        if counter is None:
            continue
        counter.change(int(digits.lower().replace("x", "0").replace("z", "0"), 2), now)
        for pace in counter.paces:
            pace.change(now, start)
    for counter in codes.values():
        counter.close(now)
    return start or 0, now


def asks(name, direction="input"):
    """Whether a port says that there is a request."""
    return direction == "input" and name.endswith("_valid_i")


def read_requests(fst, ports_of, misfits):
    """unit -> {path of an instance: time in which it had requests, as the sum over its valid inputs} in one window. misfits: gets unit -> why the run's
    has no activity to offer."""
    need("fst2vcd", "gtkwave")
    with subprocess.Popen(["fst2vcd", str(fst)], stdout=subprocess.PIPE, text=True, errors="replace") as vcd:
        scopes = read_scopes(vcd.stdout)
        valid, codes = {}, {}
        for unit, ports in ports_of.items():
            instances = find_scopes(scopes, ports)
            if not instances:
                misfits[unit] = misfit(scopes, ports) or misfits.get(unit)
            for scope in instances:
                mine = [code for name, width, code in scope.variables if name in ports and asks(name, ports[name][0]) and width == 1]
                valid.setdefault(unit, {})[scope.path] = mine
                codes.update((code, Counter(1)) for code in mine)
        count_changes(vcd.stdout, codes)
    return {unit: {path: sum(codes[code].ones[0] for code in mine) for path, mine in instances.items()} for unit, instances in valid.items()}


def loads(windows):
    """unit -> its instance with most requests, how many instances there are, and their mean of requests as a share of that instance's."""
    sums = {}
    for window in windows:
        for unit, instances in window.items():
            for path, time in instances.items():
                mine = sums.setdefault(unit, {})
                mine[path] = mine.get(path, 0) + time
    out = {}
    for unit, instances in sums.items():
        path = max(instances, key=instances.get)  # the first of equals
        most = instances[path]
        out[unit] = {"path": path, "instances": len(instances), "asked": sum(time > 0 for time in instances.values()),
                     "load": sum(instances.values()) / len(instances) / most if most else 1.0}
    return out


def read_trace(fst, ports_of, loads_of):
    """unit -> {"scope", "cycles", "counters": {RTL name: Counter}} of one window, for the instance that loads_of names."""
    need("fst2vcd", "gtkwave")
    with subprocess.Popen(["fst2vcd", str(fst)], stdout=subprocess.PIPE, text=True, errors="replace") as vcd:
        scopes = read_scopes(vcd.stdout)
        found, codes = {}, {}
        for unit, ports in ports_of.items():
            scope = scopes.get("/".join(loads_of[unit]["path"])) if unit in loads_of else None
            if scope:
                nets, pace = subtree(scopes, scope), Pace()
                for code, width in nets.values():
                    codes.setdefault(code, Counter(width))
                for code in {code for code, _ in nets.values()}:
                    codes[code].paces.append(pace)
                    codes[code].log = []
                inputs = {name for name, (direction, _) in ports.items() if direction == "input" and name not in ("clk_i", "rst_i")}
                found[unit] = {"scope": ".".join(scope.path), "counters": {name: codes[code] for name, (code, _) in nets.items()}, "pace": pace,
                               "inputs": inputs}
        start, end = count_changes(vcd.stdout, codes)
    for entry in found.values():
        entry["time_ps"], entry["step_ps"], entry["start_ps"] = end - start, entry["pace"].step, start
    return found


def merge(windows):
    """Sums over windows: unit -> nets {name: [[toggles per cycle, duty] per bit]}. The unit's clock period is the smallest distance between two
    changes in any window; a window without a change counts as idle cycles."""
    entries_of, out = {}, {}
    for window in windows:
        for unit, entry in window.items():
            entries_of.setdefault(unit, []).append(entry)
    for unit, entries in entries_of.items():
        steps = [e["step_ps"] for e in entries if e["step_ps"]]
        if not steps:
            continue
        time = sum(e["time_ps"] for e in entries)
        cycles = round(time / min(steps))
        nets = {}
        for name, counter in entries[0]["counters"].items():
            same = [e["counters"][name] for e in entries if name in e["counters"]]
            nets[name] = [[sum(c.toggles[b] for c in same) / cycles, min(1.0, sum(c.ones[b] for c in same) / time)] for b in range(counter.width)]
        out[unit] = {"scope": entries[0]["scope"], "cycles": cycles, "period_ps": min(steps), "nets": nets, "inputs": recording(entries, min(steps)),
                     "history": history(entries, min(steps)), "window_starts": window_starts(entries, min(steps))}
    return out


def window_starts(entries, period):
    """First cycle of each window, counted on from window to window; and the cycle after the last."""
    starts = [0]
    for entry in entries:
        starts.append(starts[-1] + int(entry["time_ps"] / period))
    return starts


def history(entries, period):
    """Signal -> its changes over all windows, [cycle, value as hex], cycles counted on from window to window. What gating.py needs."""
    out = {name: [] for name in entries[0]["counters"]}
    starts = window_starts(entries, period)
    for entry, first, following in zip(entries, starts, starts[1:]):
        for name in out:
            changes = out[name]
            for when, value in entry["counters"][name].log if name in entry["counters"] else ():
                # A change counts from the first cycle whose middle is not before it. One in the rest of a cycle that ends a window belongs to no cycle.
                cycle = first + max(0, -(-(when - entry["start_ps"] - period // 2) // period))
                if cycle >= following:
                    break
                if changes and changes[-1][0] == cycle:
                    changes.pop()
                changes.append([cycle, f"{value:x}"])
    return out


def recording(entries, period):
    """What came in, one value per clock and input, in the window with the most changes: the stimulus of the gate-level check."""
    def changes(entry):
        return sum(len(entry["counters"][name].log) for name in entry["inputs"])
    entry, inputs = max(entries, key=changes), {}
    for name in sorted(entry["inputs"]):
        counter = entry["counters"][name]
        values, place, log = [], 0, counter.log
        for cycle in range(int(entry["time_ps"] / period)):
            now = entry["start_ps"] + cycle * period + period // 2
            while place + 1 < len(log) and log[place + 1][0] <= now:
                place += 1
            values.append(log[place][1] if log else 0)
        inputs[name] = values
    return inputs


def measure(command, workload, system, settings, rtl_units, ports_of, work, misfits, say):
    """Runs the workload, or a policy's or model's own, once for its length and statistics, and once per window for the trace. misfits: as of read_trace."""
    chosen = words_of_run(command, workload, system)
    workload = chosen[0]
    base = ["run", *chosen, *(word for setting in settings for word in ("--set", setting)), "--quiet"]
    say(f"activity under {system}: a run of {workload} for its length")
    stats = work / f"stats-{workload}-{system}.json"
    cowarp(command, [*base, "--omit-host-seconds", "--stats", str(stats)])
    try:
        data = schema.load(stats, schema.STATS, "is --cowarp the simulator?")
    except schema.BadJson as bad:
        raise Failed(str(bad), 2) from None
    rtl = [word for unit in rtl_units for word in ("--unit", f"{unit}=rtl")]
    traces = []
    for i in range(WINDOWS):
        first = max(0, int(data["cycles"] * (2 * i + 1) / (2 * WINDOWS)) - WINDOW_CYCLES // 2)
        fst = work / f"window{i}.fst"
        say(f"activity under {system}: window {i + 1} of {WINDOWS}, {', '.join(rtl_units)} as RTL")
        cowarp(command, [*base, *rtl, "--wave", str(fst), "--wave-window", f"{first}:{first + WINDOW_CYCLES}"])
        traces.append(fst)
    found = loads([read_requests(fst, ports_of, misfits) for fst in traces])
    windows = [read_trace(fst, ports_of, found) for fst in traces]
    for fst in traces:
        fst.unlink()
    counters = {name: c["value"] for name, c in data["counters"].items() if c["value"]}
    about = {"workload": workload, "system": " ".join([system, *settings]), "cycles": data["cycles"], "counters": counters}
    return about, {unit: {**entry, "load": found[unit]} for unit, entry in merge(windows).items()}


def unasked(entry):
    """Whether no *_valid input of the unit is ever 1 in its trace. Such a trace does not show what the unit was asked, so its activity stands for nothing."""
    valid = [name for name in entry["inputs"] if name.endswith("_valid_i")]
    return bool(valid) and not any(duty for name in valid for _, duty in entry["nets"][name])


def collect(command, workload, ports_of, work, say=lambda text: None):
    """unit -> its activity and the run it comes from, over all systems until each unit was seen; and unit -> why it has none. Kept in a file beside the results, which is
    used again as long as the command, the workload, the units' ports and this script are the same."""
    work.mkdir(parents=True, exist_ok=True)
    status = os.stat(command)
    key = hashlib.sha256(json.dumps([str(command), status.st_mtime_ns, workload, {u: sorted(p) for u, p in ports_of.items()}, WINDOWS,
                                     WINDOW_CYCLES, STANDARD_RUN, pathlib.Path(__file__).read_text()]).encode()).hexdigest()
    kept = work / "activity.json"
    if kept.exists():
        data = json.loads(kept.read_text())
        if data.get("key") == key:
            return data["units"], data["misfits"]
    units, misfits = {}, {}
    special = {}
    for unit in ports_of:
        if unit in STANDARD_RUN:
            special.setdefault(STANDARD_RUN[unit], []).append(unit)
    runs = [(*about, together, together) for about, together in special.items()]
    known = systems(command)
    named = {unit for rtl_units in known.values() for unit in rtl_units}  # others stand inside of these
    runs += [(system, [], rtl_units, [u for u in ports_of if u not in STANDARD_RUN and (u in rtl_units or u not in named)])
             for system, rtl_units in sorted(known.items())]
    for system, settings, rtl_units, wanted in runs:
        left = {unit: ports_of[unit] for unit in wanted if unit not in units}
        if left:
            # What stands inside of another unit needs that one as RTL, too.
            inside = any(unit not in named and unit not in STANDARD_RUN for unit in left)
            about, found = measure(command, workload, system, settings, rtl_units if inside else list(left), left, work, misfits, say)
            for unit, entry in found.items():
                if unasked(entry):
                    misfits[unit] = "the run's trace shows no request to it"
                else:
                    units[unit] = {"run": about, **entry}
    misfits = {unit: why for unit, why in misfits.items() if unit not in units}
    kept.write_text(json.dumps({"key": key, "units": units, "misfits": misfits}))
    return units, misfits


def default_command(root):
    path = pathlib.Path(os.environ.get("COWARP", root / "build" / "cowarp"))
    return path if path.exists() else None
