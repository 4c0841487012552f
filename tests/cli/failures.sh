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
finish
