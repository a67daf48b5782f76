#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Guards that no simulated counter moves: many small runs, each compared with tests/system/unmoved.json.

    tests/system/unmoved.py COWARP [--jobs N] [--only PATTERN] [--every N]     compare; exit status 1 when a counter has moved
    tests/system/unmoved.py COWARP --renew [--only PATTERN]        write the reference anew, or these rows of it, and say what has moved
    tests/system/unmoved.py COWARP --list [--only PATTERN]         the runs as commands

The runs are of every workload in every variant, every system, every preset, units in RTL and in lockstep, and the options of the machine that
lead to code of their own. A change that is to leave the timing alone (a redesign, an optimisation) must leave all of them as they are. One
that means to move counters renews the reference in the same commit and gives the reason in CHANGELOG.md, under "Cycle counts".

A line says which run, which counter, its value before and now. Counters that the reference does not know are new and are passed over until the
next renewal; one that it knows and that is gone counts as 0. Beside the counters of --stats a run has: `cycles`; `status`, of the command;
`stdout`, a digest of the summary's lines about simulation, result and oracle; `files`, a digest of what an executed kernel has written; and
`oracle.*`, what --check-serial has counted. The file `words` that kernels read is made for each run.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/results"))
import children
import runner
import statsfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests/system/unmoved.json"
TIMEOUT_S = 300
LINES_PER_RUN = 10
SUMMARY = ("simulated", "instructions", "transactions", "result", "oracle")

# Words of a run that its own, of the same name, replace. A workload with its one global lock is slow, and smaller still; what is no workload is
# a kernel for `cowarp exec`.
SMALL = {
    "vecadd": "n=10000",
    "reduction": "n=20000",
    "bfs": "nodes=1500",
    "laplace": "n=18",
    "ht-h": "blocks=4 buckets=200",
    "ht-m": "blocks=4 buckets=600",
    "ht-l": "blocks=4 buckets=2000",
    "atm": "accounts=500 transfers=768 blocks=3",
    "cl": "cloths=1 width=9 height=12 threads=64",
    "clto": "cloths=1 width=9 height=12 threads=64",
    "bh-h": "bodies=300 blocks=2",
    "bh-l": "bodies=200 blocks=5",
    "cc": "width=16 height=12",
    "ap": "records=300 popular=16 support=10 passes=2 limit=6",
    "lht-hc": "groups=2 wavefronts=2 keys=2",
    "lht-lc": "groups=3 wavefronts=2 keys=2",
    "it-hc": "groups=3 wavefronts=2 keys=3",
    "it-lc": "groups=3 wavefronts=2 keys=3",
    "gc-hc": "groups=3 wavefronts=2 vertices=200 edges=600",
    "gc-lc": "groups=3 wavefronts=2 vertices=200 edges=200",
    "km-hc": "groups=2 wavefronts=2 points=1",
    "km-lc": "groups=2 wavefronts=2 points=1",
    "ll-1": "threads=40",
    "ll-2": "threads=64",
    "bt-1": "elements=100 removes=100",
    "bt-2": "elements=200 inserts=20 removes=20",
    "karger-1": "vertices=20 edges=50",
    "karger-2": "vertices=30 edges=90 threads=24",
    "rbt-1": "elements=100 inserts=40 removes=40",
    "rbt-2": "elements=200 inserts=60 removes=60",
    "vac-1": "changing=60 customers=60 relations=60",
    "vac-2": "relations=100 reserving=60 changing=20",
    "ht-h cglock": "blocks=1 buckets=200",
    "ht-m cglock": "blocks=1 buckets=600",
    "ht-l cglock": "blocks=1 buckets=2000",
    "atm cglock": "accounts=500 transfers=192 blocks=1",
    "bh-h cglock": "bodies=100 blocks=1",
    "bh-l cglock": "bodies=100 blocks=2",
    "bfs2": "nodes=700 degree=6",
    "fcdt": "width=56 height=48 stages=6",
    "hotsp": "n=20 steps=4 launches=2",
    "lps": "n=18",
    "mum": "reference=500 queries=70 length=12",
    "mumpp": "reference=500 queries=70 length=12",
    "namd": "cells=2 atoms=30",
    "nvrt": "width=16 height=12 triangles=60 blocks=2",
    "aes": "kbytes=3",
    "backp": "inputs=160 rounds=2",
    "cp": "blocks_x=1 blocks_y=2 atoms=30",
    "dg": "elements=4",
    "hrtwl": "points=2 frames=3 width=60 height=50",
    "lib": "paths=9",
    "lkyt": "width=40 height=32 cells=1",
    "mgst": "n=2000",
    "nnc": "blocks=5 k=3",
    "ray": "width=40 height=30",
    "stmcl": "n=700 dims=8 candidates=8",
    "sto": "blocks=2 words=32",
    "wp": "width=16 height=8 steps=2 levels=20",
    "wsreduce": "blocks=5",
    "gpkvs": "pairs=256 buckets=512 blocks=2",
    "hm": "keys=300 present=300 buckets=3",
    "srad": "width=48 height=40",
    "red": "n=2048 launches=2 blocks=3",
    "mq": "queues=3 commands=9 batch=256",
    "scan": "arrays=3",
    "position": "ptx=tests/ptx_exec/kernels.ptx kernel=position grid=3,2,2 block=5,3,2 arg=out:out:2880",
    "buffers": "ptx=tests/ptx_exec/kernels.ptx kernel=buffers grid=16 block=128 arg=in:words arg=out:out:8192 arg=zero:8192 arg=zero:8192",
    "reverse": "ptx=tests/ptx_exec/kernels.ptx kernel=reverse grid=1 block=512 arg=local:2048 arg=inout:words",
    "dynamic": "ptx=tests/ptx_exec/kernels.ptx kernel=reverse_dynamic grid=1 block=512 shared=2048 arg=inout:words",
    "spin": "ptx=tests/ptx_exec/kernels.ptx kernel=spin grid=1 block=64 arg=zero:4",
    "endless": "ptx=tests/ptx_exec/kernels.ptx kernel=endless grid=40 block=256 arg=zero:4",
    "fault": "ptx=tests/ptx_exec/kernels.ptx kernel=fault grid=1 block=32",
    "tile": "ptx=tests/ptx/features_cl.ptx kernel=vecadd grid=8 block=64 arg=in:words arg=in:words arg=out:out:2048 arg=u32:500 arg=local:256",
    "loops": "ptx=tests/ptx/features_cl.ptx kernel=loops grid=4 block=64 arg=inout:words arg=zero:1024 arg=zero:1024 arg=zero:4096 arg=u32:40",
    "lock": "ptx=tests/ptx/features_cl.ptx kernel=atomics grid=4 block=1 arg=zero:4096 arg=zero:64 arg=local:256 arg=u32:5",
    "jump": "ptx=tests/ptx/nvcc_cu.ptx kernel=table_jump grid=1 block=32 arg=zero:4096 arg=u32:1",
    "stream": "ptx=benchmarks/micro/micro.ptx kernel=stream grid=16 block=256 arg=zero:262144 arg=u32:65536 arg=u32:2",
    "banks": "ptx=benchmarks/micro/micro.ptx kernel=shared_chain grid=2 block=32 arg=u32:8 arg=u32:50 arg=out:out:8",
    "atomics": "ptx=benchmarks/micro/micro.ptx kernel=atomics grid=15 block=64 arg=zero:65536 arg=u32:4 arg=u32:8",
    "issue": "ptx=benchmarks/micro/micro.ptx kernel=issue grid=15 block=128 arg=u32:40 arg=out:out:8",
    "odds": "ptx=tests/system/unmoved.ptx kernel=odds grid=6 block=128 arg=zero:8192 arg=out:out:3072",
    "wide": "ptx=tests/system/unmoved.ptx kernel=wide grid=8 block=64 arg=zero:4096 arg=u32:255 arg=u32:3 arg=out:out:2048",
    "apart": "ptx=tests/system/apart.ptx kernel=apart grid=3 block=64 arg=zero:64 arg=out:out:768",
}
THESIS = ("bfs2", "fcdt", "hotsp", "lps", "mum", "mumpp", "namd", "nvrt", "aes", "backp", "cp", "dg", "hrtwl", "lib", "lkyt", "mgst", "nnc", "ray",
          "stmcl", "sto", "wp", "wsreduce")
