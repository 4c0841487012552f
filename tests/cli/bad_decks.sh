# Bad decks: each gets one clear message with file, line, column, key and what was expected; exit status 2; nothing is written.
. "$(dirname "$0")/lib.sh"

# expect WHAT MESSAGE: deck.yaml is refused by `check` with MESSAGE.
expect() {
  scree check deck.yaml
  refused "$@"
}

refused() {
  local what=$1 message=$2
  check "$what: exit status 2" exits 2
  check "$what: says $message" says "$message"
  check "$what: one message" brief 3
  check "$what: no output" silent
}

# bad WHAT MESSAGE: the deck on standard input is refused.
bad() {
  cat >deck.yaml
  expect "$@"
}

# bad_set WHAT MESSAGE KEY=VALUE…: a good deck with these keys changed is refused.
bad_set() {
  local what=$1 message=$2 assignment arguments=()
  shift 2
  for assignment; do arguments+=(--set "$assignment"); done
  good_deck >deck.yaml
  scree check deck.yaml "${arguments[@]}"
  refused "$what" "$message"
}

# ---------------------------------------------------------------- files
scree check nowhere.yaml
refused "no file" "nowhere.yaml: cannot be opened: No such file or directory"
mkdir folder
scree check folder
refused "a directory" "folder: is a directory; expected a deck"
: | bad "empty" "deck.yaml: is empty"
head -c 4096 /dev/urandom | bad "binary" "deck.yaml"
cp "$SCREE" deck.yaml && expect "a program" "deck.yaml"
head -c 100000000 /dev/zero | tr '\0' ' ' | bad "100 MB" "larger than 4 MiB"
scree check <(yes 'a: b')
refused "an endless pipe" "larger than 4 MiB"

# ---------------------------------------------------------------- keys
bad "unknown key" "deck.yaml:2:1: frobnicate: unknown key" <<'DECK'
solver: {time_step: 1, sweeps: {fixed: 10}}
frobnicate: 3
DECK
bad "misspelt key" "deck.yaml:2:3: solver.time_stp: unknown key; did you mean 'time_step'?" <<'DECK'
solver:
  time_stp: 0.1
DECK
bad "key in the wrong section" "deck.yaml:2:3: solver.density: unknown key here; it belongs into 'material'" <<'DECK'
solver:
  density: 5
DECK
bad "duplicate key" "deck.yaml:3:1: run: duplicate key; it stands already in line 1" <<'DECK'
run: {steps: 5}
solver: {time_step: 1, sweeps: {fixed: 10}}
run: {steps: 6}
DECK
bad "missing section" "packing: one of these keys is needed: chain, lattice, loose, list, file" <<'DECK'
solver: {time_step: 1, sweeps: {fixed: 10}}
run: {steps: 5}
DECK
bad "missing required key" "deck.yaml:2:1: solver: 'time_step' is missing; expected a number > 0 [time]" <<'DECK'
packing: {dimension: 2, chain: {count: 1, radius: 1}}
solver: {}
run: {steps: 5}
DECK
bad "two packings" "deck.yaml:4:3: packing.list: only one of" <<'DECK'
packing:
  dimension: 2
  chain: {count: 1, radius: 1}
  list: [{position: [0, 0], radius: 1}]
DECK

# ---------------------------------------------------------------- values
bad_set "wrong type" "--set solver.time_step=fast: solver.time_step: expected a number > 0 [time], got 'fast'" solver.time_step=fast
bad_set "text for a number" "got the text '0.1'; numbers stand without quotes" 'solver.time_step="0.1"'
bad_set "NaN" "it must be finite" solver.time_step=nan
bad_set "YAML NaN" "it must be finite" solver.time_step=.NaN
bad_set "infinite" "it must be finite" solver.time_step=-.inf
bad_set "overflow" "it is too large for a double" solver.time_step=1e999
bad_set "underflow" "it is too small for a double" solver.time_step=1e-999
bad_set "zero time step" "expected a number > 0 [time], got '0'" solver.time_step=0
bad_set "negative radius" "packing.list[1].radius: expected a number > 0 [length], got '-0.5'" 'packing.list[1].radius=-0.5'
bad_set "fraction for an integer" "expected an integer >= 0, got '1.5'" run.steps=1.5
bad_set "exponent for an integer" "got '1e3'; write 1000" run.steps=1e3
bad_set "integer too large" "expected an integer >= 0" run.steps=99999999999999999999
bad_set "mapping for a number" "got a mapping" 'run.steps={a: 1}'
bad_set "number for a mapping" "run: expected a mapping (key: value), got '5'" run=5
bad_set "short vector" "forces.gravity: expected three components, as packing.dimension is 3" 'forces.gravity=[0, 1]'
bad_set "long vector" "got a list of 4" 'forces.gravity=[0, 1, 2, 3]'
bad_set "word in a vector" "forces.gravity[1]: expected a number" 'forces.gravity=[0, down, 0]'
bad_set "bad name" "expected a name" 'packing.list[0].name=a b'
bad_set "empty list" "packing.list: expected a list of mappings" 'packing.list=[]'
bad_set "list entry of the wrong kind" "packing.list[0]: expected a mapping" 'packing.list=[7]'
bad_set "vanishing number" "it is too small for a double" 'forces.gravity=[0, 0, 1e-999]'
bad_set "infinite mass" "body 0 has the radius 1e+200 and so the mass inf" 'packing.list[0].radius=1e200'
bad_set "endless run" "have no finite end" solver.time_step=1e308
bad_set "number beyond the limit" "it is too large" run.steps=9000000000000001
bad_set "control characters" "got the text 'a?scree: all is well'" 'packing.list[0].name="a\nscree: all is well"'
bad_set "wrong choice" "got 'fc'; did you mean 'fcc'?" 'packing={dimension: 3, lattice: {kind: fc, cells: [1, 1, 1], radius: 1}}'

