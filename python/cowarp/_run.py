# SPDX-License-Identifier: Apache-2.0
"""Workloads by name, one run or a table of runs. The workloads are the command's, which lies beside the library."""
from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import typing

from . import _library
from ._errors import Error, RequestError
from ._frame import frame

if typing.TYPE_CHECKING:
    import pandas

FIRST = ("workload", "variant", "system", "preset", "seed", "check", "cycles", "simulated_us", "thread_instructions", "host_seconds")


def command() -> str:
    """Path of the command `cowarp`: beside the library, in ../bin, in the PATH, in this order."""
    folder = pathlib.Path(_library.path).resolve().parent
    for path in (folder / "cowarp", folder.parent / "bin/cowarp", folder.parents[1] / "bin/cowarp" if len(folder.parents) > 1 else folder):
        if path.is_file():
            return str(path)
    found = shutil.which("cowarp")
    if found is None:
        raise RequestError(f"the command cowarp is neither beside {_library.path} nor in the PATH; its package is cowarp")
    return found


def words_of(name, value):
    """An option as the command has it. A dict gives NAME=VALUE words: of --param, --set, --unit."""
    option = "--" + name.replace("_", "-")
    if "__" in name:
        return ["--set", f"{name.replace('__', '.', 1)}={value}"]
    if hasattr(value, "items"):
        option = {"config": "--set", "units": "--unit"}.get(name, option)
        return [word for key, item in value.items() for word in (option, f"{key}={item}")]
    if value is True:
        return [option]
    return [] if value is None or value is False else [option, str(value)]


def axes_of(options):
    """(name, values) of what is a list, and of members of a dict that are: ("param", "n"), ("system",)."""
    for name, value in options.items():
        if hasattr(value, "items"):
            yield from (((name, key), list(item)) for key, item in value.items() if isinstance(item, (list, tuple)))
        elif isinstance(value, (list, tuple)):
            yield (name,), list(value)


def chosen(options, place):
    """The options with one value for each axis."""
    made = {name: dict(value) if hasattr(value, "items") else value for name, value in options.items()}
    for path, value in place:
        if len(path) == 2:
            made[path[0]][path[1]] = value
        else:
            made[path[0]] = value
    return made


def one(workload, options, keep_failures):
    """The statistics of a run, flat: what was run, then the counters."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stats.json")
        words = [word for name, value in options.items() for word in words_of(name, value)]
        done = subprocess.run([command(), "run", workload, *words, "--stats", path, "--quiet"], capture_output=True, text=True, check=False)
        text = done.stderr.strip()
        text = text[len("cowarp: "):] if text.startswith("cowarp: ") else text
        if done.returncode == 2 or not os.path.exists(path):
            raise RequestError(text or f"exit status {done.returncode}")
        if done.returncode != 0 and not keep_failures:
            raise Error(text or f"exit status {done.returncode}")
        with open(path, encoding="utf-8") as file:
            stats = json.load(file)
    return {**{name: stats.get(name) for name in FIRST}, **{name: row["value"] for name, row in stats["counters"].items()},
            **{name: row["value"] if isinstance(row, dict) else row for name, row in stats["derived"].items()}}


def run(workload: str, *, columns: typing.Sequence[str] | None = None, jobs: int = 1, keep_failures: bool = False, **options) -> pandas.DataFrame:
    """Runs a workload of `cowarp list`, and checks its result: a pandas frame with a row for each run.

    The options are those of `cowarp run`, with _ for -: system="getm", tx_warps=4, check_serial=True. param={"n": 1000} gives the workload's
    parameters, config={"core.count": 4} or core__count=4 keys of the configuration, units={"validation_unit": "rtl"}.

    A list in the place of a value, also inside a dict, is an axis: there is a run for each combination, and a column for each axis.
    columns: which values beside the axes (default: what was run, and all counters; cycles in core cycles, simulated_us in microseconds).
    jobs: runs at once. A run that fails is an Error; with keep_failures=True it is a row whose `check` is "failed"."""
    axes = list(axes_of(options))
    places = [list(zip([path for path, _ in axes], values)) for values in itertools.product(*(values for _, values in axes))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(lambda place: one(workload, chosen(options, place), keep_failures), places))
    names = [path[-1].replace("__", ".", 1) for path, _ in axes]
    rows = [{**{name: value for name, (_, value) in zip(names, place)}, **{key: value for key, value in row.items() if key not in names}}
            for place, row in zip(places, rows)]
    return frame(rows, None if columns is None else [*names, *(name for name in columns if name not in names)])