PERSISTENT = ("gpkvs", "hm", "srad", "red", "mq", "scan")
PLAIN = ("vecadd", "reduction", "bfs", "laplace", "position", "buffers", "reverse", "dynamic", "tile", "loops", "lock", "jump", "stream",
         "banks", "atomics", "issue", "odds")
IN_SOFTWARE = ("ll-1", "ll-2", "bt-1", "bt-2", "karger-1", "karger-2", "atm", "ht-h", "ht-m", "ht-l")
TRANSACTIONAL = ("ht-h", "ht-m", "ht-l", "atm", "cl", "clto", "bh-h", "bh-l", "cc", "ap")
SYSTEMS = ("getm", "kilotm", "warptm", "warptm-el", "eapg", "ideal", "serial")

# A run: a workload or a kernel of SMALL, then its words: a system; `fails`, when the command is to end with status 1; OPTION=VALUE;
# PARAMETER=VALUE, of the machine when its name has a dot, of the workload when not; UNIT=BACKEND.
OPTIONS = ("preset", "persistency", "seed", "tx-warps", "max-cycles", "sabotage", "kernel", "grid", "block", "shared", "arg")
FLAGS = ("check-serial", "check-persist")

MORE = """
# Plain kernels: presets, cores, caches, crossbars, DRAM.
vecadd preset=gpgpusim-gtx480
vecadd preset=gtx480
vecadd preset=qv100
hrtwl preset=qv100 core.count=4
namd preset=titanv core.count=4
namd preset=rtx2080ti core.count=4
vecadd preset=titanv
vecadd preset=rtx2080ti
vecadd preset=rtx4070
vecadd preset=h100
vecadd n=20000 l1.global=on
vecadd n=1 threads=32
vecadd n=60000 dram.row_bytes=65536 dram.queue=1024 l2.mshrs=1024 l2.rop_queue=2048 dram.banks=1 dram.bank_groups=1 dram.bytes_per_cycle=8
vecadd n=40000 dram.queue=1 dram.bank_groups=1 dram.banks=4
vecadd n=20000 dram.queue=4 dram.row_bytes=512 dram.bytes_per_cycle=8 dram.burst_bytes=32 dram.latency=0
vecadd n=20000 noc.flit_bytes=8 noc.in_flits=90 noc.out_flits=90 noc.latency=1 noc.header_bytes=0
vecadd n=20000 l2.bytes=8192 l2.ways=2 l2.mshrs=2 l2.mshr_merge=1 l2.reply_queue=1 l2.rop_queue=4
vecadd n=20000 partition.count=5 partition.interleave=1024 core.count=7
vecadd n=20000 clock.core=1000 clock.noc=650 clock.l2=600 clock.cu=350 clock.dram=810
reduction preset=gpgpusim-gtx480
reduction preset=thesis-kilotm
reduction n=6000 blocks=20 core.scheduler=lrr core.schedulers=1 core.issue_cycles=4 shared.banks=16 shared.latency=30
reduction n=6000 blocks=20 core.schedulers=4 core.issue_cycles=1 core.warps=24 core.registers=8192 core.shared_bytes=4096 core.blocks=3
bfs preset=gpgpusim-gtx480
bfs preset=getm-56
bfs l1.global=on l1.bytes=4096 l1.ways=2 l1.mshrs=4 l1.mshr_merge=2
bfs nodes=800 l1.global=on l1.mshrs=1 l1.mshr_merge=1 core.mem_queue=1 core.fetch_cycles=1
bfs nodes=800 degree=9 seed=7 noc.concentration=4 l2.bytes=4096 l2.ways=4
laplace preset=gpgpusim-gtx480
laplace preset=thesis-warptm
laplace n=14 l1.global=on l1.bytes=16384 l1.ways=4 l1.latency=20 l1.pipeline=10
laplace n=14 l2.port_bytes=32 partition.count=1 dram.ccd=4 dram.ccdl=6 dram.rcd=20 dram.cl=20 dram.rp=20 dram.rc=60 dram.ras=40
laplace n=14 fu.alu_latency=3 fu.alu_interval=1 fu.fp_latency=20 fu.fp_interval=4 fu.imul_latency=5 fu.imul_interval=2
laplace n=14 l2.rop_latency=100 l2.latency=90 dram.rrd=20 dram.wl=8 dram.cdlr=15 dram.wr=40 dram.rtpl=12 l2.bytes=8192
laplace n=100 max-cycles=3000 fails

# Kernels that are executed; the end of those that go wrong.
odds core.schedulers=4 core.scheduler=lrr fu.sfu_latency=30 fu.fdiv_interval=30 fu.dp_latency=40 fu.dpdiv_interval=100 fu.idiv_latency=50
odds fu.fdiv_latency=20 fu.dpdiv_latency=50 fu.idiv_interval=40 fu.sfu_interval=40 fu.dp_interval=30
odds preset=thesis-kilotm
odds l1.bytes=1024 l1.ways=2 l1.mshrs=1 l1.global=on core.mem_queue=1
stream grid=64 l2.mshrs=4 noc.in_flits=21
stream grid=64 dram.row_bytes=65536 dram.banks=4 dram.bytes_per_cycle=4 dram.burst_bytes=16 dram.queue=256
stream partition.interleave=128 partition.count=7
banks arg=u32:32 arg=u32:20 arg=out:out:8
atomics arg=zero:65536 arg=u32:0 arg=u32:4 noc.atomic_sectors=off
spin watchdog.cycles=10000 watchdog.livelock_cycles=20000 fails
endless watchdog.cycles=1000 watchdog.livelock_cycles=5000 fails
fault fails
jump arg=inout:words arg=u32:2 fails

# Locks and transactions on the other presets.
ht-h fglock preset=gpgpusim-gtx480
ht-h fglock preset=thesis-kilotm
ht-h fglock noc.atomic_sectors=off noc.concentration=5
atm fglock preset=thesis-warptm l1.global=on
cl cglock preset=getm-artifact
cc fglock preset=getm-56
ht-h getm preset=getm-artifact check-serial
ht-h getm preset=getm-56 check-serial
ht-h getm preset=gpgpusim-gtx480 check-serial
atm getm preset=thesis-kilotm check-serial
bh-h getm preset=thesis-warptm check-serial
ht-h kilotm preset=thesis-kilotm check-serial
ht-h kilotm preset=getm-artifact check-serial
cl kilotm preset=getm-56 check-serial
ap kilotm preset=thesis-kilotm tm.warps=0 check-serial
ht-h warptm preset=thesis-warptm check-serial
bh-h warptm preset=thesis-warptm check-serial
cl warptm preset=getm-artifact check-serial
ht-h warptm-el preset=getm-artifact check-serial
atm eapg preset=thesis-warptm check-serial
ht-h eapg preset=getm-artifact check-serial
ht-h ideal preset=thesis-kilotm check-serial
ht-h serial preset=thesis-warptm check-serial
cc serial preset=getm-artifact

# Snapshots, and the programs that they are for.
ht-h sitm-ts preset=si-tm check-serial
atm sitm-ts preset=si-tm si.versions=3 check-serial
ll-1 sitm-ts preset=si-tm check-serial
ll-1 sitm-ts preset=si-tm si.step=3 si.time_bits=6 postdate_unit=lockstep check-serial
ll-1 sitm-ts preset=si-tm si.version_bits=3 si.wire_latency=40 version_index_table=lockstep check-serial
ht-h sitm-oracle preset=si-tm check-serial
bt-1 sitm-oracle preset=si-tm version_index_table=lockstep check-serial
rbt-2 sitm-oracle preset=si-tm si.versions=3 check-serial
vac-1 sitm-oracle preset=si-tm check-serial
bh-h sitm-oracle preset=si-tm bodies=1500 blocks=0 tx-warps=0 check-serial
ll-1 warptm preset=si-tm-base check-serial
ll-1 cglock
ll-2 sitm-ts preset=si-tm si.merge_warps=1 check-serial
ll-2 getm check-serial
ll-2 cglock
bt-1 sitm-ts preset=si-tm check-serial
bt-1 kilotm preset=si-tm-base check-serial
bt-1 cglock
bt-2 sitm-ts preset=si-tm dram.map=banks check-serial
bt-2 warptm preset=si-tm-base check-serial
bt-2 cglock
karger-1 sitm-ts preset=si-tm si.id_bits=6 check-serial
karger-1 eapg check-serial
karger-1 cglock
karger-2 sitm-ts preset=si-tm check-serial
ll-2 sitm-ts preset=si-tm si.copy=bus row_copy_engine=lockstep check-serial
karger-2 serial check-serial
karger-2 cglock
rbt-1 sitm-ts preset=si-tm check-serial
rbt-1 warptm preset=si-tm-base check-serial
rbt-1 cglock
rbt-2 sitm-ts preset=si-tm si.postdate_latency=30 writer_table=lockstep scalable_reader_list=lockstep check-serial
rbt-2 getm preset=si-tm-base check-serial
rbt-2 cglock
vac-1 sitm-ts preset=si-tm check-serial
vac-1 warptm preset=si-tm-base check-serial
vac-1 cglock
vac-2 sitm-ts preset=si-tm check-serial
vac-2 getm preset=si-tm-base check-serial
vac-2 cglock

# What all systems share.
ht-h getm blocks=12 buckets=300 tx-warps=1
ht-h getm blocks=12 buckets=300 tx-warps=2 seed=3
ht-h getm blocks=12 buckets=300 tx-warps=0
ht-h getm blocks=4 buckets=1 check-serial
cl getm tm.warps=16 tm.granule_bytes=4 check-serial
ht-h getm tm.granule_bytes=128 check-serial
ht-h getm tm.backoff_cycles=0 check-serial
ht-h getm tm.backoff_cycles=20000 tm.backoff_max_cycles=40000
cl getm tm.ownership_entries=32 tm.resolvers=1 check-serial
ht-h getm l1.global=on l1.bytes=1024 l1.ways=2 core.scheduler=lrr
bh-h getm noc.concentration=3 noc.flit_bytes=16 l2.port_bytes=64
cl getm tm.log_entries=16
ht-h getm core.count=100 mem.mbytes=4096 tm.granule_bytes=4
wide getm tm.log_entries=16 arg=zero:4096 arg=u32:255 arg=u32:6 arg=out:out:2048 fails
wide getm l1.bytes=1024 l1.ways=2 tm.granule_bytes=16 tx-warps=0
ht-h kilotm tx-warps=1
wide kilotm preset=thesis-kilotm tx-warps=0 check-serial
ht-h kilotm tx-warps=0 seed=2
cc warptm tx-warps=1
atm warptm tx-warps=0 l1.bytes=1024 l1.ways=2
cl warptm-el tx-warps=2
ht-h warptm-el tx-warps=0 tm.ownership_entries=32 tm.resolvers=1
ap eapg tx-warps=2
cl eapg tx-warps=0
ht-h ideal tx-warps=1
cl ideal tx-warps=0

# Transactions in shared memory.
lht-hc localtm preset=localtm check-serial
lht-lc localtm preset=localtm ltm.detect=swo-sig ltm.serial=ascending-multiple check-serial
it-hc localtm preset=localtm ltm.detect=dcd ltm.serial=descending-single check-serial
it-lc localtm preset=localtm ltm.detect=smdcd ltm.serial=descending-multiple check-serial
gc-hc localtm preset=localtm ltm.detect=swo-sig ltm.token=transaction check-serial
gc-lc localtm preset=localtm ltm.detect=smdcd ltm.serial=ascending-multiple check-serial
km-hc localtm preset=localtm ltm.undo=free ltm.sig_bits=32 ltm.wsig_bits=64 ltm.hashes=1 check-serial
km-lc localtm preset=localtm ltm.latency=9 wavefronts=4 check-serial
km-hc localtm core.warp_width=32 core.shared_bytes=32768 shared.banks=32 ltm.token=lanes check-serial
it-hc localtm preset=localtm bank_detector=lockstep tcm_select=lockstep shadow_address=lockstep
it-hc lds-lock preset=localtm
gc-lc lds-lock preset=localtm
km-lc serial preset=localtm check-serial
lht-lc cglock preset=localtm

# GETM.
ht-h getm blocks=12 getm.ts_bits=16 check-serial
ht-h getm getm.ts_bits=14 getm.ring_latency=40 check-serial
ht-h getm getm.table_rows=2 getm.bloom_rows=2 getm.stash=1 getm.max_swaps=1 check-serial
ht-h getm getm.table_rows=2 getm.spill_after=0 getm.overflow_latency=50 getm.overflow_stream=5 check-serial
ht-h getm buckets=20 getm.stall_lines=1 getm.stall_entries=1 check-serial
ht-h getm buckets=20 getm.stall_lines=16 getm.stall_entries=16 check-serial
atm getm getm.ties=none
wide getm grid=16 arg=zero:4096 arg=u32:255 arg=u32:6 arg=out:out:4096 getm.ts_bits=14 getm.ring_latency=50 check-serial
wide getm preset=getm-artifact tm.granule_bytes=4 cu.write_bytes=4
wide getm getm.table_rows=4 getm.spill_after=1 getm.stall_lines=2 check-serial
ht-h getm getm.new_warpts=warp check-serial
ht-h getm getm.store_data=on check-serial
cl getm getm.commit_acks=on check-serial
ht-h getm cu.write_bytes=4 cu.buffer=1 cu.rop_latency=0 check-serial
cl getm cu.write_bytes=128 clock.cu=1400 check-serial
ht-h getm blocks=8 buckets=60 sabotage=forget-writes-decrement watchdog.cycles=20000 fails
ht-h getm blocks=12 buckets=60 sabotage=skip-owner-check check-serial fails
atm getm accounts=40 transfers=2000 blocks=12 sabotage=drop-rts-update check-serial fails

# Branch divergence (docs/divergence.md).
fcdt preset=thesis-tbc
lps preset=thesis-tbc core.lcp=loop core.pipeline=split core.coalesce=line
lps preset=thesis-tbc core.coalesce=chunk l1.pass_cycles=0 l1.miss_cycles=1
stmcl preset=thesis-tbc core.divergence=tbc core.lcp=loop
bfs2 preset=thesis-tbc core.divergence=tbc tbc.priority=srr thread_compactor=rtl block_stack=lockstep
hotsp preset=thesis-tbc core.divergence=tbc tbc.priority=rrb tbc.sync=all thread_compactor=lockstep block_stack=rtl
dg preset=thesis-tbc core.divergence=tbc tbc.arrangement=static
nvrt preset=thesis-tbc core.divergence=tbc tbc.sync=uni
mum preset=thesis-tbc core.divergence=dwf
lps preset=thesis-tbc core.divergence=dwf warp_lut=lockstep
namd preset=thesis-tbc core.divergence=dwf-wb warp_lut=rtl
ray preset=thesis-tbc core.divergence=dwf-wb dwf.lut_entries=8 dwf.lut_ways=1 dwf.heap_entries=2
wsreduce preset=thesis-tbc core.divergence=dwf fails
lps preset=thesis-tbc core.divergence=its convergence_barriers=lockstep
fcdt preset=titanv core.count=4 core.divergence=its core.scoreboard=lane
nvrt preset=titanv core.count=2 core.divergence=si core.scoreboard=lane triangles=20 convergence_barriers=rtl
lps preset=thesis-tbc core.divergence=dws core.scoreboard=lane convergence_barriers=lockstep
fcdt preset=thesis-tbc core.divergence=capri thread_compactor=lockstep block_stack=rtl adequacy_table=lockstep
stmcl preset=thesis-tbc core.divergence=capri capri.entries=4
ray preset=thesis-tbc core.divergence=lw thread_compactor=rtl block_stack=lockstep
apart preset=qv100 core.count=2 convergence_barriers=lockstep
apart preset=thesis-tbc core.divergence=its its.yield_branches=3
apart core.divergence=pdom watchdog.cycles=30000 watchdog.livelock_cycles=30000 fails

# Persistency.
red preset=sbrp-far persistency=sbrp persist_buffer=rtl order_masks=lockstep
mq preset=sbrp-near persistency=sbrp pm.drain=lazy persist_buffer=lockstep order_masks=rtl
gpkvs preset=sbrp-artifact-near persistency=sbrp
hm preset=sbrp-artifact-far persistency=sbrp
red preset=sbrp-near persistency=gpm scope=1
red preset=sbrp-artifact-near persistency=sbrp form=1 pm.acquire=return check-persist
scan preset=sbrp-near persistency=sbrp scope=1 pm.pb_entries=5 pm.window=2
srad preset=sbrp-far persistency=sbrp pm.eadr=on pm.ack=device l1.bytes=4096 l1.ways=8
gpkvs preset=sbrp-near persistency=gpm pm.barrier=none
laplace l1.global=write-back
bfs l1.global=write-back l1.bytes=2048 l1.ways=2
# A release of the sums to the block alone, and no orderings: the oracle names what has overtaken.
scan preset=sbrp-near persistency=sbrp sabotage=early-ack check-persist fails

# Kilo TM.
ht-h kilotm kilo.entries=32 check-serial
ht-h kilotm kilo.id_bits=7 kilo.id_latency=40 check-serial
ht-h kilotm kilo.history_sets=2 kilo.history_rows=2 check-serial
ht-h kilotm kilo.hazard=perfect check-serial
ht-h kilotm kilo.hazard=bloom-array check-serial
ht-h kilotm kilo.hazard_rate=2 kilo.walker=row check-serial
ht-h kilotm kilo.hazard_rate=16 kilo.entry_cycles=0 clock.cu=1400 check-serial
cl kilotm kilo.read_words=1 kilo.write_words=1 check-serial
cl kilotm kilo.entry_cycles=4 kilo.watchdog_cycles=1000 check-serial
ht-h kilotm kilo.watchdog_cycles=1000 check-serial
bh-h kilotm bodies=150 tcd.mode=closed check-serial
bh-h kilotm bodies=150 tcd.mode=published
atm kilotm cu.write_bytes=4 cu.buffer=2 cu.rop_latency=0 check-serial
ht-h kilotm l2.port_bytes=32 partition.count=12 l2.bytes=65536 dram.bytes_per_cycle=16
wide kilotm kilo.read_words=3 kilo.write_words=2 kilo.hazard=bloom-array check-serial
wide kilotm cu.write_bytes=128 kilo.walker=row tcd.mode=closed tcd.granule_bytes=4 check-serial
ht-l kilotm blocks=8 buckets=40000 l2.bytes=4096 l2.ways=2 l2.mshrs=4 check-serial
wide kilotm sabotage=commit-out-of-order tx-warps=2
ht-h kilotm blocks=15 buckets=4000 tx-warps=0 kilo.hazard=perfect
ht-h kilotm blocks=15 buckets=4000 tx-warps=0 kilo.hazard=bloom-array
ht-h kilotm buckets=20 sabotage=ignore-hazard check-serial fails

# WarpTM.
ht-h warptm warptm.resolution=scr check-serial
cl warptm warptm.resolution=scr warptm.scr_bits=32 check-serial
ht-h warptm warptm.resolution=scr-free check-serial
ht-h warptm warptm.resolution=2pcr-free check-serial
ht-h warptm warptm.resolution=2pcr-free warptm.aggregate=off warptm.coalesce=off check-serial
ht-h warptm warptm.resolution=none warptm.aggregate=off warptm.coalesce=off check-serial
ht-h warptm warptm.aggregate=off check-serial
cl warptm warptm.coalesce=off tcd.mode=off check-serial
cl warptm warptm.aggregate=off warptm.coalesce=off kilo.walker=row check-serial
bh-h warptm tcd.mode=published
bh-h warptm tcd.granule_bytes=4 tcd.rows=32 check-serial
bh-h warptm tcd.granule_bytes=16 tcd.ways=1 tcd.rows=2 tcd.pending=2 tcd.reply_bytes=0 check-serial
ht-h warptm kilo.entries=40 kilo.id_bits=9 check-serial
cl warptm kilo.read_words=1 kilo.write_words=2 tcd.mode=published
ht-h warptm kilo.history_sets=2 kilo.history_rows=2 check-serial
ht-h warptm kilo.hazard=perfect check-serial
cl warptm kilo.hazard=bloom-array check-serial
bh-h warptm kilo.watchdog_cycles=1000 check-serial
ht-h warptm core.count=3 partition.count=5 check-serial
wide warptm preset=thesis-warptm l1.bytes=1024 l1.ways=2 check-serial
wide warptm warptm.resolution=scr warptm.scr_bits=64 warptm.aggregate=off tcd.granule_bytes=8 check-serial
wide warptm warptm.coalesce=off warptm.resolution=none warptm.aggregate=off tcd.pending=1 check-serial
wide warptm warptm.resolution=2pcr-free tm.ownership_entries=64 check-serial
wide warptm kilo.watchdog_cycles=1000 tx-warps=0 check-serial
ht-h warptm buckets=20 sabotage=skip-revalidation check-serial fails

# EAPG, WarpTM-EL, Ideal TM, one transaction at a time.
ht-h eapg eapg.cat_entries=4 eapg.cat_banks=2 eapg.rct_entries=40 check-serial
ht-h eapg eapg.pause_max_cycles=10 check-serial
cl eapg eapg.ideal=on check-serial
bh-h eapg tcd.mode=off warptm.resolution=scr check-serial
cl eapg kilo.hazard=perfect tcd.granule_bytes=16 tcd.ways=1 check-serial
ht-h eapg kilo.entries=64 kilo.id_bits=8 kilo.write_words=2 kilo.read_words=1 tcd.mode=published
wide eapg eapg.cat_entries=64 eapg.rct_entries=16 tx-warps=0 check-serial
wide ideal tx-warps=0 core.count=30 check-serial
wide serial noc.in_flits=21 noc.out_flits=21 noc.concentration=15 check-serial
cl warptm-el warptm.resolution=scr check-serial
ht-h warptm-el warptm.resolution=2pcr-free kilo.entries=64 cu.write_bytes=4 check-serial
ht-h ideal blocks=1 buckets=4 check-serial
atm serial accounts=50 noc.flit_bytes=16 check-serial

# Units in Verilog, at the parameters that are built with the command.
ht-h getm validation_unit=rtl check-serial
atm getm validation_unit=lockstep ownership_table=lockstep
cl getm ownership_table=rtl
wide getm validation_unit=lockstep ownership_table=rtl
ht-h kilotm kilo.id_bits=16 mem.mbytes=4096 hazard_unit=rtl
cl kilotm commit_unit=lockstep
wide kilotm commit_unit=rtl
ht-h warptm kilo.id_bits=16 mem.mbytes=4096 hazard_unit=rtl last_written_table=rtl first_read_table=rtl ownership_table=rtl
bh-h warptm bodies=100 mem.mbytes=4096 last_written_table=lockstep first_read_table=lockstep
cl eapg kilo.id_bits=16 mem.mbytes=4096 hazard_unit=lockstep last_written_table=rtl ownership_table=lockstep
ht-h eapg commit_unit=rtl first_read_table=rtl
ht-h eapg conflict_address_table=rtl reference_count_table=lockstep check-serial
cl eapg eapg.cat_entries=40 eapg.cat_banks=1 conflict_address_table=lockstep reference_count_table=rtl
ht-h warptm-el ownership_table=rtl
"""


