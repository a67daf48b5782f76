# SPDX-License-Identifier: Apache-2.0
"""Energy, estimated from what a run counts: as shares of a thesis workload's (warptm.fig6.11), or as joules of each event (sitm.fig14)."""
from runs import counter, flits

CORE_HZ = 1.4e9  # of all machines here that are asked
# Thesis 6.6.1, Table 6.3: watts.
LEAKAGE, CLOCK = 59.0, 9.8
# Thesis 6.7.2: taking leakage away turns Kilo TM's 103 percent more energy in 2.5 times the time into 59 percent more, so leakage is 48
# percent of FGLock's energy; of the dynamic energy the cores take 25 percent, L2, DRAM and network 70. How these share the 70, and what the
# rest is made of, it does not say: a third each, and accesses of the L1 and of shared memory.
LEAKAGE_SHARE = 0.48
DYNAMIC = LEAKAGE / LEAKAGE_SHARE - LEAKAGE - CLOCK
# RowClone, abstract: 74.4 times less energy than to read and write the row over the bus; here that is two bursts for each 64 bytes of 2 KB.
ROW_COPY_BURSTS = 2 * 2048 / 64 / 74.4
ACTIVITY = {
    "core": (0.25, lambda s: counter(s, "warp_instructions")),
    "network": (0.70 / 3, flits),
    "L2": (0.70 / 3, lambda s: sum(counter(s, name) for name in ("l2_reads", "l2_writes", "l2_atomics"))),
    "DRAM": (0.70 / 3, lambda s: counter(s, "dram_reads") + counter(s, "dram_writes") + ROW_COPY_BURSTS * counter(s, "dram_row_copies")),
    "L1, shared": (0.05, lambda s: sum(counter(s, name) for name in ("l1_reads", "l1_writes", "shared_accesses")))}


def shares(stats, locks, tm_watts):
    """Parts of the energy over that of the run with locks; the dynamic ones grow with their activity."""
    time = stats["cycles"] / locks["cycles"]
    parts = {"leakage": LEAKAGE * time, "clock": CLOCK * time, "TM units": tm_watts * time}
    for name, (share, activity) in ACTIVITY.items():
        base = activity(locks)
        parts[name] = DYNAMIC * share * (activity(stats) / base if base else 1.0)
    total = LEAKAGE + CLOCK + DYNAMIC
    return {name: watts / total for name, watts in parts.items()}


def seconds(stats):
    return stats["cycles"] / CORE_HZ


def event_joules(thesis_runs):
    """Joules of one event of each kind, if runs with the thesis's locks on its machine together take the thesis's dynamic power."""
    time = sum(map(seconds, thesis_runs))
    return {name: DYNAMIC * share * time / sum(map(activity, thesis_runs)) for name, (share, activity) in ACTIVITY.items()}


def joules(stats, per_event, tm_watts):
    parts = {"leakage": LEAKAGE * seconds(stats), "clock": CLOCK * seconds(stats), "TM units": tm_watts * seconds(stats)}
    return parts | {name: per_event[name] * activity(stats) for name, (_, activity) in ACTIVITY.items()}
