/// \file
/// How tiles are distributed: cuts of the Morton curve, ParMETIS against the curve on a large packing, and
/// packings that are hard to divide.
#include "random.h"
#include "scree/hash.h"
#include "scree/memory.h"
#include "scree/simulation.h"
#include "scree_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Debug and sanitizer builds look for mistakes in memory, and are slow.
#ifdef SCREE_DEBUG
enum { thorough = 0 };
#else
enum { thorough = 1 };
#endif

// ---- cuts -------------------------------------------------------------------

/// Pieces are contiguous and in order; none is empty while there are tiles enough; none is more than one tile
/// heavier than its share.
static void assert_cut(int32_t count, const int64_t *weight, int parts) {
  int32_t *owner = scree_alloc((size_t)count, sizeof *owner);
  int64_t *piece = scree_alloc((size_t)parts, sizeof *piece), total = 0, heaviest = 0;
  scree_ownership_cut(count, weight, parts, owner);
  for (int32_t k = 0; k < count; k++) {
    assert_true(k == 0 ? owner[k] == 0 : owner[k] == owner[k - 1] || owner[k] == owner[k - 1] + 1);
    assert_true(owner[k] < parts);
    piece[owner[k]] += weight[k];
    total += weight[k];
    if (weight[k] > heaviest) heaviest = weight[k];
  }
  if (count > 0) assert_int_equal(owner[count - 1], (count < parts ? count : parts) - 1);
  for (int p = 0; p < parts; p++) assert_true((piece[p] - heaviest) * parts <= total);
  scree_free(owner);
  scree_free(piece);
}

static void cuts_are_fair(void **state) {
  (void)state;
  enum { most = 60 };
  int64_t weight[most];
  for (uint64_t trial = 0; trial < 2000; trial++) {
    uint64_t word[4];
    for (uint64_t k = 0; k < most; k++) {
      scree_random(9, SCREE_RANDOM_PACK, trial, k, 0, 0, word);
      // All alike, any, or some that outweigh all others.
      weight[k] = trial % 3 == 0   ? 100
                  : trial % 3 == 1 ? (int64_t)(word[0] % 1000)
                                   : (int64_t)(word[1] % 7 ? word[0] % 10 : word[0] % 100000);
    }
    assert_cut((int32_t)(word[2] % (most + 1)), weight, 1 + (int)(word[3] % 20));
  }
}

static void cuts_of_nothing(void **state) {
  (void)state;
  const int64_t none[30] = {0}, one[] = {5}, last[] = {0, 0, 0, 0, 0, 1}, first[] = {9, 0, 0, 0};
  for (int parts = 1; parts < 12; parts++) {
    assert_cut(0, none, parts);
    assert_cut(1, one, parts);
    assert_cut(30, none, parts);
    assert_cut(6, last, parts);
    assert_cut(4, first, parts);
  }
}

// ---- simulations ------------------------------------------------------------

typedef struct run {
  scree_ranks ranks;
  char *resolved;
  scree_deck *deck;
  scree_simulation *s;
} run;

static run *create_run(MPI_Comm comm, const char *text) {
  scree_error error;
  run *r = scree_alloc(1, sizeof *r);
  r->ranks = scree_ranks_of(comm);
  if (!scree_deck_resolve(text, strlen(text), "deck", NULL, 0, &r->resolved, &error))
    fail_msg("%s", error.text);
  r->deck = scree_deck_load(r->resolved);
  r->s = scree_simulation_create(r->deck, &r->ranks, &error);
  if (!r->s) fail_msg("%s", error.text);
  return r;
}

static void destroy_run(run *r) {
  scree_simulation_destroy(r->s);
  scree_deck_destroy(r->deck);
  scree_free(r->resolved);
  scree_free(r);
}

static int64_t sum_of(const scree_ranks *ranks, int64_t value) {
  scree_ranks_sum(ranks, &value, 1);
  return value;
}