def table():
    """Every run, by its words."""
    runs = list(THESIS + PLAIN)
    runs += [f"{w} {lock}" for w in TRANSACTIONAL for lock in ("fglock", "cglock")]
    runs += [f"{w} {stm}" for w in IN_SOFTWARE for stm in ("stm-tl2", "stm-pr")]
    runs += [f"{w} {system} check-serial" for system in SYSTEMS for w in (*TRANSACTIONAL, "wide")]
    runs += list(PERSISTENT)
    runs += [f"{w} preset=sbrp-near persistency=sbrp check-persist" for w in PERSISTENT]
    runs += [f"{w} preset=sbrp-far persistency=epoch check-persist" for w in PERSISTENT]
    runs += [line for line in MORE.splitlines() if line and not line.startswith("#")]
    assert len(set(runs)) == len(runs), [r for r in runs if runs.count(r) > 1]
    return runs


def name_of(word):
    return word.partition("=")[0]


def words_of(run):
    """All words of a run, those of SMALL that it does not replace among them."""
    subject, *own = run.split()
    small = SMALL.get(f"{subject} cglock" if "cglock" in own else subject, SMALL[subject])
    given = set(map(name_of, own))
    return [word for word in small.split() if name_of(word) not in given] + own


def command(cowarp, run):
    """The command line of a run, without --stats."""
    line = [str(cowarp), "run", run.split()[0]]
    for word in words_of(run):
        name, equals, value = word.partition("=")
        if name == "ptx":
            line[1:] = ["exec", str(ROOT / value), "--redzone", "0"]  # memory as the workloads have it
        elif name in OPTIONS:
            line += [f"--{name}", value]
        elif name in FLAGS:
            line.append(f"--{name}")
        elif "." in name:
            line += ["--set", word]
        elif value in ("rtl", "lockstep"):
            line += ["--unit", word]
        elif equals:
            line += ["--param", word]
        elif name != "fails":
            line += ["--system", name]
    return line


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def execute(line, folder, environment):
    """Exit status (None: stopped after TIMEOUT_S, with any compiler that it has started), standard output and error."""
    try:
        done = children.run(line, cwd=folder, env=environment, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as late:
        return None, *((part or b"").decode(errors="replace") for part in (late.stdout, late.stderr))
    return done.returncode, done.stdout, done.stderr


def simulate(cowarp, run, folder):
    """{counter: value} of a run, or a text that says why there is none."""
    folder.mkdir()
    (folder / "words").write_bytes(b"".join((i * 2654435761 % 2**32).to_bytes(4, "little") for i in range(8192)))
    line = command(cowarp, run) + ["--omit-host-seconds", "--stats", "stats.json"]
    status, stdout, stderr = execute(line, folder, {"COWARP_CACHE": str(cowarp.parent / "rtl"), **os.environ})
    if status != int("fails" in run.split()) or not (folder / "stats.json").is_file():
        return f"{'has not ended' if status is None else f'exit status {status}'}: {stderr.partition(chr(10))[0][:300] or 'no error'}"
    stats = json.loads((folder / "stats.json").read_text())
    summary = [words for words in map(str.split, stdout.splitlines()) if words and words[0] in SUMMARY]
    summary = [[re.sub(r"^/.*/(?=[^/]*\.ptx:)", "", word) for word in words] for words in summary]  # where the tree is does not count
    found = {"cycles": stats["cycles"], "status": status, "stdout": digest(json.dumps(summary).encode())}
    if line[1] == "exec":
        found["files"] = digest(b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.name in ("out", "words")))
    found.update((name, counter["value"]) for name, counter in stats["counters"].items())
    oracle = stats.get("serializability") or {}
    found.update((f"oracle.{name}", value) for name, value in oracle.items() if isinstance(value, int))
    return found


