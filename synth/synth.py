#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp synth: cells, area, timing, power and FPGA figures of the units. docs/synthesis.md tells how each number is made.

Exit status: 0 done, 1 a tool failed or a check did (a unit misses its clock, a path leads from a RAM to a RAM, netlist and RTL differ, a figure
moved), 2 the request was wrong."""
import contextlib
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import sys
import time

sys.dont_write_bytecode = True
import activity
import buffers
import chip
import datasheet
import factors
import fpga
import gate
import gating
import history
import margin
import netlist
import plot
import report
import route
import sources
import sram
import timing
import tools
import units
import words
from command_words import Parser as CommandParser
from units import Failed

FASTER = 0.7          # ABC's second target, as a share of the longest path without one
RELAXED_PS = 100000
NEAR = 0.8            # of the clock: from here on the slow steps may reach it
# ABC's steps and targets of --sweep speed; targets as shares of the period that the first of them reached (None: no target)
SPEEDS = (("usual", None), ("usual", 0.85), ("usual", FASTER), ("small", None), ("small", FASTER), ("fast", FASTER))


def say(text):
    """Progress, on standard error."""
    print(f"cowarp synth: {text}", file=sys.stderr, flush=True)


class Job:
    """One unit with one set of parameters."""

    def __init__(self, unit, settings, options, counted, misfits=None):
        self.unit, self.options, self.counted = unit, options, counted
        self.misfit = (misfits or {}).get(unit.stem)  # why no run tells its activity
        self.params = units.values(unit, settings)
        self.settings = {**({"ECC": 1} if unit.ecc else {}), **{k: v for k, v in self.params.items() if v != unit.params[k].default}}
        name = "-".join([unit.stem] + [f"{k}{v}" for k, v in self.settings.items()])
        self.name, self.work = name, options.out / "work" / f"{name}-{options.technology.name}"
        self.technology = options.technology
        self.seconds = {}  # step -> wall time

    @contextlib.contextmanager
    def step(self, name):
        begin = time.monotonic()
        if len(self.options.unit) == 1:
            say(f"{self.name}: {name}")
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - begin

    def fastest(self, elaborated):
        """The netlist with the smaller period of two: mapped without a target, and for a period out of reach, which makes ABC try its best. When
        that misses the clock by little, also with the steps that buy speed for area."""
        best, target = None, RELAXED_PS
        for name in ("relaxed", "tight", "fast"):
            if name == "fast" and not self.near_miss(best[2].ns):
                break
            with self.step(f"cells ({name})"):
                verilog, dump = netlist.map_cells(elaborated, self.technology, target, self.work, name, "fast" if name == "fast" else "usual")
            with self.step("timing"):
                path = timing.slowest_path(elaborated, self.technology, verilog, dump, self.work, name, self.options.budget)
            if best is None or path.ns < best[2].ns:
                best, self.kind = (verilog, dump, path), name
            if name != "fast":
                counts = netlist.count(best[1], self.unit.top, self.technology)
                self.usual = {"logic_um2": counts.logic_um2, "logic_leakage_mw": counts.leakage_mw, "paths": best[2].kinds}
            target = FASTER * 1000 * best[2].longest_ns
            if name == "tight" and self.misses(best[2].ns):
                best = self.with_trees(elaborated, best)
        return self.with_trees(elaborated, best) if self.kind == "fast" and self.misses(best[2].ns) else best

    def with_trees(self, elaborated, best):
        """The netlist, or one in which nets with much load have trees of buffers, whichever has the smaller period. For a unit that misses its clock; any
        other does without the area."""
        before = best[0].stem
        for limit in buffers.LIMITS:
            with self.step("fan-out"):
                found = netlist.limit_fan_out(self.work / f"{before}.json", elaborated, self.technology, limit, self.work, f"{before}_fan_out{limit}")
            if found is None:
                continue
            with self.step("timing"):
                path = timing.slowest_path(elaborated, self.technology, *found, self.work, found[0].stem, self.options.budget)
            if path.ns < best[2].ns:
                best, self.kind = (*found, path), f"{before}, at most {limit} inverters' load"
        return best

    def misses(self, ns):
        m = self.margin(1000 / ns)
        return m is not None and m["fmax_mhz"] < m["clock_mhz"]

    def near_miss(self, ns):
        m = self.margin(1000 / ns)
        return m is not None and NEAR * m["clock_mhz"] <= m["fmax_mhz"] < m["clock_mhz"]

    def corners(self, elaborated, verilog, dump):
        """The chosen netlist in the library's other corners, and the slack of hold times in each. RAMs stay as they are."""
        found = []
        for name, path in ((self.technology.name, self.technology.liberty), *self.technology.corners) if self.technology.corners else ():
            there = dataclasses.replace(self.technology, liberty=path)
            with self.step(f"corner {name}"):
                slowest = timing.slowest_path(elaborated, there, verilog, dump, self.work, f"corner_{name}", self.options.budget)
                found.append({"name": name, "fmax_mhz": 1000 / slowest.ns, "hold_slack_ns": timing.hold_slack_ns(elaborated, there, verilog, self.work, f"hold_{name}")})
        return found

    def power(self, elaborated, verilog, dump, storage, clock_mhz, counted):
        if not counted:
            return None
        found = timing.power(elaborated, self.technology, verilog, dump, self.work, counted["nets"], clock_mhz)
        if found is None:
            return None
        reads, writes, at_node = sram_power(elaborated, storage, counted["nets"], clock_mhz)
        run = counted["run"]
        module = json.loads((self.work / "registers.json").read_text())["modules"][self.unit.top]
        gates = None if self.unit.stem in units.SHARED else gating.summary(module, counted, found.clock_mw, self.technology.cells.roles())
        return {"clock_mhz": clock_mhz, "gating": gates, "logic_mw": found.mw, "logic_leakage_mw": found.leakage_mw, "clock_mw": found.clock_mw, "sram_mw": at_node, "reads": reads, "writes": writes,
                "counted_share": found.share, "mean_activity": found.mean_activity,
                "source": f"{run['workload']} under {run['system']}, {counted['scope']}, {counted['cycles']} clocks in {activity.WINDOWS} windows "
                          f"spread over {run['cycles']} core cycles"}

    def scaled(self, result, counted):
        """The same at the node asked for. Power at the contract's clock, or at Fmax where that is less."""
        node, clock = self.options.node, self.unit.clock.mhz
        shrink = tools.scale(self.technology.node_nm, node)
        storage, fmax = netlist.storage(self.elaborated, tools.sram_node(node)), result["fmax_mhz"] / shrink.delay
        clock, mm2 = min(clock, fmax), result["logic_um2"] / 1e6
        power = gated = idle = idle_gated = None
        leak = result["logic_leakage_mw"] if node == self.technology.node_nm else mm2 * shrink.area * factors.leakage(node)
        if result["power"]:
            p, g = result["power"], result["power"]["gating"]
            _, _, sram_mw = sram_power(self.elaborated, storage, counted["nets"], clock)
            here = clock / p["clock_mhz"] * shrink.energy
            rest = (leak or 0.0) - p["logic_leakage_mw"] * here
            power = p["logic_mw"] * here + rest + sram_mw
            idle = p["clock_mw"] * here + rest + sum(m["count"] * m["leakage_uw"] for m in storage["macros"]) / 1e3
            if g:
                gated, idle_gated = power + (g["gated_clock_mw"] - g["clock_mw"]) * here, idle + (g["gated_still_mw"] - g["clock_mw"]) * here
        return {"node_nm": node, "logic_mm2": mm2 * shrink.area, "logic_mm2_least": mm2 * shrink.area_least, "logic_mm2_greatest": mm2 * shrink.area_greatest,
                "sram_mm2": storage["area_um2"] / 1e6, "sram_access_ns": storage["access_ns"], "fmax_mhz": fmax, "clock_mhz": clock, "power_mw": power,
                "gated_power_mw": gated, "idle_mw": idle, "idle_gated_mw": idle_gated, "logic_leakage_mw": leak, **self.load(counted)}

    @staticmethod
    def load(counted):
        """How many instances the run had, and how much an instance was asked in the mean, as a share of the one that was counted."""
        return {"instances": counted["load"]["instances"], "load": counted["load"]["load"]} if counted else {}

    def margin(self, fmax_mhz):
        """At the node of the contract, or None where nothing scales to it."""
        clock = self.unit.clock
        if self.technology.node_nm != clock.node_nm and not self.technology.scales:
            return None
        return margin.margin(clock, clock.node_nm, fmax_mhz / tools.scale(self.technology.node_nm, clock.node_nm).delay)

    def key(self):
        """Changes with anything that the result depends on: Verilog, scripts, settings, activity."""
        digest = hashlib.sha256()
        files = [path for root in sorted({units.ROOT, self.unit.home}) for path in sorted(root.glob("rtl/*/*.v"))]
        files += sorted(units.ROOT.glob("synth/*.[pcj]*"))
        for path in files:
            if path != report.REFERENCE:
                digest.update(path.read_bytes())
        digest.update(self.technology.liberty.read_bytes())
        for _, corner in self.technology.corners:
            digest.update(corner.read_bytes())
        counted = self.counted.get(self.unit.stem)
        o = self.options
        digest.update(json.dumps([self.params, vars(self.unit.clock), o.technology.name, o.technology.node_nm, o.io, o.uncertainty, o.node, o.no_power, o.no_gates, o.fpga, o.route, counted, self.misfit], sort_keys=True).encode())
        return digest.hexdigest()

    def run(self):
        """The result, from its file when nothing has changed since."""
        kept, key = self.work / "result.json", self.key()
        if kept.exists():
            data = json.loads(kept.read_text())
            if data["key"] == key:
                return {**data["result"], "seconds": {}}
        result = self.make()
        report.write(kept, json.dumps({"key": key, "result": result}))
        return result

    def make(self):
        self.work.mkdir(parents=True, exist_ok=True)
        with self.step("elaborate"):
            elaborated = self.elaborated = netlist.elaborate(self.unit, self.params, self.work)
        with self.step("generic gates"):
            netlist.prepare(elaborated, self.technology, self.work)
        verilog, dump, path = self.fastest(elaborated)
        with self.step("paths"):
            graph = words.graph_of(self.work / "word.json", self.unit.top)
            path.through = words.through(graph, path)
            ram_paths = margin.name_ram_paths(margin.ram_paths(json.loads(dump.read_text())["modules"][self.unit.top]["cells"], self.technology.cells.flops), graph)
        counts = netlist.count(dump, self.unit.top, self.technology)
        corners = self.corners(elaborated, verilog, dump)
        storage = netlist.storage(elaborated, self.technology.sram_node, self.technology.cells.roles())
        counted = self.counted.get(self.unit.stem)
        result = {"unit": self.unit.stem, "settings": self.settings, "params": self.params, "library": self.technology.name,
                  "node_nm": self.technology.node_nm, "steps": self.kind, "cells": counts.cells, "flip_flops": counts.flip_flops, "logic_um2": counts.logic_um2,
                  "logic_leakage_mw": counts.leakage_mw, "cells_by_type": counts.by_type, "sram": storage, "flop_memory_bits": elaborated.flop_bits, "fmax_mhz": 1000 / path.ns,
                  "path": {"start": path.start, "end": path.end, "through": path.through, "gates": path.cells, "ns": path.ns, "delay_ns": path.delay_ns}, "paths": path.kinds, "usual": self.usual,
                  "budget": {"io": self.options.budget.io, "uncertainty": self.options.budget.uncertainty},
                  "critical_path": words.sentence(path), "margin": self.margin(1000 / path.ns), "ram_paths": ram_paths,
                  "corners": corners, "seconds": self.seconds, "made": sources.made(self.unit)}
        result["no_power"] = None if counted or self.options.no_power or self.options.set or self.options.ecc else self.misfit or "no run has the unit"
        with self.step("power"):
            result["power"] = self.power(elaborated, verilog, dump, storage, result["fmax_mhz"], counted)
        if counted and not result["power"]:
            result["no_power"] = "the run's trace does not have its registers"
        result["scaled"] = self.scaled(result, counted)
        if not self.options.no_gates:
            with self.step("gate-level check"):
                result["gate"] = gate.check(elaborated, self.technology, verilog, self.work, gate.recorded_stimulus(elaborated, counted))
        if self.options.route:
            with self.step("placement and routing"):
                found = route.route(dump, self.unit.top, self.technology, self.work, self.work / "route")
                result["route"] = {**found, "mhz": route.mhz(found["ns"], self.options.budget)}
        if self.options.fpga:
            with self.step("FPGA"):
                result["fpga"] = fpga.estimate(elaborated, self.work)
        return result