// ---- quality ----------------------------------------------------------------

/// Rank to which the body on line `i` would go.
static int owner_of(const scree_simulation *s, const scree_ownership *table, scree_local i) {
  return scree_ownership_owner(table, scree_lattice_key(&table->lattice, s->bodies->listed[i]));
}

/// The quality of a table, counted body by body and contact by contact.
static scree_quality count_quality(const scree_simulation *s, const scree_ownership *table) {
  const int size = s->ranks->size;
  int64_t cut = 0, most = 0, total = 0, *work = scree_alloc((size_t)size, sizeof *work);
  for (scree_local i = 0; i < s->bodies->count; i++) work[owner_of(s, table, i)]++;
  for (int32_t k = 0; k < s->contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &s->contacts->batch[k];
      if (!scree_batch_has(batch, l)) continue;
      const int here = owner_of(s, table, batch->i[l]);
      work[here] += 4;
      cut += batch->j[l] < s->bodies->held && owner_of(s, table, batch->j[l]) != here;
    }
  scree_ranks_sum(s->ranks, work, size);
  for (int r = 0; r < size; r++) {
    total += work[r];
    if (work[r] > most) most = work[r];
  }
  scree_free(work);
  return (scree_quality){sum_of(s->ranks, cut), (double)most * size / (double)total};
}

/// Distribute the tiles of a simulation, which stays as it is, and look at the result.
static scree_balance distribute(const scree_simulation *s, scree_partitioner partitioner,
                                bool from_scratch) {
  scree_ownership table = {0};
  scree_free(scree_ownership_update(&table, s->ranks, &s->tiles->lattice, s->bodies));
  scree_balance b = {.settings = {partitioner, 1.1, 0}};
  scree_balance_distribute(&b, &table, s->ranks, s->tiles, s->bodies, s->contacts,
                           from_scratch ? SCREE_DISTRIBUTE_FIRST : SCREE_DISTRIBUTE_DUE);
  const scree_quality counted = count_quality(s, &table);
  assert_int_equal(b.quality.edge_cut, counted.edge_cut);
  assert_true(fabs(b.quality.imbalance - counted.imbalance) < 1e-12);
  assert_true(b.reached == b.quality.imbalance);
  assert_int_equal(b.distributions, 1);
  if (thorough) // else tiles are so few that the curve may do better
    assert_true(b.by_parmetis == (partitioner == SCREE_PARTITIONER_PARMETIS && s->ranks->size > 1));
  if (s->ranks->rank == 0)
    printf("%d tiles on %d ranks, %s%s: edge cut %lld, imbalance %.4f\n", (int)table.count,
           s->ranks->size, partitioner == SCREE_PARTITIONER_MORTON ? "morton" : "parmetis",
           from_scratch ? "" : " (adaptive)", (long long)b.quality.edge_cut, b.quality.imbalance);
  scree_ownership_free(&table);
  return b;
}

static void parmetis_cuts_no_more_than_the_curve(void **state) {
  (void)state;
  char text[1000];
  const int cells = thorough ? 29 : 12;
  snprintf(text, sizeof text,
           "packing: {dimension: 3, lattice: {kind: fcc, cells: [%d, %d, %d], radius: 0.5}}\n"
           "solver: {time_step: 0.1, sweeps: {fixed: 1}}\nrun: {steps: 1}\n",
           cells, cells, cells);
  run *r = create_run(MPI_COMM_WORLD, text);
  const scree_quality curve = distribute(r->s, SCREE_PARTITIONER_MORTON, true).quality,
                      parmetis = distribute(r->s, SCREE_PARTITIONER_PARMETIS, true).quality,
                      adapted = distribute(r->s, SCREE_PARTITIONER_PARMETIS, false).quality;
  if (thorough) {
    assert_true((double)parmetis.edge_cut <= 1.1 * (double)curve.edge_cut);
    assert_true(curve.imbalance <= 1.1);
    assert_true(parmetis.imbalance <= 1.1);
    assert_true(adapted.imbalance <= 1.1);
  }
  assert_true((curve.edge_cut == 0) == (r->ranks.size == 1));
  destroy_run(r);
}

