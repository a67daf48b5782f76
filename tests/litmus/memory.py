#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes litmus tests of PTX's memory model: the classic shapes, with each way to order them, each scope, near and far.

Each test has one condition, and whether it says `never` or `may` comes from a rule about the shape, not from an enumerator: some shapes need
that values are handed over by release and acquire whose scopes include both threads, others fences of kind sc between all accesses.

Usage: memory.py FOLDER"""
import argparse
import pathlib

WEAK, RELAXED, RELACQ, FENCE, SC, MEMBAR = "weak", "relaxed", "relacq", "fence", "sc", "membar"
WAYS = [(WEAK, None)] + [(way, scope) for way in (RELAXED, RELACQ, FENCE, SC, MEMBAR) for scope in ("cta", "gpu", "sys")]


class Way:
    """How accesses are ordered, as text. `fence`: what stands between two accesses of a thread."""

    def __init__(self, kind, scope):
        self.kind, self.scope = kind, scope
        self.fence = [f"fence.{'sc' if kind == SC else 'acq_rel'}.{scope}"] if kind in (FENCE, SC) else []
        if kind == MEMBAR: # the older name of fence.sc; __threadfence_system() is membar.sys
            self.fence = [f"membar.{scope.replace('gpu', 'gl')}"]

    def qualifier(self, release, acquire, load):
        if self.kind == WEAK:
            return ""
        order = (acquire if load else release) if self.kind == RELACQ else "relaxed"
        return f".{order}.{self.scope}"

    def st(self, place, value=1):
        return f"st{self.qualifier('release', 'acquire', False)} {place} = {value}"

    def ld(self, place, result):
        return f"ld{self.qualifier('release', 'acquire', True)} {place} -> {result}"

    def spans(self, blocks, *threads):
        """Whether the scope includes all these threads."""
        return self.scope in ("gpu", "sys") or len({blocks[t] for t in threads}) == 1

    def hands_over(self, blocks, *threads):
        return self.kind in (RELACQ, FENCE, SC, MEMBAR) and self.spans(blocks, *threads)

    def is_total(self, blocks):
        return self.kind in (SC, MEMBAR) and self.spans(blocks, *range(len(blocks)))


def between(way, *accesses):
    """The accesses of a thread, with fences between them."""
    out = [accesses[0]]
    for access in accesses[1:]:
        out += way.fence + [access]
    return out


def mp(w, b):
    return [between(w, "st X = 1", w.st("F")), between(w, w.ld("F", "a"), "ld X -> b")], "a = 1, b = 0", w.hands_over(b, 0, 1)


def s(w, b):
    return [between(w, "st X = 2", w.st("F")), between(w, w.ld("F", "a"), "st X = 1")], "a = 1, X = 2", w.hands_over(b, 0, 1)


def lb(w, b):
    return [between(w, w.ld("X", "a"), w.st("Y")), between(w, w.ld("Y", "b"), w.st("X"))], "a = 1, b = 1", w.hands_over(b, 0, 1)


def sb(w, b):
    return [between(w, w.st("X"), w.ld("Y", "a")), between(w, w.st("Y"), w.ld("X", "b"))], "a = 0, b = 0", w.is_total(b)


def r(w, b):
    return [between(w, w.st("X"), w.st("Y", 1)), between(w, w.st("Y", 2), w.ld("X", "a"))], "Y = 2, a = 0", w.is_total(b)


def two_plus_two(w, b):
    return [between(w, w.st("X", 1), w.st("Y", 2)), between(w, w.st("Y", 1), w.st("X", 2))], "X = 1, Y = 1", w.is_total(b)


def corr(w, b):
    return [[w.st("X")], [w.ld("X", "a"), w.ld("X", "b")]], "a = 1, b = 0", w.kind != WEAK and w.spans(b, 0, 1)


def wrc(w, b):
    threads = [["st.relaxed.gpu X = 1"], between(w, "ld.relaxed.gpu X -> a", w.st("F")), between(w, w.ld("F", "b"), "ld.relaxed.gpu X -> c")]
    return threads, "a = 1, b = 1, c = 0", w.hands_over(b, 1, 2)


def isa2(w, b):
    threads = [between(w, "st X = 1", w.st("F")), between(w, w.ld("F", "a"), w.st("G")), between(w, w.ld("G", "b"), "ld X -> c")]
    return threads, "a = 1, b = 1, c = 0", w.hands_over(b, 0, 1) and w.hands_over(b, 1, 2)


def isa2_mixed(w, b):
    """The first step is of block scope and the second of device scope: the second release has to take along what it has heard of."""
    if w.kind == WEAK or w.scope != "cta":
        return None
    far = Way(w.kind, "gpu")
    threads = [between(w, "st X = 1", w.st("F")), [w.ld("F", "a")] + w.fence + far.fence + [far.st("G")], between(far, far.ld("G", "b"), "ld X -> c")]
    return threads, "a = 1, b = 1, c = 0", w.hands_over(b, 0, 1)


def chain(w, b):
    """An atomic in the middle passes on what was released, whatever its own order."""
    threads = [between(w, "st X = 1", w.st("F")), ["atom.relaxed.gpu.exch F = 2 -> a"], between(w, w.ld("F", "b"), "ld X -> c")]
    # each step of the chain is between accesses that are morally strong, and so are its ends
    return threads, "a = 1, b = 2, c = 0", w.hands_over(b, 0, 2) and w.spans(b, 0, 1) and w.spans(b, 1, 2)


def iriw(w, b):
    threads = [[w.st("X")], [w.st("Y")], between(w, w.ld("X", "a"), w.ld("Y", "b")), between(w, w.ld("Y", "c"), w.ld("X", "d"))]
    return threads, "a = 1, b = 0, c = 1, d = 0", w.is_total(b)


def exchange(w, b):
    order = {WEAK: "relaxed.gpu", RELAXED: f"relaxed.{w.scope}", RELACQ: f"acq_rel.{w.scope}"}.get(w.kind)
    if order is None:
        return None
    return [[f"atom.{order}.exch X = {k + 1} -> {'ab'[k]}"] for k in (0, 1)], "a = 0, b = 0", w.kind == WEAK or w.spans(b, 0, 1)


def is_wanted(shape, blocks, kind, scope):
    """System scope matters between blocks, and membar is a fence.sc: not each shape has to show it."""
    if kind == MEMBAR:
        return shape in (mp, sb, r) and scope != "cta" and len(set(blocks)) > 1
    return scope != "sys" or (len(set(blocks)) == len(blocks) and shape not in (exchange, chain))


NEAR, FAR = (0, 0), (0, 1)
SHAPES = [(shape, blocks) for shape in (mp, s, lb, sb, r, two_plus_two, corr, exchange) for blocks in (NEAR, FAR)]
SHAPES += [(shape, blocks) for shape in (wrc, isa2, isa2_mixed, chain) for blocks in ((0, 0, 0), (0, 0, 1), (0, 1, 2))]
SHAPES += [(iriw, blocks) for blocks in ((0, 0, 0, 0), (0, 1, 2, 3))]


def tests():
    """Name -> text."""
    out, known = {}, set()
    for shape, blocks in SHAPES:
        for kind, scope in WAYS:
            made = shape(Way(kind, scope), blocks) if is_wanted(shape, blocks, kind, scope) else None
            if made is None:
                continue
            threads, condition, never = made
            lines = []
            for i, accesses in enumerate(threads):
                lines += [f"thread T{i} block {blocks[i]} warp {blocks[:i].count(blocks[i])}"] + ["    " + access for access in accesses]
            if "\n".join(lines) in known: # of one access in each thread, fences make no difference
                continue
            known.add("\n".join(lines))
            name = "_".join([shape.__name__, "".join(map(str, blocks)), kind] + ([scope] if scope else []))
            out[name] = "\n".join(lines + [f"{'never' if never else 'may'} {condition}", ""])
    out.update(BLOCKS)
    return out


def block(name, never, condition, *threads, declare=""):
    """A test of one block, whose threads have warps of their own; T0 to T2 are given, each by its accesses."""
    lines = [declare] if declare else []
    for i, accesses in enumerate(threads):
        lines += [f"thread T{i} block {'012'[i] if name.endswith('_far') and i == len(threads) - 1 else 0} warp {i}"]
        lines += ["    " + access for access in accesses.split("; ")]
    return {name: "\n".join(lines + [f"{'never' if never else 'may'} {condition}", ""])}


# What orders threads of a block beside fences: barriers, and flags in shared memory. A barrier is weak and strong, whatever the accesses are.
BLOCKS = {}
BLOCKS |= block("bar_mp", True, "b = 0", "st X = 1; bar", "bar; ld X -> b")
BLOCKS |= block("bar_mp_shared", True, "b = 0", "st X = 1; bar", "bar; ld X -> b", declare="shared X")
BLOCKS |= block("bar_sb", True, "a = 0", "st X = 1; bar; ld Y -> a", "st Y = 1; bar; ld X -> b")
BLOCKS |= block("bar_coww", True, "X = 1", "st X = 1; bar", "bar; st X = 2")
BLOCKS |= block("bar_twice", True, "c = 0", "st X = 1; bar; bar", "bar; st Y = 1; bar", "bar; bar; ld X -> c")
BLOCKS |= block("bar_first", False, "b = 0", "bar; st X = 1", "bar; ld X -> b")
BLOCKS |= block("bar_lb", True, "a = 1", "ld X -> a; bar", "bar; st X = 1")
BLOCKS |= block("bar_cumulative_far", True, "b = 1, c = 0", "st X = 1; bar", "bar; st.release.gpu F = 1", "ld.acquire.gpu F -> b; ld X -> c")
BLOCKS |= block("bar_cumulative_relaxed_far", False, "b = 1, c = 0", "st X = 1; bar", "bar; st.relaxed.gpu F = 1", "ld.acquire.gpu F -> b; ld X -> c")
for _way, _fence, _never in (("relaxed", "", False), ("fence", "fence.acq_rel.cta; ", True), ("membar", "membar.cta; ", True)):
    BLOCKS |= block(f"shared_flag_{_way}", _never, "a = 1, b = 0", f"st X = 1; {_fence}st.relaxed.cta F = 1", f"ld.relaxed.cta F -> a; {_fence}ld X -> b",
                    declare="shared F")
    BLOCKS |= block(f"shared_data_{_way}", _never, "a = 1, b = 0", f"st X = 1; {_fence}st.relaxed.cta F = 1", f"ld.relaxed.cta F -> a; {_fence}ld X -> b",
                    declare="shared X")
BLOCKS |= block("shared_release", True, "a = 1, b = 0", "st X = 1; st.release.cta F = 1", "ld.acquire.cta F -> a; ld X -> b", declare="shared F")
# A release of block scope need not wait for its warp's own loads on this machine: they are in the core's one queue to L1 and crossbar, in front of
# whatever a warp of the core does later. So a machine whose release does not wait is right, too, and passes this.
BLOCKS |= block("shared_release_load", True, "a = 1, b = 1", "ld X -> a; st.release.cta F = 1", "ld.acquire.cta F -> b; if b = 1 st X = 1",
                declare="shared F")
BLOCKS |= block("shared_atomics", True, "a = 0, b = 0", "atom.relaxed.cta.exch F = 1 -> a", "atom.relaxed.cta.exch F = 2 -> b", declare="shared F")
BLOCKS |= block("shared_cumulative_far", True, "a = 1, b = 1, c = 0", "st X = 1; st.release.cta F = 1", "ld.acquire.cta F -> a; st.release.gpu G = 1",
                "ld.acquire.gpu G -> b; ld X -> c", declare="shared F")


# Accesses of other sizes, vectors, dependencies, the texture proxy. What is ordered is seen whole; a race of accesses of different sizes has no
# meaning, so loads are under an `if`. Elements of a vector are in no order. A dependency orders nothing, and gives no value out of thin air.
PIECES = {  # how T0 writes X; a load, and what it finds
    "wide": ("st.u64 X = 578437695752307201", "ld.u8 X+3 -> b", 4),
    "narrow": ("st.u8 X+3 = 4", "ld.u32 X -> b", 4 << 24),
    "over": ("st.u64 X = 578437695752307201; st.u16 X+2 = 65535", "ld.u32 X -> b", 0xffff0201),
    "under": ("st.u16 X+4 = 7; st.u32 X = 9", "ld.u64 X -> b", 7 << 32 | 9),
    "vector": ("st.v2.u32 X = 1, 2", "ld.u64 X -> b", 2 << 32 | 1),
    "bytes": ("st.v4.u8 X+4 = 1, 2, 3, 4", "ld.u16 X+6 -> b", 0x0403),
    "to_vector": ("st.u64 X = 4294967298", "ld.v2.u32 X -> c, b", 1),
}
for _name, (_write, _load, _value) in PIECES.items():
    BLOCKS |= block(f"size_own_{_name}", True, "b = 0", f"{_write}; {_load}")
    for _space in ("", "_shared"):
        BLOCKS |= block(f"size_bar_{_name}{_space}", True, "b = 0", f"{_write}; bar", f"bar; {_load}", declare="shared X" if _space else "")
    for _scope, _far in (("cta", ""), ("gpu", "_far"), ("sys", "_far")):
        BLOCKS |= block(f"size_mp_{_name}_{_scope}{_far}", True, "a = 1, b = 0", f"{_write}; st.release.{_scope} F = 1",
                        f"ld.acquire.{_scope} F -> a; if a = 1 {_load}")
    BLOCKS |= block(f"size_mp_{_name}_value_far", False, f"a = 1, b = {_value}", f"{_write}; st.release.gpu F = 1",
                    f"ld.acquire.gpu F -> a; if a = 1 {_load}")
for _far in ("", "_far"):
    BLOCKS |= block(f"vector_torn{_far}", False, "a = 1, b = 0", "st.v2.u32 X = 1, 2", f"ld.v2.u32 X -> a, b")
    BLOCKS |= block(f"scalar_torn{_far}", True, "a = 1", "st.relaxed.gpu.u64 X = 4294967297", f"ld.relaxed.gpu.u64 X -> a")
    BLOCKS |= block(f"vector_mp{_far}", True, "a = 1, c = 0", "st.v4.u32 X = 1, 2, 3, 4; st.release.gpu F = 1",
                    "ld.acquire.gpu F -> a; ld.v4.u32 X -> b, c, d, e")
    BLOCKS |= block(f"vector_mp_relaxed{_far}", False, "a = 1, c = 0", "st.v4.u32 X = 1, 2, 3, 4; st.relaxed.gpu F = 1",
                    "ld.acquire.gpu F -> a; ld.v4.u32 X -> b, c, d, e")
    for _read, _never in (("relaxed", False), ("acquire", True)):
        BLOCKS |= block(f"control_mp_{_read}{_far}", _never, "a = 1, b = 0", "st X = 1; st.release.gpu F = 1",
                        f"ld.{_read}.gpu F -> a; if a = 1 ld X -> b")
        BLOCKS |= block(f"address_mp_{_read}{_far}", _never, "a = 1, b = 0", "st X+4 = 1; st.release.gpu F = 1", f"ld.{_read}.gpu F -> a; ld X[a] -> b")
    BLOCKS |= block(f"data_lb{_far}", True, "a = 1", "ld.relaxed.gpu X -> a; st.relaxed.gpu Y = a", "ld.relaxed.gpu Y -> b; st.relaxed.gpu X = b")
    BLOCKS |= block(f"data_lb_half{_far}", False, "a = 1, b = 1", "ld.relaxed.gpu X -> a; st.relaxed.gpu Y = a",
                    "ld.relaxed.gpu Y -> b; st.relaxed.gpu X = 1")
    BLOCKS |= block(f"control_lb{_far}", True, "a = 1", "ld.relaxed.gpu X -> a; if a = 1 st.relaxed.gpu Y = 1",
                    "ld.relaxed.gpu Y -> b; if b = 1 st.relaxed.gpu X = 1")
    BLOCKS |= block(f"address_lb{_far}", True, "a = 1", "ld.relaxed.gpu X+4 -> a; st.relaxed.gpu Y[a] = 1",
                    "ld.relaxed.gpu Y+4 -> b; st.relaxed.gpu X[b] = 1")
    BLOCKS |= block(f"data_wrc{_far}", True, "b = 1, c = 0", "st.relaxed.gpu X = 1", "ld.relaxed.gpu X -> a; st.release.gpu F = a",
                    "ld.acquire.gpu F -> b; ld.relaxed.gpu X -> c")
    # A fence or an acquire is of the generic proxy: a load of the texture path may find what its cache has. So a machine whose acquire leaves that
    # cache alone is right, and no test can name it.
    BLOCKS |= block(f"texture_mp{_far}", False, "a = 1, b = 0", "st X = 1; st.release.gpu F = 1", "ld.acquire.gpu F -> a; ld.nc X -> b")
    BLOCKS |= block(f"texture_own{_far}", False, "b = 0", "st X = 1; fence.sc.sys; ld.nc X -> b", "st Y = 1")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, text in tests().items():
        (given.folder / f"{name}.lit").write_text(text)
