/// \file
/// Hubs: the velocity that balances all contacts, for any mass and any order of contacts.
#include "scree/hub.h"
#include "random.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

static uint64_t draws;

/// Uniform in [low, high).
static double between(double low, double high) {
  uint64_t word[4];
  scree_random(5, SCREE_RANDOM_POSITION, draws++, 0, 0, 0, word);
  return low + (high - low) * scree_random_unit(word[0]);
}

static const double no_force[] = {0, 0};

/// A piston with some normal, and bodies in front of it: some touch, some move away, some have
/// impulses from before.
typedef struct setting {
  scree_bodies *bodies;
  scree_wall wall;
  scree_walls walls;
  scree_hubs *hubs;
} setting;

static setting *create(scree_local count, double mass, double friction, scree_vec normal) {
  setting *s = scree_alloc(1, sizeof *s);
  s->wall = (scree_wall){.normal = normal,
                         .position = -2,
                         .friction = friction,
                         .mass = mass,
                         .force = no_force,
                         .force_count = 1};
  s->walls = (scree_walls){1, &s->wall};
  s->hubs = scree_hubs_create(&s->walls, &scree_alone);
  s->bodies = scree_bodies_create(3, count, 2);
  for (scree_local i = 0; i < count; i++) {
    scree_bodies *b = s->bodies;
    b->id[i] = (scree_global)i;
    b->radius[i] = between(0.3, 0.7);
    const double gap = between(-0.02, 0.05);
    b->position[i] = scree_vec_scale(s->wall.position + b->radius[i] + gap, normal);
    b->motion[i] = (scree_motion){.velocity = {between(-1, 1), between(-1, 1), between(-1, 1)},
                                  .inverse_mass = 1 / scree_body_mass(3, b->radius[i], 1),
                                  .spin = {between(-1, 1), between(-1, 1), between(-1, 1)}};
  }
  return s;
}

static void destroy(setting *s) {
  scree_hubs_destroy(s->hubs);
  scree_bodies_destroy(s->bodies);
  scree_free(s);
}

static const scree_vec normals[] = {{0, 0, -1}, {1, 0, 0}, {0.6, 0, -0.8}, {0, 0.28, 0.96}};

/// Contacts at the present places, half of them with an impulse from before.
static scree_hub *prepare(setting *s, double velocity) {
  scree_hub *hub = &s->hubs->hub[0];
  hub->velocity = velocity;
  scree_hubs_prepare(s->hubs, s->bodies, 0, 0.1, 0.1, false);
  assert_int_equal(hub->count, s->bodies->count);
  assert_true(hub->free_velocity == velocity);
  for (int32_t k = 0; k < hub->count; k++) // pushes the hub back, against its normal
    if (k % 2) {
      const scree_vec side = {between(-0.01, 0.01), between(-0.01, 0.01), between(-0.01, 0.01)};
      const scree_vec push = scree_vec_scale(-between(0.02, 0.2), s->wall.normal);
      hub->contact[k].impulse = scree_vec_add(push, side);
    }
  return hub;
}

static void solve(setting *s) {
  scree_tally tally = {.wanted = true};
  scree_hubs_solve(s->hubs, s->bodies, &tally);
  assert_true(tally.violations <= s->hubs->hub[0].count);
}

/// A contact before it is solved, in long doubles.
typedef struct balance_term {
  long double mass, opens;
} balance_term;

static void note_terms(const setting *s, balance_term *term) {
  const scree_hub *hub = &s->hubs->hub[0];
  const scree_vec n = s->wall.normal;
  for (int32_t k = 0; k < hub->count; k++) {
    const scree_hub_contact *c = &hub->contact[k];
    const scree_vec v = s->bodies->motion[c->body].velocity, p = c->impulse;
    const long double m = c->mass;
    term[k].mass = m;
    term[k].opens = (long double)v.x * n.x + (long double)v.y * n.y + (long double)v.z * n.z +
                    c->bias +
                    ((long double)p.x * n.x + (long double)p.y * n.y + (long double)p.z * n.z) / m;
  }
}