// ---- packings that are hard to divide ---------------------------------------

/// Tiles, and ranks that have some.
typedef struct spread {
  int64_t tiles, ranks;
} spread;

static spread spread_of(const scree_simulation *s) {
  const bool idle = s->tiles->count == 0;
  assert_true(idle == (s->bodies->count == 0));
  if (idle) assert_int_equal(s->contacts->count + s->bodies->held + s->halo->neighbours, 0);
  assert_true(s->ranks->size == 1 || scree_ownership_is_valid(&s->ownership, s->ranks, s->tiles));
  return (spread){sum_of(s->ranks, s->tiles->count), sum_of(s->ranks, !idle)};
}

enum { few_steps = 6 };

/// What must not depend on the ranks.
typedef struct outcome {
  int64_t tiles; ///< at the start
  int64_t state;
} outcome;

/// On rank 0 alone; known to all.
static outcome run_alone(const char *text) {
  const scree_ranks ranks = scree_ranks_of(MPI_COMM_WORLD);
  int64_t found[2] = {0, 0};
  if (ranks.rank == 0) {
    run *alone = create_run(MPI_COMM_SELF, text);
    found[0] = alone->s->tiles->count;
    for (int k = 0; k < few_steps; k++) scree_simulation_step(alone->s);
    found[1] = (int64_t)scree_hash_state(alone->s->bodies, &alone->ranks);
    destroy_run(alone);
  }
  scree_ranks_sum(&ranks, found, 2);
  return (outcome){found[0], found[1]};
}

/// A few steps, with the tiles distributed again on the way; the state must be that of one rank.
static spread step_and_compare(const char *packing, const char *partitioner) {
  enum { size = 1 << 20 };
  char *text = scree_alloc(size, 1);
  snprintf(text, size,
           "%smaterial: {friction: 0.2}\n"
           "solver: {time_step: 0.05, sweeps: {fixed: 5}}\n"
           "decomposition: {partitioner: %s, every: 2}\nrun: {steps: 1}\n",
           packing, partitioner);
  const outcome alone = run_alone(text);
  run *r = create_run(MPI_COMM_WORLD, text);
  const spread found = spread_of(r->s);
  assert_int_equal(found.tiles, alone.tiles);
  for (int k = 0; k < few_steps; k++) {
    scree_simulation_step(r->s);
    spread_of(r->s);
  }
  assert_true((int64_t)scree_hash_state(r->s->bodies, &r->ranks) == alone.state);
  destroy_run(r);
  scree_free(text);
  return found;
}

static const char *const partitioners[] = {"parmetis", "morton"};

static void fewer_tiles_than_ranks(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const spread s = step_and_compare(
        "packing: {dimension: 3, lattice: {kind: cubic, cells: [15, 3, 3], radius: 0.5}}\n"
        "walls: [{name: left, plane: {normal: [1, 0, 0]}, velocity: [0.5, 0, 0]}]\n",
        partitioners[k]);
    assert_int_equal(s.tiles, 3);
    assert_true(s.ranks >= 1 && s.ranks <= 3);
  }
}

static void one_tile(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const spread s = step_and_compare(
        "packing: {dimension: 3, lattice: {kind: cubic, cells: [3, 3, 3], radius: 0.5}}\n"
        "walls: [{name: left, plane: {normal: [1, 0, 0]}, velocity: [0.5, 0, 0]}]\n",
        partitioners[k]);
    assert_int_equal(s.tiles, 1);
    assert_int_equal(s.ranks, 1);
  }
}

static void one_body(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++)
    assert_int_equal(
        step_and_compare("packing: {dimension: 2, list: [{position: [0, 0], radius: 1}]}\n",
                         partitioners[k])
            .ranks,
        1);
}