def sram_power(elaborated, storage, nets, clock_mhz):
    """(reads per clock, writes per clock, mW) of all macros, from the time for which their enables were 1 in the trace."""
    reads = writes = milliwatt = 0.0
    module = json.loads((elaborated.work / "word.json").read_text())["modules"][elaborated.unit.top]
    shapes = {m["name"]: m for m in storage["macros"]}
    for instance, cell in module["cells"].items():
        if cell["type"] not in shapes:
            continue
        shape, rates = shapes[cell["type"]], {"r": 0.0, "w": 0.0}
        for pin in cell["connections"]:
            if re.match(r"(rd|wr)_?en", pin):
                name = f"{instance}.{pin}"
                rates[pin[0]] += nets[name][0][1] if name in nets else 0.0
        reads, writes = reads + rates["r"], writes + rates["w"]
        milliwatt += (rates["r"] * shape["read_pj"] + rates["w"] * shape["write_pj"]) * clock_mhz * 1e-3 + shape["leakage_uw"] / 1e3
    return reads, writes, milliwatt


class Parser(CommandParser):
    def stop(self, text):
        raise Failed(text, 2)


def parse(arguments):
    parser = Parser(prog="cowarp synth", description="Area, timing, power and FPGA figures of the hardware units.")
    parser.add_argument("unit", nargs="*", help="units (default: all)")
    parser.add_argument("--library", default="osu018", choices=sorted(tools.TECHNOLOGIES), help="standard cells (default osu018)")
    parser.add_argument("--liberty", type=pathlib.Path, action="append", default=[], metavar="FILE",
                        help="standard cells of your own instead, .lib or .lib.gz; repeats for a library in several files")
    parser.add_argument("--liberty-node", type=int, metavar="NM", help="the node of --liberty, which the file does not state")
    parser.add_argument("--dont-use", action="append", default=[], metavar="PATTERN", help="cells of --liberty to leave out, as '*lpflow*'; repeats")
    parser.add_argument("--corner", type=pathlib.Path, action="append", default=[], metavar="FILE",
                        help="the same cells in another corner: the netlist's Fmax and hold slack there; repeats")
    parser.add_argument("--io", type=float, default=timing.Budget.io, metavar="SHARE",
                        help="of the clock, used outside of the unit before an input arrives and after an output is there (default 0.3)")
    parser.add_argument("--uncertainty", type=float, default=timing.Budget.uncertainty, metavar="SHARE", help="of the clock, for jitter and skew (default 0.05)")
    parser.add_argument("--node", type=int, metavar="NM", help="node to which the figures are scaled (default 32 for osu018, the library's own for others)")
    parser.add_argument("--home", type=pathlib.Path, action="append", default=[], metavar="FOLDER",
                        help="a folder with include/cowarp/unit/ and rtl/ of its own, as that of a mechanism; its units as well; repeats")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the unit; repeats")
    parser.add_argument("--ecc", action="store_true", help="RAMs with check bits that correct an inverted bit of a word; no power, no gate-level check")
    parser.add_argument("--sweep", metavar="NAME=A,B,C|speed",
                        help="one unit over several values of a parameter, or units mapped for several periods (speed): tables and SVG of area and Fmax")
    parser.add_argument("--workload", default="ht-h", help="run in which activity is counted (default ht-h)")
    parser.add_argument("--cowarp", type=pathlib.Path, help="the command that runs it (default $COWARP or build/cowarp)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("cowarp-out/synth"), help="results (default cowarp-out/synth)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="units at once (default: processors)")
    parser.add_argument("--no-power", action="store_true", help="no run, no power")
    parser.add_argument("--no-gates", action="store_true", help="no gate-level check")
    parser.add_argument("--fpga", action="store_true", help="FPGA figures too (up to a quarter of an hour for a large unit)")
    parser.add_argument("--route", action="store_true", help="place and route the netlist with Debian's qflow, and time it with its wires (minutes)")
    parser.add_argument("--page", type=pathlib.Path, metavar="FILE", help="rewrite the tables of a file like synth/tables.txt; named units beside what it says of the others")
    parser.add_argument("--reference", type=pathlib.Path, default=report.REFERENCE, metavar="FILE",
                        help="figures to compare with (default synth/reference.json)")
    parser.add_argument("--renew-reference", action="store_true", help="take the figures of this run as the reference")
    parser.add_argument("--datasheet", action="store_true", help="print what `cowarp unit` says of the silicon, from the reference; no tool is run")
    parser.add_argument("--system", metavar="NAME", help=f"a whole chip, from the reference: {', '.join(chip.names())}; no tool is run")
    parser.add_argument("--history", action="store_true", help="the reference's figures over the commits that changed them, as CSV and SVG; no tool is run")
    return parser.parse_args(arguments)


