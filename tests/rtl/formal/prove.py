#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves a unit's properties (`ifdef FORMAL in its Verilog) for reduced parameters.

    prove.py ROOT UNIT [--proofs | --covers] [WORD ...]

reads tests/rtl/formal/UNIT.conf, one job a line, # starts a comment line. With WORDs it runs only the jobs that have each of them
("refute", "P3"), and says nothing of what no job reaches. With --proofs it leaves out covers and broken copies, and what no job reaches
as well; with --covers it does these alone. CTest has a test of each kind (formal.UNIT, formal.UNIT.covers).

    induction DEPTH [ENGINE] [SIZE] [P<N> ...]   proof: base case of DEPTH cycles and induction step
    pdr [scorr] [SIZE] [P<N> ...]                proof by ABC's property-directed reachability, of any depth
    bmc DEPTH [ENGINE] [SIZE] [P<N> ...]         no counterexample within DEPTH cycles after power-up
    cover DEPTH [ENGINE] [SIZE] [P<N> ...]       which cover statements are reached within DEPTH cycles
    refute DEPTH [ENGINE] [SIZE] P<N> MODULE: s/OLD/NEW/
                                                 in a broken copy (OLD once in MODULE.v, \\n ends a line) some asserts of property N have a counterexample

    set NAME PARAMETER=VALUE ...                 a SIZE below it may be NAME; else it is PARAMETER=VALUE ... itself
    shallow bmc ...                              a bmc that is not as deep as the rules want, and so does not count alone
    run NAME MODULE: EXPRESSION                  makes the jobs below it that have the word @NAME look only at behaviours in which
                                                 EXPRESSION is 1 in MODULE in each cycle. It may use cw_f_cycle, the cycles since power-up.

What a cover or refute finds in a run is there without it too, and soon found. A bmc along a run is shown for that run only: its property needs a
proof without one as well, a cover that is reached in a cover job of the run, and the run must last to DEPTH. Other kinds have no run.

What is proved is proved for the parameters of its line. P<N> leaves only the asserts or covers of these properties in the unit; without it
a proof has all of the unit and of the units inside it. ENGINE is cvc4 (default) or z3, through yosys-smtbmc, or abc: Yosys' ABC on an
And-Inverter graph of the unit with its memories in flip-flops, often much faster. For a pdr, scorr merges signals that are always equal first.

The unit is refused when it breaks one of the rules of docs/proofs.md: properties.py has those that a look at the text decides. The others are
that a proof reaches its covers within its own depth, with its own parameters and inputs, that some broken copy violates each assert, and that
some cover job reaches each state of the unit's state machines, after the reset. grace.txt names units that may still break one of three rules,
"depth", "asserts" (a broken copy for each assert) or "runs" (asserts run in simulation); who does not break it any more must leave the list. Exit status 0: all as expected.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import properties  # noqa: E402

# A cover as an assert of the contrary, for engines that know asserts only.
COVER_AS_ASSERT = """(* techmap_celltype = "$cover" *)
module cw_cover_as_assert (input A, input EN);
    \\$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
"""


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def processor_seconds():
    """Of this process and of those that it has waited for; a busy machine does not change them."""
    return sum(os.times()[:4])


def used_sources(sources, top):
    """The files of top and of every module it names, transitively."""
    by_name = {os.path.basename(p)[:-2]: p for p in sources}
    seen, todo = [], [top]
    while todo:
        name = todo.pop()
        if name in seen or name not in by_name:
            continue
        seen.append(name)
        with open(by_name[name], encoding="utf-8") as f:
            todo += re.findall(r"\bcw_\w+", f.read())
    return [by_name[n] for n in seen]


def label(register, state):
    return state if register == "state_q" else f"{state} of {register}"


def cover_states(text, states):
    """text with a cover of each state, after the reset, one a line before its endmodule; and the lines."""
    head, tail = text[:text.rindex("endmodule")], text[text.rindex("endmodule"):]
    head += ("reg cw_f_run_q = 1'b0;\nalways @(posedge clk_i) if (rst_i) cw_f_run_q <= 1'b1;\n")
    lines = {}
    for register, state in states:
        lines[head.count("\n") + 1] = label(register, state)
        head += f"always @* cover (cw_f_run_q && {register} == {state});\n"
    return head + tail, lines