# ---------------------------------------------------------------- rules between keys
bad_set "lattice of another dimension" "this lattice exists in 2 dimensions, but packing.dimension is 3; use cubic or fcc" \
  'packing={dimension: 3, lattice: {kind: square, cells: [1, 1, 1], radius: 1}}'
bad_set "out of the plane" "packing.list[1].position: with dimension 2 the third component must be 0, got 2" \
  packing.dimension=2 'forces.gravity=[0, 0]'
bad_set "spin out of the plane" "bodies spin about z only" \
  'packing={dimension: 2, chain: {count: 1, radius: 1}, angular_velocity: [1, 0, 0]}'
bad_set "layers in the plane" "got 3 cells along z" 'packing={dimension: 2, lattice: {kind: square, cells: [2, 2, 3], radius: 1}}' \
  'forces.gravity=[0, 0]'
bad_set "no direction" "a vector other than 0" \
  'packing={dimension: 2, chain: {count: 1, radius: 1, direction: [0, 0]}}' 'forces.gravity=[0, 0]'
bad_set "force on nobody" "no body is called 'tip'" 'forces.constant=[{body: tip, force: [0, 0, 1]}]'
bad_set "misspelt body" "no body is called 'A'; did you mean 'a'?" 'output.series.track=[A]'
bad_set "name twice" "packing.list[1].name: the name 'a' is given twice" 'packing.list[1].name=a'
bad_set "id out of range" "packing.names[0].id: there is no body 2 among the 2 of this packing" 'packing.names=[{name: x, id: 2}]'
bad_set "tracked twice" "output.series.track[1]: 'a' is tracked twice" 'output.series.track=[a, a]'
bad_set "no sweeps" "solver.sweeps: one of these keys is needed: fixed, local, global" 'solver.sweeps={}'
bad_set "ids for some" "either every body of the list has an id, or none" 'packing.list[1].id=5'
bad_set "same id twice" "two bodies have the id 5" 'packing.list[0].id=5' 'packing.list[1].id=5'
bad_set "no file" "bodies.csv: cannot be opened" 'packing={dimension: 3, file: bodies.csv}' 'output.series.track=[]'
bad_set "too dense" "do not fit side by side" 'packing={dimension: 3, loose: {count: 100, fraction: 0.6, radius: [1, 1]}}' 'output.series.track=[]'
bad_set "range upside down" "the first must not be larger" 'packing={dimension: 3, loose: {count: 1, fraction: 0.1, radius: [2, 1]}}'
bad_set "maybe periodic" "each of them true or false" 'domain.periodic=[true, maybe, false]'
bad_set "periodic list" "this packing has no box of its own" 'domain.periodic=[true, false, false]'
bad_set "short period" "the period along x is 1" 'domain={periodic: [true, false, false], low: [0, 0, 0], high: [1, 1, 1]}'
bad_set "half a box" "low and high come together" 'domain={low: [0, 0, 0]}'
bad_set "wall without normal" "walls[0].plane.normal: expected a direction" 'walls=[{name: w, plane: {normal: [0, 0, 0]}}]'
bad_set "wall that is both" "only one of" 'walls=[{name: w, plane: {normal: [0, 0, 1]}, box: {low: [0, 0, 0], high: [1, 1, 1]}}]'
bad_set "wall name twice" "the name 'w' is given twice" 'walls=[{name: w, plane: {normal: [0, 0, 1]}}, {name: w, plane: {normal: [0, 0, -1]}}]'
bad_set "force without mass" "a wall moved by a force needs a mass" 'walls=[{name: w, plane: {normal: [0, 0, 1]}, force: [[0, 1]]}]'
bad_set "mass without force" "a wall with a mass needs a force" 'walls=[{name: w, plane: {normal: [0, 0, 1]}, mass: 1}]'
bad_set "time going back" "walls[0].force[1]: times must not go back" 'walls=[{name: w, plane: {normal: [0, 0, 1]}, mass: 1, force: [[1, 1], [0, 1]]}]'
bad_set "box upside down" "low must be below high" 'walls=[{name: w, box: {low: [0, 0, 0], high: [1, 1, -1]}}]'
bad_set "walls without room" "'low' and 'high' face each other with 0.5 between them" \
  'walls=[{name: low, plane: {point: [0, 0, -0.5], normal: [0, 0, 1]}}, {name: high, plane: {point: [0, 0, 0], normal: [0, 0, -1]}}]'
