#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command beside a Slurm cluster of two nodes that are this machine: loopback.sh COMMAND ... As root; Debian's slurmctld, slurmd,
# slurm-client and munge have to be there. The cluster is gone when the command has ended, whose exit status is that of the script.
set -euo pipefail
[ $# -gt 0 ] || { echo "loopback.sh: give the command that is to run beside the cluster" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "loopback.sh: has to be root, as Slurm's daemons are" >&2; exit 2; }
for tool in slurmctld slurmd sbatch munged; do
    command -v $tool >/dev/null || { echo "loopback.sh: $tool is missing; apt-get install slurmctld slurmd slurm-client munge" >&2; exit 2; }
done

folder=$(mktemp -d)
chmod 755 "$folder"
host=$(hostname -s)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait "${pids[@]}" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT

mkdir -m 700 "$folder"/{munge,state,spool1,spool2}
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 600 "$folder/munge/key"
chmod 755 "$folder/munge" # clients reach the socket
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
       --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >"$folder/munge.out" 2>&1 &
pids+=($!)

cat >"$folder/slurm.conf" <<END
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=1 NodeHostname=$host NodeAddr=127.0.0.1 Port=26821 CPUs=2 RealMemory=8000 State=UNKNOWN
NodeName=2 NodeHostname=$host NodeAddr=127.0.0.1 Port=26822 CPUs=2 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=1,2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$folder/slurm.conf"
: >"$folder/cgroup.conf"
slurmctld -D >"$folder/out" 2>&1 &
pids+=($!)
for node in 1 2; do
    slurmd -D -N $node >>"$folder/out" 2>&1 &
    pids+=($!)
done
for ((i = 0; i < 60; i++)); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null || true)" = 2 ] && break
    sleep 0.5
done
if [ "$(sinfo -h -t idle -o %D 2>/dev/null || true)" != 2 ]; then
    echo "loopback.sh: the nodes have not come up:" >&2
    tail -n 5 "$folder"/out "$folder"/*.log >&2
    exit 1
fi
"$@"
