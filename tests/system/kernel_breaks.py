#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that a workload's own check notices a wrong kernel.

    tests/system/kernel_breaks.py COWARP CLANG FLAG...      the command that turns OpenCL C into PTX, without input and output

Each line of BREAKS is a workload and, where they are not the default, its variant and parameters; a piece of its kernel that occurs once, and what stands there instead: a mistake that one could make. The
broken kernel is compiled, and the workload run with it must end with status 1 and a line `result failed`, on inputs of the size that
tests/system/unmoved.py has. With the kernel as it is the same run must pass.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/system"))
from unmoved import SMALL  # noqa: E402

FOLDER = {"lps": "laplace", "hotsp": "hotspot", "mumpp": "mum", "lib": "libor", "lht-hc": "lht", "it-hc": "it", "gc-hc": "gc", "km-hc": "km",
          "ll-1": "list", "bt-1": "bst", "bt-2": "bst", "karger-1": "karger", "karger-2": "karger", "rbt-1": "rbt", "rbt-2": "rbt", "vac-1": "vacation", "vac-2": "vacation"}
TREE = ("rbtree.h", "rbtree_body.h", "rbtree_pointers.h")  # of kernels/include
BREAKS = (
    ("bfs2", "e < first[node + 1]", "e + 1 < first[node + 1]"),
    ("fcdt", "x + f->x1", "x + f->x0"),
    ("fcdt", "== middle)", "!= 0)"),
    ("hotsp", "x > 0 ? old[ly][lx - 1]", "x > 1 ? old[ly][lx - 1]"),
    ("lps", "plane[0][lx + 1] = in[here - n];", "plane[0][lx + 1] = in[here];"),
    ("mum", "while (at < query_length) {", "while (at + 1 < query_length) {"),
    ("mumpp", "node = WORD(&tree[node].skip);", "node++;"),
    ("namd", "r2 < cutoff2 &&", "r2 < 0.9f * cutoff2 &&"),
    ("namd", "force[first[cell] + i] = sum;", "force[first[cell] + i] = 0.999f * sum;"),
    ("nvrt", "uint pixel = packet[warp] + lane;", "uint pixel = packet[0] + lane;"),
    ("nvrt", "d < *distance ||", "d > *distance ||"),
    ("aes", "table[256 * r + (state[first + (column + r) % 4]", "table[256 * r + (state[first + (column + 3 * r) % 4]"),
    ("backp", "step < SIDE;", "2 * step < SIDE;"),
    ("backp", "weight[at] += change;", "weight[at] += rate * error[unit] * input[i];"),
    ("cp", "dx += spacing * (float)BX;", "dx += spacing * (float)(BX - 1);"),
    ("dg", "fmax(-speed[element * FACES + at / FACE], 0.0f)", "fabs(speed[element * FACES + at / FACE])"),
    ("dg", "residual[i] = r;", ""),
    ("hrtwl", "half_size = THREADS / 2", "half_size = THREADS / 4"),
    ("hrtwl", "(3 * template[i] + seen + 2) / 4", "seen"),
    ("lib", "delta * vol * discount * discount * slope[i]", "delta * vol * discount * slope[i]"),
    ("lib", "strike * annuity", "strike"),
    ("lkyt", "mean * mean / (variance + 0.01f)", "mean / (variance + 0.01f)"),
    ("lkyt", "dx * dx + dy * dy <= DISC * DISC", "dx * dx + dy * dy < DISC * DISC"),
    ("lkyt", "0.25f * d", "0.26f * d"),
    ("mgst", "in[a].x < in[b].x", "in[a].y < in[b].x"),
    ("nnc", "step = THREADS / 2", "step = THREADS / 4"),
    ("ray", "&spheres[i]) >= 1.0f", "&spheres[i]) >= 0.0f"),
    ("ray", "weight = weight * mirror;", ""),
    ("stmcl", "(switches[point] || closes[centre[point]])", "switches[point]"),
    ("stmcl", "sum *= weight[point];", ""),
    ("sto", "words * 32", "words * 8"),
    ("wp", "t < 268.0f", "t < 272.0f"),
    ("wp", "from_above = leaves;", "from_above = 0.0f;"),
    ("wsreduce", "i < lane ? odd_flag", "i <= lane ? odd_flag"),
    ("wsreduce", "slot[rank + 4]", "slot[rank + 5]"),
    ("lht-hc cglock", "is_mine = table[place] == EMPTY;", "is_mine = table[place] != key;"),
    ("lht-hc cglock", "place += buckets;", "place += 2 * buckets;"),
    ("lht-hc cglock", "key = i < n ? keys[i] : 0;", "key = i < n ? keys[i - 1] : 0;"),
    ("lht-hc cglock", "table[place] = key;", "table[place] = key + buckets;"),
    ("it-hc cglock", "next[row] = place + 1;", "next[row] = place + 2;"),
    ("it-hc cglock", "next[row] = place + 1;", "next[row] = row % 2 == 0 ? place + 1 : place;"),
    ("it-hc cglock", "row = (key >> 16) % rows", "row = (key >> 17) % rows"),
    ("gc-hc cglock", "is_new = taken >> colour[v] & 1;", "is_new = 0;"),
    ("gc-hc cglock", "if (k < n)", "if (k + 1 < n)"),
    ("gc-hc cglock", "31 - clz(~taken & (taken + 1))", "31 - clz(~taken)"),
    ("km-hc cglock", "own[DIMS]++;", "own[DIMS] += i > 0;"),
    ("km-hc cglock", "sum += difference * difference;", "sum += difference;"),
    ("km-hc cglock", "own[d] += x[d];", "own[d] += x[d] & 511;"),
    ("ll-1 cglock", "TX_WRITE(node[i + 1].next, at);", "TX_WRITE(node[i + 1].next, 0);"),
    ("ll-1 cglock", "steps < n &&", "steps < n / 2 &&"),
    ("bt-1 cglock", "TX_WRITE(tree[next_link], TX_READ(tree[RIGHT(next)]));", "TX_WRITE(tree[next_link], 0);"),
    ("bt-2 cglock", "left != 0 ? left : right", "left"),
    ("karger-1 cglock", "TX_WRITE(state[HEAD(b)], head);", "TX_WRITE(state[HEAD(b)], tail);"),
    ("karger-1 cglock", "2 * edge_cnt, edge.x, edge.y)", "2 * edge_cnt, edge.x, random % vertices)"),
    ("karger-2 cglock", "uint head = TX_READ(state[HEAD(a)]), tail = head;", "uint head = TX_READ(state[HEAD(a)]), tail = TX_READ(state[HEAD(b)]);"),
    ("rbt-1 cglock", "AT(uncle).colour = BLACK;", ""),
    ("rbt-2 cglock", "AT(far).colour = BLACK;", "AT(far).colour = RED;"),
    ("rbt-2 cglock", "AT(x).parent = parent;", ""),
    ("ll-1 cglock pointers=1", "last->next = mine;", "last->next = at;"),
    ("bt-1 cglock pointers=1", "right->parent = next;", ""),
    ("bt-2 cglock pointers=1", "mine->parent = parent;", ""),
    ("rbt-1 cglock pointers=1", "SET_SIDE(z, on_right);", "SET_SIDE(z, 0);"),
    ("vac-1 cglock pointers=1", "AT(NODE(z)).value = z;\n        offer", "offer"),
    ("vac-1 cglock", "offer->total = total - SOME;", ""),
    ("vac-1 cglock", "AT(z).value = AT(y).value;", ""),
    ("vac-1 cglock", "if (total == SOME)", "if (total < SOME)"),
    ("vac-2 cglock", "offer->used += 1;", ""),
    ("vac-2 cglock", "a->item[slot].next = at;", "a->item[slot].next = 0;"),
    ("vac-2 cglock", "a->item[slot].price = price;", "a->item[slot].price = id;"),
    ("vac-2 cglock", "if (other == kind && other_id == id)\n            return 0;", ""),
)