/// M (V - V_free) + sum P(V)
static long double balance(const setting *s, const balance_term *term, long double velocity) {
  const scree_hub *hub = &s->hubs->hub[0];
  long double sum = (long double)s->wall.mass * (velocity - (long double)hub->free_velocity);
  for (int32_t k = 0; k < hub->count; k++)
    if (velocity > term[k].opens) sum += term[k].mass * (velocity - term[k].opens);
  return sum;
}

static double bisect(const setting *s, const balance_term *term) {
  long double low = -1000, high = 1000;
  for (int k = 0; k < 200; k++) {
    const long double middle = (low + high) / 2;
    if (balance(s, term, middle) > 0)
      high = middle;
    else
      low = middle;
  }
  return (double)low;
}

/// Solves a random setting and checks the balance. Returns the number of contacts that push.
static int check_balance(double mass, double velocity, double friction, scree_vec normal) {
  enum { count = 300 };
  setting *s = create(count, mass, friction, normal);
  scree_hub *hub = prepare(s, velocity);
  static balance_term term[count];
  note_terms(s, term);
  solve(s);
  int pushing = 0;
  double pushed = 0, all = mass * fabs(velocity);
  for (int32_t k = 0; k < count; k++) {
    const scree_hub_contact *c = &hub->contact[k];
    const double p = -scree_vec_dot(c->impulse, normal);
    assert_true(p >= 0);
    // Each contact ends as the law wants it at the hub's new velocity.
    const double wanted =
        (double)(term[k].mass * fmaxl(0, (long double)hub->velocity - term[k].opens));
    assert_true(fabs(p - wanted) < 1e-14 * (double)(term[k].mass * (1 + fabsl(term[k].opens))) +
                                       1e-14 * c->mass * fabs(velocity));
    const double now = scree_vec_dot(s->bodies->motion[c->body].velocity, normal);
    if (p > 1e-12) assert_true(fabs(now + c->bias - hub->velocity) < 1e-12 * (1 + fabs(velocity)));
    assert_true(now + c->bias > hub->velocity - 1e-12 * (1 + fabs(velocity)));
    pushing += p > 0;
    pushed += p;
    all += c->mass * (1 + fabs(velocity));
  }
  assert_true(fabs(mass * (hub->velocity - velocity) + pushed) < 1e-14 * all);
  assert_true(fabs(hub->velocity - bisect(s, term)) < 1e-13 * (1 + fabs(velocity)));
  assert_true(hub->velocity <= velocity * (1 + (velocity > 0 ? 1e-15 : -1e-15)));
  destroy(s);
  return pushing;
}

static void the_balance_holds(void **state) {
  (void)state;
  int pushing = 0;
  for (int k = 0; k < 4; k++)
    for (int trial = 0; trial < 25; trial++)
      pushing += check_balance(between(0.1, 100), between(-0.3, 3), 0.4 * (trial % 2), normals[k]);
  assert_in_range(pushing, 3000, 27000); // some push, some do not
}

static void light_and_heavy_hubs(void **state) {
  (void)state;
  for (int trial = 0; trial < 10; trial++) {
    assert_true(check_balance(1e-12, 2, 0.3, normals[2]) > 0);
    check_balance(1e-300, 2, 0, normals[0]);
    check_balance(1e12, 2, 0.3, normals[3]);
    check_balance(1e-12, -0.5, 0.3, normals[1]);
  }
}

static void a_heavy_hub_does_not_care(void **state) {
  (void)state;
  setting *s = create(50, 1e30, 0.5, normals[0]);
  const scree_hub *hub = prepare(s, 0.7);
  solve(s);
  assert_true(fabs(hub->velocity - 0.7) < 1e-15);
  destroy(s);
}

static void a_light_hub_stops_at_the_first_body(void **state) {
  (void)state;
  // Without impulses from before it just reaches the body that comes first.
  setting *s = create(50, 1e-20, 0.5, normals[0]);
  scree_hub *hub = &s->hubs->hub[0];
  hub->velocity = 100;
  scree_hubs_prepare(s->hubs, s->bodies, 0, 0.1, 0.1, false);
  double first = HUGE_VAL;
  for (int32_t k = 0; k < hub->count; k++)
    first = fmin(first,
                 hub->contact[k].bias + scree_vec_dot(s->bodies->motion[k].velocity, normals[0]));
  solve(s);
  assert_true(fabs(hub->velocity - first) < 1e-13);
  destroy(s);
}

