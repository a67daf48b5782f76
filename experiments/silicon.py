# SPDX-License-Identifier: Apache-2.0
"""Claims about areas and powers, judged as others are. What stands beside the papers' numbers comes from synth/claims.py, so from what `cowarp synth` keeps
in synth/reference.json: no run is made, and there are no seeds."""
import json
import math
import pathlib
import subprocess
import sys

from report import Claim
from results import NotComparable, shown, verdict_text
from spread import judged
from sweep import near

CLAIMS = pathlib.Path(__file__).resolve().parent.parent / "synth" / "claims.py"


def asked():
    done = subprocess.run([sys.executable, str(CLAIMS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise NotComparable(f"{CLAIMS}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
    return json.loads(done.stdout)


def verdict(ident, pairs, text):
    """A row as fidelity.py has it. A number that is not known, as the power at a clock that the unit does not reach, holds in no case."""
    values = tuple(math.nan if mine is None else float(mine) for mine, _ in pairs)
    found = judged([Claim(ident, values, tuple(near(paper) for _, paper in pairs), lambda *_: text)])
    return *shown(found._asdict()), verdict_text(found._asdict())


def judge():
    """({claim: (here, range, worst, active, sizes, verdict)}, the claims that no unit answers to)."""
    told = asked()
    return {ident: verdict(ident, claim["pairs"], claim["text"]) for ident, claim in told["claims"].items()}, told["no_unit"]