def count_activity(options, chosen):
    """Activity of the chosen units at the sizes that stand for them, or nothing when it is not wanted; and why a unit has none."""
    if options.no_power or options.set or options.ecc:
        return {}, {}
    command = options.cowarp or activity.default_command(units.ROOT)
    if command is None:
        raise Failed("build/cowarp is missing, so no activity can be counted; build it, or give --no-power", 2)
    ports = {}
    for unit in chosen:
        job = Job(unit, units.settings(unit, []), options, {})
        job.work.mkdir(parents=True, exist_ok=True)
        say(f"{unit.stem}: its ports")
        ports[unit.stem] = netlist.elaborate(unit, job.params, job.work).ports
    return activity.collect(command, options.workload, ports, options.out / "work", say)


def sweep(options, unit):
    name, _, values = options.sweep.partition("=")
    points = []
    for text in values.split(","):
        value = units.checked_value(unit, name, text)
        result = Job(unit, options.set + [f"{name}={value}"], options, {}).run()
        points.append({"value": value, "logic_um2": result["logic_um2"], "sram_um2": result["sram"]["area_um2"],
                       "area_mm2": (result["logic_um2"] + result["sram"]["area_um2"]) / 1e6, "fmax_mhz": result["fmax_mhz"]})
        p = points[-1]
        print(f"{unit.stem} {name}={value}: {p['area_mm2']:.4g} mm2, {p['fmax_mhz']:.4g} MHz", flush=True)
    base = options.out / f"sweep-{unit.stem}-{name}"
    title = f"{unit.stem}, {options.technology.name}: logic and SRAM, estimates (docs/synthesis.md)"
    report.write(base.with_suffix(".csv"), plot.csv_text(name, points))
    report.write(base.with_suffix(".svg"), plot.svg_text(title, name, points))
    print(f"written {base}.csv and .svg")


