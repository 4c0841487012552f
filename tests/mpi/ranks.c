/// \file
/// The promise: state and observables are the same bits on any number of ranks, however the tiles are
/// distributed and how often. One job of sixteen ranks; its first k ranks run a deck, the others sleep.
#include "scree/hash.h"
#include "scree/memory.h"
#include "scree/simulation.h"
#include "scree_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_ranks = 16 };
static const int rank_counts[] = {2, 3, 4, 5, 7, 8, most_ranks};
enum { count_of_counts = sizeof rank_counts / sizeof *rank_counts };

/// What must be equal.
typedef struct outcome {
  uint64_t state;
  scree_observables observed[2]; ///< in the middle and at the end
  int64_t sweeps;
  int64_t tiles, distributions, migrated; ///< these need not be
} outcome;

/// Ranks that have no part in it wait without taking time from the others.
static void sleep_until_all_are_here(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) usleep(2000);
}

static outcome run_on(const scree_ranks *ranks, const char *text, int steps) {
  char *resolved;
  scree_error error;
  if (!scree_deck_resolve(text, strlen(text), "deck", NULL, 0, &resolved, &error))
    fail_msg("%s", error.text);
  scree_deck *deck = scree_deck_load(resolved);
  scree_simulation *s = scree_simulation_create(deck, ranks, &error);
  if (!s) fail_msg("%s", error.text);
  outcome o = {0};
  for (int k = 0; k < steps; k++) {
    if (k == steps / 2) o.observed[0] = scree_simulation_observe(s);
    scree_simulation_step(s);
  }
  o.observed[1] = scree_simulation_observe(s);
  o.state = scree_hash_state(s->bodies, ranks);
  o.sweeps = s->counts.sweeps;
  o.tiles = s->tiles->count;
  scree_ranks_sum(ranks, &o.tiles, 1);
  o.distributions = s->balance.distributions;
  o.migrated = s->counts.migrated;
  scree_simulation_destroy(s);
  scree_deck_destroy(deck);
  scree_free(resolved);
  return o;
}

/// On the first `count` ranks; the outcome is known on rank 0.
static outcome run_on_first(int count, const char *text, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &comm);
  outcome o = {0};
  if (rank < count) {
    const scree_ranks ranks = scree_ranks_of(comm);
    o = run_on(&ranks, text, steps);
    MPI_Comm_free(&comm);
  }
  sleep_until_all_are_here();
  return o;
}

static void assert_same(const outcome *a, const outcome *b, const char *what, int ranks) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  if (a->state != b->state)
    fail_msg("%s on %d ranks: state %016llx, alone %016llx", what, ranks,
             (unsigned long long)b->state, (unsigned long long)a->state);
  if (memcmp(a->observed, b->observed, sizeof a->observed) != 0 || a->sweeps != b->sweeps)
    fail_msg("%s on %d ranks: observables differ", what, ranks);
}

// ---- scenes -----------------------------------------------------------------

/// A deck without its solver and decomposition.
typedef struct scene {
  const char *name, *text;
  double time_step;
  int steps;
} scene;

static void compose(char *deck, size_t size, const scene *s, const char *solver,
                    const char *distribution) {
  snprintf(deck, size, "%ssolver: {time_step: %g, %s}\n%s\nrun: {steps: 1}\n", s->text,
           s->time_step, solver, distribution);
}

static const scene chain = {
    "chain",
    "packing: {dimension: 2, chain: {count: 200, radius: 0.5, origin: [0.6, 0]}, "
    "names: [{name: tip, id: 199}]}\n"
    "walls: [{name: wall, plane: {point: [0, 0], normal: [1, 0]}}]\n"
    "forces: {constant: [{body: tip, force: [-0.05, 0]}]}\n"
    "",
    1, 8};

static const scene piston = {
    "piston",
    "packing: {dimension: 2, loose: {count: 1000, fraction: 0.74, radius: [0.48, 0.5], width: "
    "100}}\n"
    "material: {friction: 0.3}\n"
    "walls:\n"
    "  - {name: left, plane: {normal: [1, 0]}}\n"
    "  - {name: right, plane: {normal: [-1, 0]}}\n"
    "  - {name: base, plane: {normal: [0, 1]}}\n"
    "  - {name: piston, plane: {normal: [0, -1]}, mass: 200, force: [[0, 20]]}\n"
    "",
    0.1, 12};

