#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of wave files as a viewer would read them: wave_test.py BUILD/cowarp [unittest arguments].

FST files are read through fst2vcd (Debian package gtkwave). What a trace must say comes from the statistics of the same run, from the
ports' contract, or from a second run with other units. Pictures need Xvfb and ImageMagick and are left out without them."""

import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Views of units that are not in GETM's partitions have nothing to show here; siblings.<unit> checks their names against the Verilog.
ELSEWHERE = ["hazard_unit", "last_writer_history", "last_written_table"]
VIEWS = [v for v in sorted(glob.glob(os.path.join(ROOT, "waves", "*.gtkw")))
         if os.path.splitext(os.path.basename(v))[0] not in ELSEWHERE]
SMALL = ["run", "ht-h", "--system", "getm", "--param", "blocks=2", "--param", "buckets=100"]
RTL = ["--unit", "validation_unit=rtl"]
L2_MHZ = 1400  # of the default preset: GETM Table II
PARTITIONS = 6
CORE_CYCLE_PS = 1e6 / L2_MHZ


def cycles_between(begin, end):
    return round((end - begin) * L2_MHZ / 1e6)


class Vcd:
    """Changes of the wanted signals of an FST file; names are full paths without ranges. Values are integers."""

    def __init__(self, path, wanted=lambda name: True):
        self.names = []                               # with ranges, as a save file has them
        self.changes = collections.defaultdict(list)  # name -> [(time, value)]
        self.enums = {}
        self.first = self.last = None
        process = subprocess.Popen(["fst2vcd", path], stdout=subprocess.PIPE, text=True, errors="replace")
        by_code = self._header(process.stdout, wanted)
        self._body(process.stdout, by_code)
        if process.wait() != 0:
            raise RuntimeError(path + ": fst2vcd failed")

    def _header(self, lines, wanted):
        scopes, by_code = [], {}
        for line in lines:
            word = line.split()
            if not word:
                continue
            if word[0] == "$scope":
                scopes.append(word[2])
            elif word[0] == "$upscope":
                scopes.pop()
            elif word[0] == "$var":
                name = ".".join(scopes + [word[4]])
                spread = word[5] if word[5].startswith("[") else ""
                self.names.append(name + spread)
                if wanted(name):
                    by_code.setdefault(word[3], []).append(name)
            elif word[0] == "$enddefinitions":
                break
        return by_code

    def _body(self, lines, by_code):
        now = 0
        for line in lines:
            if line[0] == "#":
                now = int(line[1:])
                self.first = now if self.first is None else self.first
                self.last = now
                continue
            if line[0] == "b":
                value, code = line[1:].split()
            elif line[0] in "01":
                value, code = line[0], line[1:].strip()
            else:
                continue
            for name in by_code.get(code, ()):
                self.changes[name].append((now, int(value, 2)))

    def intervals(self, *names):
        """(begin, end, values) for each stretch of time in which none of the signals changes."""
        events = sorted({t for n in names for t, _ in self.changes[n]})
        index, value = [0] * len(names), [0] * len(names)
        for i, begin in enumerate(events):
            for k, name in enumerate(names):
                c = self.changes[name]
                while index[k] < len(c) and c[index[k]][0] <= begin:
                    value[k] = c[index[k]][1]
                    index[k] += 1
            yield begin, events[i + 1] if i + 1 < len(events) else self.last, tuple(value)

    def cycles(self, *names):
        """How many L2 cycles each combination of values lasts."""
        count = collections.Counter()
        for begin, end, value in self.intervals(*names):
            count[value] += cycles_between(begin, end)
        return count


def port(partition, name):
    return "cowarp.partition%d.validation_unit.%s" % (partition, name)


def total(vcd, name, value=1):
    return sum(vcd.cycles(port(p, name))[(value,)] for p in range(PARTITIONS))


def view_names(path):
    """Signals of a GTKWave save file."""
    with open(path) as f:
        return [line.strip() for line in f if re.match(r"[A-Za-z_]", line)]


