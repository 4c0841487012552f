# Levels of x86-64: a program built for another CPU ends in the same state with the same series, to the last bit.
. "$(dirname "$0")/lib.sh"
if [ "$(uname -m)" != x86_64 ]; then
  echo "skip - levels of x86-64: this machine is $(uname -m)"
  exit 0
elif sanitized; then
  echo "skip - levels of x86-64: they have nothing to do with sanitizers"
  exit 0
fi

cat >discs.yaml <<'DECK'
# Discs in a box under a piston, with friction.
packing: {dimension: 2, loose: {count: 400, fraction: 0.55, radius: [0.45, 0.55], width: 24}, seed: 3}
material: {friction: 0.5}
walls:
  - {name: left, plane: {point: [0, 0], normal: [1, 0]}}
  - {name: right, plane: {point: [24, 0], normal: [-1, 0]}, friction: 0.1}
  - {name: base, plane: {point: [0, 0], normal: [0, 1]}}
  - {name: piston, plane: {normal: [0, -1]}, mass: 50, force: [[0, 20], [1, 60], [2, 10]], force_shape: ramps}
forces: {gravity: [0, -0.5]}
solver: {time_step: 0.02, sweeps: {fixed: 20}}
run: {steps: 60}
output: {series: {every: 5}}
DECK
cat >shear.yaml <<'DECK'
# Spheres, periodic in x and y, between a base and a lid that moves along x.
packing: {dimension: 3, lattice: {kind: cubic, cells: [12, 10, 8], radius: 0.5}, angular_velocity: [0.3, 0, 1]}
domain: {periodic: [true, true, false]}
material: {friction: 0.4}
walls:
  - {name: base, plane: {normal: [0, 0, 1]}}
  - {name: lid, plane: {normal: [0, 0, -1]}, velocity: [2, 0.1, -0.05], friction: 0.8}
solver: {time_step: 0.01, sweeps: {global: {epsilon: 0.001, most: 60}}, law: g}
run: {steps: 25}
output: {series: {every: 5}}
DECK
cat >rain.yaml <<'DECK'
# Spheres of different sizes fall and roll, in the random order.
packing: {dimension: 3, loose: {count: 1500, fraction: 0.2, radius: [0.3, 0.5], width: 8}, seed: 5, velocity: [0.3, 0, -3]}
domain: {periodic: [true, true, false]}
material: {friction: 0.3, density: 2.5}
walls: [{name: base, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]
forces: {gravity: [0, 0, -1]}
solver: {time_step: 0.01, sweeps: {fixed: 15}, order: random}
run: {steps: 40}
output: {series: {every: 5}}
DECK
for deck in discs shear rain; do
  scree run $deck.yaml
  check "$deck: exit 0" exits 0
  check "$deck: bodies touch" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } END { exit !($c["contacts"] > 20) }' $deck.out/series.csv
  tail -n 1 stdout >$deck.state
done

# has FLAG…: this CPU has them all.
has() {
  local flag
  for flag; do grep -m 1 '^flags' /proc/cpuinfo | grep -qw "$flag" || return; done
}
v2="cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"
v3="$v2 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
v4="$v3 avx512f avx512bw avx512cd avx512dq avx512vl"
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$SCREE_BUILD/CMakeCache.txt")

# build LEVEL: the program alone, in ./LEVEL.
build() {
  timeout 200 cmake --preset release -S "$SCREE_SOURCE" -B "$scratch/$1" -DSCREE_ARCH="x86-64-$1" -DSCREE_TESTS=OFF \
    ${compiler:+-DCMAKE_C_COMPILER="$compiler"} >stdout 2>stderr &&
    timeout 200 cmake --build "$scratch/$1" --target scree -j2 >>stdout 2>>stderr
  status=$?
}

under_test=$SCREE
for level in v4 v3 v2; do
  if ! has ${!level}; then
    echo "skip - x86-64-$level: not a level of this CPU"
    continue
  fi
  build $level
  check "x86-64-$level builds" exits 0
  if [ "$status" -ne 0 ]; then
    tail -n 20 stdout
    continue
  fi
  SCREE=$scratch/$level/scree
  check "x86-64-$level is what was asked for" grep -q -- "-march=x86-64-$level" <("$SCREE" --version)
  for deck in discs shear rain; do
    for how in "1 lanes" "1 scalar" "3 lanes" "3 scalar"; do
      set -- $how
      ranks "$1" run $deck.yaml --out other --force --set solver.kernel="$2"
      check "$deck on $1 ranks, $2, x86-64-$level: exit 0" exits 0
      check "… the same state" [ "$(tail -n 1 stdout)" = "$(cat $deck.state)" ]
      check "… the same series" cmp $deck.out/series.csv other/series.csv
    done
  done
  SCREE=$under_test
  rm -rf "${scratch:?}/$level"
done
finish