def restrict(text, expression, statement=""):
    """text with an assumption that holds in each cycle, before its endmodule; and with a statement more."""
    head, end = text[:text.rindex("endmodule")], text[text.rindex("endmodule"):]
    return (head + "reg [15:0] cw_f_cycle = 16'd0;\nalways @(posedge clk_i) cw_f_cycle <= cw_f_cycle + 16'd1;\n"
            f"always @* assume ({expression});\n" + (f"always @* {statement}\n" if statement else "") + end)


class Sources:
    """Paths of all Verilog, some of it as changed copies in directory."""

    def __init__(self, root, directory):
        self.directory = directory
        self.paths = {os.path.basename(p)[:-2]: p for p in sorted(glob.glob(os.path.join(root, "rtl", "*", "*.v")))}
        self.state_lines = {}  # (file, line): state

    def read(self, module):
        with open(self.paths[module], encoding="utf-8") as f:
            return f.read()

    def replace(self, module, text):
        self.paths[module] = os.path.join(self.directory, module + ".v")
        with open(self.paths[module], "w", encoding="utf-8") as f:
            f.write(text)

    def mutate(self, module, old, new):
        text = self.read(module)
        if text.count(old) != 1:
            sys.exit(f"error: '{old}' is not exactly once in {self.paths[module]}")
        self.replace(module, text.replace(old, new))

    def cover_states(self, unit):
        for name in sorted({name for name, _, _ in unit.states}):
            text, lines = cover_states(self.read(name[:-2]), [(r, s) for n, r, s in unit.states if n == name])
            self.replace(name[:-2], text)
            self.state_lines.update({(name, line): state for line, state in lines.items()})



def mutated_sources(root, directory, mutation):
    """Paths of all Verilog; with (module, old, new), that module is a changed copy in directory."""
    sources = Sources(root, directory)
    if mutation:
        sources.mutate(*mutation)
    return list(sources.paths.values())


def elaborate(sources, top, params, kind, outputs):
    """Writes the unit to the paths of outputs, SMT-LIB for *.smt2 and AIGER for *.aig: {path: statements (file, last line) that it
    keeps of its covers or asserts, None for all}."""
    settings = " ".join(f"-chparam {n} {v}" for n, v in params)
    wanted = None if None in outputs.values() else set().union(*outputs.values())
    # Modules are made with these parameters at once (-defer): a large table of the default ones would take longer than the rest.
    script = (f"read_verilog -defer -formal -sv -DFORMAL -DCW_PROPERTIES=* {' '.join(used_sources(sources.paths.values(), top))}; "
              f"hierarchy -check -top {top} {settings}; proc; flatten; delete t:{'$assert' if kind == 'cover' else '$cover'}; {keep(wanted)}")
    # What no statement depends on is left out early, and what the outputs have in common is done once.
    if all(path.endswith(".aig") for path in outputs):
        script += (f"delete -output; opt_clean; opt -keepdc; memory -nordff -nomap; techmap -map {write_techmap(sources)}; memory_map; "
                   "async2sync; dffunmap; opt_clean; techmap; setundef -undriven -anyseq; opt_expr -keepdc; opt_merge; aigmap; opt_clean; "
                   "design -save whole; ")
        script += "".join(f"design -load whole; {keep(statements)} write_aiger -zinit {path}; " for path, statements in outputs.items())
    else:
        script += "opt -keepdc; memory -nordff -nomap; design -save whole; "
        script += "".join(f"design -load whole; {keep(statements)} async2sync; dffunmap; opt_clean; setundef -undriven -anyseq; "
                          f"write_smt2 -wires {path}; " for path, statements in outputs.items())
    result = run(["yosys", "-q", "-p", script])
    # A name that does not exist is an undriven wire to Yosys, and a property over it says nothing.
    if result.returncode != 0 or "implicitly declared" in result.stdout:
        sys.exit(f"error: yosys: {result.stdout.strip()}")