static void without_contacts_it_is_free(void **state) {
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    const double mass = between(0.1, 10), velocity = between(-3, 3);
    setting *s = create(0, mass, 0.5, normals[trial % 4]);
    const scree_hub *hub = prepare(s, velocity);
    solve(s);
    assert_true(hub->velocity == velocity);
    destroy(s);
  }
}

static void one_contact_by_hand(void **state) {
  (void)state;
  // A piston of mass 3 with velocity 2 and a body of mass 1 at rest end together: 3 * 2 / 4. With a
  // gap of 0.05 in a step of 0.1 the body lags by 0.5: (3 * 2 + 0.5) / 4.
  static const double gap[] = {0, 0.05}, together[] = {1.5, 1.625};
  for (int k = 0; k < 2; k++) {
    setting *s = create(1, 3, 0, normals[0]);
    scree_bodies *b = s->bodies;
    b->motion[0] = (scree_motion){.inverse_mass = 1};
    b->position[0] = (scree_vec){0, 0, 2 - b->radius[0] - gap[k]};
    s->hubs->hub[0].velocity = 2;
    scree_hubs_prepare(s->hubs, b, 0, 0.1, 0.1, false);
    solve(s);
    assert_true(fabs(s->hubs->hub[0].velocity - together[k]) < 1e-12);
    assert_true(fabs(b->motion[0].velocity.z + together[k] - 10 * gap[k]) < 1e-12);
    assert_true(fabs(s->hubs->hub[0].contact[0].impulse.z - (together[k] - 10 * gap[k])) < 1e-12);
    scree_hubs_move(s->hubs, 0.1);
    assert_true(fabs(s->wall.position - (-2 + 0.1 * together[k])) < 1e-12);
    assert_true(fabs(s->wall.velocity.z + together[k]) < 1e-12);
    destroy(s);
  }
}

static void friction_acts_along_the_piston(void **state) {
  (void)state;
  // As above, and the body slides with 1: the normal impulse is 1.5, a sticking contact takes 2/7.
  static const double friction[] = {0, 0.1, 0.5}, lost[] = {0, 0.15, 2.0 / 7};
  for (int k = 0; k < 3; k++) {
    setting *s = create(1, 3, friction[k], normals[0]);
    scree_bodies *b = s->bodies;
    b->motion[0] = (scree_motion){.velocity = {1, 0, 0}, .inverse_mass = 1};
    b->position[0] = (scree_vec){0, 0, 2 - b->radius[0]};
    s->hubs->hub[0].velocity = 2;
    scree_hubs_prepare(s->hubs, b, 0, 0.1, 0.1, false);
    solve(s);
    assert_true(fabs(b->motion[0].velocity.x - (1 - lost[k])) < 1e-14);
    assert_true(fabs(s->hubs->hub[0].contact[0].impulse.x - lost[k]) < 1e-14);
    assert_true(fabs(s->hubs->hub[0].velocity - 1.5) < 1e-14);
    destroy(s);
  }
}

static void the_order_of_contacts_does_not_matter(void **state) {
  (void)state;
  enum { count = 200 };
  for (int trial = 0; trial < 20; trial++) {
    const uint64_t from = draws;
    setting *s[2];
    for (int w = 0; w < 2; w++) {
      draws = from;
      s[w] = create(count, 0.3, 0.3, normals[2]);
      prepare(s[w], 1.5);
    }
    int32_t order[count];
    scree_random_shuffle(1, SCREE_RANDOM_BATCHES, (uint64_t)trial, 0, 0, order, count);
    scree_hub_contact mixed[count];
    for (int k = 0; k < count; k++) mixed[k] = s[0]->hubs->hub[0].contact[order[k]];
    memcpy(s[1]->hubs->hub[0].contact, mixed, sizeof mixed);
    for (int sweep = 0; sweep < 3; sweep++)
      for (int w = 0; w < 2; w++) solve(s[w]);
    assert_memory_equal(&s[0]->hubs->hub[0].velocity, &s[1]->hubs->hub[0].velocity, sizeof(double));
    assert_memory_equal(s[0]->bodies->motion, s[1]->bodies->motion, count * sizeof(scree_motion));
    for (int k = 0; k < count; k++)
      assert_memory_equal(&s[1]->hubs->hub[0].contact[k], &s[0]->hubs->hub[0].contact[order[k]],
                          sizeof mixed[0]);
    destroy(s[0]);
    destroy(s[1]);
  }
}