static const scene shear = {
    "shear",
    "packing: {dimension: 3, lattice: {kind: cubic, cells: [18, 12, 6], radius: 0.5}}\n"
    "domain: {periodic: [true, true, false]}\n"
    "material: {friction: 0.5}\n"
    "walls:\n"
    "  - {name: base, plane: {normal: [0, 0, 1]}, velocity: [-0.5, 0.1, 0]}\n"
    "  - {name: lid, plane: {normal: [0, 0, -1]}, velocity: [0.5, 0, -0.02]}\n"
    "",
    0.05, 12};

static const scene gravity = {
    "gravity",
    "packing: {dimension: 3, loose: {count: 1500, fraction: 0.25, radius: [0.38, 0.5], width: 24}, "
    "velocity: [1.5, 0.5, -2]}\n"
    "material: {friction: 0.4}\n"
    "forces: {gravity: [0, 0, -1]}\n"
    "walls: [{name: box, box: {low: [0, 0, 0], high: [24, 24, 40]}}]\n"
    "",
    0.03, 30};

static const char *const orders[] = {"tiled", "random"};
static const char *const rules[] = {"fixed: 10", "local: {epsilon: 0.01, most: 25}",
                                    "global: {epsilon: 0.001, most: 25}"};
static const char *const distributions[] = {
    "decomposition: {partitioner: parmetis, imbalance: 1.05}",
    "decomposition: {partitioner: parmetis, every: 3}",
    "decomposition: {partitioner: morton, every: 2}",
};

/// Debug and sanitizer builds look for mistakes in memory, and are slow.
#ifdef SCREE_DEBUG
enum { thorough = 0 };
#else
enum { thorough = 1 };
#endif

/// Every order and rule on every number of ranks, the ways to distribute tiles in turn. Some body must change
/// its rank on the way.
static void check(const scene *s) {
  int64_t distributed = 0, migrated = 0, turn = 0, runs = 0;
  for (int order = 0; order < 2; order++)
    for (int rule = 0; rule < 3; rule++) {
      char solver[200], text[4000], what[400];
      snprintf(solver, sizeof solver, "sweeps: {%s}, order: %s", rules[rule], orders[order]);
      compose(text, sizeof text, s, solver, "");
      const outcome alone = run_on_first(1, text, s->steps);
      for (int k = 0; k < count_of_counts; k++, turn++) {
        if (!thorough && turn % 4 != 0) continue;
        const char *distribution = distributions[turn % 3];
        compose(text, sizeof text, s, solver, distribution);
        snprintf(what, sizeof what, "%s, %s, %s", s->name, solver, distribution);
        const outcome here = run_on_first(rank_counts[k], text, s->steps);
        assert_same(&alone, &here, what, rank_counts[k]);
        runs++;
        distributed += here.distributions;
        migrated += here.migrated;
      }
    }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  assert_true(distributed > runs);
  assert_true(migrated > 0);
}

static void chain_is_the_same_on_all_ranks(void **state) {
  (void)state;
  check(&chain);
}

static void piston_is_the_same_on_all_ranks(void **state) {
  (void)state;
  check(&piston);
}

static void shear_is_the_same_on_all_ranks(void **state) {
  (void)state;
  check(&shear);
}

static void gravity_is_the_same_on_all_ranks(void **state) {
  (void)state;
  check(&gravity);
}

// ---- exchange `lagged` ------------------------------------------------------

static void lagged_differs_on_ranks_only(void **state) {
  (void)state;
  char exact[4000], lagged[4000];
  for (int order = 0; order < 2; order++) {
    char solver[200];
    snprintf(solver, sizeof solver, "sweeps: {fixed: 10}, order: %s", orders[order]);
    compose(exact, sizeof exact, &shear, solver, "");
    snprintf(solver, sizeof solver, "sweeps: {fixed: 10}, order: %s, exchange: lagged",
             orders[order]);
    compose(lagged, sizeof lagged, &shear, solver, "");
    const outcome alone = run_on_first(1, exact, 10), also = run_on_first(1, lagged, 10);
    assert_same(&alone, &also, "lagged", 1);
    const outcome four = run_on_first(4, lagged, 10), again = run_on_first(4, lagged, 10);
    assert_same(&four, &again, "lagged, twice", 4);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) continue;
    assert_true(four.state != alone.state);
    // It is another material at the borders, not another packing.
    const double a = alone.observed[1].kinetic_translation,
                 b = four.observed[1].kinetic_translation;
    assert_true(b > 0.5 * a && b < 2 * a);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(chain_is_the_same_on_all_ranks),
    cmocka_unit_test(piston_is_the_same_on_all_ranks),
    cmocka_unit_test(shear_is_the_same_on_all_ranks),
    cmocka_unit_test(gravity_is_the_same_on_all_ranks),
    cmocka_unit_test(lagged_differs_on_ranks_only),
};
SCREE_TEST_MAIN(tests)
