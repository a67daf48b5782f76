# SPDX-License-Identifier: Apache-2.0
"""A table or a figure of a paper: which runs it needs, and what it makes of them."""
from typing import Callable, NamedTuple


class Experiment(NamedTuple):
    name: str        # "getm.fig11"
    what: str        # one line
    runs: Callable   # (get) -> iterable of lists of Run; the runs of a list are made side by side before the next list is asked for
    make: Callable   # (get) -> (list of Table, list of Claim); get(run) -> statistics, raises RunFailed