def about(job):
    """Of the runner."""
    return job.name, None


def speed_points(job):
    """The unit mapped by each of SPEEDS; the smallest first."""
    elaborated = job.elaborated = netlist.elaborate(job.unit, job.params, job.work)
    netlist.prepare(elaborated, job.technology, job.work)
    storage = netlist.storage(elaborated, job.technology.node_nm)
    points, best = [], None
    for kind, share in SPEEDS:
        target = RELAXED_PS if share is None else share * best
        verilog, dump = netlist.map_cells(elaborated, job.technology, target, job.work, "speed", kind)
        path = timing.slowest_path(elaborated, job.technology, verilog, dump, job.work, "speed", job.options.budget)
        best, ns = best or 1000 * path.longest_ns, path.ns
        counts, m = netlist.count(dump, job.unit.top, job.technology), job.margin(1000 / ns)
        points.append({"steps": kind, "target_ns": None if share is None else target / 1000, "cells": counts.cells, "logic_um2": counts.logic_um2,
                       "sram_um2": storage["area_um2"], "area_mm2": (counts.logic_um2 + storage["area_um2"]) / 1e6, "fmax_mhz": 1000 / ns,
                       "scaled_fmax_mhz": m["fmax_mhz"] if m else 1000 / ns, "slack_ps": m["slack_ps"] if m else None})
    return sorted(points, key=lambda p: (p["area_mm2"], p["fmax_mhz"]))


