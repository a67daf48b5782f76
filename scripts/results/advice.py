# SPDX-License-Identifier: Apache-2.0
"""What a programmer may do about a run's time: rules, each with what the run has counted for it and what is at stake.

At stake is a share of the run's scheduler cycles: those that would go if the change removed all that the rule sees, and nothing else moved. Other waits
may take their place, or go too, so it is no promise (tests/system/advice_test.py measures how much comes true)."""
import dataclasses
import re

from causes import PLACES

LEAST = 0.03  # of the run's scheduler cycles: a rule says nothing of less
NAMED = 4     # lines of one advice
ON_THE_WAY = set(PLACES) - {"shared", "constant"}  # places of an access to global or local memory
OWN_WORK = {"issued", "structural", "fetch", "scoreboard_alu", "scoreboard_sfu"}  # causes that go with the instructions of a side of a branch
OVERHEAD = 3  # instructions of a loop that count and branch
SHORT = 10    # instructions of a short loop
ACCESS = re.compile(r"\b(?P<op>ld|st|atom|red)(?P<words>(?:\.\w+|::\w+)*)")
SLOW = re.compile(r"\b(?:div|rem|sqrt|rsqrt|rcp|sin|cos|ex2|lg2|tanh)\.[\w.]+|\b\w+(?:\.\w+)*\.f64\b")
SPACES = ("shared", "const", "param", "local", "global")


@dataclasses.dataclass
class Advice:
    """share: at stake, 0 to 1; None: not known. lines: of the PTX, the greatest first; none: of the whole kernel. kernel None: of the run. evidence: of the first line."""
    rule: str
    kernel: str | None
    lines: list
    share: float | None
    evidence: str
    what: str


def where(kernel, lines):
    if kernel is None:
        return "the run"
    shown = ", ".join(map(str, lines[:NAMED])) + (f" and {len(lines) - NAMED} more" if len(lines) > NAMED else "")
    return kernel + (f", line {shown}" if len(lines) == 1 else f", lines {shown}" if lines else "")


def at_stake(share):
    return "not known" if share is None else f"{100 * share:.1f}%"


class Facts:
    """What a run has counted. lines: {(kernel, line): {(cause, at): scheduler cycles}}."""

    def __init__(self, stats, kernels):
        self.stats, self.config, self.kernels = stats, stats["config"], kernels
        self.lines, self.total = {}, 0
        for row in stats.get("waits", []):
            self.total += row["cycles"]
            key = (row["cause"], row.get("at"))
            causes = self.lines.setdefault((row["kernel"], row.get("line")), {})
            causes[key] = causes.get(key, 0) + row["cycles"]

    def counter(self, name):
        return self.stats["counters"].get(name, {}).get("value", 0)

    def waits(self, kernel, line, causes=None, places=None):
        """The share of the line's waits that have one of the causes, at one of the places."""
        of = self.lines.get((kernel, line), {})
        return sum(cycles for (cause, at), cycles in of.items() if (causes is None or cause in causes) and (places is None or at in places)) / self.total

    def share(self, causes=None, places=None, kernel=None):
        return sum(self.waits(name, line, causes, places) for name, line in self.lines if kernel in (None, name))

    def listed(self):
        """(kernel, line, counts, text) of each line that has been executed."""
        for name, kernel in self.kernels.items():
            for line, counts, text in kernel.listed_lines():
                yield name, line, counts, text

    def hottest(self, kernel, what):
        """"; 40% at keys+0x40": of the words that threads contend for; or nothing."""
        rows = [row for row in self.kernels[kernel].words if row[0] == what]
        return f"; {round(float(rows[0][2][:-1]))}% at {rows[0][3]}" if rows else ""

    def launches(self, kernel):
        """What is counted of its launches; of all, where counts are not by launch (--per launch)."""
        return [launch for launch in self.stats.get("per_launch", []) if launch["kernel"] == kernel] or [
            {"cycles": self.stats["cycles"], "counters": {name: entry["value"] for name, entry in self.stats["counters"].items()}}]

    def dram_busy(self, kernel):
        """The share of its time in which the DRAM's buses carry data."""
        launches = self.launches(kernel)
        cycles = sum(launch["cycles"] for launch in launches) * self.config["clock.dram"] / self.config["clock.core"] * self.config["partition.count"] / self.config["dram.sharing"]
        return sum(launch["counters"].get("dram_busy_cycles", 0) for launch in launches) / cycles if cycles else 0.0

    def occupancy(self):
        """Of each kernel the row of most of its launches."""
        rows = {}
        for row in sorted(self.stats.get("occupancy", []), key=lambda row: (row["launches"], row["grid_blocks"])):
            rows[row["kernel"]] = row
        return list(rows.values())

    def conflict_share(self, kernel):
        """The share of conflicts in the cycles of shared memory: the kernel's, or the run's where there is no profile of it."""
        each = self.config["shared.pass_cycles"]
        if kernel not in self.kernels or not self.kernels[kernel].counts:
            extra, taken = self.counter("shared_conflict_cycles"), self.counter("shared_accesses") * each
        else:
            extra = self.kernels[kernel].events("bank_cycles")
            taken = sum(counts["warps"] * each for _, counts, text in self.kernels[kernel].listed_lines() if (found := access(text)) and found[1] == "shared")
        return extra / (extra + taken) if extra else 0.0


