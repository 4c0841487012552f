/// \file
/// The one table of parameters: key, type, unit, default, range, help. Parsing, checking, the
/// resolved deck and docs/input.md are all read off it. A key stands here only when what it does
/// exists.
#include "deck_schema.h"
#include "scree/deck.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define POSITIVE     .above = true, .least = 0, .most = DBL_MAX
#define NOT_NEGATIVE .least = 0, .most = DBL_MAX
#define AT_LEAST(n)  .least = n, .most = 9e15
#define END          {.key = NULL}

#define MEMBER(owner, member) .key = #member, .offset = offsetof(owner, member)
#define LIST(owner, member)   MEMBER(owner, member), .count_offset = offsetof(owner, member##_count)
#define SECTION(owner, member)                                                                     \
  MEMBER(owner, member), .type = SCREE_PARAM_SECTION, .keys = member##_keys,                       \
      .size = sizeof(scree_deck_##member)

static const scree_param chain_keys[] = {
    {MEMBER(scree_deck_chain, count), .type = SCREE_PARAM_INTEGER, AT_LEAST(1),
     .help = "Number of bodies."},
    {MEMBER(scree_deck_chain, radius), .type = SCREE_PARAM_REAL, POSITIVE, .unit = "length",
     .help = "Radius of each body."},
    {MEMBER(scree_deck_chain, gap), .type = SCREE_PARAM_REAL, NOT_NEGATIVE, .unit = "length",
     .fallback = "0", .help = "Distance between the surfaces of neighbours; 0: they touch."},
    {MEMBER(scree_deck_chain, origin), .type = SCREE_PARAM_VECTOR, .unit = "length",
     .fallback = "[0, 0, 0]", .help = "Centre of the first body."},
    {MEMBER(scree_deck_chain, direction), .type = SCREE_PARAM_VECTOR, .fallback = "[1, 0, 0]",
     .help = "From the first body to the others; its length does not matter."},
    END};

static const char *const lattice_kinds[] = {"square", "hexagonal", "cubic", "fcc", NULL};

static const scree_param lattice_keys[] = {
    {MEMBER(scree_deck_lattice, kind), .type = SCREE_PARAM_CHOICE, .choices = lattice_kinds,
     .help = "Square or hexagonal in two dimensions, simple cubic or face-centred cubic in three."},
    {MEMBER(scree_deck_lattice, cells), .type = SCREE_PARAM_CELLS, AT_LEAST(1),
     .help = "Unit cells along each axis. A cell holds one body, four in fcc; hexagonal rows run "
             "along x."},
    {MEMBER(scree_deck_lattice, radius), .type = SCREE_PARAM_REAL, POSITIVE, .unit = "length",
     .help = "Radius of each body."},
    {MEMBER(scree_deck_lattice, gap), .type = SCREE_PARAM_REAL, NOT_NEGATIVE, .unit = "length",
     .fallback = "0",
     .help = "Distance between the surfaces of nearest neighbours; 0: they touch."},
    {MEMBER(scree_deck_lattice, origin), .type = SCREE_PARAM_VECTOR, .unit = "length",
     .fallback = "[0, 0, 0]", .help = "Centre of the first body, at the low corner."},
    END};

static const scree_param loose_keys[] = {
    {MEMBER(scree_deck_loose, count), .type = SCREE_PARAM_INTEGER, AT_LEAST(1),
     .help = "Number of bodies."},
    {MEMBER(scree_deck_loose, fraction), .type = SCREE_PARAM_REAL, .above = true, .least = 0,
     .most = 1,
     .help = "Share of the box that bodies fill. How dense it can be depends on the range of "
             "radii: 0.52 for equal "
             "spheres, 0.78 for equal discs, less otherwise."},
    {MEMBER(scree_deck_loose, radius), .type = SCREE_PARAM_RANGE, POSITIVE, .unit = "length",
     .help = "Radii are uniformly distributed between these."},
    {MEMBER(scree_deck_loose, origin), .type = SCREE_PARAM_VECTOR, .unit = "length",
     .fallback = "[0, 0, 0]", .help = "Low corner of the box."},
    {MEMBER(scree_deck_loose, width), .type = SCREE_PARAM_REAL, .optional = true, POSITIVE,
     .unit = "length",
     .help = "Extent of the box along x (and y in three dimensions); the last direction follows "
             "from the fraction. Default: a "
             "square or cube."},
    END};

static const scree_param body_keys[] = {
    {MEMBER(scree_deck_body, id), .type = SCREE_PARAM_INTEGER, .optional = true, AT_LEAST(0),
     .help = "Id, by which the body is known everywhere; default: its place in the list, from 0. "
             "All have one, or none."},
    {MEMBER(scree_deck_body, name), .type = SCREE_PARAM_NAME, .fallback = "\"\"",
     .help = "Name by which forces and output refer to the body; may be left out."},
    {MEMBER(scree_deck_body, position), .type = SCREE_PARAM_VECTOR, .unit = "length",
     .help = "Centre."},
    {MEMBER(scree_deck_body, radius), .type = SCREE_PARAM_REAL, POSITIVE, .unit = "length",
     .help = "Radius."},
    {MEMBER(scree_deck_body, velocity), .type = SCREE_PARAM_VECTOR, .unit = "length/time",
     .fallback = "[0, 0, 0]", .help = "Velocity, added to that of the packing."},
    {MEMBER(scree_deck_body, angular_velocity), .type = SCREE_PARAM_VECTOR, .unit = "1/time",
     .fallback = "[0, 0, 0]",
     .help = "Angular velocity, added to that of the packing; in two dimensions only z."},
    END};

static const scree_param name_keys[] = {
    {MEMBER(scree_deck_name, name), .type = SCREE_PARAM_NAME, .help = "The name."},
    {MEMBER(scree_deck_name, id), .type = SCREE_PARAM_INTEGER, AT_LEAST(0),
     .help = "Id of the body: its number in the packing, from 0."},
    END};

static const scree_param packing_keys[] = {
    {MEMBER(scree_deck_packing, dimension), .type = SCREE_PARAM_INTEGER, .least = 2, .most = 3,
     .help = "2: discs in the x-y plane; 3: spheres."},
    {SECTION(scree_deck_packing, chain), .one_of = true, .help = "Bodies in a row."},
    {SECTION(scree_deck_packing, lattice), .one_of = true,
     .help = "Bodies on a regular lattice; x runs fastest, z slowest."},
    {SECTION(scree_deck_packing, loose), .one_of = true,
     .help = "Bodies at random places, none of them touching."},
    {LIST(scree_deck_packing, list), .type = SCREE_PARAM_SECTIONS, .keys = body_keys,
     .size = sizeof(scree_deck_body), .one_of = true, .help = "Bodies one by one."},
    {MEMBER(scree_deck_packing, file), .type = SCREE_PARAM_TEXT, .one_of = true,
     .help = "Bodies from a file: CSV with a line of names (x, y, z, radius; also id, vx, vy, vz, "
             "wx, wy, wz), or a LAMMPS data "
             "file of atom style sphere (name ending in .data or .lmp). Relative to the directory "
             "Scree is started in."},
    {MEMBER(scree_deck_packing, replicate), .type = SCREE_PARAM_CELLS, AT_LEAST(1),
     .fallback = "[1, 1, 1]",
     .help = "Copies of the whole packing along each axis, one box apart."},
    {MEMBER(scree_deck_packing, seed), .type = SCREE_PARAM_INTEGER, AT_LEAST(0), .fallback = "1",
     .help = "Seed of the random places and radii."},
    {MEMBER(scree_deck_packing, velocity), .type = SCREE_PARAM_VECTOR, .unit = "length/time",
     .fallback = "[0, 0, 0]", .help = "Initial velocity of every body."},
    {MEMBER(scree_deck_packing, angular_velocity), .type = SCREE_PARAM_VECTOR, .unit = "1/time",
     .fallback = "[0, 0, 0]",
     .help = "Initial angular velocity of every body; in two dimensions only z."},
    {MEMBER(scree_deck_packing, overlap), .type = SCREE_PARAM_REAL, NOT_NEGATIVE,
     .fallback = "0.01",
     .help = "Largest overlap at the start, as a share of the smaller radius; deeper ones are "
             "refused."},
    {LIST(scree_deck_packing, names), .type = SCREE_PARAM_SECTIONS, .keys = name_keys,
     .size = sizeof(scree_deck_name), .fallback = "[]", .help = "Names for bodies, by id."},
    END};

static const scree_param domain_keys[] = {
    {MEMBER(scree_deck_domain, periodic), .type = SCREE_PARAM_FLAGS,
     .fallback = "[false, false, false]", .help = "Directions that close on themselves."},
    {MEMBER(scree_deck_domain, low), .type = SCREE_PARAM_VECTOR, .optional = true, .unit = "length",
     .help = "Low corner of the periodic box; default: that of the packing."},
    {MEMBER(scree_deck_domain, high), .type = SCREE_PARAM_VECTOR, .optional = true,
     .unit = "length", .help = "High corner; default: that of the packing."},
    END};

static const scree_param material_keys[] = {
    {MEMBER(scree_deck_material, density), .type = SCREE_PARAM_REAL, POSITIVE,
     .unit = "mass/length^dimension", .fallback = "1",
     .help = "Mass per volume of a sphere, per area of a disc."},
    {MEMBER(scree_deck_material, friction), .type = SCREE_PARAM_REAL, NOT_NEGATIVE, .fallback = "0",
     .help = "Coulomb's coefficient between bodies, and with walls that do not have their own."},
    END};

static const scree_param force_keys[] = {{MEMBER(scree_deck_force, body), .type = SCREE_PARAM_NAME,
                                          .help = "Name of the body it acts on."},
                                         {MEMBER(scree_deck_force, force),
                                          .type = SCREE_PARAM_VECTOR, .unit = "mass*length/time^2",
                                          .help = "The force, on the centre."},
                                         END};

static const scree_param forces_keys[] = {
    {MEMBER(scree_deck_forces, gravity), .type = SCREE_PARAM_VECTOR, .unit = "length/time^2",
     .fallback = "[0, 0, 0]", .help = "Acceleration of every body."},
    {LIST(scree_deck_forces, constant), .type = SCREE_PARAM_SECTIONS, .keys = force_keys,
     .size = sizeof(scree_deck_force), .fallback = "[]",
     .help = "Constant forces on named bodies."},
    END};

static const scree_param plane_keys[] = {
    {MEMBER(scree_deck_plane, point), .type = SCREE_PARAM_VECTOR, .optional = true,
     .unit = "length", .help = "A point of the plane; default: it just touches the packing."},
    {MEMBER(scree_deck_plane, normal), .type = SCREE_PARAM_VECTOR,
     .help = "Towards the bodies; its length does not matter."},
    END};

static const scree_param box_keys[] = {{MEMBER(scree_deck_box, low), .type = SCREE_PARAM_VECTOR,
                                        .unit = "length", .help = "Low corner."},
                                       {MEMBER(scree_deck_box, high), .type = SCREE_PARAM_VECTOR,
                                        .unit = "length", .help = "High corner."},
                                       END};

static const char *const force_shapes[] = {"steps", "ramps", NULL};

static const scree_param wall_keys[] = {
    {MEMBER(scree_deck_wall, name), .type = SCREE_PARAM_NAME,
     .help = "Name of the wall in messages and output."},
    {SECTION(scree_deck_wall, plane), .one_of = true, .help = "One plane."},
    {SECTION(scree_deck_wall, box), .one_of = true,
     .help = "Shorthand for the planes around a box, in the directions that are not periodic; "
             "named NAME.x-, NAME.x+, ..."},
    {MEMBER(scree_deck_wall, velocity), .type = SCREE_PARAM_VECTOR, .unit = "length/time",
     .fallback = "[0, 0, 0]",
     .help = "The wall moves with it; its part along the plane drags bodies."},
    {MEMBER(scree_deck_wall, friction), .type = SCREE_PARAM_REAL, .optional = true, NOT_NEGATIVE,
     .help = "Coulomb's coefficient with this wall; default: that of the material."},
    {MEMBER(scree_deck_wall, mass), .type = SCREE_PARAM_REAL, .optional = true, POSITIVE,
     .unit = "mass",
     .help = "Makes the plane a piston: it moves along its normal under `force` and what the "
             "bodies do to it."},
    {LIST(scree_deck_wall, force), .type = SCREE_PARAM_PAIRS, .fallback = "[]",
     .unit = "time, mass*length/time^2",
     .help = "Force on a piston along its normal: a list of [time, force]."},
    {MEMBER(scree_deck_wall, force_shape), .type = SCREE_PARAM_CHOICE, .choices = force_shapes,
     .fallback = "steps",
     .help = "steps: each force holds until the next time; ramps: linear in between (two equal "
             "times make a jump)."},
    END};

static const scree_param local_keys[] = {
    {MEMBER(scree_deck_local, epsilon), .type = SCREE_PARAM_REAL, NOT_NEGATIVE,
     .help =
         "Change of a contact force in the last sweep, relative to itself, that is small enough."},
    {MEMBER(scree_deck_local, cutoff), .type = SCREE_PARAM_REAL, NOT_NEGATIVE,
     .unit = "mass*length/time^2", .fallback = "0", .help = "And this much on top of it."},
    {MEMBER(scree_deck_local, most), .type = SCREE_PARAM_INTEGER, AT_LEAST(1), .fallback = "100000",
     .help = "Sweeps after which the step goes on anyhow."},
    END};

static const scree_param global_keys[] = {
    {MEMBER(scree_deck_global, epsilon), .type = SCREE_PARAM_REAL, NOT_NEGATIVE,
     .help = "Change of the mean contact force in the last sweep, relative to itself, that is "
             "small enough."},
    {MEMBER(scree_deck_global, most), .type = SCREE_PARAM_INTEGER, AT_LEAST(1),
     .fallback = "100000", .help = "Sweeps after which the step goes on anyhow."},
    END};

static const scree_param sweeps_keys[] = {
    {MEMBER(scree_deck_sweeps, fixed), .type = SCREE_PARAM_INTEGER, .one_of = true, AT_LEAST(1),
     .help = "This many sweeps in every step: the packing behaves like a damped elastic solid."},
    {SECTION(scree_deck_sweeps, local), .one_of = true,
     .help = "Until every contact force has settled."},
    {SECTION(scree_deck_sweeps, global), .one_of = true,
     .help = "Until the mean contact force has settled."},
    END};

static const char *const orders[] = {"tiled", "random", NULL};
static const char *const kernels[] = {"lanes", "scalar", NULL};
static const char *const exchanges[] = {"exact", "lagged", NULL};
static const char *const partitioners[] = {"parmetis", "morton", NULL};
static const char *const laws[] = {"g+", "g", NULL};

static const scree_param solver_keys[] = {
    {MEMBER(scree_deck_solver, time_step), .type = SCREE_PARAM_REAL, POSITIVE, .unit = "time",
     .help = "Length of one step."},
    {SECTION(scree_deck_solver, sweeps),
     .help = "When to stop sweeping: exactly one of the rules."},
    {MEMBER(scree_deck_solver, order), .type = SCREE_PARAM_CHOICE, .choices = orders,
     .fallback = "tiled",
     .help = "Order of updates in a sweep: tiled (fast) or random (the random sweep of the "
             "literature)."},
    {MEMBER(scree_deck_solver, law), .type = SCREE_PARAM_CHOICE, .choices = laws, .fallback = "g+",
     .help = "g+: overlaps are kept; g: they are pushed out, which adds energy."},
    {MEMBER(scree_deck_solver, kernel), .type = SCREE_PARAM_CHOICE, .choices = kernels,
     .fallback = "lanes",
     .help = "Eight contacts at a time, or one. The result is the same to the last bit."},
    {MEMBER(scree_deck_solver, exchange), .type = SCREE_PARAM_CHOICE, .choices = exchanges,
     .fallback = "exact",
     .help =
         "exact: ranks work with each other's newest values, and their number does not matter; "
         "lagged: with those of the last sweep, as other codes do, which changes the material at "
         "their borders. There to be compared."},
    {MEMBER(scree_deck_solver, skin), .type = SCREE_PARAM_REAL, .above = true, .least = 0,
     .most = 10, .fallback = "0.1",
     .help = "Pairs nearer than this share of the mean diameter are looked after between two "
             "searches for neighbours."},
    {MEMBER(scree_deck_solver, seed), .type = SCREE_PARAM_INTEGER, AT_LEAST(0), .fallback = "1",
     .help = "Seed of the order of updates."},
    END};

static const scree_param decomposition_keys[] = {
    {MEMBER(scree_deck_decomposition, partitioner), .type = SCREE_PARAM_CHOICE,
     .choices = partitioners, .fallback = "parmetis",
     .help = "How tiles are distributed: by ParMETIS, or in pieces of the Morton curve."},
    {MEMBER(scree_deck_decomposition, imbalance), .type = SCREE_PARAM_REAL, AT_LEAST(1),
     .fallback = "1.1",
     .help = "Work of the busiest rank over the mean from which tiles are distributed anew."},
    {MEMBER(scree_deck_decomposition, every), .type = SCREE_PARAM_INTEGER, AT_LEAST(0),
     .unit = "steps", .fallback = "0",
     .help = "Interval at which this is done in any case; 0: never."},
    END};

static const scree_param run_keys[] = {{MEMBER(scree_deck_run, steps), .type = SCREE_PARAM_INTEGER,
                                        AT_LEAST(0), .help = "Number of steps."},
                                       END};

static const scree_param series_keys[] = {
    {MEMBER(scree_deck_series, every), .type = SCREE_PARAM_INTEGER, AT_LEAST(1), .unit = "steps",
     .fallback = "1",
     .help = "Interval between rows; the first and the last state are always written."},
    {LIST(scree_deck_series, track), .type = SCREE_PARAM_NAMES, .fallback = "[]",
     .help = "Names of bodies whose position and velocity become columns. In a periodic direction "
             "a position jumps by a period when the list of "
             "contacts is made anew after the body has left the box."},
    END};

static const char *const yes_no[] = {"yes", "no", NULL};
static const char *const precisions[] = {"double", "single", NULL};
static const char *const failures[] = {"stop", "go-on", NULL};

static const scree_param fields_keys[] = {
    {MEMBER(scree_deck_fields, every), .type = SCREE_PARAM_INTEGER, AT_LEAST(0), .unit = "steps",
     .fallback = "0", .help = "Interval between states that are written; 0: none."},
    {MEMBER(scree_deck_fields, file), .type = SCREE_PARAM_CHOICE, .choices = yes_no,
     .fallback = "yes", .help = "Whether they go into fields.bp; a stream gets them in any case."},
    {LIST(scree_deck_fields, variables), .type = SCREE_PARAM_NAMES,
     .fallback = "[points, v, omega, radius, mass]",
     .help = "Out of points, v, omega, radius, mass, type, rank, contacts; ids and scalars are "
             "always there."},
    {MEMBER(scree_deck_fields, precision), .type = SCREE_PARAM_CHOICE, .choices = precisions,
     .fallback = "double", .help = "Of the arrays: 8 or 4 bytes per number."},
    {MEMBER(scree_deck_fields, engine), .type = SCREE_PARAM_NAME, .fallback = "BP5",
     .help = "Engine of ADIOS2 for the file. An adios2.xml in the directory Scree is started in "
             "wins over this."},
    {MEMBER(scree_deck_fields, parameters), .type = SCREE_PARAM_TEXT, .fallback = "\"\"",
     .help = "Parameters of the engine, as Key=value,Key=value."},
    {MEMBER(scree_deck_fields, on_failure), .type = SCREE_PARAM_CHOICE, .choices = failures,
     .fallback = "stop",
     .help = "When fields cannot be written: stop, or go on without them (on one rank)."},
    END};

static const scree_param checkpoint_keys[] = {
    {MEMBER(scree_deck_checkpoint, every), .type = SCREE_PARAM_INTEGER, AT_LEAST(0),
     .unit = "steps", .fallback = "0",
     .help = "Interval between checkpoints; 0: only when the run is asked for one or stopped."},
    END};

static const char *const partition_details[] = {"ranks", "tiles", NULL};

static const scree_param output_keys[] = {
    {SECTION(scree_deck_output, series), .help = "The table of scalars over time, series.csv."},
    {SECTION(scree_deck_output, fields), .help = "States of all bodies over time, through ADIOS2."},
    {MEMBER(scree_deck_output, stream), .type = SCREE_PARAM_TEXT, .fallback = "\"\"",
     .help = "Name of a stream (SST) that gets the fields too, for readers who attach to the run; "
             "it never waits for "
             "them. Empty: none."},
    {SECTION(scree_deck_output, checkpoint),
     .help = "States from which a run can go on, checkpoint.bp and the one before it."},
    {MEMBER(scree_deck_output, partition), .type = SCREE_PARAM_CHOICE, .choices = partition_details,
     .fallback = "ranks",
     .help = "Who has what, each time tiles are distributed and at the end: ranks: partition.csv "
             "with a "
             "row per rank; tiles: also tiles.csv with a row per tile."},
    END};

const scree_param scree_deck_keys[] = {
    {SECTION(scree_deck, packing), .help = "The bodies at the start. Exactly one of chain, "
                                           "lattice, loose, list and file says where they are."},
    {SECTION(scree_deck, domain), .help = "The space the bodies live in."},
    {SECTION(scree_deck, material), .help = "What the bodies are made of."},
    {LIST(scree_deck, walls), .type = SCREE_PARAM_SECTIONS, .keys = wall_keys,
     .size = sizeof(scree_deck_wall), .fallback = "[]", .help = "Planes and boxes."},
    {SECTION(scree_deck, forces), .help = "What acts from outside."},
    {SECTION(scree_deck, solver), .help = "How a step is computed."},
    {SECTION(scree_deck, decomposition),
     .help = "How the ranks share the work. It does not change the result."},
    {SECTION(scree_deck, run), .help = "How far to compute."},
    {SECTION(scree_deck, output),
     .help = "What is written, into the directory given with `--out`."},
    END};

static void expects_range(const scree_param *p, char *text, size_t size) {
  if (p->least == 0 && p->most == 0) return;
  const size_t used = strlen(text);
  if (p->most < 9e15)
    snprintf(text + used, size - used, " from %g to %g", p->least, p->most);
  else
    snprintf(text + used, size - used, " %s %g", p->above ? ">" : ">=", p->least);
}

static void expects_choices(const scree_param *p, char *text, size_t size) {
  snprintf(text, size, "one of");
  for (const char *const *c = p->choices; *c; c++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s %s", c == p->choices ? "" : ",", *c);
  }
}

const char *scree_param_expects(const scree_param *p, char *text, size_t size) {
  static const char *const plain[] = {
      [SCREE_PARAM_REAL] = "a number",
      [SCREE_PARAM_INTEGER] = "an integer",
      [SCREE_PARAM_CHOICE] = "",
      [SCREE_PARAM_NAME] = "a name (letters, digits, '_', '-', '.')",
      [SCREE_PARAM_NAMES] = "a list of names",
      [SCREE_PARAM_VECTOR] = "a vector [x, y] or [x, y, z]",
      [SCREE_PARAM_CELLS] = "two or three integers [nx, ny, nz]",
      [SCREE_PARAM_TEXT] = "text",
      [SCREE_PARAM_FLAGS] = "two or three of true and false",
      [SCREE_PARAM_RANGE] = "two numbers [a, b]",
      [SCREE_PARAM_PAIRS] = "a list of pairs of numbers [[a, b], ...]",
      [SCREE_PARAM_SECTION] = "a mapping (key: value)",
      [SCREE_PARAM_SECTIONS] = "a list of mappings (- key: value)",
  };
  snprintf(text, size, "%s", plain[p->type]);
  if (p->type == SCREE_PARAM_CHOICE)
    expects_choices(p, text, size);
  else
    expects_range(p, text, size);
  return text;
}
