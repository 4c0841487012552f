# Ranks: whatever their number, a deck ends in the same state with the same series; what the log and partition.csv tell of them.
. "$(dirname "$0")/lib.sh"

# The shipped decks, shortened: `short NAME` sets $deck and $options.
short() {
  deck=$SCREE_SOURCE/runs/$1/$1.yaml
  case $1 in
    chain) options=(--set run.steps=40) ;;
    gravity) options=(--set packing.loose.count=5000 --set packing.loose.width=12 --set 'packing.velocity=[0, 0, -2]'
      --set run.steps=40 --set output.series.every=10) ;;
    lattice) options=(--set 'packing.lattice.cells=[11, 11, 11]' --set 'packing.names[0].id=2500'
      --set run.steps=10 --set output.series.every=2) ;;
    throw) options=(--set run.steps=100) ;;
  esac
}

# reference NAME OPTION…: a run on one rank, to compare with.
reference() {
  local name=$1
  shift
  scree run "$deck" --out "$name" "${options[@]}" "$@"
  check "$name on 1 rank exits 0" exits 0
  state=$(tail -n 1 stdout)
}

# same NAME COUNT OPTION…: the same on some ranks.
same() {
  local name=$1 count=$2
  shift 2
  ranks "$count" run "$deck" --out ranked --force "${options[@]}" "$@"
  check "$name on $count ranks${*:+ with $*}: exit 0" exits 0
  check "… the last line is the same state" [ "$(tail -n 1 stdout)" = "$state" ]
  check "… the same series" cmp "$name/series.csv" ranked/series.csv
}

finite() { ! grep -qiE 'nan|inf' <(tail -n +2 "$1"); }
# Times that ./stdout has a line with this text.
times() { [ "$(grep -cF -- "$2" stdout)" -eq "$1" ]; }

decks="chain gravity lattice throw"
counts="2 3 4 5 7 8 16"
many=64
if slow_build; then
  decks="chain gravity"
  counts=5
  many=16
fi

# ---------------------------------------------------------------- any number of ranks
for name in $decks; do
  short $name
  reference $name
  for count in $counts; do same $name "$count"; done
  same $name 3 --set decomposition.every=2
  same $name 4 --set decomposition.partitioner=morton
  same $name 1 --set solver.exchange=lagged
  ranks 3 run "$deck" --out lagged --force "${options[@]}" --set solver.exchange=lagged
  check "$name, lagged, on 3 ranks: exit 0" exits 0
  check "… ends with a state" grep -qE '^state [0-9a-f]{16}$' <(tail -n 1 stdout)
  check "… all numbers are finite" finite lagged/series.csv
  check "… as many rows" [ "$(wc -l <lagged/series.csv)" -eq "$(wc -l <$name/series.csv)" ]
done

short chain
options+=(--set solver.order=tiled)
reference chain-tiled
same chain-tiled 3
short gravity
options+=(--set solver.order=random --set run.steps=10)
reference gravity-random
for count in 2 8; do same gravity-random "$count"; done
same gravity-random 5 --set decomposition.every=2 --set decomposition.partitioner=morton --set decomposition.imbalance=1

# Stopping rules look at all contacts of all ranks.
short gravity
options+=(--set run.steps=10)
for rule in local global; do
  options+=(--set "solver.sweeps={$rule: {epsilon: 0.001, most: 200}}")
  reference gravity-$rule
  same gravity-$rule 4
done

# Far more ranks than tiles.
short lattice
options+=(--set 'packing.lattice.cells=[6, 6, 6]' --set 'packing.names[0].id=400')
reference small
same small $many
check "idle ranks are said once" times 1 "have nothing to do"
check "with their number" grep -qE "[0-9]+ of $many ranks have nothing to do: there are only [0-9]+ tiles" stdout
check "in log.txt, too" grep -q "ranks have nothing to do" ranked/log.txt

# ---------------------------------------------------------------- what is told
short gravity
options+=(--set run.steps=10)
ranks 3 run "$deck" --out told "${options[@]}"
check "nobody is idle, nobody is said to be" times 0 "have nothing to do"
check "the log tells the number of ranks" grep -qE '^started .* 3 ranks$' told/log.txt
check "the log tells the partition" grep -qE '^partition +by .*: [0-9]+ contacts cross a border, imbalance [0-9.]+$' told/log.txt
check "the log has the head of the load table" grep -qE '^load of ranks +min +avg +max +max/avg$' told/log.txt
for row in tiles bodies ghosts contacts neighbours messages/sweep bytes/sweep; do
  check "the load table has $row" grep -qE "^$row( +[0-9.]+){4}\$" told/log.txt
