# Arguments: help, version, and every wrong use gets one message and exit status 2.
. "$(dirname "$0")/lib.sh"
good_deck >good.yaml

scree --help
check "--help exits 0" exits 0
for command in run check fit keys; do check "--help lists $command" prints "  $command "; done
for command in run check fit keys; do
  scree $command --help
  check "$command --help exits 0" exits 0
  check "$command --help shows usage" prints "Usage: scree $command"
done
scree --version
check "--version exits 0" exits 0
for word in scree revision compiler flags -ffp-contract=off "Open MPI" ParMETIS ADIOS2; do
  check "--version tells $word" prints "$word"
done

scree
check "no command exits 2" exits 2
check "no command says so" says "no command given"
scree rnu
check "unknown command exits 2" exits 2
check "unknown command suggests" says "unknown command 'rnu'; did you mean 'run'?"
scree run
check "no deck exits 2" exits 2
check "no deck says so" says "no deck given"
scree run good.yaml other.yaml
check "two decks exit 2" exits 2
check "two decks say so" says "two decks given, 'good.yaml' and 'other.yaml'"
scree run --frobnicate good.yaml
check "unknown option exits 2" exits 2
check "unknown option says so" says "unrecognized option '--frobnicate'"
scree run good.yaml --set
check "--set without value exits 2" exits 2
scree run good.yaml --progress=sometimes
check "--progress with a wrong word exits 2" exits 2
check "--progress with a wrong word says so" says "expected auto, bar or lines, got 'sometimes'"
scree run good.yaml --out ""
check "--out with nothing exits 2" exits 2
scree keys extra
check "keys with an argument exits 2" exits 2
check "no results were written" no_results good.out

"$SCREE" keys >/dev/full 2>stderr
status=$?
check "full standard output exits 1" exits 1
check "full standard output says so" says "standard output cannot be written"
finish
