# Fields, info, export: what is written is what was computed, on any number of ranks, and goes on without gap after a restart.
. "$(dirname "$0")/lib.sh"
cat >deck.yaml <<'DECK'
packing: {dimension: 3, loose: {count: 500, fraction: 0.25, radius: [0.38, 0.5], width: 18}, velocity: [1.5, 0.5, -2]}
material: {friction: 0.4}
forces: {gravity: [0, 0, -1]}
walls: [{name: box, box: {low: [0, 0, 0], high: [18, 18, 40]}}]
solver: {time_step: 0.03, sweeps: {fixed: 10}}
run: {steps: 30}
output: {fields: {every: 5, variables: [points, v, omega, radius, mass, type, rank, contacts]}}
DECK
scree run deck.yaml --out one
check "fields on one rank" exits 0
ranks 3 run deck.yaml --out three
check "fields on three ranks" exits 0
ranks 2 run deck.yaml --out part --set run.steps=12 --set output.checkpoint.every=12
ranks 3 run deck.yaml --out part --restart part/checkpoint.bp
check "fields go on after a restart" exits 0

scree info one/fields.bp
check "info: exit 0" exits 0
check "info: steps" prints "states     7, from step 0 to 30, time 0 to 0.9"
check "info: arrays" grep -qE '^  points +double +500 x 3$' stdout
scree info part/checkpoint.bp
check "info of a checkpoint: seal" prints "schema     scree checkpoint 1, seal intact"
scree info --deck one/fields.bp
check "info --deck is the deck" cmp stdout one/deck.resolved.yaml
scree info deck.yaml
check "info of another file: exit 2" exits 2
check "info of another file: says so" says "deck.yaml cannot be read"
scree info
check "info without a file: exit 2" exits 2

for run in one three part; do
  scree export $run/fields.bp --format lammps --out $run.dump
  check "export to LAMMPS, $run" exits 0
  # bodies by id, state by state
  awk '/^ITEM: TIMESTEP/ { n++; atoms = 0 } /^ITEM: ATOMS/ { atoms = 1; next } atoms { print n, $0 }' $run.dump | sort -k1,1n -k2,2n >$run.sorted
done
check "fields of three ranks are those of one" cmp one.sorted three.sorted
check "fields of a restarted run are those of one" cmp one.sorted part.sorted
check "they have all bodies of all states" [ "$(wc -l <one.sorted)" -eq 3500 ]
scree export one/fields.bp --out vtp
check "export to VTP" exits 0
check "a file per state" [ "$(ls vtp/bodies-*.vtp | wc -l)" -eq 7 ]
check "listed with their times" [ "$(grep -c 'DataSet timestep' vtp/bodies.pvd)" -eq 7 ]
scree export one/fields.bp --out vtp
check "nothing is overwritten: exit 2" exits 2
# The arrays behind the XML: where it says they are, as long as they have to be.
if python3 -c '' 2>/dev/null; then
  run python3 - <<'END'
import re, struct, sys
for name, count in (("bodies", None), ("contacts", None)):
    data = open("vtp/%s-000000030.vtp" % name, "rb").read()
    head, tail = data.split(b'<AppendedData encoding="raw">\n_', 1)
    head = head.decode()
    points = int(re.search(r'NumberOfPoints="(\d+)"', head).group(1))
    cells = sum(int(x) for x in re.findall(r'NumberOf(?:Verts|Lines)="(\d+)"', head))
    assert points > 0 and cells > 0
    for kind, array, width, offset in re.findall(r'type="(\w+)" Name="(\w+)" NumberOfComponents="(\d)" format="appended" offset="(\d+)"', head):
        offset = int(offset)
        size, = struct.unpack_from("<Q", tail, offset)
        rows = points if array in ("points", "connectivity") or name == "bodies" else cells
        assert size == 8 * int(width) * rows, (name, array, size)
        last = offset + 8 + size
    assert tail[last:].startswith(b"\n  </AppendedData>")
END
  check "arrays of the VTP files are whole" exits 0
else
  echo "skip - VTP arrays: needs python3"
fi
if python3 -c 'import adios2' 2>/dev/null; then
  run python3 - <<'END'
import adios2
steps = []
with adios2.Stream("three/fields.bp", "r") as file:
    for _ in file.steps():
        steps.append(int(file.read("step")))
        assert file.read("points").shape == (500, 3) and file.read("v").dtype == "float64"
assert steps == [0, 5, 10, 15, 20, 25, 30], steps
END
  check "python3-adios2 reads it" exits 0
else
  echo "skip - Python: needs python3-adios2"
fi

scree run deck.yaml --out single --set output.fields.precision=single --set 'output.fields.variables=[points]'
scree info single/fields.bp
check "single precision" grep -qE '^  points +float +500 x 3$' stdout
check "only what was asked for" [ "$(grep -cE '^  (v|omega|mass) ' stdout)" -eq 0 ]
scree run deck.yaml --out none --set 'output.fields.variables=[pionts]'
check "unknown field: exit 2" exits 2
check "unknown field: a suggestion" says "unknown field 'pionts'; did you mean 'points'?"
scree run deck.yaml --out none --set output.stream=live --set output.fields.every=0
check "a stream without interval: exit 2" exits 2
check "nothing written" no_results none
ranks 2 run deck.yaml --out streamed --set output.stream=live --set output.fields.file=no
check "a stream without a reader does not hold up the run" exits 0
check "to the same state" [ "$(tail -n 1 streamed/log.txt)" = "$(tail -n 1 one/log.txt)" ]
check "no contact file is left" [ ! -e live.sst ]
finish