def speed_sweep(options, chosen):
    """Area over Fmax of each unit, ABC's target period varied."""
    jobs = [Job(unit, units.settings(unit, options.set), options, {}) for unit in chosen]
    for job in jobs:
        job.work.mkdir(parents=True, exist_ok=True)
    head = ("steps", "target ns", "cells", "logic um2", "area mm2", "Fmax MHz", "Fmax MHz at the clock's node", "slack ps")
    for job, points in zip(jobs, tools.runner.results(speed_points, jobs, options.jobs, "units", about)):
        clock, base = job.unit.clock, options.out / f"speed-{job.name}"
        names = ("steps", "target_ns", "cells", "logic_um2", "area_mm2", "fmax_mhz", "scaled_fmax_mhz", "slack_ps")
        table = report.table(head, [tuple(p[name] for name in names) for p in points])
        title = f"{job.name}, {options.technology.name}: logic and SRAM, estimates (docs/synthesis.md)"
        report.write(base.with_suffix(".md"), f"# {job.name}: area over Fmax\n\n{table}\n")
        report.write(base.with_suffix(".csv"), "\n".join([",".join(names), *(",".join(report.text_of(p[n], "{:.6g}") for n in names) for p in points)]) + "\n")
        report.write(base.with_suffix(".svg"), plot.speed_text(title, points, clock.mhz, clock.node_nm))
        print(f"{job.name}, clock {clock.mhz:.0f} MHz at {clock.node_nm} nm\n{table}\nwritten {base}.md, .csv and .svg", flush=True)


