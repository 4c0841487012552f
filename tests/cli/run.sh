# `scree run`: what it writes, what it refuses to overwrite, what it prints last.
. "$(dirname "$0")/lib.sh"
good_deck >deck.yaml

scree run deck.yaml
check "run exits 0" exits 0
check "last line is the state" grep -qE '^state [0-9a-f]{16}$' <(tail -n 1 stdout)
state=$(tail -n 1 stdout)
for file in log.txt deck.resolved.yaml series.csv partition.csv; do check "writes $file" [ -s "deck.out/$file" ]; done
check "log.txt holds the state too" grep -qx "$state" deck.out/log.txt
check "the log has a banner" grep -q '^scree .*revision' deck.out/log.txt
check "the log has the phase table" grep -q '^positions ' deck.out/log.txt
columns=$(head -n 1 deck.out/series.csv | tr ',' '\n')
for column in step time kinetic_translation kinetic_rotation momentum_z contacts coordination overlap_mean overlap_max force_mean \
  sliding stress_xx stress_yz sweeps residual a.x a.vz; do
  check "series has a column $column" grep -qx "$column" <<<"$columns"
done
check "series has the rows asked for" [ "$(cut -d, -f1 deck.out/series.csv | tr '\n' ' ')" = "step 0 4 8 10 " ]

# Implicit Euler under g = -1 with steps of 0.1: after ten steps v = -1, z = -0.01 * 55.
check "series ends where the body is" awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
  END { exit !($c["a.vz"] < -0.9999999 && $c["a.vz"] > -1.0000001 && $c["a.z"] > -0.5500001 && $c["a.z"] < -0.5499999) }' deck.out/series.csv

cp -r deck.out before
scree run deck.yaml
check "results are not overwritten" exits 2
check "and it says how" says "deck.out holds results of an earlier run (deck.resolved.yaml)"
check "and it changed nothing" diff -r deck.out before
scree run deck.yaml --force --set run.steps=2
check "--force overwrites" exits 0
check "with the new run" [ "$(tail -n 1 deck.out/series.csv | cut -d, -f1)" = 2 ]
check "another deck, another state" [ "$(tail -n 1 stdout)" != "$state" ]

scree run before/deck.resolved.yaml --out again
check "the resolved deck runs" exits 0
check "to the same state" [ "$(tail -n 1 stdout)" = "$state" ]
check "with the same series" cmp before/series.csv again/series.csv
check "and resolves to itself" cmp before/deck.resolved.yaml again/deck.resolved.yaml

# The order in which the bodies of a list stand is their id; an equal packing as chain gives equal bits.
cat >chain.yaml <<'DECK'
packing: {dimension: 3, chain: {count: 2, radius: 0.5, gap: 1, direction: [0, 0, 1]}}
forces: {gravity: [0, 0, -1]}
solver: {time_step: 0.1, sweeps: {fixed: 10}}
run: {steps: 10}
DECK
scree run chain.yaml
check "the same packing as a chain ends in the same state" [ "$(tail -n 1 stdout)" = "$state" ]

scree run deck.yaml --out zero --set run.steps=0
check "no steps: exit 0" exits 0
check "no steps: the initial state" [ "$(wc -l <zero/series.csv)" -eq 2 ]

mkdir empty
scree run deck.yaml --out empty
check "an empty directory is used" exits 0
scree run deck.yaml --out missing/below
check "no parent directory: exit 2" exits 2
check "no parent directory: says so" says "make its parent directory first"
scree run deck.yaml --out deck.yaml
check "output is a file: exit 2" exits 2
check "output is a file: says so" says "expected a directory"
scree run deck.yaml --out deck.yaml/below
check "output below a file: exit 2" exits 2
scree run deck.yaml --out /proc/scree
check "unwritable place: exit 2" exits 2
check "unwritable place: says so" says "output directory /proc/scree cannot be written"
mkdir -p odd/log.txt && echo kept >odd/series.csv
scree run deck.yaml --out odd --force
check "a directory in the way: exit 2" exits 2
check "a directory in the way: nothing changed" [ "$(cat odd/series.csv)$(ls -A odd | tr '\n' ' ')" = "keptlog.txt series.csv " ]
mkdir -m 555 locked
if [ "$(id -u)" -ne 0 ]; then
  scree run deck.yaml --out locked
  check "locked directory: exit 2" exits 2
  check "locked directory: nothing written" [ -z "$(ls -A locked)" ]