static void a_second_solution_changes_nothing(void **state) {
  (void)state;
  setting *s = create(200, 2, 0.4, normals[3]);
  const scree_hub *hub = prepare(s, 1);
  solve(s);
  solve(s); // the first may have moved impulses into the friction cone
  const double velocity = hub->velocity;
  scree_tally tally = {.wanted = true, .cutoff = 1e-13};
  scree_hubs_solve(s->hubs, s->bodies, &tally);
  assert_true(fabs(hub->velocity - velocity) < 1e-14);
  assert_int_equal(tally.violations, 0);
  assert_true(sqrt(tally.largest) < 1e-13);
  destroy(s);
}

static void the_force_gives_the_free_velocity(void **state) {
  (void)state;
  static const double force[] = {0, 5, 10, 7};
  setting *s = create(1, 4, 0, normals[0]);
  s->wall.force = force;
  s->wall.force_count = 2;
  scree_hub *hub = &s->hubs->hub[0];
  hub->velocity = 1;
  scree_hubs_prepare(s->hubs, s->bodies, 9.5, 0.5, 0.1, false);
  assert_true(hub->free_velocity == 1 + 0.5 * 5 / 4);
  scree_hubs_prepare(s->hubs, s->bodies, 10, 0.5, 0.1, false);
  assert_true(hub->free_velocity == 1 + 0.5 * 7 / 4);
  destroy(s);
}

static void only_bodies_it_could_meet_are_contacts(void **state) {
  (void)state;
  const double skin = 0.1, time_step = 0.1;
  for (int with_overlap = 0; with_overlap < 2; with_overlap++) {
    setting *s = create(5, 1, 0, (scree_vec){0, 0, 1});
    scree_bodies *b = s->bodies;
    static const double gap[] = {-0.01, 0, 0.05, 0.65, 0.75};
    for (scree_local i = 0; i < 5; i++) {
      b->position[i] = (scree_vec){0, 0, -2 + b->radius[i] + gap[i]};
      b->motion[i].velocity = (scree_vec){0, 0, 0};
    }
    b->motion[4].velocity.z = -3; // the fastest: 0.3 in a step
    scree_hub *hub = &s->hubs->hub[0];
    hub->velocity = 3; // another 0.3
    scree_hubs_prepare(s->hubs, b, 0, time_step, skin, with_overlap);
    assert_int_equal(hub->count, 4);
    for (int32_t k = 0; k < 4; k++) {
      assert_int_equal(hub->contact[k].body, k);
      const double expected = with_overlap ? gap[k] : fmax(gap[k], 0);
      assert_true(fabs(hub->contact[k].bias * time_step - expected) < 1e-14);
      assert_true(fabs(hub->contact[k].mass * b->motion[k].inverse_mass - 1) < 1e-15);
    }
    hub->velocity = -3; // moving away it meets fewer
    scree_hubs_prepare(s->hubs, b, 0, time_step, skin, with_overlap);
    assert_int_equal(hub->count, 3);
    destroy(s);
  }
}

