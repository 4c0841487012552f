# Shared by the CLI tests: run the real program, look at exit status, messages and files. Source it first, call `finish` last.
# From CTest: SCREE (the program), SCREE_SOURCE, SCREE_BUILD, SCREE_TESTS_DIR (directories).
set -u
: "${SCREE:?set it to the program}" "${SCREE_SOURCE:?}" "${SCREE_BUILD:?}" "${SCREE_TESTS_DIR:?}"
passed=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# Where mpirun 5.0 and 4.1 keep notes: one that was killed leaves them, and a later one with its process id would fail.
export PRTE_MCA_prte_tmpdir_base=$scratch OMPI_MCA_orte_tmpdir_base=$scratch

# Runs a command; its outcome is in $status, ./stdout and ./stderr. A hang is a failure.
run() {
  timeout 60 "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  status=$?
}

scree() { run "$SCREE" "$@"; }

# ranks N ARGUMENT…: scree on N ranks.
ranks() {
  local count=$1
  shift
  run mpirun --oversubscribe -n "$count" "$SCREE" "$@"
}

# What kind of build is under test.
sanitized() { "$SCREE" --version | grep -q -- -fsanitize; }
slow_build() { "$SCREE" --version | grep -qE -- '-fsanitize|Debug build'; }

# check WHAT CONDITION…: the condition is a command.
check() {
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "ok - $what"
  else
    failed=$((failed + 1))
    echo "not ok - $what (failed: $*)"
    echo "  exit status $status; stdout and stderr:"
    head -n 20 "$scratch/stdout" "$scratch/stderr" | sed 's/^/  | /'
  fi
}

exits() { [ "$status" -eq "$1" ]; }
says() { grep -qF -- "$1" "$scratch/stderr"; }
prints() { grep -qF -- "$1" "$scratch/stdout"; }
silent() { [ ! -s "$scratch/stdout" ]; }
# At most N lines of message.
brief() { [ "$(wc -l <"$scratch/stderr")" -le "$1" ]; }
no_results() { [ ! -e "$1" ]; }

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit
}

# A deck that is right, to start from.
good_deck() {
  cat <<'DECK'
packing: {dimension: 3, list: [{name: a, position: [0, 0, 0], radius: 0.5}, {position: [0, 0, 2], radius: 0.5, velocity: [0, 0, 0]}]}
forces: {gravity: [0, 0, -1]}
solver: {time_step: 0.1, sweeps: {fixed: 10}}
run: {steps: 10}
output: {series: {every: 4, track: [a]}}
DECK
}
