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

static const scree_param body_keys[] = {
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
    {LIST(scree_deck_packing, list), .type = SCREE_PARAM_SECTIONS, .keys = body_keys,
     .size = sizeof(scree_deck_body), .one_of = true,
     .help = "Bodies one by one; their ids count from 0."},
    {MEMBER(scree_deck_packing, velocity), .type = SCREE_PARAM_VECTOR, .unit = "length/time",
     .fallback = "[0, 0, 0]", .help = "Initial velocity of every body."},
    {MEMBER(scree_deck_packing, angular_velocity), .type = SCREE_PARAM_VECTOR, .unit = "1/time",
     .fallback = "[0, 0, 0]",
     .help = "Initial angular velocity of every body; in two dimensions only z."},
    {LIST(scree_deck_packing, names), .type = SCREE_PARAM_SECTIONS, .keys = name_keys,
     .size = sizeof(scree_deck_name), .fallback = "[]", .help = "Names for bodies, by id."},
    END};

static const scree_param material_keys[] = {
    {MEMBER(scree_deck_material, density), .type = SCREE_PARAM_REAL, POSITIVE,
     .unit = "mass/length^dimension", .fallback = "1",
     .help = "Mass per volume of a sphere, per area of a disc."},
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

static const scree_param solver_keys[] = {{MEMBER(scree_deck_solver, time_step),
                                           .type = SCREE_PARAM_REAL, POSITIVE, .unit = "time",
                                           .help = "Length of one step."},
                                          END};

static const scree_param run_keys[] = {{MEMBER(scree_deck_run, steps), .type = SCREE_PARAM_INTEGER,
                                        AT_LEAST(0), .help = "Number of steps."},
                                       END};

static const scree_param series_keys[] = {
    {MEMBER(scree_deck_series, every), .type = SCREE_PARAM_INTEGER, AT_LEAST(1), .unit = "steps",
     .fallback = "1",
     .help = "Interval between rows; the first and the last state are always written."},
    {LIST(scree_deck_series, track), .type = SCREE_PARAM_NAMES, .fallback = "[]",
     .help = "Names of bodies whose position and velocity become columns."},
    END};

static const scree_param output_keys[] = {
    {SECTION(scree_deck_output, series), .help = "The table of scalars over time, series.csv."},
    END};

const scree_param scree_deck_keys[] = {
    {SECTION(scree_deck, packing),
     .help =
         "The bodies at the start. Exactly one of chain, lattice and list says where they are."},
    {SECTION(scree_deck, material), .help = "What the bodies are made of."},
    {SECTION(scree_deck, forces), .help = "What acts from outside."},
    {SECTION(scree_deck, solver), .help = "How a step is computed."},
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