static void impulses_stay_with_their_bodies(void **state) {
  (void)state;
  enum { count = 40 };
  setting *s = create(count, 1, 0.5, normals[1]);
  scree_hub *hub = prepare(s, 0.5);
  for (int32_t k = 0; k < count; k++) hub->contact[k].impulse = (scree_vec){k + 1, k + 2, 2 * k};
  scree_kept_list kept = scree_kept_create(NULL, s->hubs, s->bodies);
  // A rebuild puts body moved[k] on line k.
  scree_local moved[count];
  scree_bodies *b = s->bodies;
  scree_motion motion[count];
  scree_vec position[count];
  double radius[count];
  for (scree_local k = 0; k < count; k++) {
    moved[k] = (k * 7 + 3) % count;
    b->id[k] = (scree_global)moved[k];
    motion[k] = b->motion[moved[k]];
    position[k] = b->position[moved[k]];
    radius[k] = b->radius[moved[k]];
  }
  memcpy(b->motion, motion, sizeof motion);
  memcpy(b->position, position, sizeof position);
  memcpy(b->radius, radius, sizeof radius);
  scree_hubs_restore(s->hubs, &kept, moved);
  scree_kept_destroy(&kept);
  scree_hubs_prepare(s->hubs, b, 0, 0.1, 0.1, false);
  assert_int_equal(hub->count, count);
  for (int32_t k = 0; k < count; k++) {
    const double id = (double)b->id[hub->contact[k].body];
    const scree_vec expected = {id + 1, id + 2, 2 * id};
    assert_memory_equal(&hub->contact[k].impulse, &expected, sizeof expected);
  }
  destroy(s);
}

static void a_warm_start_gives_the_bodies_their_impulses(void **state) {
  (void)state;
  enum { count = 40 };
  setting *s = create(count, 1, 0.5, normals[2]);
  const scree_hub *hub = prepare(s, 0.5);
  scree_motion before[count];
  memcpy(before, s->bodies->motion, sizeof before);
  scree_hubs_warm_start(s->hubs, s->bodies);
  for (int32_t k = 0; k < count; k++) {
    const scree_vec p = hub->contact[k].impulse; // on the hub; the body gets its opposite
    const scree_motion *now = &s->bodies->motion[k];
    const double w = now->inverse_mass;
    assert_true(fabs(now->velocity.x - (before[k].velocity.x - w * p.x)) < 1e-14);
    assert_true(fabs(now->velocity.y - (before[k].velocity.y - w * p.y)) < 1e-14);
    assert_true(fabs(now->velocity.z - (before[k].velocity.z - w * p.z)) < 1e-14);
    // Torque of -p at the point -r N: the spin r w changes by (N x p) r^2 / I.
    const scree_vec n = s->wall.normal;
    const scree_vec turn = {n.y * p.z - n.z * p.y, n.z * p.x - n.x * p.z, n.x * p.y - n.y * p.x};
    assert_true(fabs(now->spin.x - (before[k].spin.x + 2.5 * w * turn.x)) < 1e-14);
    assert_true(fabs(now->spin.y - (before[k].spin.y + 2.5 * w * turn.y)) < 1e-14);
    assert_true(fabs(now->spin.z - (before[k].spin.z + 2.5 * w * turn.z)) < 1e-14);
  }
  destroy(s);
}

static void only_walls_with_mass_are_hubs(void **state) {
  (void)state;
  scree_wall wall[4] = {{.mass = 0}, {.mass = 2}, {.mass = 0}, {.mass = 3}};
  scree_walls walls = {4, wall};
  scree_hubs *hubs = scree_hubs_create(&walls, &scree_alone);
  assert_int_equal(hubs->count, 2);
  assert_int_equal(hubs->hub[0].wall, 1);
  assert_int_equal(hubs->hub[1].wall, 3);
  scree_hubs_destroy(hubs);
}

static void gives_all_memory_back(void **state) {
  (void)state;
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_balance_holds),
    cmocka_unit_test(light_and_heavy_hubs),
    cmocka_unit_test(a_heavy_hub_does_not_care),
    cmocka_unit_test(a_light_hub_stops_at_the_first_body),
    cmocka_unit_test(without_contacts_it_is_free),
    cmocka_unit_test(one_contact_by_hand),
    cmocka_unit_test(friction_acts_along_the_piston),
    cmocka_unit_test(the_order_of_contacts_does_not_matter),
    cmocka_unit_test(a_second_solution_changes_nothing),
    cmocka_unit_test(the_force_gives_the_free_velocity),
    cmocka_unit_test(only_bodies_it_could_meet_are_contacts),
    cmocka_unit_test(impulses_stay_with_their_bodies),
    cmocka_unit_test(a_warm_start_gives_the_bodies_their_impulses),
    cmocka_unit_test(only_walls_with_mass_are_hubs),
    cmocka_unit_test(gives_all_memory_back),
};
SCREE_TEST_MAIN(tests)
