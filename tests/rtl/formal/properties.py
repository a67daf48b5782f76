# SPDX-License-Identifier: Apache-2.0
"""What a unit's Verilog and its .conf say of its properties, and which of the rules of docs/proofs.md they break.

A property is a comment `// N. sentence.` with the asserts and covers that follow it, up to the next such comment or the end of the block.
A statement is known by its file and its last line, as Yosys names it.
"""
import glob
import os
import re

GUARDS = ("FORMAL", "CW_PROPERTIES")
PROVING = ("induction", "bmc", "pdr")
KINDS = PROVING + ("cover", "refute")


class Property:
    def __init__(self, number, sentence, place):
        self.number, self.sentence, self.place = number, sentence, place
        self.asserts, self.covers = [], []  # (file, last line)


class Unit:
    """Everything that the Verilog of rtl/UNIT says of properties. faults: (kind, text) of each rule that it breaks."""

    def __init__(self, root, unit):
        self.name = unit
        self.properties = []
        self.states = []  # (file, register, state)
        self.contracts = []  # sentences of the assumptions
        self.faults = []
        self.sentences = contract_sentences(os.path.join(root, "include/cowarp/unit", unit + ".h"))  # of the contract
        self.silent = []  # faults of asserts that the prover alone looks at
        for path in sorted(glob.glob(os.path.join(root, "rtl", unit, "*.v"))):
            with open(path, encoding="utf-8") as f:
                self.read_file(os.path.basename(path), f.read())
        numbers = [p.number for p in self.properties]
        self.faults += [f"{p.place}: property {p.number} is there twice" for p in self.properties if numbers.count(p.number) > 1]
        self.properties.sort(key=lambda p: p.number)

    def read_file(self, name, text):
        lines, current = text.splitlines(), None
        inside, in_runs = guarded(lines), guarded(lines, GUARDS[1:])
        for n, line in enumerate(lines):
            if not inside[n]:
                current = None
                continue
            start = re.match(r"\s*// ?(\d+)\. (.*)", line)
            if start:
                current = Property(int(start.group(1)), sentence(lines, n, start.group(2)), f"{name}:{n + 1}")
                self.properties.append(current)
            for word in re.findall(r"\b(assert|cover|assume)\s*\(", line.split("//")[0]):
                self.note(word, current, name, lines, n, in_runs[n])
                if word == "assert" and not in_runs[n]:
                    self.silent.append(f"{name}:{n + 1}: this assert is under FORMAL alone, so no run of the Verilog looks at it")
        self.read_states(name, text)

    def note(self, word, current, name, lines, n, in_runs):
        place = f"{name}:{n + 1}"
        if word == "assume":
            why = assumption_reason(lines, n)
            if why is None:
                self.faults.append(f"{place}: an assume without '// contract: ...' or '// power-up'")
            elif why != "power-up":
                wrong = self.sentence_fault(why)
                self.faults += [f"{place}: {wrong}"] if wrong else []
                if not in_runs:
                    self.silent.append(f"{place}: this assume is under FORMAL alone, so no run sees whether the surroundings keep it")
                self.contracts += [why] if why not in self.contracts else []
        elif current is None:
            self.faults.append(f"{place}: this {word} stands under no numbered sentence")
        else:
            (current.asserts if word == "assert" else current.covers).append((name, last_line(lines, n, word)))

    def read_states(self, name, text):
        self.states += [(name, register, state) for register, names in machines(text) for state in names]

    def sentence_fault(self, why):
        """What is wrong with the reason of an assumption, which quotes a sentence of the contract from its beginning; None: nothing."""
        found = re.match(r"\[(\d+)\] (.+)", why)
        if not found:
            return "it names no sentence of the contract: '// contract: [N] what the sentence says'"
        says = plain(self.sentences.get(int(found[1]), ""))
        return None if says.startswith(plain(found[2])) else f"sentence [{found[1]}] of the contract does not begin with that"


def plain(text):
    return re.sub(r"[^a-z0-9_ ]", "", " ".join(text.lower().split()))


