# SPDX-License-Identifier: Apache-2.0
"""Claims with other sizes of the inputs. Where a paper does not state how large an input is, we have chosen; a verdict that hangs on this choice says
nothing about a mechanism. GETM, Kilo TM, WarpTM, SI-TM and SBRP state the sizes of their inputs, so they have no others here."""
import sys
from typing import NamedTuple
import zlib

import spread
from report import cell
from runs import RunFailed

# Of each workload, the parameters of two other inputs: about half and three quarters of the figures' input, or less where this takes long. dg's 300
# elements are a wave of blocks and a quarter; its others are one wave and two. mum, mumpp and nvrt, of which a run takes longest, stay as they are.
GROUPS = (("groups", 8),), (("groups", 32),)
OTHERS = {
    "bfs2": ((("nodes", 32768),), (("nodes", 49152),)), "fcdt": ((("height", 144),), (("height", 72),)), "hotsp": ((("n", 192),), (("n", 224),)),
    "lps": ((("n", 96),), (("n", 110),)), "namd": ((("cells", 4),), (("cells", 5),)),
    "aes": ((("kbytes", 160),), (("kbytes", 240),)), "backp": ((("inputs", 33696),), (("inputs", 44928),)),
    "cp": ((("blocks_y", 16),), (("blocks_y", 24),)), "dg": ((("elements", 240),), (("elements", 480),)),
    "hrtwl": ((("points", 30),), (("points", 45),)), "lib": ((("paths", 2048),), (("paths", 1344),)), "lkyt": ((("cells", 45),), (("cells", 30),)),
    "mgst": ((("n", 100000),), (("n", 150000),)), "nnc": ((("blocks", 100),), (("blocks", 150),)), "ray": ((("height", 156),), (("height", 234),)),
    "stmcl": ((("n", 32768),), (("n", 49152),)), "sto": ((("blocks", 30),), (("blocks", 60),)),
    "wp": ((("height", 112), ("steps", 3)), (("height", 84), ("steps", 3))),
    **{w: GROUPS for w in ("lht-hc", "lht-lc", "it-hc", "it-lc", "gc-hc", "gc-lc", "km-hc", "km-lc")}}


def other(run, place, inputs):
    """The run with the input in this place of OTHERS; inputs: of workloads whose run names no parameters."""
    params = dict(run.params or inputs.get(run.workload, ()))
    return run._replace(params=tuple(sorted((params | dict(OTHERS[run.workload][place])).items()))) if run.workload in OTHERS else run


def kind(run):
    """Runs that another size replaces together: a moment of a crash is another one when the run takes another time."""
    return run._replace(crash="any" if run.crash else "")


def kept_only(get):
    """As get, but a run that is not there yet is a failed one."""
    def known(run):
        if not get.store.path(get.of(run)).exists():
            raise RunFailed(run.arguments(), "has not been made")
        return get.store.get(get.of(run))
    return known


def numbers(experiment, get):
    """{claim: its values, written out}; nothing when the experiment cannot be made."""
    try:
        return {claim.ident: repr(claim.numbers()) for claim in experiment.make(get)[1]}
    except (RunFailed, ArithmeticError, LookupError, ValueError):
        return {}


def scaled(stats, factor):
    """Statistics with every number multiplied, each by another power of the factor, so that ratios move, too."""
    def times(name, value):
        return value * factor ** (1 + zlib.crc32(name.encode()) % 7 / 7)
    return stats | {"cycles": stats["cycles"] * factor ** 0.5, "counters": {n: c | {"value": times(n, c["value"])} for n, c in stats["counters"].items()},
                    "phases": [phase | {"cycles": times(phase["name"], phase["cycles"])} for phase in stats.get("phases", [])]}


class View:
    """A Seeded in which some runs have other statistics. replaced: the statistics of a run, or None for those that the Seeded has."""

    def __init__(self, get, replaced):
        self.store, self.seed, self.of, self.get, self.replaced = get.store, get.seed, get.of, kept_only(get), replaced

    def __call__(self, run):
        return self.replaced(run) or self.get(run)


def movers(experiment, get, idents):
    """{claim: the kinds of runs, of workloads that have other inputs, whose numbers move it}. It is found by moving them: a claim reads a part of an
    experiment's runs, and no other part need be made again."""
    whole, found = numbers(experiment, View(get, lambda run: None)), {ident: set() for ident in idents}
    for run in [run for run in get.read if run.workload in OTHERS]:
        for factor in (1000.0, 0.001):
            moved = scaled(get.read[run], factor)
            after = numbers(experiment, View(get, lambda asked, run=run, moved=moved: moved if asked == run else None))
            for ident in idents:
                if after.get(ident) != whole.get(ident):
                    found[ident].add(kind(run))
    return found


class Outcome(NamedTuple):
    """What a claim gives with another size. known: every value is a number."""
    text: str
    holds: bool
    known: bool


def outcomes(experiment, get, wanted, place):
    """{claim: Outcome} with the inputs in this place of OTHERS, for the kinds of runs that are wanted."""
    inputs = get.store.inputs

    def replaced(run):
        return get.store.get(other(get.of(run), place, inputs)) if kind(run) in wanted else None
    try:
        claims = experiment.make(View(get, replaced))[1]
    except (RunFailed, ArithmeticError, LookupError, ValueError) as failure:
        print(f"cowarp reproduce: {experiment.name}, another size: {str(failure) or type(failure).__name__}", file=sys.stderr)
        return {}
    verdicts = [spread.judged([claim]) for claim in claims]
    return {v.claim: Outcome(v.here, v.holds, all(cell(float(x)) != "-" for x in v.values[0])) for v in verdicts}


def judged(experiment, get, verdicts, jobs):
    """The verdicts, those that hold with what other sizes make of them. get: the Seeded of the first seed, with which the experiment was made last."""
    moving = movers(experiment, get, [verdict.claim for verdict in verdicts if verdict.holds and not verdict.crosses])
    wanted = set().union(*moving.values())
    if not wanted:
        return verdicts
    places = (0, 1)
    get.store.make_all([other(get.of(run), place, get.store.inputs) for run in get.read if kind(run) in wanted and not run.crash for place in places], jobs)
    found = [outcomes(experiment, get, wanted, place) for place in places]

    def with_sizes(verdict):
        mine = [made[verdict.claim] for made in found if verdict.claim in made]
        if not mine or not moving.get(verdict.claim):
            return verdict
        return verdict._replace(sizes=" and ".join(outcome.text for outcome in mine), turns=any(o.known and not o.holds for o in mine))
    return [with_sizes(verdict) for verdict in verdicts]
