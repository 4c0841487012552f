/// \file
/// Halo patterns against brute force: every rank gathers the whole system, and tells from owners and
/// contacts alone who holds which body, who writes it in which class, and so what each message must carry.
#include "scree/halo.h"
#include "scree/memory.h"
#include "scree/simulation.h"
#include "scree_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Debug and sanitizer builds look for mistakes in memory, and are slow.
#ifdef SCREE_DEBUG
#define SIZE(small, large) small
#else
#define SIZE(small, large) large
#endif

enum { steps = 5 };

// ---- scenes -----------------------------------------------------------------

typedef struct scene {
  const char *text;
  double time_step, skin;
} scene;

static const scene scenes[] = {
    {"packing: {dimension: 3, lattice: {kind: fcc, cells: " SIZE(
         "[9, 9, 9]", "[18, 18, 9]") ", "
                                     "radius: 0.5}, velocity: [3, 1, 0.5]}\n"
                                     "domain: {periodic: [true, true, true]}\n",
     0.05, 0.1},
    {"packing: {dimension: 2, lattice: {kind: hexagonal, cells: " SIZE(
         "[34, 38]", "[66, 76]") ", "
                                 "radius: 0.5}, velocity: [-2, 5]}\n"
                                 "domain: {periodic: [true, true]}\n"
                                 "material: {friction: 0.3}\n",
     0.05, 0.1},
    {"packing: {dimension: 3, loose: {count: " SIZE(
         "800", "4000") ", fraction: 0.2, "
                        "radius: [0.25, 0.5], width: 20}, velocity: [1, 2, -3]}\n"
                        "material: {friction: 0.3}\n"
                        "walls: [{name: box, box: {low: [0, 0, 0], high: [20, 20, 40]}}]\n",
     0.05, 0.5},
    // Few contacts: a body may be all that makes its tile one at the border.
    {"packing: {dimension: 2, chain: {count: 200, radius: 0.5}, velocity: [8, 0]}\n", 0.05, 0.1},
};
enum { scene_count = sizeof scenes / sizeof *scenes };

typedef struct run {
  scree_ranks ranks;
  char *resolved;
  scree_deck *deck;
  scree_simulation *s;
} run;

static run *create_run(MPI_Comm comm, const scene *from, const char *exchange) {
  char text[2000];
  snprintf(text, sizeof text,
           "%ssolver: {time_step: %g, sweeps: {fixed: 3}, skin: %g, exchange: %s}\n"
           "decomposition: {every: 2}\nrun: {steps: 1}\n",
           from->text, from->time_step, from->skin, exchange);
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

// ---- the whole system -------------------------------------------------------

typedef struct place {
  scree_global id;
  scree_vec listed;
  int64_t owner;
} place;

typedef struct pair {
  scree_global low, high;
  int64_t rank; ///< that has it
  int64_t of_class;
} pair;

typedef struct whole {
  int me, ranks;
  scree_exchange exchange;
  int64_t bodies, contacts;
  place *body;      ///< [bodies] by id, which counts from 0
  pair *contact;    ///< [contacts] by ids
  uint8_t *updates; ///< [ranks * bodies] bit c: the rank updates the body in class c
} whole;

static int by_ids(const void *a, const void *b) {
  const pair *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return (p->high > q->high) - (p->high < q->high);
}

static int by_id(const void *a, const void *b) {
  const place *p = a, *q = b;
  return (p->id > q->id) - (p->id < q->id);
}

static void gather_bodies(whole *w, const scree_simulation *s) {
  const scree_bodies *b = s->bodies;
  place *mine = scree_alloc((size_t)b->count, sizeof *mine);
  for (scree_local i = 0; i < b->count; i++)
    mine[i] = (place){b->id[i], b->listed[i], s->ranks->rank};
  scree_mail all = scree_ranks_gather(s->ranks, mine, b->count, sizeof *mine);
  w->bodies = all.count;
  w->body = all.item;
  qsort(w->body, (size_t)w->bodies, sizeof *w->body, by_id);
  for (int64_t k = 0; k < w->bodies; k++) assert_int_equal(w->body[k].id, k);
  scree_free(mine);
}

static void gather_contacts(whole *w, const scree_simulation *s) {
  const scree_contacts *c = s->contacts;
  pair *mine = scree_alloc((size_t)c->count, sizeof *mine);
  int64_t count = 0;
  for (int32_t t = 0; t < s->tiles->count; t++)
    for (int32_t k = c->tile_batch[t]; k < c->tile_batch[t + 1]; k++)
      for (int l = 0; l < SCREE_LANES; l++)
        if (scree_batch_has(&c->batch[k], l))
          mine[count++] = (pair){scree_line_id(s->bodies, c->batch[k].i[l]),
                                 scree_line_id(s->bodies, c->batch[k].j[l]), s->ranks->rank,
                                 (int64_t)(s->tiles->key[t] % SCREE_CLASSES)};
  assert_int_equal(count, c->count);
  scree_mail all = scree_ranks_gather(s->ranks, mine, count, sizeof *mine);
  w->contacts = all.count;
  w->contact = all.item;
  qsort(w->contact, (size_t)w->contacts, sizeof *w->contact, by_ids);
  scree_free(mine);
}

/// Class of the tile a body is listed in: the parities of its coordinates.
static int64_t class_of(const scree_lattice *lattice, scree_vec x) {
  int64_t bits = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double in = scree_vec_along(x, axis) - scree_vec_along(lattice->low, axis);
    const int64_t at = (int64_t)floor(in / scree_vec_along(lattice->edge, axis));
    bits |= (at & 1) << axis;
  }
  return bits;
}