done
check "the load table counts all bodies" grep -qE '^bodies +[0-9]+ +1666\.7 ' told/log.txt
check "no rounds in the order tiled" times 0 "rounds per sweep"
check "the log is what is printed" diff <(grep -E '^(load|tiles|ghosts|state)' stdout) <(grep -E '^(load|tiles|ghosts|state)' told/log.txt)
short chain
ranks 3 run "$deck" --out rounds "${options[@]}"
check "rounds in the order random" grep -qE '[0-9.]+ rounds per sweep, [0-9]+ at most$' rounds/log.txt
scree run "$deck" --out alone "${options[@]}"
check "one rank has no load table" times 0 "load of ranks"

check "partition.csv has a header" grep -qx \
  step,distribution,partitioner,edge_cut,imbalance,rank,tiles,bodies,ghosts,contacts,neighbours,shared,messages,bytes \
  <(head -n 1 told/partition.csv)
# One row per rank, at each step there is a row of; as many columns in each as in the header.
check "partition.csv has each rank at the start and at the end" awk -F, -v ranks=3 -v last=10 '
  NR == 1 { columns = NF; next }
  NF != columns || $6 != (NR - 2) % ranks || $1 < step { bad = 1 }
  { step = $1; rows[$1]++; bodies[$1] += $8 }
  END { exit bad || rows[0] != ranks || rows[last] < ranks || (NR - 1) % ranks || bodies[0] != 5000 || bodies[last] != 5000 }' \
  told/partition.csv
check "one rank has a partition.csv as well" [ "$(cut -d, -f1,6 alone/partition.csv | tr '\n' ' ')" = "step,rank 0,0 40,0 " ]
short gravity
ranks 3 run "$deck" --out anew "${options[@]}" --set 'packing.velocity=[0, 0, 0]' --set run.steps=12 --set decomposition.every=2
check "partition.csv has each distribution" [ "$(tail -n +2 anew/partition.csv | cut -d, -f2 | sort -nu | wc -l)" -ge 3 ]

# ---------------------------------------------------------------- bad input
# refused WHAT MESSAGE ARGUMENT…: on three ranks; nothing may be in ./refused afterwards.
refused() {
  local what=$1 message=$2
  shift 2
  ranks 3 run "$@"
  check "$what on 3 ranks: exit 2" exits 2
  check "$what: says so" says "$message"
  check "$what: one message" [ "$(grep -cE '^scree( run)?: ' stderr)" -eq 1 ]
  check "$what: nothing printed" silent
  check "$what: nothing written" no_results refused
}
good_deck >deck.yaml
refused "a missing file" "missing.csv: cannot be opened" deck.yaml --out refused --set 'packing={dimension: 3, file: missing.csv}' \
  --set 'output.series.track=[]'
refused "overlapping bodies" "overlap by" deck.yaml --out refused --set 'packing.list[1].position=[0, 0, 0.5]'
cat >ring.yaml <<'DECK'
packing: {dimension: 3, lattice: {kind: cubic, cells: [60, 8, 8], radius: 0.5, origin: [0.5, 0.5, 0.5]}}
domain: {periodic: [true, false, false], low: [0, 0, 0], high: [59.9, 8, 8]}
solver: {time_step: 0.1, sweeps: {fixed: 10}}
run: {steps: 1}
DECK
refused "bodies that overlap through the period" "overlap by 0.1" ring.yaml --out refused
refused "an unknown key" "run.step: unknown key" deck.yaml --out refused --set run.step=1
refused "an unknown option" "--ot" deck.yaml --ot refused
refused "a missing deck" "absent.yaml" absent.yaml --out refused
refused "no parent directory" "make its parent directory first" deck.yaml --out refused/below
refused "an unwritable place" "output directory /proc/scree cannot be written" deck.yaml --out /proc/scree
cp -r told before
refused "earlier results" "told holds results of an earlier run (deck.resolved.yaml)" deck.yaml --out told
check "they are still there" diff -r told before
finish
