#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs of the programs of gpgpusim.csv and v100.csv: inputs.py FOLDER. Programs that count something else would not be the ones that were measured, so
each input follows from a fixed seed."""
import pathlib
import random
import struct
import sys


def graph(nodes):
    """For bfs: the first edge and the number of edges of each node, the node to begin with, the edges as (node, cost)."""
    dice = random.Random(nodes)
    degrees = [1 + int(dice.random() * 10) for _ in range(nodes)]
    first = [sum(degrees[:node]) for node in range(nodes)]
    edges = [f"{int(dice.random() * nodes)} {1 + int(dice.random() * 10)}" for _ in range(sum(degrees))]
    return "\n".join([str(nodes), *(f"{a} {b}" for a, b in zip(first, degrees)), "", "0", "", str(len(edges)), *edges, ""])


def column(cells, least, most, seed):
    """For hotspot and hotspot3D: a number on each line."""
    dice = random.Random(seed)
    return "".join(f"{least + (most - least) * dice.random():.6f}\n" for _ in range(cells))


def records(count):
    """For nn: lines of 48 characters, with a latitude from character 28 and a longitude from 33 on."""
    dice = random.Random(count)
    return "".join(f"{number:<28}{7 + 63 * dice.random():5.1f}{100 + 200 * dice.random():5.1f}{'':10}\n" for number in range(count))


def keys(count):
    """For b+tree: how many, and the keys in any order."""
    order = list(range(1, count + 1))
    random.Random(count).shuffle(order)
    return "\n".join(map(str, [count, *order])) + "\n"


def image(columns, rows):
    """For srad_v1: grey levels as text."""
    dice = random.Random(columns)
    return f"P2\n{columns} {rows}\n255\n" + "\n".join(" ".join(str(1 + int(255 * dice.random())) for _ in range(columns)) for _ in range(rows)) + "\n"


def samples(frequencies, points):
    """For mri-q: both counts, then floats, of which five arrays are of the frequencies and three of the points."""
    dice = random.Random(frequencies)
    floats = 5 * frequencies + 3 * points
    return struct.pack(f"<2i{floats}f", frequencies, points, *(2 * dice.random() - 1 for _ in range(floats)))


def main():
    folder = pathlib.Path(sys.argv[1])
    for side in (512, 1024):
        (folder / f"temp_{side}").write_text(column(side * side, 320, 345, 1))
        (folder / f"power_{side}").write_text(column(side * side, 0, 0.01, 2))
    (folder / "places_4.db").write_text(records(42764))
    (folder / "places_4.txt").write_text("places_4.db\n")
    (folder / "image.pgm").write_text(image(502, 458))
    (folder / "mri_32.bin").write_bytes(samples(3072, 32768))
    (folder / "graph4096.txt").write_text(graph(4096))
    (folder / "temp_128").write_text(column(128 * 128, 320, 345, 1))
    (folder / "power_128").write_text(column(128 * 128, 0, 0.01, 2))
    (folder / "places.db").write_text(records(4000))
    (folder / "places.txt").write_text("places.db\n")
    (folder / "keys4000.txt").write_text(keys(4000))
    (folder / "queries.txt").write_text("k 60\nj 60 20\n")


if __name__ == "__main__":
    sys.exit(main())
