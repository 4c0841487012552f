# Failures: a rank that fails ends the job promptly with its message; a full disk loses nothing that was written.
. "$(dirname "$0")/lib.sh"
good_deck >deck.yaml

start=$SECONDS
run mpirun --oversubscribe -n 3 "$SCREE_TESTS_DIR/test.failing_rank"
check "a test failing on one rank fails" [ "$status" -ne 0 ]
check "it did not hang" [ $((SECONDS - start)) -lt 30 ]
check "it tells the rank" says "last_rank_fails failed on rank 2"

start=$SECONDS
run mpirun --oversubscribe -n 3 "$SCREE_TESTS_DIR/test.aborting_rank"
check "a failure on one rank exits 1" exits 1
check "it did not hang" [ $((SECONDS - start)) -lt 30 ]
check "it tells rank, place and reason" grep -qE 'scree: error on rank 1 at .* in main \(aborting_rank.c:[0-9]+\): the disk of rank 1 is on fire' stderr

# A disk of 64 KiB, if this machine lets us mount one.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  mkdir small
  run unshare -m --propagation private bash -c '
    mount -t tmpfs -o size=96k tmpfs small || exit 77
    "$0" run deck.yaml --out small/out --set run.steps=100000 --set output.series.every=1 --set "forces.gravity=[0, 0, 0]"
    status=$?
    cp small/out/series.csv kept.csv
    exit $status' "$SCREE"
  if [ "$status" -eq 77 ]; then
    echo "skip - full disk: no tmpfs can be mounted here"
  else
    check "full disk exits 1" exits 1
    check "full disk says so" says "series.csv cannot be written: No space left on device"
    check "rows before it are kept" [ "$(wc -l <kept.csv)" -gt 50 ]
    check "the last row is whole" [ "$(tail -n 1 kept.csv | tr -cd , | wc -c)" -eq "$(head -n 1 kept.csv | tr -cd , | wc -c)" ]
    step=$(tail -n 1 kept.csv | cut -d, -f1)
    check "and it is the one the message names" says "up to step $step are kept"
  fi
else
  echo "skip - full disk: needs root and mount namespaces"
fi

# A limit on file sizes is a full disk of another kind.
run bash -c 'ulimit -f 64; exec "$0" run deck.yaml --out limited --set run.steps=100000 --set output.series.every=1 --set "forces.gravity=[0, 0, 0]"' "$SCREE"
check "a limit on file sizes: exit 1" exits 1
check "a limit on file sizes: says so" says "series.csv cannot be written: File too large"

# Killed in the middle: the log and the directory are there, and the next run says what to do.
"$SCREE" run deck.yaml --out killed --set run.steps=1000000000 --set 'forces.gravity=[0, 0, 0]' >/dev/null 2>&1 &
for _ in $(seq 100); do [ -s killed/log.txt ] && break; sleep 0.1; done
kill -9 $!
wait $! 2>/dev/null
check "a killed run leaves its log" [ -s killed/log.txt ]
check "and whole rows" [ "$(tail -n 1 killed/series.csv | tr -cd , | wc -c)" -eq "$(head -n 1 killed/series.csv | tr -cd , | wc -c)" ]
scree run deck.yaml --out killed
check "the next run does not overwrite it" exits 2
check "and says how to go on" says "overwrite them with --force"