def access(text):
    """(operation, space or "", bytes of a thread) of a memory instruction; None of another one."""
    match = ACCESS.search(text)
    if not match or (match["op"] in ("ld", "st") and not match["words"]):
        return None
    words = re.split(r"\.|::", match["words"])
    width = next((int(word[1:]) for word in reversed(words) if re.fullmatch(r"[busf](8|16|32|64|128)", word)), 32)
    vector = next((int(word[1:]) for word in words if re.fullmatch(r"v[248]", word)), 1)
    return match["op"], next((word for word in words if word in SPACES), ""), width * vector // 8


def percent(share):
    return f"{100 * share:.0f}%"


def scattered(facts):
    for kernel, line, counts, text in facts.listed():
        found = access(text)
        if not found or found[1] not in ("global", "") or found[0] not in ("ld", "st") or not counts["accesses"]:
            continue
        threads, touched = counts["threads"] / counts["warps"], counts["accesses"] / counts["warps"]
        least = max(1.0, threads * found[2] / facts.config["mem.line_bytes"])
        if touched > 1.5 * least:
            yield Advice("scattered", kernel, [line], facts.waits(kernel, line, places=ON_THE_WAY) * (1 - least / touched),
                         f"a warp's access touches {touched:.1f} lines of memory, and what its {threads:.0f} threads need has room in {least:.1f}",
                         "let neighbouring threads use neighbouring words, or bring tiles into shared memory")


def conflicts(facts):
    for kernel, line in facts.lines:
        share = facts.conflict_share(kernel)
        if share:
            yield Advice("banks", kernel, [line], facts.waits(kernel, line, places={"shared"}) * share, f"bank conflicts take {percent(share)} of the cycles of shared memory",
                         "pad rows by a word, or change which thread takes which word")


def divergence(facts):
    width = facts.config["core.warp_width"]
    for name, kernel in facts.kernels.items():
        empty = sum(counts["warps"] * width - counts["threads"] for counts in kernel.counts.values())
        slots = sum(counts["warps"] for counts in kernel.counts.values()) * width
        parts = {line: counts["diverged"] for line, counts in kernel.counts.items() if counts["diverged"]}
        if not parts:
            continue
        line = max(parts, key=parts.get)
        yield Advice("divergence", name, [line], empty / slots * facts.share(causes=OWN_WORK, kernel=name),
                     f"{percent(empty / slots)} of the lanes of issued instructions are empty; at this branch the lanes part in "
                     f"{percent(parts[line] / kernel.counts[line]['branches'])} of {kernel.counts[line]['branches']:,} times",
                     "let threads of a warp take the same side: order the work, or compute both sides where they are short")


