# deck_fuzz.sh PROGRAM SECONDS: fuzz the deck reader from the shipped decks and the known keys. A finding is kept in the
# current directory and named; run PROGRAM on that file to see it again.
set -eu
program=$1
seconds=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/corpus"

for deck in "$SCREE_SOURCE"/runs/*/*.yaml "$SCREE_SOURCE"/tests/fuzz/corpus/*; do
  cp "$deck" "$scratch/corpus/$(basename "$(dirname "$deck")")-$(basename "$deck")"
done
# Every known key is a word the fuzzer may use.
sed -n 's/^| `\([a-z_]*\)`.*/"\1"/p' "$SCREE_SOURCE/docs/input.md" | sort -u >"$scratch/words"
echo "corpus: $(ls "$scratch/corpus" | wc -l) decks, $(wc -l <"$scratch/words") words"

"$program" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=4096 -dict="$scratch/words" \
  -artifact_prefix=finding- -print_final_stats=1 "$scratch/corpus" 2>"$scratch/log" || {
  tail -n 60 "$scratch/log"
  exit 1
}
grep -E 'Done|stat::number_of_executed_units' "$scratch/log"
