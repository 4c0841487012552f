# `scree fit`: a real series, and every wrong use.
. "$(dirname "$0")/lib.sh"

scree run "$SCREE_SOURCE/runs/chain/chain.yaml" --out chain --set run.steps=620
check "the chain runs" exits 0
scree fit chain/series.csv --column tip.x --from 330 --to 520
check "fit exits 0" exits 0
for word in omega tau offset amplitude phase residual points; do check "fit prints $word" grep -q "^$word " stdout; done
check "omega and tau are those of the theory" awk '{ v[$1] = $2 } END { exit !(v["omega"] > 0.175 && v["omega"] < 0.178 && v["tau"] > 59 && v["tau"] < 68) }' stdout

scree fit chain/series.csv
check "no column: exit 2" exits 2
check "no column: says so" says "expected --column NAME"
scree fit
check "no file: exit 2" exits 2
scree fit nowhere.csv --column x
check "missing file: exit 2" exits 2
check "missing file: says so" says "nowhere.csv: cannot be opened"
scree fit chain/series.csv --column tip.xx
check "misspelt column: exit 2" exits 2
check "misspelt column: suggests" says "no column 'tip.xx'; did you mean 'tip.x'?"
scree fit chain/series.csv --column tip.x --from soon
check "wrong time: exit 2" exits 2
scree fit chain/series.csv --column tip.x --from 600 --to 610
check "too few points: exit 2" exits 2
check "too few points: says so" says "fewer than 20 points"
scree fit chain/series.csv --column step
check "no oscillation: exit 2" exits 2
check "no oscillation: says so" says "no damped oscillation found"
printf 'time,x\n1,2\n2,abc\n' >bad.csv
scree fit bad.csv --column x
check "not a number: exit 2" exits 2
check "not a number: names the line" says "bad.csv:3: a field is missing or not a number"
: >empty.csv
scree fit empty.csv --column x
check "empty file: exit 2" exits 2
finish
