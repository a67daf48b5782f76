# SPDX-License-Identifier: Apache-2.0
"""Causes of the rows of `waits` in statistics files, and their names for a reader."""
# Where memory is waited for is one cause, whoever waits: a load, a fetch, a barrier's last warp.
PLACES = {"l1": "load/store unit and L1", "shared": "shared memory", "constant": "constant cache", "noc_up": "crossbar to memory", "l2": "L2",
          "dram": "DRAM", "noc_down": "crossbar back"}
PHASES = {"mechanism": "accesses at the mechanism", "begin": "begin of a transaction", "back_off": "back-off", "draining": "accesses before a commit",
          "commit": "commit"}
# What a barrier's last warp waits for without a place is the cause that it is of the warp itself.
OF_LAST = {"issue": "structural", "fetch": "fetch", "alu": "scoreboard_alu", "sfu": "scoreboard_sfu", "sleep": "sleep", "policy": "mechanism"}
CAUSES = {"issued": "instructions issued", "structural": "units and collectors taken", "memory": "full load/store queue, fences", "fetch": "fetch",
          "scoreboard_alu": "latency of integer, f32 and control instructions", "scoreboard_sfu": "latency of special functions, division, f64",
          "scoreboard_memory": "loads", "sleep": "sleep", "mechanism": "mechanism or control policy", "barrier": "barriers", "idle": "schedulers without a warp",
          "launch": "launch, before the first block", "drain": "end of a launch, behind the last block"}

# Of the words of a profile, what happens there.
CONTENDED = {"aborts": "attempts that fail by", "atomics": "atomics on", "bank_cycles": "cycles of bank conflicts in"}


def key_of(row):
    """The cause of a row, and what of it waits."""
    at = row.get("at", "none")
    if at in PLACES or at in PHASES:
        return at, row["cause"]
    return (OF_LAST[at], row["cause"]) if at in OF_LAST else (row["cause"], "")


def said(cause):
    return PLACES.get(cause) or PHASES.get(cause) or CAUSES.get(cause, cause)