static uint8_t updates(const whole *w, int rank, int64_t id) {
  return w->updates[rank * w->bodies + id];
}

static void find_updates(whole *w, const scree_lattice *lattice) {
  w->updates = scree_alloc((size_t)(w->ranks * w->bodies), 1);
  for (int64_t k = 0; k < w->contacts; k++) {
    const pair *p = &w->contact[k];
    const place *low = &w->body[p->low];
    // Whoever owns the lower id has the contact, in the class of that body's tile.
    assert_int_equal(p->rank, low->owner);
    assert_int_equal(p->of_class, class_of(lattice, low->listed));
    const uint8_t bit = (uint8_t)(1 << p->of_class);
    w->updates[p->rank * w->bodies + (int64_t)p->low] |= bit;
    if (p->high < (scree_global)w->bodies) // else it is a wall
      w->updates[p->rank * w->bodies + (int64_t)p->high] |= bit;
  }
}

static whole gather_whole(const scree_simulation *s) {
  whole w = {.me = s->ranks->rank, .ranks = s->ranks->size, .exchange = s->scene.sweeps.exchange};
  gather_bodies(&w, s);
  gather_contacts(&w, s);
  find_updates(&w, &s->tiles->lattice);
  return w;
}

static void free_whole(whole *w) {
  scree_free(w->body);
  scree_free(w->contact);
  scree_free(w->updates);
}

// ---- what must be -----------------------------------------------------------

static bool holds(const whole *w, int rank, int64_t id) {
  return w->body[id].owner == rank || updates(w, rank, id) != 0;
}

static bool is_shared(const whole *w, int64_t id) {
  int holders = 0;
  for (int r = 0; r < w->ranks; r++) holders += holds(w, r, id);
  return holders > 1;
}

/// Whether `rank` has news of the body after `phase`.
static bool writes(const whole *w, int phase, int rank, int64_t id) {
  if (phase == SCREE_HALO_HUBS) return w->body[id].owner == rank;
  if ((phase == SCREE_HALO_SWEEP) != (w->exchange == SCREE_EXCHANGE_LAGGED)) return false;
  return phase == SCREE_HALO_SWEEP ? updates(w, rank, id) != 0 : updates(w, rank, id) >> phase & 1;
}

static void assert_one_writer(const whole *w) {
  for (int64_t id = 0; id < w->bodies; id++)
    for (int c = 0; c < SCREE_CLASSES; c++) {
      int writers = 0;
      for (int r = 0; r < w->ranks; r++) writers += updates(w, r, id) >> c & 1;
      assert_true(writers <= 1);
    }
}

/// The messages of a phase, by the other rank, each by ids. Returns how many there are.
static int assert_messages(const whole *w, const scree_simulation *s, int phase, bool outward) {
  const scree_halo_list *l = outward ? &s->halo->send[phase] : &s->halo->receive[phase];
  int messages = 0;
  int64_t next = 0;
  for (int other = 0; other < w->ranks; other++) {
    if (other == w->me) continue;
    const int from = outward ? w->me : other;
    const int64_t first = next;
    for (int64_t id = 0; id < w->bodies; id++) {
      if (!holds(w, w->me, id) || !holds(w, other, id) || !writes(w, phase, from, id)) continue;
      assert_true(messages < l->messages && next < l->start[messages + 1]);
      assert_int_equal(s->bodies->id[l->line[next]], id);
      next++;
    }
    if (next > first) assert_int_equal(l->start[++messages], next);
  }
  assert_int_equal(l->messages, messages);
  return messages;
}