# ---------------------------------------------------------------- ranks and launchers that are killed
# What killed ranks leave of their shared memory goes with the scratch directory.
export OMPI_MCA_btl_sm_backing_directory=$scratch OMPI_MCA_btl_vader_backing_directory=$scratch
cat >long.yaml <<'DECK'
packing: {dimension: 3, loose: {count: 2000, fraction: 0.3, radius: [0.45, 0.55], width: 10}}
domain: {periodic: [true, true, false]}
walls: [{name: base, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]
forces: {gravity: [0, 0, -1]}
solver: {time_step: 0.02, sweeps: {fixed: 20}}
run: {steps: 1000000000}
DECK

# start NAME COMMAND…: a long run on three ranks, behind COMMAND if there is one; its launcher is $job, its results go to $out.
start() {
  out=$scratch/$1
  shift
  mpirun --oversubscribe -n 3 "$@" "$SCREE" run long.yaml --out "$out" >stdout 2>stderr &
  job=$!
}
running() { pgrep -f -- "--out $out\$" >/dev/null; }
rows() { [ -s "$out/series.csv" ] && [ "$(wc -l <"$out/series.csv")" -ge "$1" ]; }
# within SECONDS COMMAND…: wait until the command is content.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return
    sleep 0.05
  done
}
# Process id of a rank of the run.
pid_of_rank() {
  local pid
  for pid in $(pgrep -f -- "^$SCREE run .*--out $out\$"); do
    ! grep -qzxE "(PMIX_RANK|OMPI_COMM_WORLD_RANK)=$1" "/proc/$pid/environ" 2>/dev/null || echo "$pid"
  done
}
ended() { ! kill -0 "$job" 2>/dev/null; }
gone() { ! running; }
# Else a failure would compute for ever.
clear_away() { pgrep -f -- "--out $out\$" | xargs -r kill -9; }
whole_rows() { [ "$(tail -n 1 "$1" | tr -cd '\n,' | wc -c)" -eq "$(head -n 1 "$1" | tr -cd '\n,' | wc -c)" ]; }
# After the blow: everything has to end, and what was written has to be there.
check_end() {
  check "$1: mpirun ends" within 15 ended
  wait "$job" 2>/dev/null
  status=$?
  check "$1: with a status that tells" [ "$status" -ne 0 ]
  check "$1: no process is left" within 15 gone
  clear_away
  check "$1: the log is there" grep -q '^bodies ' "$out/log.txt"
  check "$1: whole rows are there" whole_rows "$out/series.csv"
}

for signal in KILL SEGV; do
  for rank in 1 0; do
    start "rank$rank-$signal"
    check "a long run on three ranks runs" within 30 rows 4
    victim=$(pid_of_rank $rank)
    check "it has one rank $rank" [ "$(wc -w <<<"$victim")" -eq 1 ]
    kill -$signal $victim
    check_end "SIG$signal to rank $rank"
  done
done
for signal in KILL TERM INT; do
  start "mpirun-$signal"
  check "a long run on three ranks runs" within 30 rows 4
  kill -$signal $job
  check_end "SIG$signal to mpirun"
done
start wrapped bash -c '"$0" "$@"; exit $?'
check "a long run behind a script runs" within 30 rows 4
kill -KILL $job
check_end "SIGKILL to mpirun, ranks behind a script"

# Open MPI lets a rank go on alone that does not reach its launcher in time.
for pause in 0 0.03 0.1; do
  start "early-$pause"
  within 30 pgrep -f -- "^$SCREE run .*--out $out\$" >/dev/null
  sleep $pause
  kill -KILL $job
  wait "$job" 2>/dev/null
  check "mpirun killed $pause s after the start: no process is left" within 15 gone
  clear_away
done
run env OMPI_COMM_WORLD_SIZE=3 "$SCREE" run deck.yaml --out orphan
check "one of three ranks, alone: exit 1" exits 1
check "one of three ranks, alone: says so" says "started as one of 3 ranks, but MPI knows of 1"
check "one of three ranks, alone: nothing written" no_results orphan

# ---------------------------------------------------------------- one rank without memory
cat >limit <<'SCRIPT'
#!/usr/bin/env bash
# limit KILOBYTES COMMAND…: rank 1 has no more than this.
[ "${PMIX_RANK:-${OMPI_COMM_WORLD_RANK:-}}" != 1 ] || ulimit -v "$1"
shift
exec "$@"
SCRIPT
chmod +x limit
limited() {
  run mpirun --oversubscribe -n 3 ./limit "$1" "$SCREE" run deck.yaml --out memory --force --set "packing={dimension: 3,
    lattice: {kind: cubic, cells: [$2, $2, $2], radius: 0.5, gap: 0.01}}" --set 'output.series.track=[]' --set run.steps=1
}
if sanitized; then
  echo "skip - a rank without memory: sanitizers need all the addresses there are"
else
  # What MPI itself needs, and a little more.
  for kilobytes in 150000 200000 250000 300000 400000 600000; do
    limited $kilobytes 10
    [ "$status" -ne 0 ] || break
  done
  check "a small packing fits" exits 0
  rm -rf memory
  start=$SECONDS
  limited $((kilobytes + 20000)) 120
  check "no memory on one rank: exit 1" exits 1
  check "no memory on one rank: promptly" [ $((SECONDS - start)) -lt 15 ]
  check "no memory on one rank: says which, and why" grep -qaE 'scree: error on rank 1 at .*: out of memory: no room for [0-9]+ bytes' stderr
  check "no memory on one rank: one message" [ "$(grep -ac 'scree: error' stderr)" -eq 1 ]
  check "no memory on one rank: nothing written" no_results memory
fi
finish