def put_on_page(options, results, papers):
    """All units, or those that are named beside what the page says of the others. With --route, their layouts alone."""
    sections = {"routed": report.routed_markdown(results)} if options.route else {
        "results": report.results_markdown(results), "papers": report.causes_markdown(papers)}
    if options.fpga:
        sections["fpga"] = report.fpga_markdown(results)
    if options.unit:
        for name, last in ((name, "nm" if name == "papers" else "unit") for name in sections):
            sections[name] = report.merged(report.section(options.page, name), sections[name], last)
    report.rewrite(options.page, sections)


def save(options, results):
    papers = report.beside_papers(results) if options.technology.name == "osu018" and not options.set and not options.ecc else []
    for result in results:
        base = options.out / report.key(result).replace(" ", "-")
        report.write(base.with_name(base.name + ".json"), json.dumps(result, indent=2) + "\n")
        report.write(base.with_name(base.name + ".md"), report.unit_markdown(result))
    _, errors = sram.error_summary()
    about = {"made": "cowarp synth; estimates, see docs/synthesis.md", "units": results, "papers": papers, "sram_model_errors": errors}
    report.write(options.out / "table.json", json.dumps(about, indent=2) + "\n")
    report.write(options.out / "table.md", report.summary_markdown(results, papers))
    if options.page:
        put_on_page(options, results, papers)


def of_reference(options):
    """Whether the reference and the page have figures of this library, these budgets and this node."""
    return options.technology.name == "osu018" and not options.ecc and options.budget == timing.Budget() and options.node == 32


