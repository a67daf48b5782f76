# SPDX-License-Identifier: Apache-2.0
"""Technologies, scaling factors, and how other programs are run."""
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "results"))

import children
import schema
import sram
from units import Failed

__all__ = ["children", "schema"]  # of the folder above, for the others here

QFLOW = pathlib.Path("/usr/share/qflow/tech")


@dataclass(frozen=True)
class Technology:
    """A standard-cell library of Debian's qflow-tech packages. Area in its liberty is um2 (LEF: INVX1 of osu018 is 1.6 um x 10 um, area 16)."""
    name: str
    node_nm: int
    volt: float
    liberty: pathlib.Path
    verilog: pathlib.Path
    package: str
    driver: str = "INVX4"
    load_ff: float = 30.0  # about three gate inputs of 0.18 um


def _technology(name, node_nm, volt, stem, load_ff):
    folder = QFLOW / name
    return Technology(name, node_nm, volt, folder / f"{stem}.lib", folder / f"{stem}.v", f"qflow-tech-{name}", load_ff=load_ff)


TECHNOLOGIES = {t.name: t for t in (_technology("osu018", 180, 1.8, "osu018_stdcells", 30.0),
                                    _technology("osu035", 350, 3.3, "osu035_stdcells", 60.0),
                                    _technology("osu050", 500, 5.0, "osu05_stdcells", 90.0))}

# From 180 nm logic to smaller nodes. Area: the square of a gate's linear shrink, with the contacted gate pitch of high-performance processes (180 nm:
# 480 nm, 45/40 nm: 160-180 nm, 32 nm: 113-130 nm), which shrank less than the node's name after 45 nm. Delay: the fan-out-of-4 delay
# (sram.fo4_ps), and a fifth slower from 45 nm down, where gate length stopped to follow. Dynamic energy: capacitance (the linear
# shrink) times the supply's square. Leakage of logic is not scaled: 180 nm has none to speak of.
PITCH_NM = {180: 480.0, 130: 340.0, 90: 240.0, 65: 200.0, 45: 170.0, 40: 160.0, 32: 126.0}
VOLT = {180: 1.8, 130: 1.3, 90: 1.2, 65: 1.1, 45: 1.0, 40: 1.0, 32: 0.9}


@dataclass(frozen=True)
class Scale:
    area: float
    delay: float
    energy: float


def scale(from_nm, to_nm):
    if from_nm == to_nm:
        return Scale(1.0, 1.0, 1.0)
    if from_nm != 180 or to_nm not in PITCH_NM:
        raise Failed(f"logic is scaled from 180 nm to one of {', '.join(str(n) for n in sorted(PITCH_NM))} nm only, not from {from_nm} to {to_nm}", 2)
    linear = PITCH_NM[to_nm] / PITCH_NM[from_nm]
    return Scale(linear ** 2, sram.fo4_ps(to_nm) / sram.fo4_ps(from_nm) * (1.2 if to_nm <= 45 else 1.0), linear * (VOLT[to_nm] / VOLT[from_nm]) ** 2)


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