class Waves(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_it(self, *args, status=0):
        r = subprocess.run([COWARP, *args], capture_output=True, text=True, timeout=240, cwd=self.folder.name)
        self.assertEqual(r.returncode, status, r.stderr)
        return r

    def counters(self, name):
        with open(self.path(name)) as f:
            return {k: v["value"] for k, v in json.load(f)["counters"].items()}


class Content(Waves):
    def check_against_statistics(self, *args):
        self.run_it(*SMALL, *args, "--wave", "w.fst", "--stats", "s.json")
        vcd = Vcd(self.path("w.fst"), lambda n: n.startswith("cowarp.partition") or n.count(".") == 1)
        stats = self.counters("s.json")
        for event, counter in [("evt_lookup", "vu_requests"), ("evt_stall", "vu_stalls"), ("evt_retry", "vu_retries"),
                               ("evt_evict", "vu_evictions"), ("evt_stash", "vu_stashed"), ("evt_overflow", "vu_overflows")]:
            self.assertEqual(total(vcd, event), stats[counter], event)
        requests = responses = 0
        outcomes = collections.Counter()
        for p in range(PARTITIONS):
            for (valid, ready, kind, word), n in vcd.cycles(port(p, "req_valid"), port(p, "req_ready"), port(p, "req_kind"),
                                                            port(p, "request")).items():
                self.assertEqual(word, 0 if not valid else 5 if not ready else kind + 1)
                requests += n if valid and ready and kind < 2 else 0
            for (valid, ready, outcome, word), n in vcd.cycles(port(p, "rsp_valid"), port(p, "rsp_ready"), port(p, "rsp_outcome"),
                                                               port(p, "response")).items():
                self.assertEqual(word, 0 if not valid else 5 if not ready else outcome + 1)
                responses += n if valid and ready else 0
                outcomes[outcome] += n if valid and ready else 0
            stalled = sum(n * lines[0] for lines, n in vcd.cycles(port(p, "stall_occupancy")).items())
            outcomes["stalled"] += stalled
        # a load or store is answered exactly once
        self.assertEqual(requests, responses)
        self.assertGreater(outcomes[0], 0)
        self.assertGreater(outcomes[1], 0)
        self.assertGreater(stats["vu_stalls"], 0)
        self.assertEqual(outcomes["stalled"], stats["vu_stall_request_cycles"])
        for name in ["tx_committed", "tx_aborted", "vu_requests", "vu_stalls", "warp_instructions", "blocks_finished"]:
            self.assertEqual(vcd.changes["cowarp." + name][-1][1], stats[name], name)
        return vcd, stats

    def test_whole_run_agrees_with_statistics(self):
        """A table of few rows, so that entries are evicted and stashed."""
        _, stats = self.check_against_statistics("--set", "getm.table_rows=16")
        self.assertGreater(stats["vu_evictions"], 0)

    def test_rtl_signals_agree_with_the_ports(self):
        self.check_against_statistics(*RTL)
        ports = ["req_valid", "req_ready", "req_granule", "req_warpts", "rsp_valid", "rsp_outcome", "rsp_ts", "evt_lookup", "evt_stall",
                 "busy", "stall_occupancy"]
        outputs = {"req_ready", "rsp_valid", "rsp_outcome", "rsp_ts", "evt_lookup", "evt_stall", "busy", "stall_occupancy"}
        inside = "partition%d.validation_unit.cw_validation_unit."
        vcd = Vcd(self.path("w.fst"), lambda n: n.startswith(("cowarp.partition", "partition")) and n.count(".") <= 3)
        for p in range(PARTITIONS):
            for name in ports:
                rtl = inside % p + name + ("_o" if name in outputs else "_i")
                self.assertEqual(vcd.changes[rtl], vcd.changes[port(p, name)], rtl)
            # a decision is followed by its response or its stall in the next cycle (datasheet, Pipeline)
            answers = [t for t, _, (v,) in vcd.intervals(inside % p + "rsp_push") if v]
            self.assertTrue(answers)
            stalls = [t for t, _, (v,) in vcd.intervals(inside % p + "push") if v]
            seen = [t for t, _, (v,) in vcd.intervals(port(p, "evt_stall")) if v]
            self.assertEqual([round(t / CORE_CYCLE_PS) + 1 for t in stalls], [round(t / CORE_CYCLE_PS) for t in seen])

    def test_backends_show_the_same(self):
        traces = []
        for backend in ["c", "rtl", "lockstep"]:
            self.run_it(*SMALL, "--unit", "validation_unit=" + backend, "--wave", "w.fst")
            traces.append(Vcd(self.path("w.fst"), lambda n: n.startswith("cowarp.")))
        self.assertEqual(len(traces[0].changes), 5 + 9 + 15 * 48 + PARTITIONS * len(
            [n for n in traces[0].names if n.startswith("cowarp.partition0.")]))
        for other in traces[1:]:
            self.assertEqual(traces[0].changes, other.changes)

    def test_tracing_changes_nothing(self):
        self.run_it(*SMALL, "--stats", "a.json", "--omit-host-seconds")
        self.run_it(*SMALL, "--stats", "b.json", "--omit-host-seconds", "--wave", "w.fst")
        with open(self.path("a.json")) as a, open(self.path("b.json")) as b:
            self.assertEqual(a.read(), b.read())

    def test_views_name_what_is_there(self):
        self.run_it(*SMALL, *RTL, "--wave", "w.fst", "--wave-window", "1000:1001")
        names = set(Vcd(self.path("w.fst")).names)
        self.assertEqual(len(VIEWS), 5)
        for view in VIEWS:
            listed = view_names(view)
            self.assertGreater(len(listed), 10, view)
            self.assertEqual([n for n in listed if n not in names], [], view)

    def test_views_filters_exist(self):
        for view in VIEWS:
            with open(view) as f:
                for name in re.findall(r"^\^\d+ (.*)$", f.read(), re.M):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, name)), (view, name))


