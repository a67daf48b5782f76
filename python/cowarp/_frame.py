# SPDX-License-Identifier: Apache-2.0
"""Statistics as a pandas frame."""
from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    import pandas


def frame(stats: dict | list, columns: typing.Sequence[str] | None = None) -> pandas.DataFrame:
    """A pandas frame with a row for each run and a column for each value.

    stats: the dict of gpu.stats, a list of such dicts, or a dict from labels to them. columns: which values, in this order; default all."""
    import pandas  # only here: the rest of the package does without

    if stats and all(hasattr(row, "items") for row in (stats.values() if hasattr(stats, "items") else stats)):
        labels, rows = (list(stats), list(stats.values())) if hasattr(stats, "items") else (None, list(stats))
    else:
        labels, rows = None, [stats]
    unknown = [name for name in columns or [] if not any(name in row for row in rows)]
    if unknown:
        raise KeyError(f"no run has a value '{unknown[0]}'; cowarp.counters() lists the counters")
    return pandas.DataFrame(rows, index=labels, columns=None if columns is None else list(columns))
