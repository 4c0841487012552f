/// \file
/// Checkpoints: see scree/checkpoint.h and docs/output.md for what is in them.
#include "scree/checkpoint.h"

#include "scree/adios.h"
#include "scree/memory.h"
#include "scree/output_dir.h"
#include "scree/provenance.h"
#include "scree/seal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char schema[] = "scree checkpoint 1";

// ---- what is in it ----------------------------------------------------------

/// Arrays with a row per body.
typedef struct body_array {
  const char *name;
  scree_adios_type type;
  uint64_t columns;
  const void *data;
} body_array;

enum { body_arrays = 7 };

static void list_arrays(const scree_bodies *b, body_array array[body_arrays], double *motion) {
  const body_array all[body_arrays] = {
      {"id", SCREE_ADIOS_UINT64, 0, b->id},
      {"radius", SCREE_ADIOS_DOUBLE, 0, b->radius},
      {"points", SCREE_ADIOS_DOUBLE, 3, b->position},
      {"list/points", SCREE_ADIOS_DOUBLE, 3, b->listed},
      {"orientation", SCREE_ADIOS_DOUBLE, 4, b->orientation},
      {"v", SCREE_ADIOS_DOUBLE, 3, motion},
      {"surface_velocity", SCREE_ADIOS_DOUBLE, 3, motion + 3 * (size_t)b->count},
  };
  memcpy(array, all, sizeof all);
}

/// Single numbers.
typedef struct scalar {
  const char *name;
  scree_adios_type type;
  void *value;
} scalar;

enum { scalars = 7 };

static void list_scalars(scree_saved *s, scalar list[scalars]) {
  const scalar all[scalars] = {
      {"step", SCREE_ADIOS_INT64, &s->step},
      {"list/step", SCREE_ADIOS_INT64, &s->list_step},
      {"list/skin", SCREE_ADIOS_DOUBLE, &s->list_skin},
      {"list/wall_travel", SCREE_ADIOS_DOUBLE, &s->wall_travel},
      {"mean_diameter", SCREE_ADIOS_DOUBLE, &s->mean_diameter},
      {"largest_diameter", SCREE_ADIOS_DOUBLE, &s->largest_diameter},
      {"smallest_mass", SCREE_ADIOS_DOUBLE, &s->smallest_mass},
  };
  memcpy(list, all, sizeof all);
}

enum { domain_numbers = 9, wall_numbers = sizeof(scree_saved_wall) / sizeof(double) };

/// Periodic or not, low corner and size along each axis.
static void pack_domain(const scree_domain *d, double to[domain_numbers]) {
  for (int axis = 0; axis < 3; axis++) {
    to[axis] = d->periodic[axis];
    to[3 + axis] = scree_vec_along(d->low, axis);
    to[6 + axis] = scree_vec_along(d->size, axis);
  }
}

static scree_domain unpack_domain(const double from[domain_numbers]) {
  return (scree_domain){.periodic = {from[0] != 0, from[1] != 0, from[2] != 0},
                        .low = {from[3], from[4], from[5]},
                        .size = {from[6], from[7], from[8]}};
}

// ---- writing ----------------------------------------------------------------

static void put_bodies(scree_adios *f, const scree_ranks *ranks, const scree_saved *s,
                       double *motion, uint64_t *first) {
  const scree_bodies *b = s->bodies;
  const size_t n = (size_t)b->count;
  for (size_t i = 0; i < n; i++) {
    memcpy(motion + 3 * i, &b->motion[i].velocity, sizeof(scree_vec));
    memcpy(motion + 3 * (n + i), &b->motion[i].spin, sizeof(scree_vec));
  }
  body_array array[body_arrays];
  list_arrays(b, array, motion);
  const scree_slab rows = scree_slab_of(ranks, n, 0);
  for (int k = 0; k < body_arrays; k++) {
    scree_slab slab = rows;
    slab.columns = array[k].columns;
    scree_adios_put(f, array[k].name, array[k].type, slab, array[k].data);
  }
  // Contacts stand by their lower body; each body knows where its own begin.
  const scree_slab contacts = scree_slab_of(ranks, (uint64_t)s->kept.start[n], 4);
  for (size_t i = 0; i < n; i++) first[i] = contacts.first + (uint64_t)s->kept.start[i];
  scree_adios_put(f, "contact/first", SCREE_ADIOS_UINT64, rows, first);
  // Partner and impulse together, as bits: an id is no double.
  _Static_assert(sizeof(scree_kept) == 4 * sizeof(uint64_t), "a kept contact is four words");
  scree_adios_put(f, "contact/partner_impulse", SCREE_ADIOS_UINT64, contacts, s->kept.kept);
}