def simulate_all(cowarp, runs, jobs):
    """{run: what simulate says}."""
    with tempfile.TemporaryDirectory(prefix="unmoved-") as folder:
        place = {run: pathlib.Path(folder) / str(i) for i, run in enumerate(runs)}
        return dict(zip(runs, runner.results(lambda run: simulate(cowarp, run, place[run]), runs, jobs)))


def kernels(cowarp):
    """{name: digest} of the workloads' PTX beside the command."""
    return {path.stem: digest(path.read_bytes()) for path in sorted((cowarp.parent / "kernels").glob("*.ptx"))}


def differences(known, before, now):
    """Lines 'counter: before -> now' of one run."""
    if isinstance(now, str):
        return [now]
    if before is None:
        return ["is not in the reference"]
    before = before + [0] * (len(known) - len(before))
    return [f"{name}: {was} -> {now.get(name, 0)}" for name, was in zip(known, before) if now.get(name, 0) != was]


def report(reference, found, complete):
    """Prints what has moved; the number of runs that have."""
    moved = 0
    for run, now in found.items():
        lines = differences(reference["known"], reference["runs"].get(run), now)
        moved += bool(lines)
        for line in lines[:LINES_PER_RUN]:
            print(f"{run}: {line}")
        if len(lines) > LINES_PER_RUN:
            print(f"{run}: and {len(lines) - LINES_PER_RUN} more")
    for run in sorted(set(reference["runs"]) - set(found)) if complete else ():
        print(f"{run}: is in the reference, but not among the runs")
        moved += 1
    return moved