def judge(options, results):
    """The rules of the flow, and the regression check; only osu018 with the usual budgets, at 32 nm, has a reference."""
    ours = of_reference(options)
    known = margin.known_misses() if ours and not options.set else {}
    moved, broken = [], [f"{report.key(result)}: {line}" for result in results for line in margin.problems(result, known)]
    if ours and options.renew_reference:
        report.renew(results, options.reference)
        print(f"renewed {options.reference}")
    elif ours:
        moved = report.regressions(results, report.load_reference(options.reference))
    for line in broken + moved:
        print(f"cowarp synth: {line}", file=sys.stderr)
    if broken:
        count = sum(1 for result in results if margin.problems(result, known))
        raise Failed(f"{count} of {len(results)} units break a rule of docs/synthesis.md")
    if moved:
        raise Failed("figures moved; if they should, renew the reference with 'cowarp synth --renew-reference'")


def told(job, result):
    """What the terminal says of a unit."""
    s = result["scaled"]
    spread = f" (logic {s['logic_mm2_least']:.4f} to {s['logic_mm2_greatest']:.4f})" if s["node_nm"] != result["node_nm"] else ""
    lines = [f"{job.name}: {result['cells']} cells, {result['logic_um2'] / 1e6:.4g} mm2 logic, {result['sram']['bits']} SRAM bits, "
             f"{result['fmax_mhz']:.1f} MHz ({result['node_nm']} nm); at {s['node_nm']} nm about {s['logic_mm2'] + s['sram_mm2']:.4g} mm2{spread}"]
    lines += [f"  {margin.sentence(result['margin'])}"] if result["margin"] else []
    lines += [f"  corner {c['name']}: {c['fmax_mhz']:.1f} MHz, hold slack {report.text_of(c['hold_slack_ns'], '{:+.3f}') or 'of no path'} ns" for c in result["corners"]]
    lines += [f"  no power: {result['no_power']}"] if result["no_power"] else []
    lines += [f"  {s['power_mw']:.1f} mW at {s['clock_mhz']:.0f} MHz, with clock gates {s['gated_power_mw']:.1f} mW"] if s["gated_power_mw"] else []
    lines += [f"  RAM {m['name']} is bought as {m['pieces']}" for m in result["sram"]["macros"] if m["pieces"]]
    lines += [f"  RAM {m['name']} is smaller in flip-flops" for m in result["sram"]["macros"] if (m["register_um2"] or math.inf) < m["area_um2"]]
    lines += route.sentences(result["route"]) if "route" in result else []
    return lines + [f"  critical path {result['critical_path']}",
                    "  seconds: " + (", ".join(f"{step} {seconds:.1f}" for step, seconds in result["seconds"].items() if seconds >= 0.05)
                                     or "none; nothing has changed since the last run, whose figures these are")]


def synthesize(options, chosen):
    begin = time.monotonic()
    counted, misfits = count_activity(options, chosen)
    # The largest first, so that the last does not run alone.
    chosen = sorted(chosen, key=lambda unit: -unit.verilog.stat().st_size)
    jobs = [Job(unit, units.settings(unit, options.set), options, counted, misfits) for unit in chosen]
    results = []
    for job, result in zip(jobs, tools.runner.results(Job.run, jobs, options.jobs, "units", about)):
        results.append(result)
        print("\n".join(told(job, result)), flush=True)
    save(options, results)
    print(f"written {options.out}/table.md, table.json and one report per unit ({time.monotonic() - begin:.0f} s)")
    judge(options, results)