static bool put_all(scree_adios *f, const scree_simulation *sim, const char *deck) {
  scree_saved s = scree_simulation_save(sim);
  char provenance[2048];
  scree_provenance_text(provenance, sizeof provenance);
  scree_adios_put_text(f, "schema", schema);
  scree_adios_put_text(f, "deck", deck);
  scree_adios_put_text(f, "provenance", provenance);
  scree_adios_begin_step(f);
  scalar number[scalars];
  list_scalars(&s, number);
  for (int k = 0; k < scalars; k++)
    scree_adios_put_number(f, number[k].name, number[k].type, number[k].value);
  const size_t n = (size_t)s.bodies->count;
  double *motion = scree_alloc(6 * n, sizeof *motion), domain[domain_numbers];
  uint64_t *first = scree_alloc(n, sizeof *first);
  put_bodies(f, sim->ranks, &s, motion, first);
  // What all ranks have, rank 0 writes.
  const bool writes = sim->ranks->rank == 0;
  pack_domain(&s.domain, domain);
  scree_adios_put(f, "domain", SCREE_ADIOS_DOUBLE,
                  scree_slab_of(sim->ranks, writes ? domain_numbers : 0, 0), domain);
  scree_adios_put(f, "walls", SCREE_ADIOS_DOUBLE,
                  scree_slab_of(sim->ranks, writes ? (uint64_t)s.wall_count : 0, wall_numbers),
                  s.wall);
  const bool ok = scree_adios_end_step(f);
  scree_free(motion);
  scree_free(first);
  s.bodies = NULL;
  scree_saved_free(&s);
  return ok;
}

static bool move(const char *from, const char *to) {
  return rename(from, to) == 0 || errno == ENOENT;
}

/// The new checkpoint takes its name, the one before steps back. Killed in between, one of them has a name.
static bool take_name(const char *directory, const char *partial, scree_error *error) {
  char *name = scree_output_path(directory, "checkpoint.bp");
  char *previous = scree_output_path(directory, "checkpoint.previous.bp");
  bool ok = scree_seal_write(partial, error);
  if (ok && !(scree_output_remove(previous) && move(name, previous) && rename(partial, name) == 0))
    ok = scree_error_set(error, SCREE_EXIT_FAILURE, "%.800s cannot be written: %s", name,
                         strerror(errno));
  scree_free(name);
  scree_free(previous);
  return ok;
}

bool scree_checkpoint_write(const scree_simulation *sim, const char *directory, const char *deck,
                            scree_error *error) {
  char *partial = scree_output_path(directory, "checkpoint.partial.bp");
  if (sim->ranks->rank == 0) scree_output_remove(partial);
  const scree_adios_target target = {.path = partial, .io = "checkpoint", .engine = "BP5"};
  scree_adios *f = scree_adios_create(sim->ranks, &target, error);
  bool ok = scree_ranks_agree(sim->ranks, f != NULL, error);
  if (ok) {
    // A rank that cannot write ends the job: the others wait for it within ADIOS2.
    ok = put_all(f, sim, deck);
    ok = scree_adios_close(f) && ok;
    SCREE_CHECK(ok, "at step %lld %s cannot be written: %s; the last good checkpoint is kept",
                (long long)sim->step, partial, strerror(errno));
  }
  if (ok && sim->ranks->rank == 0) ok = take_name(directory, partial, error);
  ok = scree_ranks_agree(sim->ranks, ok, error);
  if (!ok && sim->ranks->rank == 0) scree_output_remove(partial);
  scree_free(partial);
  return ok;
}

// ---- reading ----------------------------------------------------------------

static bool foreign(const char *path, scree_error *error, const char *what) {
  return scree_error_set(error, SCREE_EXIT_INPUT,
                         "%.800s is no checkpoint that this version can read: %s", path, what);
}

/// Collective failures look alike on all ranks.
static scree_adios *open_all(const char *path, const scree_ranks *ranks, scree_error *error) {
  scree_adios *f = scree_adios_open(ranks, path, error);
  if (scree_ranks_agree(ranks, f != NULL, error)) return f;
  scree_adios_close(f);
  return NULL;
}

char *scree_checkpoint_deck(const char *path, const scree_ranks *ranks, scree_error *error) {
  bool ok = ranks->rank != 0 || scree_seal_check(path, error);
  if (!scree_ranks_agree(ranks, ok, error)) return NULL;
  scree_adios *f = open_all(path, ranks, error);
  if (!f) return NULL;
  char *version = scree_adios_get_text(f, "schema"), *deck = scree_adios_get_text(f, "deck");
  ok = version && strcmp(version, schema) == 0 && deck;
  if (!ok) foreign(path, error, version ? version : "it has no schema");
  scree_free(version);
  scree_adios_close(f);
  if (scree_ranks_agree(ranks, ok, error)) return deck;
  scree_free(deck);
  return NULL;
}

