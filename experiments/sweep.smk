# SPDX-License-Identifier: Apache-2.0
# The runs of a list of `cowarp sweep --list` under Snakemake 7, each a job of its own: on this machine
#     snakemake -s experiments/sweep.smk --config list=sweep.json -j 2
# or on a Slurm cluster whose nodes share the tree and the list: with --profile experiments/profile/slurm. It leaves sweep.csv beside the list.
import json
import os

LIST = os.path.abspath(config["list"])
STEM = os.path.splitext(LIST)[0]
COWARP = os.path.abspath(config.get("cowarp", "build/cowarp"))
STORE = os.path.abspath(config.get("store", "build/experiments/runs"))

with open(LIST) as f:
    POINTS = range(len(json.load(f)["points"]))

rule table:
    input: expand(STEM + ".runs/{number}", number=POINTS)
    output: STEM + ".csv"
    shell: "{COWARP} sweep --list {LIST} --store {STORE} --csv {output} || test -s {output}"  # a run that has failed is a row

rule run:
    output: STEM + ".runs/{number}"
    threads: 1
    resources: mem_mb=2000, runtime=60
    shell: "{COWARP} sweep --list {LIST} --store {STORE} --one {wildcards.number} > {output}"