static void assert_neighbours(const whole *w, const scree_halo *halo) {
  int neighbours = 0;
  for (int r = 0; r < w->ranks; r++) {
    bool any = false;
    for (int64_t id = 0; id < w->bodies && r != w->me; id++)
      any |= holds(w, w->me, id) && holds(w, r, id);
    if (!any) continue;
    assert_true(neighbours < halo->neighbours);
    assert_int_equal(halo->neighbour[neighbours++], r);
  }
  assert_int_equal(halo->neighbours, neighbours);
}

/// In each class the tiles with a contact at a shared body come first.
static void assert_border_first(const whole *w, const scree_simulation *s) {
  const scree_tiles *tiles = s->tiles;
  bool *border = scree_alloc((size_t)tiles->count, sizeof *border);
  for (int64_t k = 0; k < w->contacts; k++) {
    const pair *p = &w->contact[k];
    if (p->rank != w->me) continue;
    if (!is_shared(w, (int64_t)p->low) &&
        (p->high >= (scree_global)w->bodies || !is_shared(w, (int64_t)p->high)))
      continue;
    const uint64_t key = scree_lattice_key(&tiles->lattice, w->body[p->low].listed);
    for (int32_t t = 0; t < tiles->count; t++) border[t] |= tiles->key[t] == key;
  }
  for (int c = 0; c < SCREE_CLASSES; c++)
    for (int32_t k = tiles->class_start[c]; k < tiles->class_start[c + 1]; k++)
      assert_true(border[tiles->in_class[k]] == (k < tiles->border_end[c]));
  scree_free(border);
}

static void assert_halo(const scree_simulation *s) {
  whole w = gather_whole(s);
  assert_one_writer(&w);
  int64_t messages = 0;
  for (int phase = 0; phase < SCREE_HALO_PHASES; phase++) {
    messages += assert_messages(&w, s, phase, true);
    assert_messages(&w, s, phase, false);
  }
  scree_ranks_sum(s->ranks, &messages, 1);
  assert_true(messages > 0);
  assert_neighbours(&w, s->halo);
  assert_border_first(&w, s);
  assert_true(scree_halo_is_valid(s->halo, s->contacts, &s->ghosts));
  free_whole(&w);
}

// ---- what is sent -----------------------------------------------------------

static double mark(scree_global id, int phase) {
  return (double)(id * 16) + phase + 1;
}

/// After a phase every holder has what the writer wrote, and nothing else has changed.
static void assert_delivery(const whole *w, scree_simulation *s, int phase) {
  scree_bodies *b = s->bodies;
  for (scree_local i = 0; i < b->held; i++) {
    const bool news = writes(w, phase, w->me, (int64_t)b->id[i]);
    b->motion[i].velocity.x = news ? mark(b->id[i], phase) : -1;
    b->motion[i].spin.z = news ? -mark(b->id[i], phase) : 1;
  }
  scree_halo_expect(s->halo, phase);
  scree_halo_send(s->halo, phase);
  scree_halo_finish(s->halo, phase);
  for (scree_local i = 0; i < b->held; i++) {
    const int64_t id = (int64_t)b->id[i];
    bool news = false;
    for (int r = 0; r < w->ranks; r++) news |= holds(w, w->me, id) && writes(w, phase, r, id);
    assert_true(b->motion[i].velocity.x == (news ? mark(b->id[i], phase) : -1));
    assert_true(b->motion[i].spin.z == (news ? -mark(b->id[i], phase) : 1));
  }
}

/// Exchange `lagged`: every holder ends with the changes of all.
static void assert_changes_add_up(const whole *w, scree_simulation *s) {
  scree_bodies *b = s->bodies;
  for (scree_local i = 0; i < b->held; i++) b->motion[i].velocity.y = 0.5;
  scree_halo_sweep_begin(s->halo);
  for (scree_local i = 0; i < b->held; i++)
    if (updates(w, w->me, (int64_t)b->id[i])) b->motion[i].velocity.y += 1 << w->me;
  scree_halo_sweep_end(s->halo);
  for (scree_local i = 0; i < b->held; i++) {
    const int64_t id = (int64_t)b->id[i];
    double expected = 0.5;
    for (int r = 0; r < w->ranks; r++)
      if (holds(w, w->me, id) && updates(w, r, id)) expected += 1 << r;
    assert_true(b->motion[i].velocity.y == expected);
  }
}

/// The simulation is of no use afterwards.
static void assert_traffic(scree_simulation *s) {
  whole w = gather_whole(s);
  s->halo->timer = NULL;
  for (int phase = 0; phase <= SCREE_HALO_HUBS; phase++) assert_delivery(&w, s, phase);
  if (w.exchange == SCREE_EXCHANGE_LAGGED) assert_changes_add_up(&w, s);
  free_whole(&w);
}