class Window(Waves):
    def test_only_the_window(self):
        self.run_it(*SMALL, *RTL, "--wave", "w.fst", "--wave-window", "3000:3100")
        vcd = Vcd(self.path("w.fst"), lambda n: n == "cowarp.core_cycle")
        cycles = [v for _, v in vcd.changes["cowarp.core_cycle"]]
        self.assertGreater(len(cycles), 20)
        self.assertTrue(all(3000 <= c < 3100 for c in cycles), cycles)
        self.assertGreaterEqual(vcd.first, int(3000 * CORE_CYCLE_PS))
        self.assertLess(vcd.last, 3100 * CORE_CYCLE_PS)
        for t, v in vcd.changes["cowarp.core_cycle"]:
            self.assertEqual(int((t + 1) / CORE_CYCLE_PS), v)
        self.assertLess(os.path.getsize(self.path("w.fst")), 200000)

    def test_window_is_a_piece_of_the_whole(self):
        self.run_it(*SMALL, "--wave", "all.fst")
        self.run_it(*SMALL, "--wave", "some.fst", "--wave-window", "5000:9000")
        whole, some = Vcd(self.path("all.fst")), Vcd(self.path("some.fst"))
        self.assertEqual(whole.names, some.names)
        for name, changes in some.changes.items():
            begin, end = changes[0][0], some.last
            inside = [c for c in whole.changes[name] if begin < c[0] <= end]
            before = [v for t, v in whole.changes[name] if t <= begin]
            self.assertEqual(changes[0][1], before[-1], name)
            self.assertEqual(changes[1:], inside, name)

    def test_empty_window(self):
        r = self.run_it(*SMALL, "--wave", "w.fst", "--wave-window", "900000000:900000100")
        self.assertIn("w.fst", r.stderr)
        self.assertIn("empty", r.stderr)
        self.assertEqual(r.stderr.count("\n"), 1)
        vcd = Vcd(self.path("w.fst"))
        self.assertEqual(vcd.first, vcd.last)
        self.assertEqual(vcd.changes["cowarp.blocks_finished"][-1][1], 2)


class Failing(Waves):
    def test_paths_that_cannot_be_written(self):
        os.mkdir(self.path("folder"))
        for path in ["no/such/w.fst", "folder", "/proc/w.fst"]:
            r = self.run_it(*SMALL, "--wave", path, status=2 if os.path.dirname(path) != "/proc" else None) \
                if False else subprocess.run([COWARP, *SMALL, "--wave", path], capture_output=True, text=True, cwd=self.folder.name)
            self.assertIn(r.returncode, (1, 2), path)
            self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
            self.assertIn(path, r.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["folder"])


class Pictures(Waves):
    def test_every_view_shows_signals(self):
        missing = [t for t in ["gtkwave", "Xvfb", "xdpyinfo", "import", "convert"] if shutil.which(t) is None and t != "xdpyinfo"]
        if missing:
            print("pictures left out: no " + ", ".join(missing), file=sys.stderr)
            self.skipTest("no " + ", ".join(missing))
        self.run_it(*SMALL, *RTL, "--wave", "w.fst", "--wave-window", "3000:3060")
        for view in VIEWS:
            out = self.path("p.png")
            subprocess.run([os.path.join(ROOT, "waves", "picture.sh"), view, self.path("w.fst"), out], check=True, timeout=60)
            text = subprocess.run(["convert", out, "-depth", "8", "txt:-"], capture_output=True, text=True, check=True).stdout
            colours = collections.Counter(re.findall(r"#[0-9A-F]{6}", text))
            background = colours.most_common(1)[0][1] / sum(colours.values())
            self.assertGreater(len(colours), 8, view)
            self.assertLess(background, 0.97, view)


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