fi

scree run deck.yaml --out fast --set 'packing.list[0].velocity=[6, 0, 0]' --set 'forces.gravity=[0, 0, 0]'
check "more than a radius per step: goes on" exits 0
check "more than a radius per step: warns once" [ "$(grep -c 'of its radius in one step' stderr)" -eq 1 ]
check "more than a radius per step: the log has it" grep -q '^warning: .*radius' fast/log.txt
scree run deck.yaml --out faster --set 'packing.list[0].velocity=[9, 0, 0]' --set 'forces.gravity=[9, 0, 0]'
check "more than a diameter per step: exit 1" exits 1
check "more than a diameter per step: says so" says "it moves less than its diameter"
scree run deck.yaml --out huge --set 'forces.gravity=[0, 0, 1e300]' --set solver.time_step=1e300
check "a state that is not finite: exit 1" exits 1
check "a state that is not finite: says so" says "is no longer a finite number"

scree run deck.yaml --out large --set 'packing={dimension: 3, lattice: {kind: cubic, cells: [1200, 1200, 1200], radius: 1}}' \
  --set 'output.series.track=[]'
check "more bodies than memory: exit 2" exits 2
check "more bodies than memory: says so" says "1728000000 bodies need about"
check "more bodies than memory: nothing written" no_results large

for count in 2 3; do
  ranks $count run deck.yaml --out ranks$count
  check "$count ranks run" exits 0
  check "$count ranks: the last line is the same state" [ "$(tail -n 1 stdout)" = "$state" ]
  check "$count ranks: the same series" cmp before/series.csv ranks$count/series.csv
done
run mpirun -n 1 "$SCREE" run deck.yaml --out one
check "mpirun -n 1 runs" exits 0
check "to the same state" [ "$(grep ^state stdout)" = "$state" ]

if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  run unshare -m --propagation private bash -c 'mount -t tmpfs tmpfs /dev/shm && "$0" check deck.yaml && ls -A /dev/shm >&2' "$SCREE"
  check "nothing is left in shared memory" [ ! -s stderr ]
else
  echo "skip - shared memory: needs root and mount namespaces"
fi
"$SCREE" run deck.yaml --out closed >&- 2>&-
status=$?
check "closed standard streams: exit 0" exits 0
"$SCREE" run deck.yaml --out piped 2>stderr | true
check "a closed pipe does not end a run" [ "$(tail -n 1 piped/log.txt)" = "$state" ]
run env POSIXLY_CORRECT=1 "$SCREE" run deck.yaml --out posix
check "POSIXLY_CORRECT changes nothing" exits 0
run env -u HOME "$SCREE" check deck.yaml
check "no HOME is no problem" exits 0

# ---------------------------------------------------------------- check
scree check deck.yaml
check "check exits 0" exits 0
cp stdout checked.yaml
for word in bodies regime steps memory time; do check "check forecasts $word" grep -q "^# $word " checked.yaml; done
mkdir -p elsewhere && cp deck.yaml elsewhere && (cd elsewhere && "$SCREE" check deck.yaml >/dev/null)
check "check writes nothing" [ "$(ls -A elsewhere)" = deck.yaml ]
scree run checked.yaml --out from-check
check "what check prints is a deck" exits 0
check "of the same state" [ "$(tail -n 1 stdout)" = "$state" ]
finish