def kernel_notes(cowarp, reference):
    """What may explain a difference."""
    now = kernels(cowarp)
    return [f"{name}.ptx is not the one of the reference: the kernel has changed, or its compiler"
            for name, known in reference["kernels"].items() if now.get(name) != known]


def gap_notes(cowarp, runs):
    """What `cowarp list` has and no run has."""
    listed = json.loads(subprocess.run([cowarp, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    words = {word for run in runs for word in run.split()[1:]}
    units = {name_of(word) for word in words}
    gaps = [f"preset {p['name']}" for p in listed.get("presets", []) if p["name"] != "getm" and f"preset={p['name']}" not in words]
    gaps += [f"system {s['name']}" for s in listed.get("systems", []) if s["name"] != "none" and s["name"] not in words]
    gaps += [f"unit {u['name']}" for u in listed.get("units", []) if u["name"] not in units]
    for w in listed.get("workloads", []):
        variants = {"plain": [""], "tx": [f" {system} check-serial" for system in SYSTEMS]}
        gaps += [f"{v} of workload {w['name']}" for v in w["variants"]
                 if not any(w["name"] + words in runs for words in variants.get(v, [f" {v}"]))]
    return [f"no run has the {gap}" for gap in gaps]


def write(path, cowarp, reference, found):
    """The reference, one run per line, under a temporary name first. Counters keep their places, so that a renewal changes few lines."""
    names = dict.fromkeys(name for now in found.values() for name in now)
    known = [name for name in reference["known"] if name in names]
    known += [name for name in names if name not in known]
    lines = []
    for run, now in found.items():
        values = [now.get(name, 0) for name in known]
        while values and values[-1] == 0:
            values.pop()
        lines.append(f"{json.dumps(run)}: {json.dumps(values, separators=(',', ':'))}")
    text = '{"known": %s,\n"kernels": %s,\n"runs": {\n%s\n}}\n' % (json.dumps(known), json.dumps(kernels(cowarp)), ",\n".join(lines))
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text)
    temporary.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cowarp", type=pathlib.Path, help="the command, build/cowarp")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time (default 1)")
    parser.add_argument("--only", default="", metavar="PATTERN", help="runs whose name has this regular expression")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth of these runs: some of everything, quickly")
    parser.add_argument("--reference", type=pathlib.Path, default=REFERENCE, metavar="FILE", help="instead of tests/system/unmoved.json")
    parser.add_argument("--list", action="store_true", help="print the runs as commands, and run nothing")
    parser.add_argument("--renew", action="store_true", help="write the reference anew; with --only or --every the rows of these runs")
    args = parser.parse_args()
    some = args.only != "" or args.every != 1
    if args.every < 1:
        parser.error("--every is at least 1")
    if not args.cowarp.is_file():
        parser.error(f"{args.cowarp}: no such file; give the command, build/cowarp")
    if not args.renew and not args.list and not args.reference.exists():
        parser.error(f"{args.reference}: no such file; write it with --renew")
    cowarp = args.cowarp.resolve()
    runs = [run for run in table() if re.search(args.only, run)][::args.every]
    if args.list:
        print("\n".join(shlex.join(command(args.cowarp, run)) for run in runs))
        return 0
    reference = {"known": [], "kernels": {}, "runs": {}}
    if args.reference.exists():
        reference = json.loads(args.reference.read_text())
    found = simulate_all(cowarp, runs, args.jobs)
    moved = report(reference, found, not some)
    for note in (kernel_notes(cowarp, reference) if moved else []) + gap_notes(cowarp, table()):
        print(f"note: {note}")
    print(f"{len(found)} runs, {moved} moved")
    if not args.renew:
        return int(moved > 0)
    if any(isinstance(now, str) for now in found.values()):
        print("a run has failed; the reference stays as it is")
        return 1
    kept = {run: dict(zip(reference["known"], values + [0] * (len(reference["known"]) - len(values)))) for run, values in reference["runs"].items()} if some else {}
    if some:  # a counter that the other rows do not have stays new
        found = kept | {run: {name: now.get(name, 0) for name in reference["known"]} for run, now in found.items()}
    write(args.reference, cowarp, reference, {run: found[run] for run in table() if run in found})
    return 0


if __name__ == "__main__":
    sys.exit(statsfile.run_main("unmoved.py", main))
