/// \file
/// The law of one contact: what it promises, and that one contact at a time and eight at once give
/// the same bits.
#include "shock.h"
#include "random.h"
#include "scree_test.h"

#include <string.h>

static uint64_t draws;

/// Uniform in [low, high).
static double between(double low, double high) {
  uint64_t word[4];
  scree_random(5, SCREE_RANDOM_POSITION, draws++, 0, 0, 0, word);
  return low + (high - low) * scree_random_unit(word[0]);
}

/// Whether something happens that should happen once in `times`.
static bool once_in(int times) {
  return between(0, times) < 1;
}

/// Over many orders of magnitude.
static double size(double low, double high) {
  return exp(between(log(low), log(high)));
}

static scree_vec direction(int dimension) {
  for (;;) {
    const scree_vec v = {between(-1, 1), between(-1, 1), dimension == 2 ? 0 : between(-1, 1)};
    const double square = scree_vec_dot(v, v);
    if (square > 0.01 && square < 1) return scree_vec_scale(1 / sqrt(square), v);
  }
}

static scree_vec cross(scree_vec a, scree_vec b) {
  return (scree_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static scree_vec minus(scree_vec a, scree_vec b) {
  return (scree_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length(scree_vec a) {
  return sqrt(scree_vec_dot(a, a));
}

/// A body in motion: a wall (no inverse mass, no spin) if `wall`.
static scree_body_1 random_body(int dimension, bool wall) {
  const scree_vec v = scree_vec_scale(size(0.01, 10), direction(dimension)),
                  s = scree_vec_scale(size(0.01, 10), direction(3));
  scree_body_1 body = {v.x, v.y, v.z, wall ? 0 : 1 / size(0.01, 100), 0, 0, 0, 0};
  if (!wall) body.sz = s.z;
  if (!wall && dimension == 3) body.sx = s.x, body.sy = s.y;
  body.friction = once_in(4) ? 0 : between(0, 1.5);
  return body;
}

static scree_vec contact_impulse(const scree_contact_1 *c) {
  return (scree_vec){c->px, c->py, c->pz};
}

static scree_vec contact_normal(const scree_contact_1 *c) {
  return (scree_vec){c->nx, c->ny, c->nz};
}

static scree_vec velocity_of(const scree_body_1 *b) {
  return (scree_vec){b->vx, b->vy, b->vz};
}

static scree_vec spin_of(const scree_body_1 *b) {
  return (scree_vec){b->sx, b->sy, b->sz};
}

/// U3 with l_i = r_i n, l_j = -r_j n and the spins r w.
static scree_vec contact_velocity(const scree_body_1 *a, const scree_body_1 *b, scree_vec n) {
  const scree_vec at_i = scree_vec_add(velocity_of(a), cross(spin_of(a), n)),
                  at_j = minus(velocity_of(b), cross(spin_of(b), n));
  return minus(at_j, at_i);
}

/// Touching or apart, with or without an impulse from before (which may be outside the cone: the
/// normal part of the law changes with every update).
static scree_contact_1 random_contact(int dimension, const scree_body_1 *a, const scree_body_1 *b) {
  const scree_vec n = direction(dimension);
  scree_vec p = {0, 0, 0};
  if (once_in(2)) p = scree_vec_scale(size(0.01, 100), direction(dimension));
  if (scree_vec_dot(p, n) < 0) p = scree_vec_scale(-1, p);
  return (scree_contact_1){n.x,
                           n.y,
                           n.z,
                           p.x,
                           p.y,
                           p.z,
                           once_in(2) ? 0 : size(0.01, 10),
                           1 / (a->inverse_mass + b->inverse_mass)};
}

// ---- promises of one update -------------------------------------------------

typedef enum { OPEN, STICKS, SLIDES, REGIMES } regime;

/// One update of a lone contact, checked against the law as theory §1 states it.
static regime check_update(int dimension, scree_body_1 a, scree_body_1 b, scree_contact_1 c) {
  const scree_shock_constants k = scree_shock_constants_for(dimension);
  const scree_vec n = contact_normal(&c), before = contact_impulse(&c);
  const double change = scree_shock_1(&a, &b, &c, &k);
  const scree_vec p = contact_impulse(&c), by = minus(p, before);
  assert_true(change == by.x * by.x + by.y * by.y + by.z * by.z);
  const double pn = scree_vec_dot(p, n), pt = length(minus(p, scree_vec_scale(pn, n)));
  const scree_vec v = contact_velocity(&a, &b, n);
  const double vn = scree_vec_dot(v, n);
  const scree_vec vt = minus(v, scree_vec_scale(vn, n));
  const double speed = length(velocity_of(&a)) + length(velocity_of(&b)) + length(spin_of(&a)) +
                       length(spin_of(&b)) + (length(p) + length(before)) / c.mass + c.bias;
  const double hair = 1e-13 * speed, impulse_hair = 1e-13 * c.mass * speed;
  assert_true(pn >= -impulse_hair);
  assert_true(pt <= b.friction * pn * (1 + 1e-12) + impulse_hair);
  // Signorini: at the end of the step the gap is closed, or it is open without a push.
  if (pn > impulse_hair) {
    assert_true(fabs(vn + c.bias) < hair);
  } else {
    assert_true(p.x == 0 && p.y == 0 && p.z == 0);
    assert_true(vn + c.bias > -hair);
    return OPEN;
  }
  if (pt < b.friction * pn * (1 - 1e-12) - impulse_hair) { // inside the cone
    assert_true(length(vt) < hair);
    return STICKS;
  }
  // On the cone: friction opposes what sliding is left.
  assert_true(scree_vec_dot(p, vt) <= impulse_hair * speed);
  return SLIDES;
}

static void single_contacts_obey_the_law(void **state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; dimension++) {
    int seen[REGIMES] = {0};
    for (int trial = 0; trial < 20000; trial++) {
      const scree_body_1 a = random_body(dimension, false), b = random_body(dimension, once_in(4));
      seen[check_update(dimension, a, b, random_contact(dimension, &a, &b))]++;
    }
    for (int r = 0; r < REGIMES; r++) assert_true(seen[r] > 1000);
  }
}

static void a_second_update_changes_nothing(void **state) {
  (void)state;
  // A lone contact is solved by one update if its impulse was in the cone before.
  const scree_shock_constants k = scree_shock_constants_for(3);
  for (int trial = 0; trial < 5000; trial++) {
    scree_body_1 a = random_body(3, false), b = random_body(3, once_in(4));
    scree_contact_1 c = random_contact(3, &a, &b);
    c.px = c.py = c.pz = 0;
    scree_shock_1(&a, &b, &c, &k);
    const scree_vec p = contact_impulse(&c);
    const double change = scree_shock_1(&a, &b, &c, &k);
    const double speed = length(velocity_of(&a)) + length(velocity_of(&b)) + length(spin_of(&a)) +
                         length(spin_of(&b)) + c.bias + length(p) / c.mass;
    assert_true(sqrt(change) <= 1e-13 * c.mass * speed);
  }
}

static void momentum_is_conserved(void **state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; dimension++) {
    const scree_shock_constants k = scree_shock_constants_for(dimension);
    const double inertia = scree_body_inertia_factor(dimension);
    for (int trial = 0; trial < 10000; trial++) {
      scree_body_1 body[2] = {random_body(dimension, false), random_body(dimension, false)};
      scree_contact_1 c = random_contact(dimension, &body[0], &body[1]);
      const double r[2] = {size(0.1, 10), size(0.1, 10)};
      const scree_vec x = scree_vec_scale(between(-5, 5), direction(dimension)); // any origin
      const scree_vec centre[2] = {
          x, scree_vec_add(x, scree_vec_scale(r[0] + r[1], contact_normal(&c)))};
      scree_vec linear[2] = {{0}}, angular[2] = {{0}};
      double most = 0;
      for (int when = 0; when < 2; when++) {
        for (int m = 0; m < 2; m++) {
          const double mass = 1 / body[m].inverse_mass;
          const scree_vec p = scree_vec_scale(mass, velocity_of(&body[m]));
          // I w = b m r^2 s / r
          const scree_vec own = scree_vec_scale(inertia * mass * r[m], spin_of(&body[m]));
          linear[when] = scree_vec_add(linear[when], p);
          angular[when] = scree_vec_add(angular[when], scree_vec_add(cross(centre[m], p), own));
          most = fmax(most, length(p) * (1 + length(centre[m])) + length(own));
        }
        if (when == 0) most += length(contact_impulse(&c)) * (1 + 2 * (r[0] + r[1]));
        if (when == 0) scree_shock_1(&body[0], &body[1], &c, &k);
      }
      assert_true(length(minus(linear[0], linear[1])) < 1e-13 * most);
      assert_true(length(minus(angular[0], angular[1])) < 1e-13 * most);
    }
  }
}

static void energy_never_grows(void **state) {
  (void)state;
  // Touching, without an impulse from before: an inelastic shock with friction.
  for (int dimension = 2; dimension <= 3; dimension++) {
    const scree_shock_constants k = scree_shock_constants_for(dimension);
    const double inertia = scree_body_inertia_factor(dimension);
    for (int trial = 0; trial < 10000; trial++) {
      scree_body_1 body[2] = {random_body(dimension, false), random_body(dimension, false)};
      scree_contact_1 c = random_contact(dimension, &body[0], &body[1]);
      c.px = c.py = c.pz = c.bias = 0;
      double energy[2] = {0};
      for (int when = 0; when < 2; when++) {
        for (int m = 0; m < 2; m++) {
          const scree_vec v = velocity_of(&body[m]), s = spin_of(&body[m]);
          energy[when] +=
              (scree_vec_dot(v, v) + inertia * scree_vec_dot(s, s)) / body[m].inverse_mass;
        }
        if (when == 0) scree_shock_1(&body[0], &body[1], &c, &k);
      }
      assert_true(energy[1] <= energy[0] * (1 + 1e-13));
    }
  }
}

static void known_collisions(void **state) {
  (void)state;
  const scree_shock_constants k = scree_shock_constants_for(3);
  // Head on: equal masses 2 stop, with an impulse of 2 * 3; the wall of the second case stays.
  scree_body_1 a = {3, 0, 0, 0.5, 0, 0, 0, 0.5}, b = {-3, 0, 0, 0.5, 0, 0, 0, 0.5};
  scree_contact_1 c = {1, 0, 0, 0, 0, 0, 0, 1};
  assert_true(scree_shock_1(&a, &b, &c, &k) == 36);
  assert_true(a.vx == 0 && b.vx == 0 && c.px == 6 && c.py == 0);
  a.vx = 3;
  b = (scree_body_1){0};
  c = (scree_contact_1){1, 0, 0, 0, 0, 0, 2, 2}; // a gap that 2 of the 3 close
  scree_shock_1(&a, &b, &c, &k);
  assert_true(a.vx == 2 && b.vx == 0 && c.px == 2);
  // A sphere sliding along a rough wall at its -z side: it sticks, v = 5/7 of the start.
  a = (scree_body_1){7, 0, -100, 1, 0, 0, 0, 0};
  b = (scree_body_1){.friction = 1};
  c = (scree_contact_1){0, 0, -1, 0, 0, 0, 0, 1};
  scree_shock_1(&a, &b, &c, &k);
  assert_true(fabs(a.vx - 5) < 1e-14 && fabs(a.sy - 5) < 1e-14 && a.vz == 0); // it rolls
  // The same with too little friction: it loses mu times the normal impulse.
  a = (scree_body_1){7, 0, -10, 1, 0, 0, 0, 0};
  b = (scree_body_1){.friction = 0.1};
  c = (scree_contact_1){0, 0, -1, 0, 0, 0, 0, 1};
  scree_shock_1(&a, &b, &c, &k);
  assert_true(fabs(a.vx - 6) < 1e-14 && fabs(a.sy - 2.5) < 1e-14);
}

static void a_push_back_undoes_a_push(void **state) {
  (void)state;
  const scree_shock_constants k = scree_shock_constants_for(2);
  for (int trial = 0; trial < 1000; trial++) {
    scree_body_1 a = random_body(2, false), b = random_body(2, false);
    const scree_body_1 a0 = a, b0 = b;
    const scree_contact_1 c = random_contact(2, &a, &b);
    scree_push_1(&a, &b, &c, c.px, c.py, c.pz, &k);
    scree_push_1(&a, &b, &c, -c.px, -c.py, -c.pz, &k);
    const double hair = 1e-13 * (length(velocity_of(&a0)) + length(velocity_of(&b0)) +
                                 length(spin_of(&a0)) + length(spin_of(&b0)) +
                                 length(contact_impulse(&c)) * (a.inverse_mass + b.inverse_mass));
    assert_true(length(minus(velocity_of(&a), velocity_of(&a0))) <= hair);
    assert_true(length(minus(velocity_of(&b), velocity_of(&b0))) <= hair);
    assert_true(length(minus(spin_of(&a), spin_of(&a0))) <= hair);
    assert_true(length(minus(spin_of(&b), spin_of(&b0))) <= hair);
  }
}

static void constants_of_spheres_and_discs(void **state) {
  (void)state;
  const scree_shock_constants sphere = scree_shock_constants_for(3),
                              disc = scree_shock_constants_for(2);
  assert_true(fabs(sphere.tangential_share - 2.0 / 7) < 1e-15);
  assert_true(fabs(sphere.spin_factor - 2.5) < 1e-15);
  assert_true(fabs(disc.tangential_share - 1.0 / 3) < 1e-15);
  assert_true(fabs(disc.spin_factor - 2) < 1e-15);
}

// ---- one by one and eight at once -------------------------------------------

/// Lines of 8 pairs, one wall and the dummy.
enum { lines = 18, wall_line = 16, dummy_line = 17 };

/// A batch with bodies in no order, walls that repeat and empty lanes.
static void random_batch(int dimension, scree_motion *motion, scree_batch *batch) {
  int32_t order[16];
  scree_random_shuffle(1, SCREE_RANDOM_BATCHES, draws, 0, 0, order, 16);
  for (int k = 0; k < lines; k++) {
    const scree_body_1 body = random_body(dimension, k == wall_line);
    memcpy(&motion[k], &body, sizeof body);
  }
  motion[dummy_line] = (scree_motion){0};
  *batch = (scree_batch){0};
  for (int l = 0; l < SCREE_LANES; l++) {
    batch->i[l] = batch->j[l] = dummy_line;
    if (once_in(8)) continue;
    batch->i[l] = order[l];
    batch->j[l] = once_in(5) ? wall_line : order[l + 8];
    scree_body_1 a, b;
    memcpy(&a, &motion[batch->i[l]], sizeof a);
    memcpy(&b, &motion[batch->j[l]], sizeof b);
    const scree_contact_1 c = random_contact(dimension, &a, &b);
    batch->nx[l] = c.nx, batch->ny[l] = c.ny, batch->nz[l] = c.nz;
    batch->bias[l] = c.bias, batch->mass[l] = c.mass;
    scree_batch_put_impulse(batch, l, &c);
  }
}

static void update_one_by_one(scree_motion *motion, scree_batch *batch,
                              const scree_shock_constants *k, double *change) {
  for (int l = 0; l < SCREE_LANES; l++) {
    scree_contact_1 c = scree_batch_get(batch, l);
    change[l] = scree_shock_1((scree_body_1 *)&motion[batch->i[l]],
                              (scree_body_1 *)&motion[batch->j[l]], &c, k);
    scree_batch_put_impulse(batch, l, &c);
  }
}

static void update_at_once(scree_motion *motion, scree_batch *batch, const scree_shock_constants *k,
                           double *change) {
  scree_body_8 a, b;
  scree_contact_8 c;
  scree_bodies_gather(&a, motion, batch->i);
  scree_bodies_gather(&b, motion, batch->j);
  memcpy(&c, batch->nx, sizeof c);
  const scree_lanes changes = scree_shock_8(&a, &b, &c, k);
  memcpy(batch->px, &c.px, 3 * sizeof c.px);
  memcpy(change, &changes, sizeof changes);
  scree_bodies_scatter(&a, motion, batch->i);
  scree_bodies_scatter(&b, motion, batch->j);
}

static void one_by_one_and_eight_at_once_agree_in_every_bit(void **state) {
  (void)state;
  _Alignas(64) static scree_motion one[lines], eight[lines];
  _Alignas(64) static scree_batch batch_one, batch_eight;
  for (int dimension = 2; dimension <= 3; dimension++) {
    const scree_shock_constants k = scree_shock_constants_for(dimension);
    for (int trial = 0; trial < 7000; trial++) {
      random_batch(dimension, one, &batch_one);
      memcpy(eight, one, sizeof one);
      batch_eight = batch_one;
      for (int update = 0; update < 3; update++) {
        double change_one[SCREE_LANES], change_eight[SCREE_LANES];
        update_one_by_one(one, &batch_one, &k, change_one);
        update_at_once(eight, &batch_eight, &k, change_eight);
        assert_memory_equal(one, eight, sizeof one);
        assert_memory_equal(&batch_one, &batch_eight, sizeof batch_one);
        assert_memory_equal(change_one, change_eight, sizeof change_one);
      }
    }
  }
}

static void walls_and_nobody_stay_as_they_are(void **state) {
  (void)state;
  _Alignas(64) static scree_motion motion[lines];
  _Alignas(64) static scree_batch batch;
  const scree_shock_constants k = scree_shock_constants_for(3);
  for (int trial = 0; trial < 1000; trial++) {
    random_batch(3, motion, &batch);
    const scree_motion wall = motion[wall_line];
    double change[SCREE_LANES];
    update_at_once(motion, &batch, &k, change);
    assert_memory_equal(&motion[wall_line], &wall, sizeof wall);
    assert_memory_equal(&motion[dummy_line], &(scree_motion){0}, sizeof(scree_motion));
    for (int l = 0; l < SCREE_LANES; l++)
      if (batch.mass[l] == 0)
        assert_true(change[l] == 0 && batch.px[l] == 0 && batch.py[l] == 0 && batch.pz[l] == 0);
  }
}

// ---- transposition ----------------------------------------------------------

static void transposing_swaps_rows_and_columns(void **state) {
  (void)state;
  scree_lanes r[8];
  for (int row = 0; row < 8; row++)
    for (int column = 0; column < 8; column++) r[row][column] = 10 * row + column;
  scree_transpose(r);
  for (int row = 0; row < 8; row++)
    for (int column = 0; column < 8; column++) assert_true(r[row][column] == 10 * column + row);
  scree_transpose(r);
  for (int row = 0; row < 8; row++)
    for (int column = 0; column < 8; column++) assert_true(r[row][column] == 10 * row + column);
}

static void gathering_and_scattering_moves_whole_lines(void **state) {
  (void)state;
  _Alignas(64) static scree_motion motion[lines], before[lines];
  const scree_local line[SCREE_LANES] = {3, 1, 4, 15, 9, 2, 6, 5};
  for (int k = 0; k < lines; k++) {
    const scree_body_1 body = random_body(3, false);
    memcpy(&motion[k], &body, sizeof body);
  }
  memcpy(before, motion, sizeof motion);
  scree_body_8 b;
  scree_bodies_gather(&b, motion, line);
  for (int l = 0; l < SCREE_LANES; l++) {
    assert_true(b.vx[l] == motion[line[l]].velocity.x && b.vz[l] == motion[line[l]].velocity.z);
    assert_true(b.inverse_mass[l] == motion[line[l]].inverse_mass);
    assert_true(b.sy[l] == motion[line[l]].spin.y && b.friction[l] == motion[line[l]].friction);
    b.vy[l] = l;
  }
  scree_bodies_scatter(&b, motion, line);
  for (int l = 0; l < SCREE_LANES; l++) before[line[l]].velocity.y = l;
  assert_memory_equal(motion, before, sizeof motion);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(single_contacts_obey_the_law),
    cmocka_unit_test(a_second_update_changes_nothing),
    cmocka_unit_test(momentum_is_conserved),
    cmocka_unit_test(energy_never_grows),
    cmocka_unit_test(known_collisions),
    cmocka_unit_test(a_push_back_undoes_a_push),
    cmocka_unit_test(constants_of_spheres_and_discs),
    cmocka_unit_test(one_by_one_and_eight_at_once_agree_in_every_bit),
    cmocka_unit_test(walls_and_nobody_stay_as_they_are),
    cmocka_unit_test(transposing_swaps_rows_and_columns),
    cmocka_unit_test(gathering_and_scattering_moves_whole_lines),
};
SCREE_TEST_MAIN(tests)