def keep(statements):
    if statements is None:
        return ""
    wanted = " ".join(f"a:src=*{name}:*-{line}.*" for name, line in sorted(statements))
    return f"select -set kept {wanted}; delete t:$assert t:$cover %u @kept %d; "


def write_techmap(sources):
    path = os.path.join(sources.directory, "cover_as_assert.v")
    with open(path, "w", encoding="utf-8") as f:
        f.write(COVER_AS_ASSERT)
    return path


def statements_of(unit, job, word):
    """The statements that P<N> of the job leave; None: all."""
    if not job.numbers:
        return None
    return {s for p in unit.properties if p.number in job.numbers for s in getattr(p, word)}


def tail(text, lines):
    print("\n".join(text.splitlines()[-lines:]))


def blame(unit, output):
    """Says of a failed assert which property it belongs to."""
    for name, line in sorted(set(re.findall(r"Assert failed in .*?(\w+\.v):[\d.]+-(\d+)\.", output))):
        for p in unit.properties:
            if (name, int(line)) in p.asserts:
                print(f"violated: property {p.number}, {p.sentence} ({name}:{line})")


def abc(kind, engine, depth, aig):
    """Whether ABC finds what kind says. The assumptions are folded into the one output, which is 1 when a property fails."""
    ready = f"read {aig}; fold; orpos"
    frames = depth + (kind != "induction")  # of cycles 0 to DEPTH, or the step's DEPTH cycles after any state
    if kind == "pdr":
        answer = run(["yosys-abc", "-c", f"{ready}; {'scorr -F 2; ' if engine == 'scorr' else ''}pdr"]).stdout
        passed = "Property proved" in answer
    else:
        answer = run(["yosys-abc", "-c", f"{ready}; bmc3 -F {frames}"]).stdout
        passed = f"No output asserted in {frames} frames" in answer
    if kind == "induction" and passed:
        answer = run(["yosys-abc", "-c", f"{ready}; ind -F {frames + 1}"]).stdout
        passed = "Networks are equivalent" in answer
    if not passed:
        tail(answer, 4)
    return passed


def smtbmc(unit, job, smt2):
    command = ["yosys-smtbmc", "--noprogress", "-s", job.engine, "-t", str(job.depth)]
    answer = run(command + [smt2])
    passed = answer.returncode == 0
    if job.kind == "induction" and passed:
        answer = run(command + ["-i", smt2])
        passed = answer.returncode == 0
    if not passed:
        tail(answer.stdout, 12)
        blame(unit, answer.stdout)
    return passed


def reached_by_smtbmc(job, sources, top, wanted):
    smt2 = os.path.join(sources.directory, top + ".smt2")
    elaborate(sources, top, job.params, "cover", {smt2: wanted})
    answer = run(["yosys-smtbmc", "--noprogress", "-s", job.engine, "-t", str(job.depth), "-c", smt2]).stdout
    found = {}
    for name, line, step in re.findall(r"Reached cover statement at \S*?(\w+\.v):[\d.]+-(\d+)\.\S* .*in step (\d+)", answer):
        found.setdefault((name, int(line)), int(step))
    if not found:
        tail(answer, 4)
    return found


def frames_by_abc(job, sources, top, wanted, kind="cover"):
    """{statement: the first cycle, up to the job's depth, in which a cover of wanted is reached, or an assert violated}"""
    aigs = {os.path.join(sources.directory, f"{name}.{line}.aig"): (name, line) for name, line in sorted(wanted)}
    elaborate(sources, top, job.params, kind, {path: {statement} for path, statement in aigs.items()})
    found = {}
    for path, statement in aigs.items():
        answer = run(["yosys-abc", "-c", f"read {path}; fold; orpos; bmc3 -F {job.depth + 1}"]).stdout
        frame = re.search(r"asserted in frame (\d+)", answer)
        if frame:
            found[statement] = int(frame.group(1))
    return found