def make_folder(path):
    """Before minutes of work."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise Failed(f"--out {path}: {failure.strerror}", 2) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise Failed(f"--out {path}: cannot be written", 2)


def node_of(options):
    """Figures of osu018 are scaled to 32 nm unless another node is asked for; those of other libraries stay at their own."""
    own = options.technology.node_nm
    if options.node is None:
        return 32 if options.technology.name == "osu018" else own
    if options.node != own and options.node not in sram.NODES:
        raise Failed(f"--node {options.node}: the SRAM model has {', '.join(map(str, sorted(sram.NODES)))} nm", 2)
    tools.scale(own, options.node)
    return options.node


def budget_of(options):
    for name in ("io", "uncertainty"):
        if not 0 <= getattr(options, name) < 0.5:
            raise Failed(f"--{name} {getattr(options, name)}: a share of the clock, from 0 to less than 0.5", 2)
    budget = timing.Budget(options.io, options.uncertainty)
    if budget.left("from_ports", "to_ports") <= 0:
        raise Failed(f"--io {options.io}, --uncertainty {options.uncertainty}: nothing of the clock is left for a path from an input to an output", 2)
    return budget


def technology_of(options):
    if not options.liberty:
        if options.liberty_node or options.dont_use or options.corner:
            raise Failed("--liberty-node, --dont-use and --corner are about the library of --liberty; name it", 2)
        tools.need_technology(tools.TECHNOLOGIES[options.library])
        return tools.TECHNOLOGIES[options.library]
    if options.liberty_node is None:
        raise Failed(f"--liberty {options.liberty[0]}: of which node? Say so with --liberty-node NM", 2)
    make_folder(options.out)
    return tools.of_liberty(options.liberty, options.liberty_node, options.dont_use, options.corner, options.out / "work" / "liberty")


def main(arguments):
    options = parse(arguments)
    if options.jobs < 1:
        raise Failed(f"--jobs {options.jobs}: at least 1", 2)
    options.out = options.out.resolve()
    all_units = units.discover()
    for home in options.home:
        found = units.discover(home.resolve())
        if not found:
            raise Failed(f"--home {home}: no unit there; a unit is rtl/<unit>/cw_<unit>.v with a contract include/cowarp/unit/<unit>.h", 2)
        all_units.update(found)
    chosen = [dataclasses.replace(unit, ecc=options.ecc) for unit in ([units.find(all_units, name) for name in options.unit] or all_units.values())]
    options.technology, options.budget = technology_of(options), budget_of(options)
    options.node = node_of(options)
    if options.route:
        route.check(options.technology)
    options.no_gates |= options.ecc  # in Icarus check bits of rows that nobody has written are unknown, and make known bits unknown
    if (options.set or options.sweep not in (None, "speed")) and len(chosen) != 1:
        raise Failed("--set and --sweep NAME=... are about one unit; name it", 2)
    if (options.page or options.renew_reference) and (options.set and options.page or not of_reference(options)):
        raise Failed("--page and --renew-reference are about osu018 with the usual --io and --uncertainty at 32 nm without --ecc, and --page about units at their defaults", 2)
    if not options.datasheet and not options.system:
        make_folder(options.out)
    if options.datasheet:
        reference = report.load_reference(options.reference)
        print("\n\n".join(report.datasheet_table(*datasheet.entry_of(unit.stem, reference)) for unit in chosen))
    elif options.system:
        command = options.cowarp or activity.default_command(units.ROOT)
        if command is None:
            raise Failed("build/cowarp is missing, which knows the presets; build it, or name it by --cowarp", 2)
        print(chip.text(options.system, report.load_reference(options.reference), command, options.node, report.table))
    elif options.history:
        history.draw(options.reference, [unit.stem for unit in chosen], options.out)
    elif options.sweep == "speed":
        speed_sweep(options, chosen)
    elif options.sweep:
        options.fpga, options.no_gates = False, True
        sweep(options, chosen[0])
    else:
        synthesize(options, chosen)


def run_main(arguments):
    """Exit status."""
    tools.children.catch_signals()
    try:
        main(arguments)
        sys.stdout.flush()
        return 0
    except Failed as failed:
        print(f"cowarp synth: {' '.join(str(failed).split())}", file=sys.stderr)
        return failed.status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as failure:
        print(f"cowarp synth: {failure.filename or 'standard output'}: {failure.strerror}", file=sys.stderr)
        return 1
    except tools.children.Stopped as stopped:
        print("cowarp synth: interrupted; tables are written at the end, so there are none", file=sys.stderr)
        return stopped.status
    finally:
        tools.children.end()


if __name__ == "__main__":
    sys.exit(run_main(sys.argv[1:]))
