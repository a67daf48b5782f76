#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Litmus tests of persistency as Python sees them: text, the durable states that Box 2 of Pandey et al. (ASPLOS 2023) allows, whether two are
alike, and random ones. It shares nothing with harness/litmus, so that each can judge the other."""
import itertools
import random
import re

WRITE, OFENCE, DFENCE, RELEASE, WAIT, READ = "write", "ofence", "dfence", "release", "wait", "read"
FENCE, LOAD = "fence", "load"


class Op:
    def __init__(self, kind, place=None, value=None, scope=None, result=None, how=None):
        self.kind, self.place, self.value, self.scope, self.result, self.how = kind, place, value, scope, result, how

    def text(self):
        if self.kind == WRITE:
            return f"{self.how} {self.place} = {self.value}" if self.how else f"{self.place} = {self.value}"
        if self.kind in (OFENCE, DFENCE):
            return self.kind
        if self.kind == FENCE:
            return f"fence {self.scope}"
        if self.kind == LOAD:
            return f"load {self.place} -> {self.result}"
        if self.kind == READ:
            return f"read {self.scope} {self.place} -> {self.result}"
        return f"{self.kind} {self.scope} {self.place} = {self.value}"


class Thread:
    def __init__(self, name, block, warp):
        self.name, self.block, self.warp, self.ops = name, block, warp, []


class Program:
    def __init__(self):
        self.threads, self.shared, self.persistent, self.lines = [], [], [], []

    def text(self):
        out = [f"{word} {' '.join(names)}" for word, names in (("shared", self.shared), ("persistent", self.persistent)) if names]
        out += ["line " + " ".join(names) for names in self.lines]
        for t in self.threads:
            out += [f"thread {t.name} block {t.block} warp {t.warp}"] + ["    " + op.text() for op in t.ops]
        return "\n".join(out) + "\n"

    def is_persistent(self, place):
        written = any(op.kind == WRITE and op.place == place for t in self.threads for op in t.ops)
        return written or place in self.persistent or any(place in names for names in self.lines)


def parse(text):
    p = Program()
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words or words[0] in ("never", "may"):
            continue
        if words[0] in ("shared", "persistent"):
            getattr(p, words[0]).extend(words[1:])
        elif words[0] == "line":
            p.lines.append(words[1:])
        elif words[0] == "thread":
            p.threads.append(Thread(words[1], int(words[3]), int(words[5])))
        elif words[0] in (OFENCE, DFENCE):
            p.threads[-1].ops.append(Op(words[0]))
        elif words[0] in (RELEASE, WAIT):
            p.threads[-1].ops.append(Op(words[0], words[2], int(words[4]), words[1]))
        elif words[0] == FENCE:
            p.threads[-1].ops.append(Op(FENCE, None, None, words[1]))
        elif words[0] == LOAD:
            p.threads[-1].ops.append(Op(LOAD, words[1], None, None, words[3]))
        elif words[0] in ("volatile", "atomic"):
            p.threads[-1].ops.append(Op(WRITE, words[1], int(words[3]), how=words[0]))
        elif words[0] == READ:
            p.threads[-1].ops.append(Op(READ, words[2], None, words[1], words[4]))
        else:
            p.threads[-1].ops.append(Op(WRITE, words[0], int(words[2])))
    return p


# What is allowed

def events(p, values):
    """Operations as (thread, position, op, value read); the write of a release to a persistent place is one of its own behind it."""
    out = []
    for t in p.threads:
        for op in t.ops:
            out.append((t, len(out), op, values.get(op.result, op.value)))
            if op.kind == RELEASE and p.is_persistent(op.place):
                out.append((t, len(out), Op(WRITE, op.place, op.value, result="release"), None))
    return out


def sources(all_events, acquire):
    """What the acquire reads: a release, or a plain write, which orders nothing."""
    return [e for e in all_events if e[2].kind in (RELEASE, WRITE) and e[2].result != "release" and e[2].place == acquire[2].place and
            e[2].value == acquire[3]]


def is_fence(op):
    """Those of PTX of block scope may order persists, and need not."""
    return op.kind in (OFENCE, DFENCE) or (op.kind == FENCE and op.scope == "device")


def follows(p, all_events, e, box2):
    """Events directly after e: by Box 2, or (box2 False) in time."""
    t, at, op, _ = e
    for later in all_events:
        lt, lat, lop, _ = later
        if lt is t and lat > at:
            own = lop.result == "release" and lop.kind == WRITE and lat == at + 1
            fences = is_fence(op) or op.kind in (WAIT, READ) or ((is_fence(lop) or lop.kind == RELEASE) and op.kind != RELEASE)
            same = op.kind == WRITE and lop.kind == WRITE and op.place == lop.place
            if op.kind != LOAD if not box2 else (own if op.kind == RELEASE else fences or same):
                yield later
        if lop.kind in (WAIT, READ, LOAD) and e in sources(all_events, later):
            if not box2 or (lop.kind != LOAD and op.kind == RELEASE and (lt.block == t.block or op.scope == lop.scope == "device")):
                yield later


def reachable(p, all_events, box2):
    after = {e[1]: [f[1] for f in follows(p, all_events, e, box2)] for e in all_events}
    out = {}
    for start in after:
        seen, todo = set(), list(after[start])
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += after[at]
        out[start] = seen
    return out


def impossible(p, all_events):
    if any(at in seen for at, seen in reachable(p, all_events, False).items()):
        return True
    return any(e[2].kind in (READ, LOAD) and e[3] == 0 and any(f[0] is e[0] and f[1] < e[1] and f[2].kind in (RELEASE, WRITE) and f[2].place == e[2].place
                                                       for f in all_events) for e in all_events)


def durable_states(p, all_events):
    """Starts from nothing durable and lets one write after the other become durable, each when all before it are."""
    after = reachable(p, all_events, True)
    writes = [e for e in all_events if e[2].kind == WRITE]
    before = {w[1]: {v[1] for v in writes if w[1] in after[v[1]]} for w in writes}
    places = sorted({w[2].place for w in writes})
    seen, todo = set(), [frozenset()]
    while todo:
        done = todo.pop()
        if done in seen:
            continue
        seen.add(done)
        todo += [done | {w[1]} for w in writes if w[1] not in done and before[w[1]] <= done]
        last = []
        for place in places:
            here = [w for w in writes if w[1] in done and w[2].place == place]
            final = [w[2].value for w in here if not any(v[1] in after[w[1]] for v in here)]
            last.append([(place, value) for value in final or [0]])
        yield from itertools.product(*last)


def allowed(p):
    """Set of states, each a frozenset of (place or result, value)."""
    reads = [op for t in p.threads for op in t.ops if op.kind in (READ, LOAD)]
    choices = [[(op.result, 0)] + [(op.result, r.value) for t in p.threads for r in t.ops if r.kind in (RELEASE, WRITE) and r.place == op.place]
               for op in reads]
    out = set()
    for choice in itertools.product(*choices):
        all_events = events(p, dict(choice))
        if not impossible(p, all_events):
            out |= {frozenset(state + choice) for state in durable_states(p, all_events)}
    return out


# Whether two are alike

def shape(p, order):
    names, blocks, values = {}, {}, {}

    def name(place):
        return names.setdefault(place, len(names))

    out = []
    for i in order:
        t = p.threads[i]
        block, warps = blocks.setdefault(t.block, (len(blocks), {}))
        out.append((block, warps.setdefault(t.warp, len(warps))))
        for op in t.ops:
            if op.place is None:
                out.append((op.kind, op.scope or ""))
                continue
            value = values.setdefault((op.place, op.value), sum(k[0] == op.place for k in values))
            out.append((op.kind, name(op.place), value if op.kind not in (READ, LOAD) else -1, op.scope or "", op.how or ""))
    space = [(name(n), "shared" if n in p.shared else p.is_persistent(n)) for n in list(names)]
    lines = sorted(sorted(name(n) for n in line) for line in p.lines)
    return repr((out, space, lines))


def canonical(p):
    return min(shape(p, order) for order in itertools.permutations(range(len(p.threads))))


# Random ones

class Maker:
    """One operation after the other, each appended to a random thread. So the order of appending is a run of the program, and nobody waits for
    what never comes."""

    def __init__(self, rng):
        self.rng, self.p, self.count, self.result = rng, Program(), {}, 0
        self.data = ["X", "Y", "Z", "W"][:rng.randint(2, 4)]
        self.flags = {}  # name -> (thread, scope, value) of its releases
        self.writes = 0
        for i in range(rng.randint(1, 4)):
            self.p.threads.append(Thread(f"T{i}", rng.randint(0, 1), rng.randint(0, 1)))

    def value(self, place):
        self.count[place] = self.count.get(place, 0) + 1
        return self.count[place]

    def alone(self, t):
        return not any(u is not t and (u.block, u.warp) == (t.block, t.warp) for u in self.p.threads)

    def write(self, t):
        place = self.rng.choice(self.data)
        how = self.rng.choice(["volatile", "atomic"]) if self.rng.random() < 0.25 else None
        t.ops.append(Op(WRITE, place, self.value(place), how=how))
        self.writes += 1

    def release(self, t):
        again = [f for f, made in self.flags.items() if made[0][3] and f not in self.p.shared]
        if again and self.rng.random() < 0.5:
            name = self.rng.choice(again)
        elif len(self.flags) < 3:
            name = "FGH"[len(self.flags)]
            if self.rng.random() < 0.25:
                self.p.persistent.append(name)
                self.writes += 1
        else:
            return
        many = name in self.flags or self.rng.random() < 0.3  # released more than once, so only read can acquire it
        scope = self.rng.choice(["block", "device"])
        value = self.value(name)
        self.flags.setdefault(name, []).append((t, scope, value, many))
        t.ops.append(Op(RELEASE, name, value, scope))

    def acquire(self, t):
        if not self.flags:
            return
        name = self.rng.choice(sorted(self.flags))
        scope = self.rng.choice(["block", "device"])
        source, given, value, many = self.flags[name][0]
        enough = source.block == t.block or given == scope == "device"
        if not many and enough and self.alone(t):
            t.ops.append(Op(WAIT, name, value, scope))
        elif self.result < 2:
            t.ops.append(Op(READ, name, None, scope, "ab"[self.result]))
            self.result += 1

    def make(self):
        rng = self.rng
        for _ in range(rng.randint(4, 12)):
            t = rng.choice(self.p.threads)
            what = rng.random()
            if what < 0.4:
                if self.writes < 9:
                    self.write(t)
            elif what < 0.55:
                t.ops.append(Op(OFENCE if rng.random() < 0.8 else DFENCE))
            elif what < 0.6:
                t.ops.append(Op(FENCE, scope=rng.choice(["block", "device"])))
            elif what < 0.8:
                self.release(t)
            elif what < 0.95:
                self.acquire(t)
            elif self.result < 2 and self.count:
                place = rng.choice([name for name in self.data if self.count.get(name)] or [None])
                if place:
                    t.ops.append(Op(LOAD, place, None, None, "ab"[self.result]))
                    self.result += 1
        if rng.random() < 0.3 and len(self.data) > 1:
            self.p.lines.append(self.data[:2])
        self.p.threads = [t for t in self.p.threads if t.ops]
        self.p.lines = [line for line in self.p.lines if all(self.count.get(name) for name in line)]
        return self.p


def worth_it(p):
    """Some writes, and something ordered: else there is nothing to see."""
    kinds = [op.kind for t in p.threads for op in t.ops]
    return kinds.count(WRITE) >= 2 and (OFENCE in kinds or DFENCE in kinds or (RELEASE in kinds and (WAIT in kinds or READ in kinds)))


def random_programs(seed, count, known):
    """Texts, none like another one or like one of the known canonical forms, which grows."""
    rng, out = random.Random(seed), []
    while len(out) < count:
        p = Maker(rng).make()
        form = canonical(p) if worth_it(p) else None
        if form and form not in known:
            known.add(form)
            out.append(p.text())
    return out


def state_of(line):
    """A line of `cowarp litmus --states`."""
    return frozenset((name, int(value)) for name, value in re.findall(r"(\w+) = (\d+)", line))
