# SPDX-License-Identifier: Apache-2.0
"""Technologies, scaling factors, and how other programs are run."""
import math
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "results"))

import children
import factors
import liberty
import runner
import schema
import sram
from units import Failed

__all__ = ["children", "runner", "schema"]  # of the folder above, for the others here

QFLOW = pathlib.Path("/usr/share/qflow/tech")


@dataclass(frozen=True)
class Technology:
    """A standard-cell library: one of Debian's qflow-tech packages, or the user's. Area in a liberty is um2 (LEF: INVX1 of osu018 is 1.6 um x 10
    um, area 16). verilog: models of its cells, or None, when Yosys makes them from the liberty."""
    name: str
    node_nm: int
    volt: float
    liberty: pathlib.Path
    verilog: pathlib.Path
    package: str
    driver: str = "INVX4"
    load_ff: float = 30.0  # about three gate inputs of 0.18 um
    corners: tuple = ()    # (name, liberty) of the same cells in other conditions

    @property
    def cells(self):
        return liberty.read(self.liberty)

    @property
    def sram_node(self):
        return sram_node(self.node_nm)

    @property
    def scales(self):
        """Whether its logic scales to other nodes."""
        least, greatest = factors.nodes()
        return least <= self.node_nm <= greatest


def sram_node(node_nm):
    """The node, or where the SRAM model has no constants for it, the nearest that it has."""
    return min(sram.NODES, key=lambda node: abs(math.log(node / node_nm)))


def _technology(name, node_nm, volt, stem, load_ff):
    folder = QFLOW / name
    return Technology(name, node_nm, volt, folder / f"{stem}.lib", folder / f"{stem}.v", f"qflow-tech-{name}", load_ff=load_ff)


TECHNOLOGIES = {t.name: t for t in (_technology("osu018", 180, 1.8, "osu018_stdcells", 30.0),
                                    _technology("osu035", 350, 3.3, "osu035_stdcells", 60.0),
                                    _technology("osu050", 500, 5.0, "osu05_stdcells", 90.0))}


@dataclass(frozen=True)
class Scale:
    """What logic's area, delay and dynamic energy are multiplied by. area_least, area_greatest: for the units and libraries that differ most from the
    median."""
    area: float
    delay: float
    energy: float
    area_least: float = 1.0
    area_greatest: float = 1.0


def scale(from_nm, to_nm):
    """From one node to another, by the factors that were measured (factors.py)."""
    if from_nm == to_nm:
        return Scale(1.0, 1.0, 1.0)
    least, greatest = factors.nodes()
    for node in (from_nm, to_nm):
        if not least <= node <= greatest:
            raise Failed(f"logic is scaled between {greatest} and {least} nm, not from {from_nm} to {to_nm}", 2)
    area, delay, energy = (tuple(factors.at(kind, node) for node in (from_nm, to_nm)) for kind in factors.KINDS)
    return Scale(area[0].value / area[1].value, delay[0].value / delay[1].value, energy[0].value / energy[1].value, area[0].least / area[1].greatest,
                 area[0].greatest / area[1].least)


def of_liberty(paths, node_nm, unwanted, corners, folder):
    """The user's library; its files are joined in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    found = liberty.join(paths, unwanted, folder / "library.lib")
    driver, load_ff = found.driver()
    others = []
    for number, path in enumerate(corners):
        target = folder / f"corner{number}.lib"
        other = liberty.join([path], unwanted, target)
        if not set(found.cells) <= set(other.cells):
            raise Failed(f"--corner {path}: it lacks cells of --liberty, such as {min(set(found.cells) - set(other.cells))}", 2)
        others.append((other.name, target))
    return Technology(found.name, node_nm, found.volt, folder / "library.lib", None, None, driver, load_ff, tuple(others))


def need(program, package):
    if shutil.which(program) is None:
        raise Failed(f"{program} is not installed; ./setup installs it (Debian package {package})")


def need_technology(technology):
    if not technology.liberty.exists():
        raise Failed(f"{technology.liberty} is missing; ./setup installs it (Debian package {technology.package})")


def complaint(output):
    """The line in which a program says what is wrong: the first with ERROR:, else the last that speaks of an error, else the last."""
    lines = [line.strip() for line in output.strip().splitlines()] or ["no output"]
    return next((line for line in lines if line.upper().startswith("ERROR:")), None) \
        or next((line for line in reversed(lines) if "rror" in line), lines[-1])


def run(command, log, timeout=900, ok=(0,)):
    """Runs a program, its output goes to the file log and comes back as text. Fails with the last lines in which it complains."""
    try:
        done = children.run([str(word) for word in command], stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[0]}: no end after {timeout} s", log=log) from None
    pathlib.Path(log).write_text(done.stdout)
    if done.returncode not in ok:
        raise Failed(f"{command[0]}: {complaint(done.stdout)}", log=log)
    return done.stdout