static void two_clumps_far_apart(void **state) {
  (void)state;
  enum { size = 1 << 20 };
  const int width = thorough ? 20 : 8, height = thorough ? 6 : 3;
  char *text = scree_alloc(size, 1);
  int end = snprintf(text, size, "packing:\n  dimension: 3\n  list:\n");
  for (int clump = 0; clump < 2; clump++)
    for (int k = 0; k < width * height * height; k++)
      end += snprintf(text + end, size - (size_t)end,
                      "  - {position: [%d, %d, %d], radius: 0.5, velocity: [%d, 0, 0.5]}\n",
                      10000 * clump + k % width, k / width % height, k / width / height, k % 3 - 1);
  for (int k = 0; k < 2; k++) {
    const spread s = step_and_compare(text, partitioners[k]);
    assert_true(s.tiles >= 4 && s.tiles <= 40); // none between the clumps
  }
  scree_free(text);
}

// ---- a packing that collapses -----------------------------------------------

/// Bodies fly to one side.
static run *create_collapse(double imbalance) {
  char text[2000];
  const int width = thorough ? 160 : 80;
  snprintf(text, sizeof text,
           "packing: {dimension: 2, loose: {count: %d, fraction: 0.3, radius: [0.45, 0.5], "
           "width: %d}, velocity: [-7, 0]}\n"
           "walls: [{name: box, box: {low: [0, 0], high: [%d, 200]}}]\n"
           "solver: {time_step: 0.1, sweeps: {fixed: 5}}\n"
           "decomposition: {imbalance: %g}\nrun: {steps: 1}\n",
           thorough ? 4000 : 1500, width, width, imbalance);
  return create_run(MPI_COMM_WORLD, text);
}

/// Whenever tiles are distributed anew, the work is divided no worse than it was.
static double step_and_follow(scree_simulation *s) {
  const scree_balance last = s->balance;
  const double before = scree_simulation_imbalance(s);
  scree_simulation_step(s);
  const int64_t distributions = s->balance.distributions - last.distributions;
  if (distributions == 1) assert_true(s->balance.quality.imbalance <= before);
  return fmax(before, scree_simulation_imbalance(s));
}

static void a_collapse_is_followed(void **state) {
  (void)state;
  run *r = create_collapse(1.05), *left_alone = create_collapse(1000);
  double worst = 1;
  for (int k = 0; k < (thorough ? 110 : 40); k++) {
    worst = fmax(worst, step_and_follow(r->s));
    scree_simulation_step(left_alone->s);
  }
  const double here = scree_simulation_imbalance(r->s),
               there = scree_simulation_imbalance(left_alone->s);
  if (r->ranks.rank == 0)
    printf("a collapse on %d ranks: %lld distributions, imbalance %.4f at worst, %.4f at the end, "
           "%.4f if left alone\n",
           r->ranks.size, (long long)r->s->balance.distributions, worst, here, there);
  if (r->ranks.size > 1) {
    assert_true(r->s->balance.distributions > 1);
    assert_int_equal(left_alone->s->balance.distributions, 1);
    if (thorough) assert_true(here < there); // a few tiles are hard to divide
  }
  assert_true(scree_hash_state(r->s->bodies, &r->ranks) ==
              scree_hash_state(left_alone->s->bodies, &left_alone->ranks));
  destroy_run(left_alone);
  destroy_run(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cuts_are_fair),
    cmocka_unit_test(cuts_of_nothing),
    cmocka_unit_test(parmetis_cuts_no_more_than_the_curve),
    cmocka_unit_test(fewer_tiles_than_ranks),
    cmocka_unit_test(one_tile),
    cmocka_unit_test(one_body),
    cmocka_unit_test(two_clumps_far_apart),
    cmocka_unit_test(a_collapse_is_followed),
};
SCREE_TEST_MAIN(tests)
