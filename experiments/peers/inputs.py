#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs of the programs of gpgpusim.csv, v100.csv and v100_counters.csv, and of Rodinia's and Parboil's of programs.csv: inputs.py FOLDER. Programs that count something else
would not be the ones that were measured, so each input follows from a fixed seed."""
import argparse
import math
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


def bitmap(side):
    """For dct8x8: grey waves, which its coarser version restores well enough for its own check."""
    head = struct.pack("<2sIHHI", b"BM", 54 + 3 * side * side, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, side, side, 1, 24, 0, 3 * side * side, 2835, 2835, 0, 0)
    grey = (int(128 + 60 * math.sin(x / 37) * math.cos(y / 53) + 40 * math.sin((x + y) / 91)) for y in range(side) for x in range(side))
    return head + b"".join(bytes((value,) * 3) for value in grey)


def samples(frequencies, points):
    """For mri-q: both counts, then floats, of which five arrays are of the frequencies and three of the points."""
    dice = random.Random(frequencies)
    floats = 5 * frequencies + 3 * points
    return struct.pack(f"<2i{floats}f", frequencies, points, *(2 * dice.random() - 1 for _ in range(floats)))


def matrix(rows, columns, seed, transposed=False):
    """For sgemm: counts of rows and columns, then column by column."""
    dice = random.Random(seed)
    values = [[2 * dice.random() - 1 for _ in range(columns)] for _ in range(rows)]
    values = [list(column) for column in zip(*values)] if transposed else values
    return f"{len(values)} {len(values[0])} " + " ".join(f"{row[column]:.6f}" for column in range(len(values[0])) for row in values) + "\n"


def cells(count):
    """For stencil: floats."""
    dice = random.Random(count)
    return struct.pack(f"<{count}f", *(dice.random() for _ in range(count)))


def atoms(count, side):
    """For cutcp: atoms of a cube as PQR, with place and charge."""
    dice = random.Random(count)
    return "".join(f"ATOM  {atom:5}  O   WAT {atom:5}    " + "".join(f"{side * dice.random():8.3f}" for _ in range(3)) + f" {2 * dice.random() - 1:7.4f}\n"
                   for atom in range(1, count + 1))


def sky(points, seed):
    """For tpacf: right ascensions and declinations."""
    dice = random.Random(seed)
    return "".join(f"{360 * dice.random():.6f} {180 * dice.random() - 90:.6f}\n" for _ in range(points))


def cavity():
    """For lbm: which cells are walls."""
    dice = random.Random(1)

    def cell(x, y, z):
        return "#" if x in (0, 119) or y in (0, 119) or z in (0, 149) or dice.random() < 0.01 else "."
    return "".join("".join("".join(cell(x, y, z) for x in range(120)) + "\n" for y in range(120)) + "\n" for z in range(150))


def spectrum(count, size):
    """For mri-gridding: a header, and records of six floats."""
    dice = random.Random(count)
    sizes = f"{size} {size} {size}"
    header = (f"aquisition.numsamples={count}\naquisition.kmax={size // 2} {size // 2} {size // 2}\naquisition.matrixSize={sizes}\nreconstruction.matrixSize={sizes}\n"
              f"gridding.matrixSize={sizes}\ngridding.oversampling=2.0\nkernel.width=3.0\nkernel.useLUT=1\n")
    return header, b"".join(struct.pack("<6f", dice.random(), dice.random(), *(0.9 * size * (dice.random() - 0.5) for _ in range(3)), dice.random()) for _ in range(count))


def parboil(folder):
    for name, text in (("matrix1.txt", matrix(128, 96, 1)), ("matrix2.txt", matrix(96, 160, 2)), ("matrix2t.txt", matrix(96, 160, 2, True)), ("large1.txt", matrix(1024, 992, 1)), ("large2.txt", matrix(992, 1056, 2)),
                       ("large2t.txt", matrix(992, 1056, 2, True)), ("atoms.pqr", atoms(3000, 40)),
                       ("cavity.txt", cavity()), *((f"sky{i}.txt", sky(512, i)) for i in range(11))):
        (folder / name).write_text(text)
    (folder / "cells.bin").write_bytes(cells(128 * 128 * 32))
    header, records = spectrum(20000, 64)
    (folder / "small.uks").write_text(header)
    (folder / "small.uks.data").write_bytes(records)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="is made where it is not there")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for side in (512, 1024):
        (folder / f"temp_{side}").write_text(column(side * side, 320, 345, 1))
        (folder / f"power_{side}").write_text(column(side * side, 0, 0.01, 2))
    (folder / "places_4.db").write_text(records(42764))
    (folder / "places_4.txt").write_text("places_4.db\n")
    (folder / "image.pgm").write_text(image(502, 458))
    (folder / "teapot512.bmp").write_bytes(bitmap(512))
    (folder / "mri_32.bin").write_bytes(samples(3072, 32768))
    (folder / "graph4096.txt").write_text(graph(4096))
    (folder / "temp_128").write_text(column(128 * 128, 320, 345, 1))
    (folder / "power_128").write_text(column(128 * 128, 0, 0.01, 2))
    (folder / "places.db").write_text(records(4000))
    (folder / "places.txt").write_text("places.db\n")
    (folder / "keys4000.txt").write_text(keys(4000))
    (folder / "queries.txt").write_text("k 60\nj 60 20\n")
    parboil(folder)


if __name__ == "__main__":
    sys.exit(main())
