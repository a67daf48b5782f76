#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of waves: what a trace holds against the statistics and the papers, save files against traces, scenarios, pictures.
Usage: wave_test.py BUILD/cowarp SOURCE_DIR [unittest arguments]. Reads traces with fst2vcd (package gtkwave)."""

import json
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COWARP = ""
WAVES = pathlib.Path()
PARTITIONS = 6
SMALL = ["run", "ht-h", "--system", "getm", "--param", "buckets=24", "--param", "blocks=4", "--param", "threads=96"]
CORE_PS = 1e6 / 1400  # of preset getm; the L2 and the validation units have the same clock
VU = "cowarp.partition{}.validation_unit."


class Trace:
    """Signals of an FST file by full name, as 'cowarp.core0.warp3[2:0]'."""

    def __init__(self, path):
        self.path = str(path)
        self.code = {}
        self.text = subprocess.run(["fst2vcd", self.path], capture_output=True, text=True, check=True).stdout
        scopes = []
        self.body = self.text.index("$enddefinitions")
        for line in self.text[:self.body].splitlines():
            word = line.split()
            if line.startswith("$scope"):
                scopes.append(word[2])
            elif line.startswith("$upscope"):
                scopes.pop()
            elif line.startswith("$var"):
                self.code[".".join(scopes + ["".join(word[4:-1])])] = word[3]

    def find(self, name):
        """The full name of a signal that was given without its range."""
        found = [name] if name in self.code else [n for n in self.code if n.startswith(name + "[") and n.endswith("]")]
        assert len(found) == 1, (name, found)
        return found[0]

    def frames(self, *names):
        """(time in ps, [values]) at every time at which anything in the file changes; x and z are None."""
        index = {}
        for i, name in enumerate(names):
            index.setdefault(self.code[self.find(name)], []).append(i)
        values, now = [None] * len(names), None
        for line in self.text[self.body:].splitlines():
            first = line[:1]
            if first == "#":
                if now is not None:
                    yield now, list(values)
                now = int(line[1:])
            elif first == "b":
                value, code = line[1:].split(" ")
                for i in index.get(code, ()):
                    values[i] = int(value, 2) if set(value) <= {"0", "1"} else None
            elif first in ("0", "1", "x", "z"):
                for i in index.get(line[1:], ()):
                    values[i] = int(first) if first in "01" else None
        if now is not None:
            yield now, list(values)

    def cycles(self, *names):
        """As frames, with the number of unit cycles that the values last. What does not end does not count."""
        last = None
        for now, values in self.frames(*names):
            if last is not None:
                yield last[0], round((now - last[0]) / CORE_PS), last[1]
            last = now, values

    def times(self):
        return [int(t) for t in re.findall(r"^#(\d+)$", self.text[self.body:], re.M)]


class Waves(unittest.TestCase):
    cache = {}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def run_it(self, *args, **kw):
        r = subprocess.run([COWARP, *map(str, args)], capture_output=True, text=True, timeout=240, cwd=self.folder.name, **kw)
        r.stderr = re.sub(r"cowarp: (building|built) RTL of .*\n", "", r.stderr)  # where it was not built before
        return r

    def passes(self, *args, **kw):
        r = self.run_it(*args, **kw)
        self.assertEqual(r.returncode, 0, (args, r.stderr))
        return r.stdout

    def fails(self, status, says, *args, **kw):
        r = self.run_it(*args, **kw)
        self.assertEqual(r.returncode, status, (args, r.stdout, r.stderr))
        self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        self.assertTrue(r.stderr.startswith("cowarp: "), r.stderr)
        for word in says:
            self.assertIn(word, r.stderr, args)
        return r

    def whole(self, backend):
        """Trace and counters of a small run from its first cycle to its last."""
        if backend not in self.cache:
            self.passes(*SMALL, "--unit", f"validation_unit={backend}", "--wave", "w.fst", "--stats", "w.json")
            counters = json.loads(self.path("w.json").read_text())["counters"]
            self.cache[backend] = Trace(self.path("w.fst")), {k: v["value"] for k, v in counters.items()}
        return self.cache[backend]


class Contents(Waves):
    def check_counts(self, trace, counters):
        """Port activity, counted cycle by cycle in the trace, against the statistics, which the simulator counts for itself."""
        ports = ["req_valid", "req_ready", "req_kind", "rsp_valid", "rsp_ready", "evt_stall", "evt_retry", "stall_occupancy"]
        sums = dict.fromkeys(["requests", "releases", "responses", "stalls", "retries", "stalled"], 0)
        for p in range(PARTITIONS):
            for _, n, v in trace.cycles(*[VU.format(p) + port for port in ports]):
                valid, ready, kind, rsp_valid, rsp_ready, stall, retry, occupancy = v
                sums["requests"] += n * (valid & ready)
                sums["releases"] += n * (valid & ready & (kind == 2))
                sums["responses"] += n * (rsp_valid & rsp_ready)
                sums["stalls"] += n * stall
                sums["retries"] += n * retry
                sums["stalled"] += n * occupancy
        self.assertGreater(counters["vu_stalls"], 10)
        self.assertGreater(sums["requests"], 1000)
        self.assertEqual(sums["requests"] + sums["retries"], counters["vu_requests"])
        self.assertEqual(sums["stalls"], counters["vu_stalls"])
        self.assertEqual(sums["retries"], counters["vu_retries"])
        self.assertEqual(sums["stalled"], counters["vu_stall_request_cycles"])
        # each load and store is answered once, a release is not
        self.assertEqual(sums["responses"], sums["requests"] - sums["releases"])

    def test_counts_c(self):
        self.check_counts(*self.whole("c"))

    def test_counts_rtl(self):
        self.check_counts(*self.whole("rtl"))

    def test_counts_lockstep(self):
        self.check_counts(*self.whole("lockstep"))

    def test_rtl_ports_are_the_units(self):
        """Six instances, each under its own scope; their ports are what the C side saw at them, in every cycle."""
        trace, _ = self.whole("rtl")
        ports = ["req_valid", "req_granule", "req_warpts", "rsp_valid", "rsp_outcome", "busy", "stall_occupancy"]
        for p in range(PARTITIONS):
            c = [VU.format(p) + port for port in ports]
            rtl = [f"partition{p}.validation_unit.{port}_{'i' if port.startswith('req') else 'o'}" for port in ports]
            seen = 0
            for now, v in trace.frames(*c, *rtl):
                self.assertEqual(v[:len(ports)], v[len(ports):], (p, now))
                seen += v[0]
            self.assertGreater(seen, 50)

    def test_backends_show_the_same(self):
        """The C side of the trace does not depend on what stands behind the unit."""
        names = [n for n in self.whole("c")[0].code if n.startswith("cowarp.")]
        self.assertGreater(len(names), 900)
        frames = [list(self.whole(b)[0].frames(*names)) for b in ("c", "rtl", "lockstep")]
        self.assertGreater(len(frames[0]), 1000)
        self.assertEqual(frames[0], frames[1])
        self.assertEqual(frames[0], frames[2])

    def test_clocks(self):
        """A counter shows k from the k-th edge on, at k periods of its clock, to the picosecond."""
        trace, _ = self.whole("c")
        mhz = {"core": 1400, "noc": 1400, "l2": 1400, "cu": 700, "dram": 924}
        for now, values in trace.frames(*[f"cowarp.{d}_cycle" for d in mhz]):
            for (domain, f), value in zip(mhz.items(), values):
                self.assertLessEqual(value * 1e6 / f, now + 1, (domain, now))
                self.assertGreater((value + 1) * 1e6 / f, now - 1, (domain, now))

    def test_totals(self):
        trace, counters = self.whole("c")
        names = ["tx_begun", "tx_committed", "tx_aborted", "vu_requests", "warp_instructions"]
        last = None
        for _, values in trace.frames(*[f"cowarp.{n}" for n in names]):
            if last is not None:
                self.assertTrue(all(a <= b for a, b in zip(last, values)))
            last = values
        self.assertEqual(last, [counters[n] for n in names])

    def test_evictions(self):
        """A table of few rows, so that entries are evicted."""
        self.passes("run", "ht-h", "--param", "blocks=2", "--param", "buckets=100", "--set", "getm.table_rows=4", "--wave", "w.fst", "--stats", "w.json")
        counters = json.loads(self.path("w.json").read_text())["counters"]
        self.assertGreater(counters["vu_evictions"]["value"], 0)
        trace = Trace(self.path("w.fst"))
        events = {"evt_evict": "vu_evictions", "evt_lookup": "vu_requests"}
        names = [VU.format(p) + e for p in range(PARTITIONS) for e in events]
        sums = [0] * len(names)
        for _, n, values in trace.cycles(*names):
            sums = [s + n * v for s, v in zip(sums, values)]
        for i, counter in enumerate(events.values()):
            self.assertEqual(sum(sums[i::len(events)]), counters[counter]["value"], counter)

    def test_channel_words(self):
        """A channel as one word: '-' without valid, 'wait' without ready, else the request or the outcome."""
        trace, _ = self.whole("c")
        for word, prefix, code in (("request", "req", "req_kind"), ("response", "rsp", "rsp_outcome")):
            seen = set()
            names = [VU.format(0) + n for n in (word, prefix + "_valid", prefix + "_ready", code)]
            for _, (shown, valid, ready, kind) in trace.frames(*names):
                self.assertEqual(shown, 0 if not valid else 5 if not ready else kind + 1)
                seen.add(shown)
            self.assertGreaterEqual(len(seen), 3)

    def test_a_stall_is_seen_a_cycle_after_its_decision(self):
        """docs/units/validation_unit.md, pipeline: an inner signal against a port."""
        trace, counters = self.whole("rtl")
        rtl = "partition0.validation_unit.cw_validation_unit."
        names = ["cowarp.l2_cycle", VU.format(0) + "evt_stall", rtl + "decided", rtl + "dec_stall"]
        frames = list(trace.frames(*names))
        stalls = [c + 1 for _, (c, _, decided, stall) in frames if decided and stall]
        self.assertGreater(len(stalls), 0)
        self.assertEqual(stalls, [c for _, (c, stall, _, _) in frames if stall])

    def test_a_query_is_seen_before_its_answer(self):
        """docs/units/conflict_address_table.md: a query is in a register in the next cycle, and its answer out after two. The core looks at the table behind
        the edge, too, and a wave shows nothing of that."""
        self.passes(*[w.replace("getm", "eapg") for w in SMALL], "--unit", "conflict_address_table=rtl", "--wave", "w.fst", "--wave-window", "0:12000")
        trace, asked = Trace(self.path("w.fst")), 0
        for name in [n for n in trace.code if re.fullmatch(r"core\d+\.conflict_address_table0\.qry_valid_i", n)]:
            unit = name.rpartition(".")[0]
            signals = ("qry_valid_i", "ready_o", "cw_conflict_address_table.asked_q", "ans_valid_o")
            shown = {cycle: values for _, (cycle, *values) in trace.frames("cowarp.core_cycle", *(f"{unit}.{s}" for s in signals))}
            for cycle, (query, ready, _, _) in shown.items():
                later = shown.get(cycle + 1), shown.get(cycle + 2)
                if None not in later:
                    self.assertEqual((later[0][2], later[1][3]), (query & ready,) * 2, (unit, cycle))
                    asked += query & ready
        self.assertGreater(asked, 100)

    def test_counts_of_commit_units(self):
        """Their clock is half as fast: a word that hazard detection takes is on the pins for one of its cycles."""
        self.passes(*[w.replace("getm", "kilotm") for w in SMALL], "--unit", "hazard_unit=rtl", "--wave", "w.fst", "--stats", "w.json")
        counters = {k: v["value"] for k, v in json.loads(self.path("w.json").read_text())["counters"].items()}
        trace, taken, hazards = Trace(self.path("w.fst")), 0, 0
        for p in range(PARTITIONS):
            ports = [f"cowarp.partition{p}.hazard_unit.{port}" for port in ("ent_valid", "ent_ready", "res_valid", "res_ready", "res_hazard")]
            for _, n, (valid, ready, answer, answer_ready, hazard) in trace.cycles(*ports):
                taken += n * (valid & ready)
                hazards += n * (answer & answer_ready & hazard)
        self.assertGreater(counters["cu_hazards"], 10)
        self.assertEqual(taken, 2 * counters["cu_hazard_cycles"])  # trace.cycles counts core cycles
        self.assertEqual(hazards, 2 * counters["cu_hazards"])

    def test_tracing_changes_nothing(self):
        for name, extra in (("a.json", []), ("b.json", ["--wave", "w.fst"])):
            self.passes(*SMALL, "--unit", "validation_unit=rtl", "--stats", name, "--omit-host-seconds", *extra)
        self.assertEqual(self.path("a.json").read_text(), self.path("b.json").read_text())

    def test_enums(self):
        """Numbers have names in the file, which the viewer shows."""
        self.whole("c")
        self.passes(*SMALL, "--wave", "e.fst", "--wave-window", "0:50")
        text = subprocess.run(["fst2vcd", "-e", self.path("e.fst")], capture_output=True, text=True, check=True).stdout
        table = [line for line in text.splitlines() if "warp_state" in line]
        self.assertTrue(table, "no enum table")
        for word in ("free", "ready", "scoreboard", "barrier", "memory", "tx_wait", "tx_commit", "back_off"):
            self.assertIn(f" {word} ", table[0])


    def test_vcd_by_the_name(self):
        """It is what GTKWave's own tool makes of the FST file; only the date differs."""
        self.whole("c")
        for name in ("e.fst", "e.vcd"):
            self.passes(*SMALL, "--wave", name, "--wave-window", "1000:1400")
        made = subprocess.run(["fst2vcd", self.path("e.fst")], capture_output=True, text=True, check=True).stdout
        made, written = (re.sub(r"\$date[^$]*\$end", "", text) for text in (made, self.path("e.vcd").read_text()))
        self.assertEqual(written, made)
        self.assertGreater(written.count("\n#"), 50)
        self.assertEqual(sorted(path.name for path in self.path("e.vcd").parent.glob("e.*")), ["e.fst", "e.vcd"])