def contract_sentences(path):
    """{N: text} of the sentences [N] of the first comment of a contract, up to the next one."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        comment = re.sub(r"\n \* ?", " ", f.read().split("#ifndef")[0])
    return {int(n): text for n, text in re.findall(r"\[(\d+)\] (.*?)(?=\[\d+\] |\*/|$)", comment, re.S)}


NUMBER = r"(?:\d+'[bdh][0-9a-fA-F_]+|\d+)"


def machines(text):
    """[(register, names)]: the state machines of a module, whatever their names are. A register `x_q` of several bits is one if the module gives it
    at least two of the names that one localparam of several bits numbers, and asks for one of these; or if it is called state_q."""
    code = "\n".join("" if inside else line.split("//")[0] for line, inside in zip(text.splitlines(), guarded(text.splitlines())))
    declared = re.findall(r"\blocalparam\s*\[[^\]]*\]([^;]*);", code)
    groups = [names for names in (re.findall(rf"\b([A-Z]\w*)\s*=\s*{NUMBER}\s*(?=,|$)", text.strip()) for text in declared) if len(names) > 1]
    found = {}
    for register in re.findall(r"\breg\s*\[[^\]]*\]\s*(\w+_q)\s*;", code):
        given = set(re.findall(r"\w+", " ".join(re.findall(rf"\b{register[:-2]}_[qd]\s*<?=(?!=)([^;]*);", code))))
        asked = set(re.findall(rf"\b{register}\s*[!=]=\s*(\w+)", code))
        for body in re.findall(rf"\bcase\s*\(\s*{register}\s*\)(.*?)\bendcase", code, re.S):
            asked |= set(re.findall(r"\b([A-Z]\w*)\s*:", body))
        fit = [names for names in groups if len(given & set(names)) > 1 and (asked & set(names) or register == "state_q")]
        if fit:
            found[register] = max(fit, key=lambda names: (len(asked & set(names)), len(given & set(names))))
    return list(found.items())


def guarded(lines, guards=GUARDS):
    """Per line whether it is inside of `ifdef FORMAL or `ifdef CW_PROPERTIES, or of those of guards."""
    stack, found = [], []
    for line in lines:
        word = line.strip().split()
        if word and word[0] in ("`ifdef", "`ifndef"):
            stack.append(word[0] == "`ifdef" and word[1] in guards)
        elif word and word[0] == "`else":
            stack[-1] = False
        elif word and word[0] == "`endif":
            stack.pop()
        found.append(any(stack))
    return found


def sentence(lines, n, text):
    while n + 1 < len(lines) and re.match(r"\s*// ?(?!\d+\. )", lines[n + 1]):
        n += 1
        text += " " + re.sub(r"^\s*// ?", "", lines[n])
    return " ".join(text.split())


def last_line(lines, n, word):
    """Number of the line that ends the statement which begins in line index n."""
    depth, text = 0, lines[n][lines[n].index(word):]
    while True:
        for c in text.split("//")[0]:
            depth += (c == "(") - (c == ")")
            if c == ")" and depth == 0:
                return n + 1
        n += 1
        text = lines[n]


REASON = re.compile(r"\s*// ?(?:contract: *(.+)|(power-up))")


def assumption_reason(lines, n):
    """What the comment says that stands on the line of an assume, or above it and the conditions and assumes around it. None: nothing."""
    own = REASON.match("//" + lines[n].partition("//")[2])
    if own:
        return own.group(1) or own.group(2)
    while n > 0 and re.match(r"\s*(if\b|else\b|begin\b|assume\b|end\b|for\b|&&|\|\|)", lines[n]):
        n -= 1
    while n > 0 and lines[n - 1].strip().startswith("//") and not REASON.match(lines[n]):
        n -= 1
    found = REASON.match(lines[n])
    return found and (sentence(lines, n, found.group(1)) if found.group(1) else found.group(2))


class Job:
    """One line of a .conf: [shallow] KIND DEPTH [ENGINE] [SET] [PARAMETER=VALUE ...] [P<N> ...] [@RUN] [MODULE: s/OLD/NEW/]; a pdr has no depth.

    shallow: a bmc that need not come as deep as the rules want, and does not count alone. set: the name of its parameters, or None. given: what the run RUN restricts the job to: (module, expression). sight: the parameters and the
    run, thus the behaviours that the job may look at."""

    def __init__(self, line, not_shown="", runs=None, sets=None):
        self.line, self.not_shown = line, not_shown
        self.mutation = None
        found = re.match(r"(.*?)\s([\w/.]+): s/(.*)/(.*)/$", line)
        if found:
            line, self.mutation = found.group(1), tuple(text.replace("\\n", "\n") for text in found.groups()[1:])
        words = line.split()
        self.shallow = words[0] == "shallow"
        words = words[1:] if self.shallow else words
        self.kind = words.pop(0)
        self.depth = int(words.pop(0)) if words and words[0].isdigit() else 0
        named = [w for w in words if re.fullmatch(r"P\d+", w)]
        self.numbers = [int(w[1:]) for w in named]
        self.run = next((w[1:] for w in words if w.startswith("@")), None)
        self.given = (runs or {}).get(self.run)
        sets = sets or {}
        self.set = next((w for w in words if w in sets), None)
        words = [w for w in words if w not in named and w != self.set and not w.startswith("@")]
        self.engine = words.pop(0) if words and "=" not in words[0] else "abc" if self.kind == "pdr" else "cvc4"
        self.params = [tuple(w.split("=")) for w in sets.get(self.set, []) + words]
        self.sight = (tuple(sorted(self.params)), self.run)

    def proves(self, number):
        return self.kind in PROVING and (not self.numbers or number in self.numbers)

    def bites_in(self, proof):
        """Whether a broken copy that this job refutes would be refused by the proof, too: it sees as much."""
        return proof.proves(self.numbers[0]) and proof.sight == self.sight and not proof.shallow and (proof.kind != "bmc" or proof.depth >= self.depth)


def jobs(path):
    """The jobs of a .conf. A comment `# not shown: ...` holds for the jobs below it, up to the next one. A run and a set of parameters are known
    below their lines."""
    found, not_shown, growing, runs, sets = [], "", False, {}, {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            comment = re.match(r"# not shown: *(.*)", line)
            if comment:
                not_shown = comment.group(1).strip()
            elif growing and re.match(r"# +\S", line):
                not_shown += " " + line[1:].strip()
            growing = bool(comment) or (growing and line.startswith("#"))
            run = re.match(r"run (\w+) (\w+): (.*)", line)
            named = re.match(r"set (\w+) (.*=.*)", line)
            if run:
                runs[run.group(1)] = (run.group(2), run.group(3).strip())
            elif named:
                sets[named.group(1)] = named.group(2).split()
            elif line.strip() and not line.startswith("#"):
                found.append(Job(line.strip(), not_shown, runs, sets))
    return found


def formal_part(root, module, old):
    """Whether the text old of MODULE.v stands in its properties."""
    path = next(iter(glob.glob(os.path.join(root, "rtl", "*", module + ".v"))), None)
    if path is None:
        return False
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return text.count(old) == 1 and guarded(text.splitlines())[text[:text.index(old)].count("\n")]


def job_faults(root, unit, job):
    where = f"job '{job.line}'"
    if job.kind not in KINDS:
        return [f"{where}: unknown kind"]
    found = [f"{where}: there is no property {n}" for n in job.numbers if n not in [p.number for p in unit.properties]]
    found += [f"{where}: there is no line 'set {p[0]} ...' above it" for p in job.params if len(p) != 2]
    if job.kind in PROVING and not job.not_shown:
        found.append(f"{where}: no '# not shown: ...' above it")
    if job.run and job.given is None:
        found.append(f"{where}: there is no line 'run {job.run}: ...' above it")
    if job.shallow and job.kind != "bmc":
        found.append(f"{where}: only a bmc may be shallow")
    if job.run and job.kind in ("induction", "pdr"):
        found.append(f"{where}: a proof for all time may not be restricted to a run")
    if job.run and job.kind == "bmc" and not job.numbers:
        found.append(f"{where}: a proof along a run must name its properties")
    if job.kind == "refute" and len(job.numbers) != 1:
        found.append(f"{where}: it must name the one property that its counterexample violates, P<N>")
    if job.kind == "refute" and (not job.mutation or formal_part(root, job.mutation[0], job.mutation[1])):
        found.append(f"{where}: it must change the logic, not a property")
    return found


def faults(root, unit, all_jobs):
    """Each rule that the unit's Verilog and .conf break, one line each; whether the covers are reached, the jobs tell."""
    found = list(unit.faults)
    if not unit.properties:
        found.append("there is no property: no comment '// N. sentence.' in its Verilog")
    for job in all_jobs:
        found += job_faults(root, unit, job)
    for p in unit.properties:
        proofs = [j for j in all_jobs if j.proves(p.number)]
        proving = any(not j.run for j in proofs) and any(not j.shallow for j in proofs)
        refuting = [j for j in all_jobs if j.kind == "refute" and j.numbers == [p.number]]
        found += [f"{p.place}: property {p.number} has no {what}" for have, what in (
            (p.asserts, "assert"), (p.covers, "cover"), (proving, "induction, pdr or bmc job"), (refuting, "refuted mutant")) if not have]
    return found


def depth_faults(unit, all_jobs):
    """Each proof must notice the broken copies of its properties by itself: with its parameters, its inputs, and within its depth."""
    refuting = [j for j in all_jobs if j.kind == "refute" and len(j.numbers) == 1 and j.mutation]
    found = [f"job '{j.line}': no proof of property {j.numbers[0]} has its parameters and its inputs, and is as deep"
             for j in refuting if not any(j.bites_in(proof) for proof in all_jobs)]
    for job in (j for j in all_jobs if j.kind == "bmc" and not j.shallow and (j.numbers or not j.run)):
        of = {p.number: [r for r in refuting if r.numbers == [p.number]] for p in unit.properties if job.proves(p.number)}
        found += [f"job '{job.line}': no broken copy of property {n} is refuted with its parameters and its inputs within its depth"
                  for n, copies in of.items() if copies and not any(r.bites_in(job) for r in copies)]
    return found


def graced(root, unit):
    """The rules that the unit need not keep yet: "depth", "asserts", "runs"."""
    path = os.path.join(root, "tests/rtl/formal/grace.txt")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        lines = [line.split() for line in f if line.strip() and not line.startswith("#")]
    return [rule for name, *rules in lines if name == unit for rule in rules]
