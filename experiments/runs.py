# SPDX-License-Identifier: Apache-2.0
"""Simulation runs that are kept: a run is made once per build of the simulator and machine configuration, and read back afterwards."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "results"))  # behind: both folders have a report.py

import children  # noqa: E402  (after the path is set)
import runner  # noqa: E402
import statsfile  # noqa: E402

FIRST_SEED = 1  # the simulator's default
NO_SYSTEM = NO_PERSISTENCY = "none"
# The workloads' inputs in all figures, as parameters sorted by name; a workload that is not here has its defaults. Experiments inputs.* look for them.
INPUTS = {"ap": (("fanout", 16), ("limit", 2), ("passes", 2), ("popular", 96)),
          **{workload: (("pointers", 1),) for workload in ("ll-1", "ll-2", "bt-1", "bt-2")},
          "rbt-1": (("inserts", 100), ("pointers", 1), ("removes", 100)), "rbt-2": (("inserts", 200), ("pointers", 1), ("removes", 200)),
          "vac-1": (("pointers", 1), ("queries", 4)), "vac-2": (("pointers", 1), ("queries", 2))}


def default_store():
    """Where finished runs are kept, beside RTL that was built: the cache (docs/command.md, "Where files are")."""
    return runner.cache() / "runs"


class Run(NamedTuple):
    """One simulation. system: NO_SYSTEM for a workload without transactions. settings: (name, value) pairs as of `cowarp config`; params: the
    workload's own; both sorted by the maker. seed: of the inputs, 0 for the one that the experiment is being made with. crash: points as
    `cowarp crash` takes them; the statistics are then those of the recoveries. Empty: a run to its end.
    wrong: its statistics count with a wrong result, too: the experiment shows what a rule costs that lets one through."""
    workload: str
    system: str
    warps: int = 8  # transactional warps per core, 0 for unlimited; of no effect on locks, and without transactions
    preset: str = "getm"
    settings: tuple = ()
    params: tuple = ()
    seed: int = 0
    persistency: str = NO_PERSISTENCY
    crash: str = ""
    wrong: bool = False

    def arguments(self):
        words = ["crash", self.workload, "--points", self.crash] if self.crash else ["run", self.workload]
        words += (["--system", self.system] if self.system != NO_SYSTEM else []) + ["--preset", self.preset]
        words += ["--persistency", self.persistency] if self.persistency != NO_PERSISTENCY else []
        if self.system not in ("fglock", "cglock", "stm-tl2", "stm-pr", NO_SYSTEM, "serial", "localtm", "lds-lock"):  # which have no tokens
            words += ["--tx-warps", str(self.warps)]
        for name, value in self.settings:
            words += ["--set", f"{name}={value}"]
        for name, value in self.params:
            words += ["--param", f"{name}={value}"]
        return words + (["--seed", str(self.seed)] if self.seed not in (0, FIRST_SEED) else [])

    def beside(self, path):
        """Further words, for what the run may leave beside its statistics: the image of a moment from which it does not recover."""
        return ["--image", path.with_suffix(".pm")] if self.crash else []


class RunFailed(Exception):
    """A simulation that did not end with a right result; the text says which and why. reason: why alone."""

    def __init__(self, words, reason):
        self.reason = reason.removeprefix("cowarp: ")
        super().__init__(f"cowarp {' '.join(words)}: {self.reason}")


# What a build is made of stands in a block of this size behind the mark (harness/api/provenance.h). It has the commit, and a commit that changes no
# code is no other simulator.
PROVENANCE = re.compile(rb"cowarp provenance 1\0.{1004}", re.DOTALL)


class Store:
    """Finished runs in a folder: one JSON file each, named by a digest of the simulator, its kernels, the files that all runs read, and the run's
    arguments. A run has a workload, a system, arguments() and beside(), as Run."""

    def __init__(self, binary, folder, limit_seconds, files=()):
        self.binary = pathlib.Path(binary)
        self.folder = pathlib.Path(folder)
        self.limit_seconds = limit_seconds
        self.read = {}
        self.folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(PROVENANCE.sub(b"", self.binary.read_bytes()))
        folders = (self.binary.parent / "kernels", self.binary.parent / "../share/cowarp/kernels")  # of a build, or installed
        for kernel in sorted(path for folder in folders for path in folder.glob("*.ptx")):
            digest.update(kernel.read_bytes())
        for path in files:
            digest.update(str(path).encode() + pathlib.Path(path).read_bytes())
        self.simulator = digest.hexdigest()

    def sized(self, run):
        """The run as it is made."""
        return run

    def path(self, run):
        text = self.simulator + " ".join(self.sized(run).arguments())
        return self.folder / f"{run.workload}-{run.system}-{hashlib.sha256(text.encode()).hexdigest()[:20]}.json"

    def get(self, run):
        """The run's statistics as `cowarp run --stats` writes them; makes the run if it is not there yet. A run that failed is kept as such."""
        path = self.path(run)
        if path not in self.read:
            if not path.exists():
                self._make(run, path)
            self.read[path] = statsfile.load_kept(path)
        stats = self.read[path]
        unchecked = stats.get("check") is None and stats.get("error") is None  # `cowarp exec`
        if stats.get("check") != "passed" and not unchecked and not (run.wrong and stats.get("cycles")):
            raise RunFailed(run.arguments(), stats.get("error") or "its check failed")
        return stats

    def _make(self, run, path):
        partial = path.with_suffix(f".{os.getpid()}.partial")
        words = self.sized(run).arguments()
        try:
            end = words.index("--") if "--" in words else len(words)  # behind it stand a program's own words
            done = children.run([self.binary, *words[:end], *run.beside(path), "--stats", partial, *words[end:]], timeout=self.limit_seconds, text=True, errors="replace")
            said = (done.stderr.strip().splitlines() or ["no message"])[0]
            if not partial.exists() and done.returncode != 1:
                nothing = "the program has launched nothing, so there are no statistics" if words[0] == "cuda" else f"{self.binary} has written no statistics; is it cowarp?"
                raise RunFailed(words, said if done.returncode else nothing)
            if not partial.exists() or words[0] == "cuda" and done.returncode:  # a program that says so has no right result
                partial.write_text(json.dumps({"check": "failed", "error": said if done.stderr.strip() else f"the program's status is {done.returncode}"}))
        except subprocess.TimeoutExpired:
            partial.write_text(json.dumps({"check": "failed", "error": f"not done after {self.limit_seconds} s"}))
        except children.Stopped:
            partial.unlink(missing_ok=True)
            raise
        except OSError as error:
            raise RunFailed(words, f"{self.binary}: {error.strerror}") from None
        partial.replace(path)

    def about(self, run):
        """Of the runner: what the run is called, and where its statistics will be."""
        return " ".join(["cowarp", *self.sized(run).arguments()]), self.path(run)

    def make_all(self, runs, jobs):
        """Makes the runs that are not there yet, `jobs` at a time; returns how many there were. Failures stay in their files."""
        by_path = {self.path(run): run for run in runs}
        missing = [run for path, run in by_path.items() if not path.exists()]
        for _, future in runner.each(lambda run: self._make(run, self.path(run)), missing, jobs, "runs", self.about):
            if not isinstance(future.exception(), RunFailed):
                future.result()
        return len(missing)