def violated_by_smtbmc(unit, job, sources, top, wanted):
    """The same of asserts; of those that fail in the first such cycle."""
    smt2 = os.path.join(sources.directory, top + ".smt2")
    elaborate(sources, top, job.params, "refute", {smt2: wanted})
    answer = run(["yosys-smtbmc", "--noprogress", "-s", job.engine, "-t", str(job.depth), smt2]).stdout
    return {(name, int(line)): job.depth for name, line in re.findall(r"Assert failed in .*?(\w+\.v):[\d.]+-(\d+)\.", answer)}


class Prover:
    def __init__(self, root, name):
        self.root, self.name = root, name
        self.unit = properties.Unit(root, name)
        self.jobs = properties.jobs(os.path.join(root, "tests/rtl/formal", name + ".conf"))
        self.faults = properties.faults(root, self.unit, self.jobs)
        # The faults that grace.txt may allow a unit, of each rule.
        self.grace = {"depth": [] if self.faults else properties.depth_faults(self.unit, self.jobs), "asserts": [], "runs": self.unit.silent}
        self.graced = properties.graced(root, name)
        self.reached = {}  # {(parameters, run): {cover (file, last line) or state (file, state): cycle}}
        self.early = set()  # faults of covers
        self.violated = set()  # asserts, (file, last line), that some broken copy violates

    def cover(self, job, sources):
        """Whether the job reaches a cover: of those that it names, or else of all that no job before it has reached with its parameters and
        inputs. What no job reaches is a fault of the unit."""
        known = self.reached.setdefault(job.sight, {})
        wanted = statements_of(self.unit, job, "covers")
        if wanted is None:
            wanted = {s for p in self.unit.properties for s in p.covers}
            sources.cover_states(self.unit)
            wanted = {s for s in wanted | set(sources.state_lines) if (s[0], sources.state_lines.get(s, s[1])) not in known}
        by = frames_by_abc if job.engine == "abc" else reached_by_smtbmc
        found = by(job, sources, "cw_" + self.name, wanted) if wanted else {}
        for (name, line), step in sorted(found.items()):
            state = sources.state_lines.get((name, line))
            known.setdefault((name, state or line), step)
            if step == 0:
                self.early.add(f"{name}:{line}: the cover is reached in cycle 0, before the reset")
        return bool(found)

    def refute(self, job, sources):
        """Whether the broken copy violates an assert of the job's property."""
        wanted = statements_of(self.unit, job, "asserts")
        if job.engine == "abc":
            # Those that a job before it has violated need not be tried again, if another one fails.
            found = {}
            for some in (wanted - self.violated, wanted & self.violated):
                if some and not found:
                    found = frames_by_abc(job, sources, "cw_" + self.name, some, "refute")
        else:
            found = violated_by_smtbmc(self.unit, job, sources, "cw_" + self.name, wanted)
        self.violated.update(found)
        return bool(found)

    def lasts(self, job, directory):
        """Whether some behaviour keeps the job's run up to the last cycle. If not, the job would hold of nothing."""
        sources = Sources(self.root, directory)
        module, expression = job.given
        text = restrict(sources.read(module), expression, f"cover (cw_f_cycle == {job.depth});")
        line = text[:text.index("cover (cw_f_cycle")].count("\n") + 1
        sources.replace(module, text)
        by = frames_by_abc if job.engine == "abc" else reached_by_smtbmc
        return bool(by(job, sources, "cw_" + self.name, {(module + ".v", line)}))

    def run(self, job):
        start = processor_seconds()
        with tempfile.TemporaryDirectory() as directory:
            sources = Sources(self.root, directory)
            if job.mutation:
                sources.mutate(*job.mutation)
            if job.given:
                module, expression = job.given
                sources.replace(module, restrict(sources.read(module), expression))
            if job.kind in ("cover", "refute"):
                passed = self.cover(job, sources) if job.kind == "cover" else self.refute(job, sources)
            else:
                by_abc = job.engine in ("abc", "scorr")
                model = os.path.join(directory, self.name + (".aig" if by_abc else ".smt2"))
                elaborate(sources, "cw_" + self.name, job.params, job.kind, {model: statements_of(self.unit, job, "asserts")})
                passed = abc(job.kind, job.engine, job.depth, model) if by_abc else smtbmc(self.unit, job, model)
                if job.given and job.kind == "bmc" and not self.lasts(job, directory):
                    print(f"the run {job.run} ends before cycle {job.depth}")
                    passed = False
        print(f"{'ok  ' if passed else 'FAIL'} {job.line} ({processor_seconds() - start:.1f} s)", flush=True)
        return passed

    def note_unreached(self):
        reached = set().union(*self.reached.values())
        for p in self.unit.properties:
            self.faults += [f"{name}:{line}: a cover of property {p.number} is reached by no cover job"
                            for name, line in p.covers if (name, line) not in reached]
        self.faults += [f"{name}: state {state} is reached by no cover job: a proof whose assumptions or parameters exclude a state"
                        for name, register, state in self.unit.states if (name, label(register, state)) not in reached]

    def sees(self, job, cover):
        """Whether the situation comes in what the proof looks at."""
        step = self.reached.get(job.sight, {}).get(cover)
        return step is not None and (job.kind != "bmc" or step <= job.depth)

    def note_shallow(self):
        """A proof is worth what it sees: its covers, in its depth, with its parameters and inputs."""
        reached = set().union(*self.reached.values())
        for p in self.unit.properties:
            proofs = [j for j in self.jobs if j.proves(p.number)]
            covers = [c for c in p.covers if c in reached]
            for job in (j for j in proofs if j.kind == "bmc" and not j.shallow):
                missed = [c for c in covers if not self.sees(job, c)]
                if job.given and len(missed) == len(covers):
                    self.grace["depth"].append(f"job '{job.line}': no cover job of its run reaches a cover of property {p.number} within its depth")
                if not job.given:
                    self.grace["depth"] += [f"job '{job.line}': no cover job with its parameters reaches the cover of property {p.number} at {name}:{line} "
                                   "within its depth" for name, line in missed]
            if any(j.kind != "bmc" for j in proofs):
                self.grace["depth"] += [f"{name}:{line}: no cover job with the parameters of a proof of property {p.number} reaches this cover"
                               for name, line in covers if not any(self.sees(j, (name, line)) for j in proofs)]
            self.grace["asserts"] += [f"{name}:{line}: no broken copy violates this assert of property {p.number}"
                                      for name, line in p.asserts if (name, line) not in self.violated]

    def refused(self, all_done):
        """Tells the faults, after all jobs; whether there are any."""
        self.faults += sorted(self.early)
        for rule, faults in self.grace.items():
            if rule not in self.graced:
                self.faults += faults
            elif all_done and not faults:
                self.faults.append(f"it needs no grace of '{rule}' in grace.txt any more")
        for fault in self.faults:
            print(f"refused: {self.name}: {fault}")
        return bool(self.faults)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: prove.py ROOT UNIT [--proofs | --covers] [WORD ...]")
    prover = Prover(*sys.argv[1:3])
    words = [w for w in sys.argv[3:] if w not in ("--proofs", "--covers")]
    proofs, covers = ("--proofs" in sys.argv[3:], "--covers" in sys.argv[3:])
    if not words and (prover.faults or (prover.grace["depth"] and "depth" not in prover.graced)):
        prover.refused(False)
        sys.exit(1)
    chosen = [j for j in prover.jobs if all(w in j.line.split() for w in words) and
              not (proofs if j.kind in ("cover", "refute") else covers)]
    results = [prover.run(j) for j in chosen if j.kind in properties.KINDS]
    print(f"{sum(results)} of {len(chosen)} jobs as expected")
    if not words and not proofs:
        prover.note_unreached()
        prover.note_shallow()
    refused = not words and prover.refused(not proofs)
    sys.exit(0 if chosen and all(results) and not refused else 1)


if __name__ == "__main__":
    main()
