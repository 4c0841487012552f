# `cmake --install` gives a program that runs from anywhere.
. "$(dirname "$0")/lib.sh"

run cmake --install "$SCREE_BUILD" --prefix "$scratch/prefix"
check "install exits 0" exits 0
run prefix/bin/scree --version
check "the installed program runs" exits 0
run prefix/bin/scree check prefix/share/scree/decks/throw/throw.yaml
check "the installed decks pass" exits 0
check "the licence is installed" [ -s prefix/share/doc/scree/LICENSE ]
finish