class PaperStore(Store):
    """The runs of experiments. params: of each workload, put in place of a run's own. A run that states none has those of inputs."""

    def __init__(self, binary, folder, limit_seconds, params=None, inputs=INPUTS):
        super().__init__(binary, folder, limit_seconds)
        self.params = params or {}
        self.inputs = inputs

    def sized(self, run):
        return run._replace(params=self.params.get(run.workload, run.params or self.inputs.get(run.workload, ())))


class Seeded:
    """A store as an experiment sees it that is made with one seed: the runs that ask for no other seed have this one. read: these runs and their
    statistics, since it was emptied last; a search among limits asks for its seed, so what it only tries is not there."""

    def __init__(self, store, seed):
        self.store, self.seed, self.read = store, seed, {}

    def of(self, run):
        return run if run.seed else run._replace(seed=self.seed)

    def __call__(self, run):
        stats = self.store.get(self.of(run))
        if not run.seed:
            self.read[run] = stats
        return stats


def counter(stats, name):
    return stats["counters"][name]["value"]


def flits(stats):
    return counter(stats, "noc_up_flits") + counter(stats, "noc_down_flits")


def active_share(stats):
    """Of the cores' time, percent in which a core has a thread; None where the statistics do not say."""
    cores, cycles = stats.get("config", {}).get("core.count", 0), stats.get("cycles", 0)
    field = stats.get("counters", {}).get("core_active_cycles")
    return 100.0 * field["value"] / (cores * cycles) if field and cores * cycles else None


def aborts_per_1k(stats):
    commits = counter(stats, "tx_committed")
    return 1000.0 * counter(stats, "tx_aborted") / commits if commits else 0.0


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def gmean(values):
    product, count = 1.0, 0
    for value in values:
        product *= value
        count += 1
    return product ** (1.0 / count) if count else float("nan")


def hmean(values):
    values = list(values)
    return len(values) / sum(1.0 / value for value in values) if values else float("nan")
