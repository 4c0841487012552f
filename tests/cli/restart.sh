# Checkpoint and restart: a run that is interrupted and goes on, on any number of ranks, ends where the uninterrupted one ends.
. "$(dirname "$0")/lib.sh"
ranks() { # COUNT ARGUMENT…
  local count=$1
  shift
  run mpirun --oversubscribe -n "$count" "$SCREE" "$@"
}
state_of() { grep '^state ' "$1/log.txt" | tail -n 1; }

cat >gravity.yaml <<'DECK'
packing: {dimension: 3, loose: {count: 700, fraction: 0.25, radius: [0.38, 0.5], width: 18}, velocity: [1.5, 0.5, -2], names: [{name: one, id: 7}]}
material: {friction: 0.4}
forces: {gravity: [0, 0, -1]}
walls: [{name: box, box: {low: [0, 0, 0], high: [18, 18, 40]}}]
solver: {time_step: 0.03, sweeps: {fixed: 10}}
run: {steps: 40}
output: {series: {every: 3, track: [one]}}
DECK
cat >piston.yaml <<'DECK'
packing: {dimension: 2, loose: {count: 400, fraction: 0.66, radius: [0.48, 0.5], width: 60}}
material: {friction: 0.3}
walls:
  - {name: left, plane: {normal: [1, 0]}}
  - {name: right, plane: {normal: [-1, 0]}}
  - {name: base, plane: {normal: [0, 1]}}
  - {name: piston, plane: {normal: [0, -1]}, mass: 200, force: [[0, 20], [3, 30]], force_shape: ramps}
solver: {time_step: 0.1, sweeps: {fixed: 10}}
run: {steps: 40}
output: {series: {every: 3}}
DECK
cat >shear.yaml <<'DECK'
packing: {dimension: 3, lattice: {kind: cubic, cells: [12, 12, 4], radius: 0.5}}
domain: {periodic: [true, true, false]}
material: {friction: 0.5}
walls:
  - {name: base, plane: {normal: [0, 0, 1]}, velocity: [-0.5, 0.1, 0]}
  - {name: lid, plane: {normal: [0, 0, -1]}, velocity: [0.5, 0, -0.02]}
solver: {time_step: 0.05, sweeps: {fixed: 10}}
run: {steps: 40}
output: {series: {every: 3}}
DECK

# ---------------------------------------------------------------- run(2n) = run(n) + restart(n)
again() { # DECK FROM TO OPTION…: interrupted after 17 steps on FROM ranks, on TO ranks from there
  local deck=$1 from=$2 to=$3
  shift 3
  local name="$deck $* from $from to $to ranks"
  rm -rf whole half
  scree run "$deck.yaml" --out whole "$@"
  check "$name: the whole run" exits 0
  ranks "$from" run "$deck.yaml" --out half "$@" --set run.steps=17 --set output.checkpoint.every=17
  check "$name: the first part" exits 0
  ranks "$to" run "$deck.yaml" --out half "$@" --restart half/checkpoint.bp
  check "$name: the second part" exits 0
  check "$name: same state" [ "$(state_of whole)" = "$(state_of half)" ]
  check "$name: series.csv is one" cmp whole/series.csv half/series.csv
}
again gravity 1 3
again shear 4 2 --set 'solver.sweeps={global: {epsilon: 0.001, most: 20}}' --set decomposition.every=3
if ! slow_build; then
  again gravity 4 2 --set solver.order=random --set decomposition.every=2
  again piston 3 1 --set 'solver.sweeps={local: {epsilon: 0.01, most: 20}}'
  again piston 2 4 --set decomposition.partitioner=morton
  again shear 1 1 --set solver.law=g --set solver.kernel=scalar
fi

# ---------------------------------------------------------------- what may change
scree run gravity.yaml --out more --set run.steps=17 --set output.checkpoint.every=17
scree run gravity.yaml --out more --restart more/checkpoint.bp --set 'forces.gravity=[0, 0, -2]'
check "forces may change: exit 0" exits 0
check "and the log says so" grep -q 'forces.gravity\[2\]: -1, now -2' more/log.txt
cp -r more kept
scree run gravity.yaml --out more --restart more/checkpoint.bp --set solver.time_step=0.02
check "the time step may not: exit 2" exits 2
check "the message names key and values" says "solver.time_step: was 0.03 when the checkpoint was written, and is 0.02"
check "nothing is touched" diff -r more kept
scree run shear.yaml --out more --restart more/checkpoint.bp
check "another deck: exit 2" exits 2
scree run gravity.yaml --out elsewhere --restart more/checkpoint.bp
check "another directory is a new series" [ "$(sed -n 2p elsewhere/series.csv | cut -d, -f1)" = 18 ]

