#!/bin/bash
# Measures between the nodes of a Slurm job: sbatch slurm.sh [CALLBENCH COMMAND WITH --hosts node0,node1]
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=01:00:00
set -euo pipefail
[ $# -gt 0 ] || set -- run remobjects --quick --hosts node0,node1 --out "run-$SLURM_JOB_ID"
callbench=${CALLBENCH:-callbench}
port=8786
# The address at which the other nodes reach this one. With a second network, name the one that is to be measured.
address=${CALLBENCH_ADDRESS:-$(getent ahostsv4 "$SLURMD_NODENAME" | awk 'NR == 1 {print $1}')}

# Keys of this job alone, in a folder that all nodes see and only this user reads.
export CALLBENCH_HOSTS=$PWD/callbench-keys-$SLURM_JOB_ID
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$CALLBENCH_HOSTS"' EXIT
mapfile -t names < <(seq -f 'node%.0f' 0 $((SLURM_JOB_NUM_NODES - 1)))
"$callbench" hosts init "$address" "${names[@]}" --port "$port" --days 2 >/dev/null

"$callbench" hosts start &
until (exec 3<>"/dev/tcp/$address/$port") 2>/dev/null; do sleep 0.2; done
# shellcheck disable=SC2016 # each task expands it
srun --overlap bash -c 'exec "$1" agent "$CALLBENCH_HOSTS/node$SLURM_PROCID"' agent "$callbench" &
for _ in $(seq 60); do
  "$callbench" hosts check && break
  sleep 1
done
"$callbench" "$@"
