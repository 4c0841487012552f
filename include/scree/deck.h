/// \file
/// The deck: everything a run depends on, as the user wrote it in YAML, checked and completed with
/// defaults.
///
///   rank 0:     file, --set  →  yaml_tree  →  deck_check  →  deck_rules  →  resolved text
///   all ranks:  resolved text  →  deck_load (libcyaml)  →  scree_deck, equal everywhere
///
/// The resolved text is also what `run` writes as deck.resolved.yaml; reading it again gives the
/// same deck. Members and keys have the same names; deck_schema.c is the one table that describes
/// them.
#pragma once
#include "scree/check.h"
#include "scree/types.h"

#include <stdint.h>

typedef struct scree_deck_chain {
  int64_t count;
  double radius;
  double gap;
  scree_vec origin;
  scree_vec direction;
} scree_deck_chain;

typedef enum {
  SCREE_LATTICE_SQUARE,
  SCREE_LATTICE_HEXAGONAL,
  SCREE_LATTICE_CUBIC,
  SCREE_LATTICE_FCC
} scree_lattice_kind;

typedef struct scree_deck_lattice {
  scree_lattice_kind kind;
  int64_t cells[3];
  double radius;
  double gap;
  scree_vec origin;
} scree_deck_lattice;

/// Bodies at random places, none touching: a grid of cells as wide as the largest body or wider,
/// one body in each.
typedef struct scree_deck_loose {
  int64_t count;
  double fraction;
  double radius[2];
  scree_vec origin;
  double *width; ///< NULL: a square or cube
} scree_deck_loose;

typedef struct scree_deck_body {
  uint64_t *id; ///< NULL: place in the list
  char *name;   ///< "" for none
  scree_vec position;
  double radius;
  scree_vec velocity;
  scree_vec angular_velocity;
} scree_deck_body;

typedef struct scree_deck_name {
  char *name;
  uint64_t id;
} scree_deck_name;

/// Exactly one of chain, lattice, loose, list, file is there; the others are NULL.
typedef struct scree_deck_packing {
  int64_t dimension;
  int64_t seed;
  scree_vec velocity;
  scree_vec angular_velocity;
  int64_t replicate[3];
  double overlap;
  scree_deck_chain *chain;
  scree_deck_lattice *lattice;
  scree_deck_loose *loose;
  scree_deck_body *list;
  uint32_t list_count;
  char *file;
  scree_deck_name *names;
  uint32_t names_count;
} scree_deck_packing;

typedef struct scree_deck_domain {
  bool periodic[3];
  scree_vec *low; ///< NULL, as `high`: the box of the packing
  scree_vec *high;
} scree_deck_domain;

typedef struct scree_deck_force {
  char *body;
  scree_vec force;
} scree_deck_force;

typedef struct scree_deck_forces {
  scree_vec gravity;
  scree_deck_force *constant;
  uint32_t constant_count;
} scree_deck_forces;

typedef struct scree_deck_material {
  double density;
  double friction;
} scree_deck_material;

typedef struct scree_deck_plane {
  scree_vec *point; ///< NULL: where the plane just touches the packing
  scree_vec normal;
} scree_deck_plane;

typedef struct scree_deck_box {
  scree_vec low, high;
} scree_deck_box;

/// Exactly one of plane and box is there.
typedef struct scree_deck_wall {
  char *name;
  scree_deck_plane *plane;
  scree_deck_box *box;
  scree_vec velocity;
  double *friction; ///< NULL: that of the material
  double *mass;     ///< NULL: not driven by a force
  double (*force)[2];
  uint32_t force_count;
  int force_shape; ///< 0: steps, 1: ramps
} scree_deck_wall;

typedef struct scree_deck_local {
  double epsilon;
  double cutoff;
  int64_t most;
} scree_deck_local;

typedef struct scree_deck_global {
  double epsilon;
  int64_t most;
} scree_deck_global;

/// Exactly one is there.
typedef struct scree_deck_sweeps {
  int64_t *fixed;
  scree_deck_local *local;
  scree_deck_global *global;
} scree_deck_sweeps;

typedef struct scree_deck_solver {
  double time_step;
  scree_deck_sweeps sweeps;
  int order;    ///< scree_order
  int kernel;   ///< scree_kernel
  int exchange; ///< scree_exchange
  int law;      ///< 0: g+, 1: g
  double skin;
  int64_t seed;
} scree_deck_solver;

typedef struct scree_deck_decomposition {
  int partitioner; ///< scree_partitioner
  double imbalance;
  int64_t every;
} scree_deck_decomposition;

typedef struct scree_deck_run {
  int64_t steps;
} scree_deck_run;

typedef struct scree_deck_series {
  int64_t every;
  char **track;
  uint32_t track_count;
} scree_deck_series;

typedef struct scree_deck_fields {
  int64_t every;
  int file; ///< 0: fields.bp is written, 1: not
  char **variables;
  uint32_t variables_count;
  int precision; ///< 0: double, 1: single
  char *engine;
  char *parameters;
  int on_failure; ///< 0: stop, 1: go on without
} scree_deck_fields;

typedef struct scree_deck_checkpoint {
  int64_t every;
} scree_deck_checkpoint;

typedef struct scree_deck_output {
  scree_deck_series series;
  scree_deck_fields fields;
  char *stream; ///< "" for none
  scree_deck_checkpoint checkpoint;
  int partition; ///< 0: a row per rank, 1: also one per tile
} scree_deck_output;

typedef struct scree_deck {
  scree_deck_packing packing;
  scree_deck_domain domain;
  scree_deck_material material;
  scree_deck_wall *walls;
  uint32_t walls_count;
  scree_deck_forces forces;
  scree_deck_solver solver;
  scree_deck_decomposition decomposition;
  scree_deck_run run;
  scree_deck_output output;
} scree_deck;

/// Largest deck file; bodies by the million belong into a packing, not a list.
enum { SCREE_DECK_MAX_BYTES = 4 << 20 };

/// Read `path`, apply the `set_count` assignments "a.b=c" in `set`, check all of it. On success
/// `*resolved` is the resolved text, owned by the caller. On failure returns false with `error`
/// filled; nothing is printed. Not collective.
bool scree_deck_read(const char *path, char *const *set, int set_count, char **resolved,
                     scree_error *error);
/// The same for a deck in memory, which messages call `origin`.
bool scree_deck_resolve(const char *text, size_t size, const char *origin, char *const *set,
                        int set_count, char **resolved, scree_error *error);
/// scree_deck_read on rank 0; all ranks get its answer: `*resolved` everywhere, or the same
/// `error`. Collective.
bool scree_deck_read_all(const char *path, char *const *set, int set_count, MPI_Comm comm,
                         char **resolved, scree_error *error);

/// The deck of a resolved text. Owned by the caller.
scree_deck *scree_deck_load(const char *resolved);
void scree_deck_destroy(scree_deck *deck);

/// The names of bodies, sorted, so that many can be looked up fast.
typedef struct scree_name_entry {
  const char *name;  ///< borrowed from the deck
  scree_global id;   ///< of the body
  uint32_t declared; ///< place in the deck: packing.names first, then packing.list
} scree_name_entry;

typedef struct scree_name_index {
  scree_name_entry *entry; ///< [count], by name, then by place in the deck
  size_t count;
} scree_name_index;

/// Borrows the names of `deck`. Free with scree_name_index_destroy.
scree_name_index scree_name_index_create(const scree_deck *deck);
void scree_name_index_destroy(scree_name_index *index);
/// The entry called `name`, or NULL.
const scree_name_entry *scree_name_index_find(const scree_name_index *index, const char *name);
