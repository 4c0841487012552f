# Documents: the reference page is what the program prints; shipped decks pass; links between pages lead somewhere.
. "$(dirname "$0")/lib.sh"

scree keys --markdown
check "docs/input.md is up to date (else: build/scree keys --markdown > docs/input.md)" cmp stdout "$SCREE_SOURCE/docs/input.md"
scree keys
check "keys lists a key with type, unit and default" prints "packing.chain.gap                  a number >= 0 [length] (0)"

decks=0
for deck in "$SCREE_SOURCE"/runs/*/*.yaml; do
  decks=$((decks + 1))
  scree check "$deck"
  check "${deck#"$SCREE_SOURCE"/} passes" exits 0
done
check "there are decks" [ "$decks" -gt 0 ]

for page in "$SCREE_SOURCE"/*.md "$SCREE_SOURCE"/docs/*.md "$SCREE_SOURCE"/runs/*/README.md; do
  [ -e "$page" ] || continue
  for link in $(grep -oE '\]\([^)#:]+' "$page" | sed 's/^](//'); do
    check "${page#"$SCREE_SOURCE"/} links to $link" [ -e "$(dirname "$page")/$link" ]
  done
done
finish
