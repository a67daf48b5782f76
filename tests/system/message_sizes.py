#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What messages take of the crossbars: flits as the model counts them, and as their bits would take (csim/msg/pack.h).

    tests/system/message_sizes.py COWARP           compare with tests/system/message_sizes.csv
    tests/system/message_sizes.py COWARP --show    print a table: flits of a packet, as counted and of its bits

Each run is made twice. With --pack all messages go through bits, and no counter may move: so the fields that the types declare are all that a
receiver needs. The file says of each message whether both sizes are equal, or which is more, and why. A message without a line, a line without a
message, and a relation that is not as the line says are faults.
"""
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FILE = pathlib.Path(__file__).with_suffix(".csv")
LINE = re.compile(r"message (\w+ \w+ \d+): (\d+) packets, (\d+) flits, (\d+) of their bits")
SMALL = "--param blocks=4 --param buckets=200"
RUNS = [f"ht-h --system {system} {SMALL}" for system in ("fglock", "getm", "kilotm", "warptm", "eapg", "ideal", "serial")] + [
    f"ht-h --system getm --set getm.commit_acks=on --set getm.ts_bits=15 {SMALL}",
    f"ht-h --system fglock --set noc.atomic_sectors=off {SMALL}",
    f"ht-h --system sitm-ts --preset si-tm {SMALL}",
    f"ht-h --system sitm-oracle --preset si-tm {SMALL}",
    "atm --system warptm --param accounts=50 --param transfers=768 --param blocks=3",
    "vecadd --param n=20000 --set l1.global=write-back",
]


def simulate(cowarp, run, folder, *more):
    stats = folder / "stats.json"
    line = [cowarp, "run", *run.split(), "--omit-host-seconds", "--stats", stats, *more]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{run} {' '.join(more)}: {done.stderr.strip()[:300]}")
    found = json.loads(stats.read_text())
    return {"cycles": found["cycles"], **{name: counter["value"] for name, counter in found["counters"].items()}}, done.stderr


def relation(flits, bits):
    return "equal" if flits == bits else "bits" if bits > flits else "counted"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    seen, wrong = collections.defaultdict(lambda: [0, 0, 0]), []
    for run in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            plain, _ = simulate(sys.argv[1], run, pathlib.Path(folder))
            packed, text = simulate(sys.argv[1], run, pathlib.Path(folder), "--pack")
        wrong += [f"{run}: {name} is {packed[name]} with --pack, and {plain[name]} without" for name in plain if plain[name] != packed[name]][:3]
        for name, *numbers in LINE.findall(text):
            seen[name] = [a + int(b) for a, b in zip(seen[name], numbers)]
    if "--show" in sys.argv:
        for name, (packets, flits, bits) in sorted(seen.items()):
            print(f"{name:32} {packets:8} packets {flits / packets:6.2f} {bits / packets:6.2f} {relation(flits, bits)}")
    known = {row["message"]: row for row in csv.DictReader(line for line in FILE.open() if not line.startswith("#"))}
    for name, (_, flits, bits) in sorted(seen.items()):
        if name not in known:
            wrong.append(f"{name}: no line in {FILE.name}")
        elif known[name]["more"] != relation(flits, bits):
            wrong.append(f"{name}: {relation(flits, bits)} (counted {flits}, bits {bits}), and {FILE.name} says {known[name]['more']}")
    wrong += [f"{name}: in {FILE.name}, and no run has sent one" for name in known if name not in seen]
    wrong += [f"{name}: differs, and {FILE.name} does not say why" for name, row in known.items() if row["more"] != "equal" and not row["why"]]
    print("\n".join(wrong) or f"{len(seen)} messages, {sum(row['more'] == 'equal' for row in known.values())} of them with equal sizes")
    sys.exit(bool(wrong))


main()