bad_set "body behind a wall" "body 0 at (0, 0, 0) is 1.5 behind wall 'w'" 'walls=[{name: w, plane: {point: [0, 0, 1], normal: [0, 0, 1]}}]'
bad_set "wall across a period" "'w' stands across the periodic direction z" 'walls=[{name: w, plane: {point: [0, 0, -5], normal: [0, 0, 1]}}]' \
  'domain={periodic: [false, false, true], low: [-5, -5, -5], high: [5, 5, 5]}'
bad_set "two planes of one name" "two planes are called 'b.x-'" \
  'walls=[{name: b, box: {low: [-9, -9, -9], high: [9, 9, 9]}}, {name: b.x-, plane: {point: [-8, 0, 0], normal: [1, 0, 0]}}]'
bad_set "body outside the period" "body 1 at (0, 0, 2) is outside the periodic box" \
  'domain={periodic: [false, false, true], low: [-5, -5, -3], high: [5, 5, 1]}'
bad_set "endless period" "the period along x is 1e+300" 'domain={periodic: [true, false, false], low: [0, 0, 0], high: [1e300, 1, 1]}'
bad_set "far away" "is more than a million diameters away" 'packing.list[0].position=[1e9, 0, 0]'
bad_set "too fast at the start" "moves more than its diameter in one step" 'packing.list[0].velocity=[11, 0, 0]'
bad_set "copies without a box" "replicate needs to know how far apart copies are" 'packing.replicate=[2, 1, 1]'
bad_set "copies out of the plane" "with dimension 2 there are no copies along z" \
  'packing={dimension: 2, chain: {count: 2, radius: 1}, replicate: [1, 1, 2]}' 'forces.gravity=[0, 0]'
bad_set "odd hexagonal rows" "needs an even number of rows" 'output.series.track=[]' 'forces.gravity=[0, 0]' \
  'packing={dimension: 2, lattice: {kind: hexagonal, cells: [4, 3], radius: 1}}' 'domain.periodic=[true, true]'
bad_set "bodies in each other" "bodies 0 and 1 overlap by 0.5 at the start" 'packing.list[1].position=[0, 0, 0.5]'
bad_set "too many bodies" "more than 2147483647 bodies" \
  'packing={dimension: 3, lattice: {kind: fcc, cells: [100000, 100000, 100000], radius: 1}}'

# ---------------------------------------------------------------- YAML itself
bad "not YAML" "deck.yaml:2:" <<'DECK'
run: {steps: 5
solver: {time_step: 1, sweeps: {fixed: 10}}
DECK
bad "plain text" "expected sections such as 'packing:', got plain text" <<<'hello'
bad "a list" "expected sections such as 'packing:', got a list" <<<'- a'
bad "tabs" "not valid YAML" < <(printf 'run:\n\tsteps: 5\n')
bad "deep nesting" "nested more than 32 levels deep" < <(printf 'a: '; printf '[%.0s' $(seq 5000))
bad "alias bomb" "deck.yaml:1:4: anchors, aliases and tags" <<'DECK'
a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: [*c, *c, *c, *c, *c, *c, *c, *c, *c]
DECK
bad "two documents" "a second document starts here" < <(good_deck; echo ---; good_deck)
bad "not UTF-8" "not UTF-8 text" < <(printf 'run: {steps: 5} # caf\xe9\n')

good_deck | sed 's/$/\r/' >deck.yaml
scree check deck.yaml
check "CRLF line ends are accepted" exits 0
{ printf '\xef\xbb\xbf'; good_deck; } >deck.yaml
scree check deck.yaml
check "a UTF-8 byte order mark is accepted" exits 0

# ---------------------------------------------------------------- --set
bad_set "--set on an unknown key" "--set solver.time_stp=1: solver.time_stp: unknown key; did you mean 'time_step'?" solver.time_stp=1
bad_set "--set on an unknown section" "unknown key" solvr.time_step=1
bad_set "--set without =" "expected KEY=VALUE" solver.time_step
bad_set "--set without value" "no value after '='" solver.time_step=
bad_set "--set past the end of a list" "packing.list has no entry [2]" 'packing.list[2].radius=1'
bad_set "--set into a number" "run.steps is not a mapping, so it has no key 'x'" run.steps.x=1

# ---------------------------------------------------------------- `run` refuses the same way and writes nothing
good_deck >deck.yaml
scree run deck.yaml --set solver.time_step=0 --out made
refused "run with a bad deck" "expected a number > 0"
check "run with a bad deck: no directory" no_results made

# ---------------------------------------------------------------- one message on several ranks
run mpirun --oversubscribe -n 3 "$SCREE" check nowhere.yaml
check "three ranks: exit status 2" exits 2
check "three ranks: message" says "nowhere.yaml: cannot be opened"
check "three ranks: printed once" [ "$(grep -c 'cannot be opened' stderr)" -eq 1 ]
finish