# ---------------------------------------------------------------- damage
scree run gravity.yaml --out none --restart nowhere.bp
check "no checkpoint: exit 2" exits 2
check "no checkpoint: says so" says "nowhere.bp cannot be read: No such file or directory"
mkdir foreign.bp && cp more/checkpoint.bp/md.idx foreign.bp
scree run gravity.yaml --out none --restart foreign.bp
check "no seal: exit 2" exits 2
check "no seal: says so" says "foreign.bp is no checkpoint of Scree, or was never completed"
cp -r more/checkpoint.bp cut.bp && truncate -s -1 cut.bp/data.0
scree run gravity.yaml --out none --restart cut.bp
check "cut short: exit 2" exits 2
check "cut short: says so" says "cut.bp is damaged: data.0 is not what was written"
accepted=0
slow_build && few=1
flips=${SCREE_FLIPS:-${few:+8}}
flips=${flips:-40}
for flip in $(seq "$flips"); do
  rm -rf flipped.bp && cp -r more/checkpoint.bp flipped.bp
  files=(flipped.bp/*)
  file=${files[$((RANDOM % ${#files[@]}))]}
  at=$(((RANDOM * 32768 + RANDOM) % $(stat -c %s "$file")))
  byte=$(od -An -tu1 -j "$at" -N 1 "$file")
  printf "\\x$(printf %x $((byte ^ (1 << RANDOM % 8))))" | dd of="$file" bs=1 seek="$at" conv=notrunc status=none
  scree run gravity.yaml --out none --restart flipped.bp
  [ "$status" -eq 2 ] || { accepted=$((accepted + 1)); echo "  flip in $file at $at: exit $status"; }
done
check "none of $flips flipped bits is accepted" [ "$accepted" -eq 0 ]
check "nothing was written" no_results none

# ---------------------------------------------------------------- wishes
long="--set run.steps=100000000 --set output.series.every=1000000"
wait_for() { for _ in $(seq 200); do eval "$1" && return; sleep 0.05; done; }
for wish in USR2 TERM; do
  # shellcheck disable=SC2086
  "$SCREE" run gravity.yaml --out "stop-$wish" $long >stdout 2>stderr &
  wait_for "[ -s stop-$wish/partition.csv ]"
  sleep 0.3
  kill -$wish $!
  wait $!
  status=$?
  check "SIG$wish: exit 3" exits 3
  check "SIG$wish: says how to go on" grep -q -- "--restart stop-$wish/checkpoint.bp" "stop-$wish/log.txt"
done
step=$(sed -nE 's/^stopped +at step ([0-9]+) .*/\1/p' stop-USR2/log.txt)
scree run gravity.yaml --out stop-USR2 --restart stop-USR2/checkpoint.bp --set "run.steps=$((step + 10))"
scree run gravity.yaml --out whole --force --set "run.steps=$((step + 10))" --set output.series.every=1000000
check "stopped anywhere, it ends in the same state" [ "$(state_of whole)" = "$(state_of stop-USR2)" ]
# shellcheck disable=SC2086
mpirun --oversubscribe -n 2 "$SCREE" run gravity.yaml --out asked $long >stdout 2>stderr &
wait_for "[ -s asked/partition.csv ]"
sleep 0.3
kill -USR1 $!
wait_for "[ -d asked/checkpoint.bp ]"
check "SIGUSR1 through mpirun: a checkpoint" [ -d asked/checkpoint.bp ]
touch asked/stop
wait $!
status=$?
check "a stop file: exit 3" exits 3
# shellcheck disable=SC2086
scree run gravity.yaml --out hours --max-hours 0.0003 $long
check "--max-hours: exit 3" exits 3
scree run gravity.yaml --out hours --max-hours soon
check "--max-hours wants a number: exit 2" exits 2

# ---------------------------------------------------------------- kill -9
# Killed at any moment, also while a checkpoint is written, the run goes on and ends where it would have ended.
scree run gravity.yaml --out whole --force --set run.steps=4000
kills=${SCREE_KILLS:-${few:+4}} lost=0 done=0
kills=${kills:-20}
rm -rf killed
# Killed before its first checkpoint, it begins anew.
how_to_go_on() {
  restart=()
  if [ -d killed/checkpoint.bp ] || [ -d killed/checkpoint.previous.bp ]; then restart=(--restart killed/checkpoint.bp); elif [ -d killed ]; then restart=(--force); fi
}
for kill in $(seq "$kills"); do
  how_to_go_on
  mpirun --oversubscribe -n $((kill % 3 + 1)) "$SCREE" run gravity.yaml --out killed --set run.steps=4000 --set output.checkpoint.every=3 "${restart[@]}" >stdout 2>stderr &
  sleep "0.$((RANDOM % 6 + 3))$((RANDOM % 10))"
  victim=$(pgrep -f -- "^$SCREE run gravity.yaml --out killed" | shuf -n 1)
  [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null
  wait $!
  status=$?
  if grep -q '^scree: ' stderr; then lost=$((lost + 1)) && cat stderr; fi
  [ "$status" -ne 0 ] || { done=$kill && break; }
done
check "each of $kills killed runs goes on" [ "$lost" -eq 0 ]
how_to_go_on
[ "$done" -gt 0 ] || scree run gravity.yaml --out killed --set run.steps=4000 "${restart[@]}"
check "and ends in the same state" [ "$(state_of killed)" = "$(state_of whole)" ]
check "with the same series" cmp killed/series.csv whole/series.csv

# ---------------------------------------------------------------- a full disk
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  mkdir small
  run unshare -m --propagation private bash -c '
    mount -t tmpfs -o size=900k tmpfs small || exit 77
    "$0" run gravity.yaml --out small/out --set output.checkpoint.every=2 --set run.steps=2 && dd if=/dev/zero of=small/filler bs=1k count=500 2>/dev/null
    "$0" run gravity.yaml --out small/out --set output.checkpoint.every=2 --restart small/out/checkpoint.bp
    status=$?
    cp -r small/out full
    exit $status' "$SCREE"
  if [ "$status" -eq 77 ]; then
    echo "skip - full disk: no tmpfs can be mounted here"
  else
    check "full disk: exit 1" exits 1
    check "full disk: says so" says "the last good checkpoint is kept"
    run "$SCREE" run gravity.yaml --out full --restart full/checkpoint.bp
    check "full disk: the last good checkpoint goes on" exits 0
  fi
else
  echo "skip - full disk: needs root and mount namespaces"
fi
finish