/// The contacts of this rank's bodies: `first` has where each begins, and where the last ends.
static bool get_contacts(scree_adios *f, const uint64_t *first, scree_saved *s) {
  const size_t n = (size_t)s->bodies->count;
  uint64_t all = 0;
  if (!scree_adios_rows(f, "contact/partner_impulse", &all)) return false;
  s->kept = (scree_kept_list){.lines = s->bodies->count,
                              .start = scree_alloc(n + 1, sizeof *s->kept.start)};
  for (size_t i = 0; i <= n; i++) {
    if (first[i] > all || (i > 0 && first[i] < first[i - 1])) return false;
    s->kept.start[i] = (int64_t)(first[i] - first[0]);
  }
  const scree_slab rows = {all, first[0], first[n] - first[0], 4};
  s->kept.kept = scree_alloc(rows.rows, sizeof *s->kept.kept);
  return scree_adios_get(f, "contact/partner_impulse", SCREE_ADIOS_UINT64, rows, s->kept.kept);
}

static bool get_bodies(scree_adios *f, const scree_ranks *ranks, const scree_deck *deck,
                       scree_saved *s) {
  uint64_t all = 0;
  if (!scree_adios_rows(f, "id", &all)) return false;
  const uint64_t from = scree_ranks_share_of(ranks, all, ranks->rank),
                 end = scree_ranks_share_of(ranks, all, ranks->rank + 1);
  SCREE_CHECK(end - from < INT32_MAX, "more than 2^31 bodies on one rank");
  scree_bodies *b = s->bodies = scree_bodies_create((int)deck->packing.dimension,
                                                    (scree_local)(end - from), s->wall_count + 1);
  const size_t n = (size_t)b->count;
  double *motion = scree_alloc(6 * n, sizeof *motion);
  uint64_t *first = scree_alloc(n + 1, sizeof *first);
  body_array array[body_arrays];
  list_arrays(b, array, motion);
  bool ok = true;
  for (int k = 0; ok && k < body_arrays; k++) {
    union { // the same arrays are written from and read into
      const void *from;
      void *to;
    } data = {.from = array[k].data};
    ok = scree_adios_get(f, array[k].name, array[k].type,
                         (scree_slab){all, from, n, array[k].columns}, data.to);
  }
  for (size_t i = 0; ok && i < n; i++) {
    scree_motion *m = &b->motion[i];
    memcpy(&m->velocity, motion + 3 * i, sizeof m->velocity);
    memcpy(&m->spin, motion + 3 * (n + i), sizeof m->spin);
    m->inverse_mass = 1 / scree_body_mass(b->dimension, b->radius[i], deck->material.density);
    m->friction = deck->material.friction;
  }
  // The first contact of the body behind the last one, if there is one, ends the last one's.
  const bool more = end < all;
  ok = ok && scree_adios_get(f, "contact/first", SCREE_ADIOS_UINT64,
                             (scree_slab){all, from, n + more, 0}, first);
  if (ok && !more) ok = scree_adios_rows(f, "contact/partner_impulse", &first[n]);
  ok = ok && get_contacts(f, first, s);
  scree_free(motion);
  scree_free(first);
  return ok;
}

static bool get_all(scree_adios *f, const scree_ranks *ranks, const scree_deck *deck,
                    scree_saved *s) {
  scalar number[scalars];
  list_scalars(s, number);
  for (int k = 0; k < scalars; k++)
    if (!scree_adios_get_number(f, number[k].name, number[k].type, number[k].value)) return false;
  double domain[domain_numbers];
  uint64_t walls = 0;
  if (!scree_adios_get(f, "domain", SCREE_ADIOS_DOUBLE,
                       (scree_slab){domain_numbers, 0, domain_numbers, 0}, domain) ||
      !scree_adios_rows(f, "walls", &walls))
    return false;
  s->domain = unpack_domain(domain);
  s->wall_count = (int)walls;
  s->wall = scree_alloc(walls, sizeof *s->wall);
  return scree_adios_get(f, "walls", SCREE_ADIOS_DOUBLE,
                         (scree_slab){walls, 0, walls, wall_numbers}, s->wall) &&
         get_bodies(f, ranks, deck, s);
}

bool scree_checkpoint_read(const char *path, const scree_ranks *ranks, const scree_deck *deck,
                           scree_saved *saved, scree_error *error) {
  *saved = (scree_saved){0};
  scree_adios *f = open_all(path, ranks, error);
  if (!f) return false;
  bool ok = get_all(f, ranks, deck, saved);
  if (!ok) foreign(path, error, "something is missing in it");
  scree_adios_close(f);
  ok = scree_ranks_agree(ranks, ok, error);
  if (!ok) {
    scree_bodies_destroy(saved->bodies);
    scree_saved_free(saved);
  }
  return ok;
}