def run(cowarp, workload, kernels):
    """Exit status and summary of a small run with the PTX of a folder, or with the build's own."""
    name, *words = workload.split()
    params = [word for word in words if "=" in word]
    line = [cowarp, "run", name, "--max-cycles", "5000000", *(f"--system={word}" for word in words if word not in params)]
    for word in SMALL[name].split() + params:
        line += ["--param", word]
    own = {} if kernels is None else {"COWARP_KERNEL_DIR": kernels}
    done = subprocess.run(line, env={**os.environ, **own}, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def broken(cowarp, compiler, folder, workload, piece, instead):
    """What is wrong with the check of a workload whose kernel has this mistake; None: nothing."""
    name = FOLDER.get(workload.split()[0], workload)
    files = [*(ROOT / "kernels" / name / file for file in ("kernel.cl", "body.h", "request.h")), *(ROOT / "kernels/include" / file for file in TREE)]
    sources = {path: path.read_text() for path in files if path.exists()}
    if '#include "rbtree.h"' not in sources[files[0]]:
        sources = {path: text for path, text in sources.items() if path.name not in TREE}
    found = sum(source.count(piece) for source in sources.values())
    if found != 1:
        return f"the kernel has {found} of '{piece}', and should have one"
    for path, source in sources.items():
        (folder / path.name).write_text(source.replace(piece, instead))
    path = folder / "kernel.cl"
    subprocess.run([*compiler, "-S", path, "-o", folder / f"{name}.ptx"], check=True)
    status, said = run(cowarp, workload, folder)
    if status != 1 or "result        failed" not in said:
        return f"'{instead}' instead of '{piece}' is not noticed: status {status}\n{said}"
    return None


def main(cowarp, *compiler):
    wrong = []
    for workload in dict.fromkeys(b[0] for b in BREAKS):
        status, said = run(cowarp, workload, None)
        if status != 0:
            wrong.append(f"{workload}: status {status}\n{said}")
    with tempfile.TemporaryDirectory(prefix="breaks-") as folder:
        for workload, piece, instead in BREAKS:
            mistake = broken(cowarp, compiler, pathlib.Path(folder), workload, piece, instead)
            if mistake is not None:
                wrong.append(f"{workload}: {mistake}")
    print(*wrong, f"{len(BREAKS)} mistakes in kernels, {len(wrong)} complaints", sep="\n")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