// ---- tests ------------------------------------------------------------------

static void messages_are_what_brute_force_says(void **state) {
  (void)state;
  for (int k = 0; k < scene_count; k++)
    for (int lagged = 0; lagged < 2; lagged++) {
      run *r = create_run(MPI_COMM_WORLD, &scenes[k], lagged ? "lagged" : "exact");
      assert_halo(r->s);
      for (int step = 0; step < steps; step++) scree_simulation_step(r->s);
      assert_true(r->s->counts.migrated > 0);
      assert_halo(r->s);
      assert_traffic(r->s);
      destroy_run(r);
    }
}

static void assert_same_contacts(const scree_simulation *s, const scree_simulation *alone) {
  whole a = gather_whole(s), b = gather_whole(alone);
  assert_int_equal(a.bodies, b.bodies);
  assert_int_equal(a.contacts, b.contacts);
  for (int64_t k = 0; k < a.contacts; k++) {
    assert_int_equal(a.contact[k].low, b.contact[k].low);
    assert_int_equal(a.contact[k].high, b.contact[k].high);
    assert_int_equal(a.contact[k].of_class, b.contact[k].of_class);
  }
  free_whole(&a);
  free_whole(&b);
}

static void ranks_together_have_the_contacts_of_one(void **state) {
  (void)state;
  for (int k = 0; k < scene_count; k++) {
    run *r = create_run(MPI_COMM_WORLD, &scenes[k], "exact");
    run *alone = create_run(MPI_COMM_SELF, &scenes[k], "exact");
    assert_same_contacts(r->s, alone->s);
    for (int step = 0; step < steps; step++) {
      scree_simulation_step(r->s);
      scree_simulation_step(alone->s);
    }
    assert_same_contacts(r->s, alone->s);
    destroy_run(alone);
    destroy_run(r);
  }
}

/// A share in which this rank has the copy, or NULL.
static scree_share *find_copy(const scree_halo *halo) {
  for (int32_t k = 0; k < halo->shares; k++)
    if (halo->share[k].owned) return &halo->share[k];
  return NULL;
}

/// Whether it is valid after `number` has changed on one rank; then all is well again.
static bool is_valid_with(const scree_simulation *s, double *number, double value) {
  const double kept = number ? *number : 0;
  if (number) *number = value;
  const bool valid = scree_halo_is_valid(s->halo, s->contacts, &s->ghosts);
  if (number) *number = kept;
  assert_true(scree_halo_is_valid(s->halo, s->contacts, &s->ghosts));
  return valid;
}

static void one_wrong_copy_is_noticed_by_all(void **state) {
  (void)state;
  run *r = create_run(MPI_COMM_WORLD, &scenes[0], "exact");
  int64_t victims = 0;
  for (int rank = 0; rank < r->ranks.size; rank++) {
    scree_share *copy = r->ranks.rank == rank ? find_copy(r->s->halo) : NULL;
    int64_t found = copy != NULL;
    scree_ranks_sum(&r->ranks, &found, 1);
    scree_motion *motion = copy ? &r->s->bodies->motion[copy->line] : NULL;
    const double near = copy ? nextafter(motion->velocity.y, 1e9) : 0;
    assert_true(is_valid_with(r->s, copy ? &motion->velocity.y : NULL, near) == (found == 0));
    assert_true(is_valid_with(r->s, copy ? &r->s->bodies->position[copy->line].z : NULL, 1e9) ==
                (found == 0));
    victims += found;
  }
  assert_true(victims > 0);
  destroy_run(r);
}

static void two_writers_are_noticed_by_all(void **state) {
  (void)state;
  run *r = create_run(MPI_COMM_WORLD, &scenes[0], "exact");
  scree_halo *halo = r->s->halo;
  int64_t found = 0;
  for (int32_t k = 0; k < halo->shares && r->ranks.rank == r->ranks.size - 1 && !found; k++)
    if (halo->share[k].mine) {
      halo->share[k].their |= halo->share[k].mine;
      found = 1;
    }
  scree_ranks_sum(&r->ranks, &found, 1);
  assert_int_equal(found, 1);
  assert_false(scree_halo_is_valid(halo, r->s->contacts, &r->s->ghosts));
  destroy_run(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(messages_are_what_brute_force_says),
    cmocka_unit_test(ranks_together_have_the_contacts_of_one),
    cmocka_unit_test(one_wrong_copy_is_noticed_by_all),
    cmocka_unit_test(two_writers_are_noticed_by_all),
};
SCREE_TEST_MAIN(tests)