def few_blocks(facts):
    for row in facts.occupancy():
        idle = facts.share(causes={"no_warp"}, kernel=row["kernel"])
        cores, blocks, at_once = facts.config["core.count"], row["grid_blocks"], max(1, row["blocks_per_core"])
        if blocks < cores:
            reach, what = f"a grid of {blocks} blocks is for {cores} cores", "more and smaller blocks"
        else:
            reach = f"{blocks} blocks on {cores} cores, {at_once} each at once, are {blocks / cores / at_once:.1f} rounds: some cores have nothing left to do"
            what = "blocks of even work, and a number of them that fills the last round"
        yield Advice("blocks", row["kernel"], [], idle, f"{percent(idle)} of scheduler cycles pass without a warp; {reach}", what)


def occupancy(facts):
    limits = {"registers": "by_registers", "shared memory": "by_shared", "warps": "by_warps", "blocks": "by_blocks"}
    for row in facts.occupancy():
        limit = next((name for name in row["limit"] if name in ("registers", "shared memory")), None)
        others = [row[column] for name, column in limits.items() if name not in row["limit"]] + [-(-row["grid_blocks"] // facts.config["core.count"])]
        could = min(blocks for blocks in others if blocks is not None)
        if limit is None or could <= row["blocks_per_core"]:
            continue
        waits = facts.share(causes={"scoreboard_memory", "memory"}, places=ON_THE_WAY, kernel=row["kernel"])
        yield Advice("occupancy", row["kernel"], [], waits * (1 - row["blocks_per_core"] / could),
                     f"a core holds {row['blocks_per_core']} blocks, {row['warps_per_core']} warps, because of {limit}; otherwise {could}, which would hide more of the wait for memory",
                     "fewer registers (__launch_bounds__, -maxrregcount)" if limit == "registers" else "less shared memory for each block")


def slow_math(facts):
    for kernel, line, _, text in facts.listed():
        if match := SLOW.search(text):
            wide = match[0].endswith(".f64")
            yield Advice("slow-math", kernel, [line], facts.waits(kernel, line, causes={"scoreboard_sfu", "structural", "scoreboard_alu"}),
                         f"schedulers wait for {match[0]}", "f32 where it is precise enough" if wide else
                         "the approximate form (-use_fast_math), a reciprocal outside of the loop, or shifts for powers of two")


def atomics(facts):
    for kernel, line, counts, text in facts.listed():
        found = access(text)
        if found and found[0] in ("atom", "red") and counts["threads"] > counts["warps"]:
            lanes = counts["threads"] / counts["warps"]
            yield Advice("atomics", kernel, [line], facts.waits(kernel, line) * (1 - 1 / lanes), f"{lanes:.0f} lanes of a warp each bring an atomic of their own{facts.hottest(kernel, 'atomics')}",
                         "combine values in the warp (redux, shfl) or in shared memory, and let one lane bring the sum")


def spills(facts):
    for kernel, line, _, text in facts.listed():
        found = access(text)
        if found and found[1] == "local":
            yield Advice("local", kernel, [line], facts.waits(kernel, line), "it uses local memory: an array that is indexed at run time, or spilled registers",
                         "unroll the loop that indexes it, or allow more registers")


def bandwidth(facts):
    whole = sum(cycles for causes in facts.lines.values() for cycles in causes.values())
    for name in facts.kernels if "per_launch" in facts.stats or len(facts.kernels) == 1 else [None]:
        busy, launches = facts.dram_busy(name), facts.launches(name)
        moved = sum(launch["counters"].get(counter, 0) for launch in launches for counter in ("dram_reads", "dram_writes")) * facts.config["dram.burst_bytes"]
        used = sum(counts["threads"] * found[2] for kernel, _, counts, text in facts.listed() if name in (None, kernel) and counts["accesses"] and (found := access(text)) and found[1] in ("global", ""))
        if busy >= 0.6 and moved:
            part = facts.share(kernel=name) if name is not None and whole else 1
            yield Advice("bandwidth", name, [], part * busy * (1 - used / moved) if used < moved else None,
                         f"DRAM carries data in {percent(busy)} of the time, {moved:,} bytes; instructions ask for {used:,}",
                         "fewer bytes: use what a line brings while it is in a cache, smaller types, no data read twice")


def few_loads(facts):
    for kernel, line, counts, text in facts.listed():
        found = access(text)
        if facts.dram_busy(kernel) >= 0.6 or not found or found[0] != "ld" or found[1] not in ("global", "") or counts["accesses"] > 1.5 * max(counts["warps"], counts["threads"] * found[2] / facts.config["mem.line_bytes"]):
            continue
        far = facts.waits(kernel, line, causes={"scoreboard_memory", "barrier"}, places=ON_THE_WAY - {"l1"})
        yield Advice("few-loads", kernel, [line], far, f"schedulers wait for its way, while DRAM carries data in {percent(facts.dram_busy(kernel))} of the time only",
                     "several loads before the first use (unroll), or more warps")


def barriers(facts):
    for name, kernel in facts.kernels.items():
        of = {line: counts["barrier"] for line, counts in kernel.counts.items() if counts["barrier"]}
        if of:
            line = max(of, key=of.get)
            yield Advice("barrier", name, [line], sum(of.values()) / facts.total, "warps of a block come to it at different times, and all wait for the last one",
                         "even work between barriers, or smaller blocks")


def aborts(facts):
    begun, aborted = facts.counter("tx_begun"), facts.counter("tx_aborted")
    if begun and aborted >= 0.2 * begun:
        causes = {name.removeprefix("tx_aborted_").replace("_", " "): entry["value"] for name, entry in facts.stats["counters"].items() if entry.get("part_of") == "tx_aborted"}
        cause = f", most by {max(causes, key=causes.get)}" if causes and max(causes.values()) else ""
        hot = next((text for name in facts.kernels if (text := facts.hottest(name, "aborts"))), "")
        yield Advice("aborts", None, [], facts.share(places={"back_off", "begin"}), f"{aborted:,} of {begun:,} attempts of transactions abort{cause}{hot}",
                     "fewer words in a transaction, the contended one last; or other limits (tm.warps)")


def short_loops(facts):
    for name, kernel in facts.kernels.items():
        labels = {match[1]: line for line, text in kernel.text.items() if (match := re.match(r"\s*([\w$]+):", text))}
        for line, text in kernel.text.items():
            match = re.search(r"\bbra(?:\.uni)?\s+([\w$]+)", text)
            begin = labels.get(match[1], line) if match else line
            body = [at for at in kernel.counts if begin <= at <= line and kernel.counts[at]["warps"]]
            if begin < line and OVERHEAD < len(body) <= SHORT:
                own = sum(facts.waits(name, at, causes=OWN_WORK) for at in body)
                yield Advice("short-loop", name, [line], own * OVERHEAD / len(body), f"{OVERHEAD} of the {len(body)} instructions of the loop that ends here count and branch",
                             "several rounds at once (#pragma unroll)")


RULES = (scattered, conflicts, divergence, few_blocks, occupancy, slow_math, atomics, spills, bandwidth, few_loads, barriers, aborts, short_loops)


def order(advice):
    return -1.0 if advice.share is None else -advice.share


def together(found):
    """Advice of one rule for one kernel as one, whose bound is the sum."""
    of = {}
    for advice in sorted(found, key=order):
        of.setdefault((advice.rule, advice.kernel), []).append(advice)
    return [same[0] if len(same) == 1 else dataclasses.replace(same[0], share=sum(advice.share for advice in same), lines=[line for advice in same for line in advice.lines if advice.share >= LEAST / 3])
            for same in of.values()]


def advise(stats, kernels):
    """Advice of a run, most at stake first. kernels: of its profile (profile_file.read), {} where there is none."""
    facts = Facts(stats, kernels)
    if not facts.total:
        return []
    found = together(advice for rule in RULES for advice in rule(facts))
    return sorted((advice for advice in found if advice.share is None or advice.share >= LEAST), key=order)
