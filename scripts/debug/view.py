# SPDX-License-Identifier: Apache-2.0
"""A view of GTKWave for the wave of a place: the clock, the warp that is looked at, ports of units, and a marker at the end."""
import os

WORDS, DECIMAL, HEXADECIMAL, BIT = "100000028", "24", "22", "28"


def signals(place, ports):
    """(group, flags, name) of what is shown, as harness/wave names it."""
    yield "clock", DECIMAL, "cowarp.core_cycle[63:0]"
    yield "warp", WORDS, f"cowarp.core{place['core']}.warp{place['warp']}[2:0]"
    for unit, rows in ports.items():
        for port in rows:
            wide = port["bits"] > 1
            if port["bits"] <= 64:  # a wider one is several signals
                yield unit, HEXADECIMAL if wide else BIT, f"cowarp.{unit}.{port['name']}" + (f"[{port['bits'] - 1}:0]" if wide else "")


def write(trace, place, ports):
    """The view beside a trace: its name."""
    path = os.path.splitext(trace)[0] + ".gtkw"
    lines, group = [f'[dumpfile] "{os.path.abspath(trace)}"', "[sst_expanded] 0", "[signals_width] 360"], None
    for name, flags, signal in signals(place, ports):
        if name != group:
            lines += ([f"@1000200\n-{group}"] if group else []) + [f"@800200\n-{name}"]
            group = name
        lines += [f"@{flags}", signal]
    with open(path, "w", encoding="utf-8") as out:
        print("\n".join([*lines, f"@1000200\n-{group}"]), file=out)
    return path