class Window(Waves):
    def test_window_is_a_part_of_the_whole(self):
        """Every frame lies in the window, and is the frame that the whole trace has at that time."""
        names = [VU.format(p) + s for p in range(PARTITIONS) for s in ("req_valid", "req_granule", "rsp_valid", "stall_occupancy")]
        names += ["cowarp.core_cycle", "cowarp.tx_begun", "cowarp.core0.warp0"]
        busy = min(v[-3] for _, v in self.whole("c")[0].frames(*names) if v[-3] > 1500 and any(v[:-3:4]))
        for begin, end in ((2000, 2300), (busy, busy + 1)):
            self.passes(*SMALL, "--wave", "w.fst", "--wave-window", f"{begin}:{end}")
            part = dict(Trace(self.path("w.fst")).frames(*names))
            whole = {t: v for t, v in self.whole("c")[0].frames(*names) if begin <= v[-3] < end}
            self.assertEqual(part, whole)
            self.assertTrue(all(begin * CORE_PS - 1 <= t < end * CORE_PS for t in part))
            self.assertEqual(len(part), len(whole))
            self.assertGreater(len(part), 20 if end - begin > 100 else 0)

    def test_window_after_the_end(self):
        r = self.run_it(*SMALL, "--wave", "w.fst", "--wave-window", "90000000:90000010")
        self.assertEqual(r.returncode, 0)
        self.assertIn("window is empty", r.stderr)
        self.assertEqual(len(Trace(self.path("w.fst")).times()), 1)

    def test_bad_requests(self):
        for says, args in [
            (["without --wave"], ["--wave-window", "1:2"]),
            (["1000:2000"], ["--wave", "w.fst", "--wave-window", "12"]),
            (["1000:2000"], ["--wave", "w.fst", "--wave-window", "a:b"]),
            (["1000:2000"], ["--wave", "w.fst", "--wave-window", "-1:5"]),
            (["before it begins"], ["--wave", "w.fst", "--wave-window", "9:9"]),
            (["missing/w.fst"], ["--wave", "missing/w.fst"]),
            (["is a folder"], ["--wave", "."]),
            (["/proc/w.fst"], ["--wave", "/proc/w.fst"]),
        ]:
            self.assertEqual(self.fails(2, says, *SMALL, *args).stdout, "")
        self.assertEqual(list(self.path(".").iterdir()), [])

    def test_killed_run_leaves_no_half_file(self):
        self.path("w.fst").write_bytes(b"old")
        for number in (signal.SIGKILL, signal.SIGTERM):
            p = subprocess.Popen([COWARP, "run", "ht-h", "--wave", "w.fst"], cwd=self.folder.name, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
            for _ in range(600):
                if list(self.path(".").glob("w.fst.cowarp-*")) or p.poll() is not None:
                    break
                time.sleep(0.05)
            self.assertIsNone(p.poll(), "the run ended before it could be stopped")
            time.sleep(0.2)
            p.send_signal(number)
            self.assertNotEqual(p.wait(timeout=60), 0)
            if number == signal.SIGKILL:
                self.assertEqual(self.path("w.fst").read_bytes(), b"old")
                for left in self.path(".").glob("w.fst.cowarp-*"):
                    left.unlink()
        # stopped in order: what was traced until then is complete
        self.assertGreater(len(Trace(self.path("w.fst")).times()), 100)


# Lanes of a warp spin for a lock that another lane of the same warp holds while it waits for them to reconverge.
NAIVE_LOCK = """.version 7.0
.target sm_35
.address_size 64
.visible .entry naive(.param .u64 lock)
{
.reg .pred %p;
.reg .b32 %r;
.reg .b64 %a;
ld.param.u64 %a, [lock];
SPIN:
atom.global.cas.b32 %r, [%a], 0, 1;
setp.ne.u32 %p, %r, 0;
@%p bra SPIN;
atom.global.exch.b32 %r, [%a], 0;
ret;
}
"""


class Triggers(Waves):
    """--wave-on: the cycles before an event."""

    def triggered(self, status, *args):
        r = self.run_it(*args, "--wave", "t.fst")
        self.assertEqual(r.returncode, status, (args, r.stderr))
        return r, Trace(self.path("t.fst"))

    def fired_cycle(self, trace):
        """Core cycle of the event: cowarp.trigger rises once, and stays."""
        seen = [(c, t) for _, (c, t) in trace.frames("cowarp.core_cycle", "cowarp.trigger")]
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(seen[0][1], 0, "the window begins after the event")
        self.assertEqual(seen[-1][1], 1, "the event is not in the window")
        return next(c for c, t in seen if t)

    def check_part(self, part, whole, first, last):
        """The frames from core cycle first to last are those of the whole trace, every signal of them; there are no others."""
        names = [n for n in part.code if n != "cowarp.trigger"]
        self.assertEqual(sorted(names), sorted(whole.code))
        clock = names.index(part.find("cowarp.core_cycle"))
        inside = {t: v for t, v in whole.frames(*names) if first <= v[clock] <= last}
        self.assertGreater(len(inside), 10)
        frames = dict(part.frames(*names))
        self.assertEqual(sorted(frames), sorted(inside))
        wrong = [(t, names[i]) for t in sorted(frames) if frames[t] != inside[t] for i in range(len(names)) if frames[t][i] != inside[t][i]]
        self.assertEqual(wrong[:3], [])

    def test_cycle(self):
        """Inner signals of the RTL too are what a trace of the whole run has at these times, though the run was not traced until then."""
        for keep, backend in ((300, "rtl"), (37, "lockstep"), (1500, "c")):
            _, part = self.triggered(0, *SMALL, "--unit", f"validation_unit={backend}", "--wave-on", "cycle:3000", "--wave-keep", keep)
            self.check_part(part, self.whole(backend)[0], 3000 - keep, 3000 + -(-keep // 10) - 1)
            self.assertGreaterEqual(self.fired_cycle(part), 3000)
            self.assertLess(self.fired_cycle(part), 3000 + 20)
            self.assertEqual(backend != "c", "partition0.validation_unit.clk_i" in part.code)

    def test_default_window(self):
        _, part = self.triggered(0, *SMALL, "--wave-on", "cycle:3000")
        self.check_part(part, self.whole("c")[0], 2000, 3099)

    def test_before_so_many_cycles(self):
        _, part = self.triggered(0, *SMALL, "--wave-on", "cycle:40", "--wave-keep", "1000")
        self.check_part(part, self.whole("c")[0], 0, 139)

    def test_abort(self):
        """The first one, and the hundredth: the counter in the trace crosses the number at the trigger."""
        for event, number in (("abort", 1), ("abort:100", 100)):
            _, trace = self.triggered(0, *SMALL, "--unit", "validation_unit=rtl", "--wave-on", event, "--wave-keep", "200")
            for _, (aborted, fired) in trace.frames("cowarp.tx_aborted", "cowarp.trigger"):
                self.assertEqual(fired, int(aborted >= number))
            fired = self.fired_cycle(trace)
            self.check_part(trace, self.whole("rtl")[0], fired - 200, fired + 19)
            # some partition has answered "abort" shortly before, on the C side and in the RTL
            answers = [n for p in range(PARTITIONS) for n in (VU.format(p) + "response", f"partition{p}.validation_unit.rsp_outcome_o")]
            before = [v for _, (c, *v) in trace.frames("cowarp.core_cycle", *answers) if c <= fired]
            self.assertTrue(any(v[i] == 2 and v[i + 1] == 1 for v in before for i in range(0, 2 * PARTITIONS, 2)))

    def check_view(self, trace, stdout, unit):
        """The view beside the trace: its names are in the trace, and the event's unit is one that it shows. Returns its lines, and core
        and warp."""
        place = re.search(r"^  written       t\.gtkw: (?:core (\d+), warp (\d+), )?(\S+)$", stdout, re.M)
        self.assertIsNotNone(place, stdout)
        self.assertEqual(place.group(3), unit)
        view = self.path("t.gtkw")
        names = Views.signals(self, view)
        self.assertGreater(len(names), 20)
        self.assertEqual([n for n in names if n not in trace.code], [])
        self.assertEqual({n.split(".")[n.startswith("cowarp.")] for n in names if "partition" in n}, {unit.split(".")[0]})
        lines = view.read_text().splitlines()
        for line in lines:
            if line.startswith("^1 "):
                self.assertTrue(pathlib.Path(line[3:]).is_file(), line)
        self.assertEqual(next(line for line in lines if line.startswith("[dumpfile]")), f'[dumpfile] "{trace.path}"')
        return lines, *(int(n) if n is not None else None for n in place.groups()[:2])

    def test_the_view_shows_who_aborts(self):
        """By the ports alone: the unit that the view shows has just answered "abort" to a request of the warp that it shows in red."""
        warps = sum(n.startswith("cowarp.core0.warp") for n in self.whole("rtl")[0].code)
        seen = set()
        for number in (1, 40, 100, 333):
            r, trace = self.triggered(0, *SMALL, "--unit", "validation_unit=rtl", "--wave-on", f"abort:{number}", "--wave-keep", "400")
            unit = re.search(r"partition\d\.validation_unit$", r.stdout, re.M).group()
            lines, core, warp = self.check_view(trace, r.stdout, unit)
            signal = f"cowarp.core{core}.warp{warp}[2:0]"
            self.assertEqual(lines[lines.index(signal) - 2], "[color] 1")
            self.assertEqual(lines.count("[color] 1"), 1)
            ports = ["req_valid", "req_ready", "req_id", "req_owner", "rsp_valid", "rsp_id", "rsp_outcome"]
            owner, aborted = {}, []
            for now, (fired, valid, ready, request, who, answer, response, outcome) in trace.frames(
                    "cowarp.trigger", *[f"cowarp.{unit}.{p}" for p in ports]):
                if fired:
                    break
                if valid and ready:
                    owner[request] = who
                if answer and outcome == 1:
                    aborted.append(owner.get(response))
            self.assertIn(core * warps + warp, aborted)
            marker = next(line for line in lines if line.startswith("*")).split()[1]
            self.assertEqual(int(marker), now)
            seen.add((core, warp, unit))
        self.assertGreater(len(seen), 2)

    def test_the_view_shows_which_commit_unit_failed(self):
        """Kilo TM: the unit that the view shows has reported a failure before."""
        r, trace = self.triggered(0, *[w.replace("getm", "kilotm") for w in SMALL], "--unit", "hazard_unit=rtl", "--wave-on", "abort:50")
        unit = re.search(r"partition\d\.commit_unit$", r.stdout, re.M).group()
        self.check_view(trace, r.stdout, unit)
        ports = [f"cowarp.{unit}.rep_{p}" for p in ("valid", "ready", "pass")]
        self.assertTrue(any(v == [0, 1, 1, 0] for _, v in trace.frames("cowarp.trigger", *ports)))

    def test_a_view_of_a_time(self):
        """An event that is no warp's: core 0 and partition 0 as in the system's view, at the event's time. A system without a view has none."""
        r, trace = self.triggered(0, *SMALL, "--wave-on", "cycle:3000", "--unit", "validation_unit=rtl")
        self.assertIn("written       t.gtkw\n", r.stdout)
        self.assertEqual(Views.signals(self, self.path("t.gtkw")), Views.signals(self, WAVES / "getm.gtkw"))
        self.path("t.gtkw").unlink()
        self.passes(*[w.replace("getm", "fglock") for w in SMALL], "--wave", "t.fst", "--wave-on", "cycle:3000")
        self.assertFalse(self.path("t.gtkw").exists())

    def test_a_view_has_the_widths_of_its_run(self):
        """Keys that change widths of ports and of what is behind them. With RTL every signal of the system's view is there; without, those of
        the Verilog are left out, and no line of their looks is left."""
        whole = Views.signals(self, WAVES / "kilotm.gtkw")
        for system, wide, *settings in (
                ("getm", "[23:0]", "--set", "getm.ts_bits=24"),
                ("getm", "[39:0]", "--set", "getm.ts_bits=40", "--set", "core.warps=24", "--set", "getm.stall_lines=2"),
                ("kilotm", "[9:0]", "--set", "kilo.id_bits=10", "--unit", "hazard_unit=rtl"),
                ("warptm", "[11:0]", "--set", "kilo.id_bits=12", "--set", "core.warps=16"),
                ("eapg", "[11:0]", "--set", "kilo.id_bits=12")):
            r, trace = self.triggered(0, *[w.replace("getm", system) for w in SMALL], "--wave-on", "cycle:3000", *settings)
            view = self.path("t.gtkw")
            names = Views.signals(self, view)
            self.assertEqual([n for n in names if n not in trace.code], [], (system, settings))
            self.assertGreater(len(names), 15, (system, settings))
            self.assertTrue(any(wide in n for n in names), (system, settings, names))
            if "hazard_unit=rtl" in settings:
                self.assertEqual([n.split("[")[0] for n in names], [n.split("[")[0] for n in whole])
                self.assertNotEqual(names, whole)
            else:
                self.assertFalse(any("cw_" in n for n in names), names)
            looks = [line for line in view.read_text().splitlines() if line and not line.startswith(("[*]", "*", "[timestart]", "[dumpfile]"))]
            for look, after in zip(looks, looks[1:]):
                if look.startswith(("[color]", "^")):
                    self.assertRegex(after, r"^(@\d+|\^1 .*|[#+]?\{.*|\w+\..*)$")
            self.path("t.fst").unlink(missing_ok=True)
            view.unlink()

    def broken(self, limit=400):
        """A validation unit that errs in bit 0 of the ninth and later responses' timestamps that are above the limit."""
        text = (WAVES.parent / "rtl/validation_unit/cw_validation_unit.v").read_text()
        text, changes = re.subn(r"(assign \{rsp_id_o, rsp_outcome_o, rsp_ts_o\} = )(.*);", r"""reg [3:0] seen_q;
    always @(posedge clk_i)
        if (rst_i)
            seen_q <= 4'd0;
        else if (rsp_pop && seen_q != 4'd8)
            seen_q <= seen_q + 4'd1;
    \1(\2) ^ (rsp_valid_o && seen_q == 4'd8 && rsp_head[TS_W-1:0] > LIMIT);""".replace("LIMIT", str(limit)), text)
        self.assertEqual(changes, 1)
        self.path("broken.v").write_text(text)
        return f"validation_unit=lockstep:{self.path('broken.v')}"

    def test_mismatch(self):
        """The port, the cycle and both values that the error line names are in the trace, and the cycles after them. The unit is not that of
        partition 0, which the system's view shows."""
        wide = [w.replace("buckets=24", "buckets=100") for w in SMALL]
        r, trace = self.triggered(1, *wide, "--unit", self.broken(3000), "--wave-on", "lockstep-mismatch", "--wave-keep", "100")
        found = re.search(r"lockstep: (partition\d)\.validation_unit .*: cycle (\d+): rsp_ts_o is (0x\w+) in the C model and (0x\w+) in the RTL", r.stderr)
        self.assertIsNotNone(found, r.stderr)
        partition, c_value, rtl_value = found.group(1), int(found.group(3), 16), int(found.group(4), 16)
        self.assertNotEqual(partition, "partition0")
        self.check_view(trace, r.stdout, f"{partition}.validation_unit")
        self.assertEqual(c_value ^ rtl_value, 1)
        inner = f"{partition}.validation_unit.cw_validation_unit.seen_q"
        names = [f"cowarp.{partition}.validation_unit.rsp_ts", f"{partition}.validation_unit.rsp_ts_o", inner, "cowarp.trigger"]
        frames = [v for _, v in trace.frames(*names)]
        at = [v[3] for v in frames].index(1)
        self.assertEqual(frames[at][:3], [c_value, rtl_value, 8])
        self.assertTrue(all(v[0] == v[1] for v in frames[:at]))
        cycles = [c for _, (c,) in trace.frames("cowarp.core_cycle")]
        fired = self.fired_cycle(trace)
        self.assertGreaterEqual(min(cycles), fired - 100)
        self.assertLess(min(cycles), fired - 20)
        self.assertLess(max(cycles), fired + 10)
        self.assertGreater(max(cycles), fired)
        self.assertGreater(fired, 1000)
        self.assertLess(self.path("t.fst").stat().st_size, 200000)

    def test_mismatch_without_a_wave(self):
        """cowarp-mismatch.fst: the last 256 cycles of the instance, C beside RTL, under the names of the unit's view. With --wave, which traces
        the inner signals itself, the ports alone."""
        unit = self.broken()
        for extra in ([], ["--wave", "w.fst"], ["--wave", "w.fst", "--wave-on", "lockstep-mismatch"]):
            r = self.run_it(*SMALL, "--unit", unit, *extra)
            self.assertEqual(r.returncode, 1)
            values = re.search(r"(partition\d)\..*: cycle (\d+): rsp_ts_o is (0x\w+) in the C model and (0x\w+) in the RTL; last cycles in cowarp-mismatch.fst",
                               r.stderr)
            self.assertIsNotNone(values, r.stderr)
            trace = Trace(self.path("cowarp-mismatch.fst"))
            partition, cycle = values.group(1), int(values.group(2))
            c_side, rtl_side = (f"{scope}{partition}.validation_unit.{port}" for scope, port in (("cowarp.", "rsp_ts"), ("", "rsp_ts_o")))
            frames = [v for _, v in trace.frames("cowarp.cycle", c_side, rtl_side, "cowarp.trigger")]
            self.assertEqual(frames[-1], [cycle, int(values.group(3), 16), int(values.group(4), 16), 1])
            self.assertTrue(all(v[1] == v[2] and v[3] == 0 for v in frames[:-1]))
            self.assertEqual([v[0] for v in frames], list(range(cycle - 255, cycle + 1)))
            inner = f"{partition}.validation_unit.cw_validation_unit.seen_q[3:0]"
            self.assertEqual(inner in trace.code, extra != ["--wave", "w.fst"])
            if inner in trace.code:
                seen = [v for _, (v,) in trace.frames(inner)]
                self.assertEqual(seen, sorted(seen))
                self.assertEqual(seen[-1], 8)
                names = [n.replace("partition0", partition) for n in Views.signals(self, WAVES / "validation_unit.gtkw")]
                missing = [n for n in names if n not in trace.code and n.split(".")[1] == partition]
                self.assertEqual(missing, [])
            self.assertLess(self.path("cowarp-mismatch.fst").stat().st_size, 100000)
        self.assertIn(f"{partition}.validation_unit.cw_validation_unit.seen_q[3:0]", Trace(self.path("w.fst")).code)

    def test_mismatch_shortly_before_the_end(self):
        """The run that is allowed to go on for the cycles after the event still fails when it ends within them."""
        keep, small = 100000, [{"blocks=4": "blocks=2", "threads=96": "threads=64"}.get(w, w) for w in SMALL]
        self.passes(*small, "--wave", "w.fst")
        whole = Trace(self.path("w.fst"))
        ports = [VU.format(p) + port for p in range(PARTITIONS) for port in ("rsp_valid", "rsp_ts")]
        answers = [(c, v[i + 1]) for _, (c, *v) in whole.frames("cowarp.core_cycle", *ports) for i in range(0, 2 * PARTITIONS, 2) if v[i]]
        late = answers[-1][0] - keep // 10 + 1000
        limit = max(ts for c, ts in answers if c < late)
        self.assertTrue(any(ts > limit for c, ts in answers if c >= late), "no answer that is late and above all before")
        r, trace = self.triggered(1, *small, "--unit", self.broken(limit), "--wave-on", "lockstep-mismatch", "--wave-keep", keep)
        self.assertIn("rsp_ts_o is", r.stderr)
        self.assertNotIn("result        passed", r.stdout)
        self.assertGreaterEqual(self.fired_cycle(trace), late)
        self.assertEqual(min(trace.times()), min(whole.times()))

    def test_deadlock(self):
        """The naive spin lock: in the window, the warp polls and nothing else happens; its counter of instructions goes on."""
        self.path("naive.ptx").write_text(NAIVE_LOCK)
        self.path("lock.bin").write_bytes(bytes(4))
        r, trace = self.triggered(1, "exec", "naive.ptx", "--kernel", "naive", "--grid", "1", "--block", "32", "--arg", "inout:lock.bin", "--set",
                                  "watchdog.cycles=20000", "--set", "watchdog.livelock_cycles=50000", "--wave-on", "deadlock", "--wave-keep", "2000")
        self.assertIn("SIMT deadlock", r.stderr)
        frames = [v for _, v in trace.frames("cowarp.core_cycle", "cowarp.warp_instructions", "cowarp.core0.warp0", "cowarp.trigger")]
        cycles, instructions, states, fired = zip(*frames)
        self.assertEqual(list(fired), [0] * (len(fired) - 1) + [1])
        self.assertGreater(cycles[-1], 20000)
        self.assertGreaterEqual(cycles[0], cycles[-1] - 2000)
        self.assertLess(cycles[0], cycles[-1] - 1000)
        self.assertGreater(instructions[-1], instructions[0] + 3)
        self.assertIn(4, states)  # memory
        self.assertNotIn(0, states)
        self.assertLess(self.path("t.fst").stat().st_size, 100000)

    def test_tells_nothing_but_the_time(self):
        """Waiting for an event changes no result."""
        for name, extra in (("a.json", []), ("b.json", ["--wave", "w.fst", "--wave-on", "abort:50", "--wave-keep", "60"])):
            self.passes(*SMALL, "--unit", "validation_unit=rtl", "--stats", name, "--omit-host-seconds", *extra)
        self.assertEqual(self.path("a.json").read_text(), self.path("b.json").read_text())

    def test_an_event_that_does_not_come(self):
        for event, extra in (("cycle:90000000", []), ("deadlock", []), ("abort:90000000", []),
                             ("lockstep-mismatch", ["--unit", "validation_unit=lockstep"])):
            r = self.run_it(*SMALL, *extra, "--wave", "n.fst", "--wave-on", event)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertIn(f"n.fst: not written: the run ended after", r.stderr)
            self.assertIn(event.split(":")[0], r.stderr)
            self.assertNotIn("written", r.stdout)
            self.assertEqual([f.name for f in self.path(".").glob("n.fst*")], [])

    def test_memory_is_bounded(self):
        """Waiting fifteen times as long takes no more memory."""
        script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:]); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        peak = []
        for cycle in (4000, 60000):
            args = ["run", "ht-h", "--unit", "validation_unit=rtl", "--max-cycles", cycle + 200, "--wave", "m.fst", "--wave-on", f"cycle:{cycle}", "--quiet"]
            r = subprocess.run([sys.executable, "-c", script, COWARP, *map(str, args)], capture_output=True, text=True, timeout=240, cwd=self.folder.name)
            self.assertIn(f"not finished after {cycle + 200} core cycles", r.stderr)
            self.assertTrue(self.path("m.fst").is_file())
            self.path("m.fst").unlink()
            peak.append(int(r.stdout))
        self.assertLess(peak[1], 1.25 * peak[0], peak)

    def test_killed_run_leaves_no_file(self):
        self.path("w.fst").write_bytes(b"old")
        for number in (signal.SIGKILL, signal.SIGTERM):
            p = subprocess.Popen([COWARP, "run", "ht-h", "--wave", "w.fst", "--wave-on", "deadlock"], cwd=self.folder.name,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            self.assertIsNone(p.poll(), "the run ended before it could be stopped")
            p.send_signal(number)
            self.assertNotEqual(p.wait(timeout=60), 0)
            self.assertEqual(self.path("w.fst").read_bytes(), b"old")
            self.assertEqual([f.name for f in self.path(".").iterdir()], ["w.fst"])

    def test_bad_requests(self):
        for says, args in [
            (["--wave-on without --wave"], ["--wave-on", "abort"]),
            (["--wave-keep without --wave-on"], ["--wave", "w.fst", "--wave-keep", "10"]),
            (["one of them"], ["--wave", "w.fst", "--wave-on", "abort", "--wave-window", "1:2"]),
            (["'abrot'", "did you mean 'abort'"], ["--wave", "w.fst", "--wave-on", "abrot"]),
            (["'fish'", "lockstep-mismatch, abort[:N], wait[:N], deadlock or cycle:N"], ["--wave", "w.fst", "--wave-on", "fish"]),
            (["cycle:20000"], ["--wave", "w.fst", "--wave-on", "cycle"]),
            (["cycle:20000"], ["--wave", "w.fst", "--wave-on", "cycle:-3"]),
            (["cycle:20000"], ["--wave", "w.fst", "--wave-on", "cycle:3x"]),
            (["abort:1"], ["--wave", "w.fst", "--wave-on", "abort:0"]),
            (["wait:1"], ["--wave", "w.fst", "--wave-on", "wait:x"]),
            (["takes no number"], ["--wave", "w.fst", "--wave-on", "deadlock:7"]),
            (["UNIT=lockstep"], ["--wave", "w.fst", "--wave-on", "lockstep-mismatch"]),
            (["1 to 100000"], ["--wave", "w.fst", "--wave-on", "abort", "--wave-keep", "0"]),
            (["1 to 100000"], ["--wave", "w.fst", "--wave-on", "abort", "--wave-keep", "100001"]),
            (["whole number"], ["--wave", "w.fst", "--wave-on", "abort", "--wave-keep", "many"]),
            (["missing/w.fst"], ["--wave", "missing/w.fst", "--wave-on", "abort"]),
        ]:
            self.assertEqual(self.fails(2, says, *SMALL, *args).stdout, "")
        self.fails(2, ["nothing aborts"], "run", "vecadd", "--wave", "w.fst", "--wave-on", "abort")
        self.assertEqual(list(self.path(".").iterdir()), [])


class Views(Waves):
    """Save files."""

    SIGNAL = re.compile(r"(?:\(\d+\))?([A-Za-z_][\w\[\].:]*)$")

    def signals(self, view):
        names = []
        for line in view.read_text().splitlines():
            if line.startswith("#{"):
                names += [Views.SIGNAL.match(w).group(1) for w in line.split("} ", 1)[1].split()]
            elif line.startswith("+{"):
                names.append(line.split("} ", 1)[1])
            elif re.match(r"[A-Za-z_][\w]*\.", line):
                names.append(line)
        return names

    def test_every_name_is_in_the_trace(self):
        """A view says on a '[*] trace:' line which command makes the trace that it is for."""
        traces, views = {}, sorted(WAVES.glob("*.gtkw"))
        self.assertGreaterEqual(len(views), 8)
        for view in views:
            found = re.search(r"^\[\*\] trace: cowarp (.+)$", view.read_text(), re.M)
            self.assertIsNotNone(found, f"{view.name}: no line '[*] trace: cowarp ...'")
            command = [str(WAVES.parent / w) if w.startswith("waves/") else w for w in shlex.split(found.group(1))]
            if command[0] == "run":
                command += ["--wave-window", "3000:3001", "--max-cycles", "3002"]
            if tuple(command) not in traces:
                self.run_it(*command, "--wave", "w.fst")  # a run ends at its limit
                traces[tuple(command)] = Trace(self.path("w.fst"))
                self.path("w.fst").unlink()
            names = self.signals(view)
            self.assertGreaterEqual(len(names), 10, view.name)
            missing = [n for n in names if n not in traces[tuple(command)].code]
            self.assertEqual(missing, [], f"{view.name} names what is not in the trace of: cowarp {found.group(1)}")

    def test_a_view_per_system(self):
        """Its trace is a run of the system with each of the view's units as RTL; warps come first, the chip's totals last."""
        for system in ("getm", "kilotm", "warptm", "eapg"):
            text = (WAVES / f"{system}.gtkw").read_text()
            trace = re.search(r"^\[\*\] trace: cowarp run .*$", text, re.M).group(0)
            self.assertIn(f" --system {system} ", trace)
            units = set(re.findall(r"--unit (\w+)=rtl", trace))
            shown = {re.sub(r"\d+$", "", n.split(".")[2]) for n in self.signals(WAVES / f"{system}.gtkw") if re.match(r"cowarp\.(core|partition)\d+\.\w+\.", n)}
            self.assertEqual(units, shown, system)
            groups = re.findall(r"^@800200\n-(.+)$", text, re.M)
            self.assertEqual((groups[0], groups[1][:6], groups[-1]), ("clocks", "core 0", "chip totals"))
            self.assertEqual(groups, re.findall(r"^@1000200\n-(.+)$", text, re.M))

    def test_filter_files_are_there(self):
        for view in WAVES.glob("*.gtkw"):
            for name in re.findall(r"^\^1 (.+)$", view.read_text(), re.M):
                self.assertTrue((WAVES.parent / name).is_file(), f"{view.name}: no {name}")

    def test_words_are_the_contracts(self):
        """Filter files repeat numbers of the Verilog."""
        verilog = (WAVES.parent / "rtl/cuckoo_table/cw_cuckoo_control.v").read_text()
        states = {int(v): n for n, v in re.findall(r"ST_(\w+)\s*= 4'd(\d+)", verilog)}
        self.assertEqual(len(states), 10)
        lines = [l.split() for l in (WAVES / "cuckoo_state.txt").read_text().splitlines() if not l.startswith("#")]
        self.assertEqual({int(v, 16): n for v, n in lines}, states)


class Scenarios(Waves):
    def test_each_says_what_it_has_checked(self):
        """The numbers are those of the stimulus's lines, and none of them is 0. A backend in C is enough for it."""
        scenarios = re.findall(r'^    \{"([a-z0-9-]+)", "(\w+)", \{NULL\}\}', (WAVES.parent / "harness/cli/wave.c").read_text(), re.M)
        self.assertGreater(len(scenarios), 12)
        for name, file in scenarios:
            lines = [line.split('"')[0].split("#")[0].split() for line in (WAVES / f"{file}.stim").read_text().splitlines()]
            counts = {verb: sum(verb in line[:2] for line in lines) for verb in ("expect", "wait")}
            said = self.passes("wave", name, "--backend", "c").splitlines()[0]
            for verb, what, how in (("expect", "answer", "as expected"), ("wait", "wait", "fulfilled")):
                n = counts[verb]
                text = f", {n} {what}{'' if n == 1 else 's'} {how}"
                self.assertEqual(text in said, n > 0, f"{name}: {said}")
            self.assertGreater(sum(counts.values()), 0, name)
            self.assertNotIn(" 0 ", said)

    def test_a_stimulus_that_checks_nothing_says_so(self):
        text = "unit stall_buffer\ntrace\n+20\n"
        self.assertIn("nothing was checked", self.passes(*self.play(text), "--backend", "c"))

    def test_figure7(self):
        """Metadata in the trace against the tables of GETM's Figure 7 (section IV.B gives the numbers)."""
        self.assertIn("11 answers as expected", self.passes("wave", "figure7"))
        trace = Trace(self.path("figure7.fst"))
        table = "partition0.validation_unit.cw_validation_unit.u_table."
        names = [table + n for n in ("u_places.u_write.write_update_q", "u_stages.write_granule_q", "u_places.u_write.body")]
        a, b, history = None, None, []
        for _, n, (valid, granule, body) in trace.cycles(*names):
            if valid:
                self.assertEqual(n, 1)
                entry = body & 0xffffffff, body >> 32 & 0xffffffff, body >> 64 & 0xffff, body >> 80  # wts, rts, writes, owner
                if granule == 0xa:
                    a = entry
                else:
                    b = entry
                history.append((a, b))
        self.assertIn(((21, 20, 1, 1), (11, 10, 1, 2)), history)  # table 0
        self.assertIn(((21, 20, 1, 1), (21, 20, 1, 1)), history)  # table 2
        commit = history.index(((21, 20, 1, 1), (21, 20, 1, 1)))
        self.assertEqual([(x[2], y[2]) for x, y in history[commit + 1:commit + 3]], [(0, 1), (0, 0)])  # table 3
        self.assertEqual(history[commit + 3][1][1], 22)          # the load that had waited: rts 22
        self.assertEqual(history[-1], ((23, 22, 0, 2), (23, 22, 0, 2)))
        # one request waits, from the decision until the release of B
        waits = sum(n * v[0] for _, n, v in trace.cycles(VU.format(0) + "stall_occupancy"))
        self.assertGreater(waits, 1)

    def test_stall(self):
        self.passes("wave", "stall")
        trace = Trace(self.path("stall.fst"))
        occupancy = []
        for _, (v,) in trace.frames(VU.format(0) + "stall_occupancy"):
            if not occupancy or occupancy[-1] != v:
                occupancy.append(v)
        # three wait, and leave one after another, smallest warpts first
        self.assertEqual(occupancy, [0, 1, 2, 3, 2, 1, 0])
        stall, retry = VU.format(0) + "evt_stall", VU.format(0) + "evt_retry"
        seen = [v for _, n, v in trace.cycles(stall, retry, VU.format(0) + "stall_occupancy") for _ in range(n) if v[0] or v[1]]
        # the last keeps its place when it has to wait again, and is retried after the second release
        self.assertEqual([v[:2] for v in seen], [[1, 0]] * 3 + [[0, 1]] * 2 + [[1, 1], [0, 1]])

    def test_cuckoo_chain(self):
        self.passes("wave", "cuckoo-chain")
        trace = Trace(self.path("cuckoo-chain.fst"))
        core = "table.cw_cuckoo_table.u_core."
        swaps, stashed = [], []
        names = ("u_control.chain_q", "u_control.swap_cnt_q", "u_places.u_write.write_stashed_q")
        for _, n, (chain, swap, stash) in trace.cycles(*[core + name for name in names]):
            swaps += [swap] * (n * chain)
            stashed += [len(swaps)] * (n * stash)
        self.assertEqual(swaps, [k for k in (1, 2, 3, 4) for _ in range(6)])  # each displaced entry takes the six stages
        self.assertEqual(stashed, [24])  # the last one in stage write

    def test_kilo_hazard(self):
        """Figure 4.5: 1 is validated again only when its YCID 0 has retired, and 2, whose RCID is 1, never is."""
        self.passes("wave", "kilo-hazard")
        trace = Trace(self.path("kilo-hazard.fst"))
        c = "cowarp.partition0.commit_unit."
        names = [c + n for n in ("oldest_cid", "ret_valid", "ret_cid", "rev_valid", "rev_cid")]
        retired, again = [], []
        for _, (oldest, ret_valid, ret_cid, rev_valid, rev_cid) in trace.frames(*names):
            if rev_valid:
                again.append((rev_cid, oldest))
            if ret_valid:
                retired.append(ret_cid)
        self.assertEqual(again, [(1, 1)])
        self.assertEqual(retired, [0, 1, 2])

    def test_ownership_table(self):
        """The table's contents in Figure 6.6, after steps 1, 2 and 3: owners of 0x04, 0x08, 0x0c, 0x10, 0x14 (lanes; 32 is read-only)."""
        self.passes("wave", "ownership-table")
        trace = Trace(self.path("ownership-table.fst"))
        names = [f"core0.ownership_table.cw_ownership_table.g_bank[{b}].u_bank.u_ram.mem_q[0][23:0]" for b in range(1, 6)]
        seen = []
        for _, row in trace.frames(*names):
            owners = [v & 63 for v in row]  # byte 0 of the word
            if not seen or seen[-1] != owners:
                seen.append(owners)
        self.assertEqual(seen, [[32] * 5, [3, 1, 0, 2, 32], [3, 1, 0, 0, 1]])

    def test_getm(self):
        self.passes("wave", "getm")
        trace = Trace(self.path("getm.fst"))
        said = re.search(r"the way of a request, from the warps of core (\d+) through partition (\d+)'s", self.path("getm.gtkw").read_text())
        core, partition = map(int, said.groups())
        story = self.wait_of_a_warp(trace, core, partition)
        page = " ".join((WAVES.parent / "docs/waves.md").read_text().split())
        self.assertTrue(story in page, "docs/waves.md tells another story; here it is: " + story)
        red = re.search(r"^\[color\] 1\n@\d+\ncowarp\.(core\d+\.warp\d+)\[", self.path("getm.gtkw").read_text(), re.M).group(1)
        self.assertTrue(story.startswith("Warp {1} of core {0} ".format(*re.findall(r"\d+", red))), (red, story))

    def wait_of_a_warp(self, trace, core, partition):
        """The story of docs/waves.md: a request of a warp waits for another warp's release, is retried alone and answered."""
        unit, inner = VU.format(partition), f"partition{partition}.validation_unit.cw_validation_unit."
        channel = [unit + name for name in ("req_valid", "req_ready", "req_kind", "req_granule", "req_warpts", "req_owner", "req_id")]
        inside = [inner + name for name in ("decided", "dec_stall", "dec_wake", "res_granule", "res_owner", "retry_valid", "retry_granule", "retry_accept")]
        frames = [v for _, v in trace.frames("cowarp.core_cycle", "cowarp.trigger", unit + "rsp_valid", unit + "rsp_id", unit + "rsp_outcome", *channel, *inside)]
        end, answer = next((v[0], v[3]) for v in frames if v[1] and v[2])
        before = [v for v in frames if v[0] <= end]
        asked, granule, time_, warp = [(v[0], v[8], v[9], v[10]) for v in before if v[5] and v[6] and v[7] != 2 and v[11] == answer][-1]
        of = [v for v in before if v[0] >= asked]
        stalled, owner = next((v[0], v[16]) for v in of if v[12] and v[13] and v[15] == granule)
        woken = next(v[0] for v in of if v[0] > stalled and v[12] and v[14] and v[15] == granule)
        released = [v[10] for v in of if v[5] and v[6] and v[7] == 2 and v[8] == granule]
        offered = next(v[0] for v in of if v[17] and v[18] == granule)
        taken = next(v[0] for v in of if v[17] and v[18] == granule and v[19])
        self.assertTrue(asked < stalled < woken < offered < taken < end, (asked, stalled, woken, offered, taken, end))
        self.assertEqual((stalled - asked, released, warp // 48), (5, [owner], core))
        self.assertTrue(all(not v[6] for v in of if offered <= v[0] <= taken), "new requests wait for the retry")
        self.assertEqual({v[0] for v in of if v[12] and taken < v[0] < end}, {taken + 5}, "it is retried alone")
        self.assertEqual([v[4] for v in frames if v[0] == end], [0] * sum(v[0] == end for v in frames))
        states = {v[1] for _, v in trace.frames("cowarp.core_cycle", f"cowarp.core{core}.warp{warp % 48}") if asked <= v[0] < end}
        self.assertEqual(states, {4}, "the warp waits for memory")
        return (f"Warp {warp % 48} of core {core} asks partition {partition} for granule {granule} at logical time {time_} (cycle {asked}). Five cycles later "
                f"({stalled}) its load finds warp {owner}'s reservation and waits. Warp {owner}'s release is decided in cycle {woken} and wakes it. New requests wait "
                f"(`wait`), and those that are inside are decided first. Then the load is retried, alone (offered in cycle {offered}, taken in {taken}), and its response, "
                f"`id` {answer}, leaves in cycle {end}: `ok`, {end - asked} cycles after the request.")

    def figure_3_7(self, fst):
        """Who comes to the branch, as (home of lane 0, lanes that go first); and the warps that are made, as numbers of threads, from then on."""
        c, stack = "cowarp.core0.thread_compactor.", "cowarp.core0.block_stack."
        warps, came = [], []
        for _, (valid, lanes, home, op, first, lane0) in Trace(self.path(fst)).frames(
                c + "warp_valid", c + "warp_lanes", c + "warp_home_0", stack + "operation", stack + "op_first", stack + "op_home_0"):
            threads = [4 * (home >> 8 * l & 255) + l + 1 if lanes >> l & 1 else None for l in range(4)]
            if op == 2 and (not came or came[-1] != (lane0 & 255, first)):  # branch
                came.append((lane0 & 255, first))
            if valid and came and (not warps or warps[-1] != threads):
                warps.append(threads)
        return came, warps

    def test_compaction(self):
        """Fung 2015, Figure 3.7: warps W2, W3 and W1 come; the threads of C, then those of B, in two warps each; all in their own again at D."""
        came = [(1, 0b1001), (2, 0b0100), (0, 0b1110)]
        warps = [[5, 2, 3, 4], [None, None, 11, 8], [1, 6, 7, 12], [9, 10, None, None], [1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
        self.passes("wave", "compaction")
        self.assertEqual(self.figure_3_7("compaction.fst"), (came, warps))
        wcnt = []  # of block 0
        for _, (counts,) in Trace(self.path("compaction.fst")).frames("core0.block_stack.cw_block_stack.u_blocks.wcnt_q"):
            if not wcnt or wcnt[-1] != counts & 63:
                wcnt.append(counts & 63)
        self.assertEqual(wcnt, [3, 2, 1, 0, 2, 1, 0, 2, 1, 0, 3])
        command = re.search(r"^\[\*\] trace: cowarp (.+)$", (WAVES / "compaction.gtkw").read_text(), re.M).group(1).replace("waves/", f"{WAVES}/")
        for backend in ("c", "lockstep"):
            self.passes(*shlex.split(command.replace("=rtl", "=" + backend)), "--wave", "w.fst")
            self.assertEqual(self.figure_3_7("w.fst"), (came, warps))

    def departures(self, fst):
        """Each line that leaves by the head of the persist buffer: its number, and FSM and ACTR at that time."""
        seen, b, m = [], "cowarp.core0.persist_buffer.", "cowarp.core0.order_masks."
        for _, (valid, ready, line, fsm, actr) in Trace(self.path(fst)).frames(b + "flush_valid", b + "flush_ready", b + "flush_line", m + "fsm", m + "actr"):
            if valid and ready and (not seen or seen[-1][0] != line):
                seen.append((line, fsm, actr))
        return seen

    def test_ofence(self):
        """Pandey et al. 2023, section 6: only the line that warp 0 writes after its oFence waits until nothing is outstanding."""
        self.passes("wave", "ofence")
        lines = self.departures("ofence.fst")
        self.assertEqual([line for line, _, _ in lines], [0, 1, 2, 3])
        self.assertEqual([fsm for _, fsm, _ in lines][-2:], [1, 0])  # line 2 is warp 1's
        self.assertGreater(lines[2][2], 0)
        self.assertEqual(lines[3][2], 0)

    def test_handover(self):
        """The acquirer's line leaves when the releaser's is durable; it has been in the buffer while FSM named both warps."""
        self.passes("wave", "handover")
        self.assertEqual(self.departures("handover.fst"), [(0, 0, 0), (1, 0, 0)])
        b, m = "cowarp.core0.persist_buffer.", "cowarp.core0.order_masks."
        waited = [count for _, (count, fsm) in Trace(self.path("handover.fst")).frames(b + "count", m + "fsm") if fsm == 3 and count == 1]
        self.assertTrue(waited)

    def test_warp_merge(self):
        """The same branch under dynamic warp formation: W1's threads 2 and 3 join 5 and 8 of W2, whose lane 3 is taken; 4 begins a warp, which 11 joins."""
        self.passes("wave", "warp-merge")
        trace = Trace(self.path("warp-merge.fst"))
        lut = "cowarp.core0.warp_lut."
        names = [lut + n for n in ("upd_valid", "upd_pc", "upd_lanes", "ans_valid", "ans_join_lanes", "ans_begin_lanes")]
        formed, asked = {}, None
        for _, _, (upd, pc, lanes, ans, joins, begins) in trace.cycles(*names):
            if ans and asked is not None:
                self.assertEqual((joins | begins, joins & begins), (asked[1], 0))
                warps = formed.setdefault(asked[0], [])
                if joins:
                    self.assertEqual(warps[-1] & joins, 0)  # a lane has one thread
                    warps[-1] |= joins
                if begins:
                    warps.append(begins)
            asked = (pc, lanes) if upd else None
        # B is an instruction of which all threads are shown, and so is C
        self.assertEqual([w for w in formed.values() if w == [0b1111, 0b1100]], [[0b1111, 0b1100]])
        self.assertEqual([w for w in formed.values() if w == [0b1111, 0b0011]][:1], [[0b1111, 0b0011]])

    def test_every_backend(self):
        for scenario in ("figure7", "stall", "cuckoo-chain", "kilo-hazard", "hazard-unit", "last-writer-history", "first-read-table",
                         "last-written-table", "ownership-table", "priority-encoder", "thread-compactor", "block-stack", "warp-lut", "convergence-barriers", "l2-tags", "l2-mshr", "dram-scheduler",
                         "adequacy-table",
                         "persist-buffer", "order-masks", "table1", "bank-conflict"):
            for backend in ("c", "lockstep"):
                self.passes("wave", scenario, "--backend", backend)
        self.fails(2, ["none of c, rtl, lockstep"], "wave", "stall", "--backend", "verilog")

    def test_bad_requests(self):
        self.fails(2, ["one scenario"], "wave")
        self.fails(2, ["unknown scenario 'figure6'", "'figure7'"], "wave", "figure6")
        self.fails(2, ["no.stim", "No such file"], "wave", "no.stim")
        self.fails(2, ["missing/w.fst"], "wave", "stall", "--wave", "missing/w.fst")
        self.fails(2, ["--backend is for"], "wave", "getm", "--backend", "c")

    def test_tools_that_are_missing(self):
        r = self.fails(2, ["--png needs", "apt-get install", "xvfb", "imagemagick"], "wave", "stall", "--png", "x.png", env={"PATH": "/nowhere"})
        self.assertEqual(r.stdout, "")
        self.fails(2, ["--open needs gtkwave", "apt-get install gtkwave"], "wave", "stall", "--open", env={"PATH": "/nowhere"})
        self.assertEqual(list(self.path(".").iterdir()), [])

    def play(self, text):
        self.path("my.stim").write_text(text)
        return ["wave", "my.stim"]

    def test_mistakes_in_a_stimulus(self):
        vu = "unit validation_unit\n"
        for text, says in [
            ("", ["my.stim", "the file is empty"]),
            ("# a comment\n", ["my.stim", "nothing is driven"]),
            ("hold rsp_ready=1\n", ["my.stim:1:", "'unit NAME'"]),
            ("unit validation_unti\n", [":1:", "'validation_unit'"]),
            (vu + "unit stall_buffer\n", [":2:", "second unit"]),
            (vu + "param row_ww=3\n", [":2:", "'row_w'"]),
            (vu + "param row_w=99\nhold rsp_ready=1\n", [":3:", "row_w"]),
            (vu + "clock 0\n", [":2:", "MHz"]),
            (vu + "hold rsp_ready=1\nparam row_w=3\n", [":3:", "before the first cycle"]),
            (vu + "hold req_kidn=1\n", [":2:", "'req_kind'"]),
            (vu + "hold rsp_valid=1\n", [":2:", "no input 'rsp_valid'"]),
            (vu + "hold req_kind=4\n", [":2:", "2 bits"]),
            (vu + "hold req_kind=stoer\n", [":2:", "no word"]),
            (vu + "sned req kind=load\n", [":2:", "'send'"]),
            (vu + "send rqe kind=load\n", [":2:", "no channel 'rqe'"]),
            (vu + "send rsp id=1\n", [":2:", "no channel 'rsp' into"]),
            (vu + "expect req id=1\n", [":2:", "no channel 'req' out of"]),
            (vu + "@x hold rsp_ready=1\n", [":2:", "@CYCLE"]),
            (vu + "hold rsp_ready=1 \"text\" more\n", [":2:", "ends the line"]),
            (vu + "hold rsp_ready[0]=1\n", [":2:", "is one number"]),
            ("unit ownership_table\nhold op_addr=1\n", [":2:", "32 words", "op_addr[0]="]),
            ("unit ownership_table\nhold op_addr[32]=1\n", [":2:", "words 0 to 31"]),
            ("unit ownership_table\nhold op_addr[x]=1\n", [":2:", "number in brackets"]),
            ("unit ownership_table\nhold op_addr[1=1\n", [":2:", "name[word]"]),
            ("unit ownership_table\nhold op_addr[1]=0x100000000\n", [":2:", "32 bits"]),
        ]:
            self.assertEqual(self.fails(2, says, *self.play(text)).stdout, "", text)
        self.assertFalse(self.path("my.fst").exists())

    def test_an_answer_that_is_not_expected(self):
        """Exit status 1, the line of the stimulus, and a wave that ends there."""
        text = (WAVES / "figure7.stim").read_text()
        number = 1 + text[:text.index("outcome=abort ts=21")].count("\n")
        for old, new, says in [
            ("outcome=abort ts=21", "outcome=abort ts=22", [f"my.stim:{number}:", "rsp_ts is 21, expected 22"]),
            ("outcome=abort", "outcome=success", [f"my.stim:{number}:", "rsp_outcome is 1, expected 0"]),
            ("wait stall_occupancy=1", "wait stall_occupancy=2", ["did not get there"]),
            ("expect rsp id=11 outcome=success ts=0\n", "", ["no line expects"]),
        ]:
            self.assertIn(old, text)
            self.fails(1, says, *self.play(text.replace(old, new)))
            self.assertGreater(len(Trace(self.path("my.fst")).times()), 10)

    def test_example_of_the_documentation(self):
        text = (WAVES.parent / "docs/waves.md").read_text()
        example = re.search(r"^    unit validation_unit .*?\n\n(?=\|)", text, re.M | re.S).group(0)
        self.assertIn("1 answer as expected", self.passes(*self.play(example)))

    def test_long_lines(self):
        """A line may have any number of words and values; of two values of a port the last counts."""
        many = " ".join(["rsp_ready=0"] * 60 + ["rsp_ready=1", "mem_ready=1"])
        fields = " ".join([f"granule={i}" for i in range(100)] + ["kind=store", "warpts=20", "owner=1", "id=7"])
        text = f"unit validation_unit\nhold {many}\nwait req_ready=1\nsend req {fields}\nexpect rsp id=7 outcome=success\n"
        self.assertIn("1 answer as expected", self.passes(*self.play(text), "--backend", "c"))
        self.fails(1, ["my.stim:5:", "rsp_id is 7, expected 8"], *self.play(text.replace("rsp id=7", "rsp id=8")), "--backend", "c")

    def test_timing_of_a_stimulus(self):
        """@ and + place lines; the story changes with them; a pulse lasts one cycle, what is held stays."""
        self.passes(*self.play("unit stall_buffer\nclock 1000\n@5 pulse wake_valid=1 \"first\"\n+3 hold drain=1 \"second\"\n+2\n"))
        trace = Trace(self.path("my.fst"))
        p = "cowarp.partition0.stall_buffer."
        frames = list(trace.frames(p + "wake_valid", p + "drain", "cowarp.story"))
        self.assertEqual([t for t, _ in frames], [1000 * c for c in range(15)])
        for t, v in frames:
            self.assertEqual(v, [t == 5000, t >= 9000, 0 if t < 5000 else 1 if t < 9000 else 2], t)


@unittest.skipUnless(all(map(shutil.which, ("gtkwave", "Xvfb", "import", "identify"))), "needs gtkwave, xvfb, imagemagick")
class Pictures(Waves):
    def check(self, picture, view):
        """Green and yellow traces in the right half, and the size that the view asks for."""
        size = subprocess.run(["identify", "-format", "%w %h", picture], capture_output=True, text=True, check=True).stdout
        width, height = map(int, size.split())
        asked = re.search(r"^\[size\] (\d+) (\d+)$", view.read_text(), re.M)
        self.assertEqual((width, height), tuple(map(int, asked.groups())))
        part = subprocess.run(["convert", picture, "-crop", f"{width // 2}x{height}+{width // 2}+0", "-depth", "8", "rgb:-"],
                              capture_output=True, check=True).stdout
        pixels = list(zip(part[0::3], part[1::3], part[2::3]))
        green = sum(1 for r, g, b in pixels if g > 150 and r < 100 and b < 100)
        yellow = sum(1 for r, g, b in pixels if g > 150 and r > 150 and b < 100)
        self.assertGreater(green, 5000, view.name)
        return yellow

    def test_scenario(self):
        self.passes("wave", "figure7", "--png", "f.png")
        self.assertGreater(self.check(self.path("f.png"), WAVES / "figure7.gtkw"), 2000)

    def test_units_views(self):
        self.passes(*SMALL, "--unit", "validation_unit=rtl", "--wave", "w.fst", "--wave-window", "1500:1580")
        for name in ("validation_unit", "cuckoo_table", "recency_bloom_filter", "stall_buffer"):
            subprocess.run([WAVES / "picture.sh", name, self.path("w.fst"), self.path("p.png")], check=True, timeout=60)
            self.check(self.path("p.png"), WAVES / f"{name}.gtkw")


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv[1]).resolve())
    WAVES = pathlib.Path(sys.argv[2]).resolve() / "waves"
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
