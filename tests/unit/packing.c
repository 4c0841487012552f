/// \file
/// Packings against brute force: distances and numbers of neighbours are those of the lattice, and
/// a part of a packing is the same as that part of the whole.
#include "scree/packing.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static double distance(const scree_bodies *b, scree_local i, scree_local j) {
  const scree_vec d = scree_vec_add(b->position[i], scree_vec_scale(-1, b->position[j]));
  return sqrt(scree_vec_dot(d, d));
}

/// Smallest distance of any pair, and the largest number of bodies at that distance from one body.
static void neighbours(const scree_bodies *b, double *nearest, int *most) {
  *nearest = HUGE_VAL;
  for (scree_local i = 0; i < b->count; i++)
    for (scree_local j = 0; j < i; j++) *nearest = fmin(*nearest, distance(b, i, j));
  *most = 0;
  for (scree_local i = 0; i < b->count; i++) {
    int count = 0;
    for (scree_local j = 0; j < b->count; j++)
      count += i != j && distance(b, i, j) < *nearest * (1 + 1e-9);
    if (count > *most) *most = count;
  }
}

/// All bodies of a deck given as text; the part [first, first + count) if count is not 0.
static scree_bodies *make(const char *text, uint64_t first, scree_local count) {
  char deck_text[1000];
  snprintf(deck_text, sizeof deck_text,
           "%s\nsolver: {time_step: 1, sweeps: {fixed: 1}}\nrun: {steps: 0}\n", text);
  scree_error error;
  char *resolved;
  scree_packing packing;
  if (!scree_deck_resolve(deck_text, strlen(deck_text), "deck", NULL, 0, &resolved, &error))
    fail_msg("%s", error.text);
  scree_deck *deck = scree_deck_load(resolved);
  assert_true(scree_packing_create(deck, &packing, &error));
  scree_bodies *b =
      scree_packing_bodies(&packing, first, count ? count : (scree_local)packing.count, 0);
  scree_packing_destroy(&packing);
  scree_deck_destroy(deck);
  scree_free(resolved);
  return b;
}

static void lattices_have_their_neighbours(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int bodies, neighbours;
  } expected[] = {{"packing: {dimension: 2, lattice: {kind: square, cells: [5, 5], radius: 0.5, "
                   "gap: 0.25, origin: [1, 2]}}",
                   25, 4},
                  {"packing: {dimension: 2, lattice: {kind: hexagonal, cells: [5, 5], radius: 0.5, "
                   "gap: 0.25, origin: [1, 2]}}",
                   25, 6},
                  {"packing: {dimension: 3, lattice: {kind: cubic, cells: [5, 5, 5], radius: 0.5, "
                   "gap: 0.25, origin: [1, 2, 0]}}",
                   125, 6},
                  {"packing: {dimension: 3, lattice: {kind: fcc, cells: [5, 5, 5], radius: 0.5, "
                   "gap: 0.25, origin: [1, 2, 0]}}",
                   500, 12}};
  for (size_t k = 0; k < 4; k++) {
    scree_bodies *b = make(expected[k].text, 0, 0);
    assert_int_equal(b->count, expected[k].bodies);
    double nearest;
    int most;
    neighbours(b, &nearest, &most);
    assert_true(fabs(nearest - 1.25) < 1e-12);
    assert_int_equal(most, expected[k].neighbours);
    assert_true(b->position[0].x == 1 && b->position[0].y == 2);
    scree_bodies_destroy(b);
  }
}

static void chain_is_straight_and_even(void **state) {
  (void)state;
  scree_bodies *b = make(
      "packing: {dimension: 3, chain: {count: 20, radius: 0.5, gap: 0.5, direction: [0, 3, 4]}}", 0,
      0);
  for (scree_local i = 0; i < 20; i++) {
    assert_true(fabs(b->position[i].y - 0.6 * 1.5 * i) < 1e-12);
    assert_true(fabs(b->position[i].z - 0.8 * 1.5 * i) < 1e-12);
  }
  scree_bodies_destroy(b);
}

static void loose_bodies_do_not_touch_and_fill_the_box(void **state) {
  (void)state;
  static const char *const text[] = {
      "packing: {dimension: 3, loose: {count: 800, fraction: 0.3, radius: [0.4, 0.5]}}",
      "packing: {dimension: 2, loose: {count: 500, fraction: 0.4, radius: [0.5, 1], width: 30, "
      "origin: [5, 6]}}"};
  for (int k = 0; k < 2; k++) {
    scree_bodies *b = make(text[k], 0, 0);
    double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9}, filled = 0, smallest = 9,
           largest = 0;
    for (scree_local i = 0; i < b->count; i++) {
      const double x[3] = {b->position[i].x, b->position[i].y, b->position[i].z};
      for (int a = 0; a < 3; a++)
        low[a] = fmin(low[a], x[a] - b->radius[i]), high[a] = fmax(high[a], x[a] + b->radius[i]);
      filled += scree_body_mass(b->dimension, b->radius[i], 1);
      smallest = fmin(smallest, b->radius[i]);
      largest = fmax(largest, b->radius[i]);
      for (scree_local j = 0; j < i; j++)
        assert_true(distance(b, i, j) > b->radius[i] + b->radius[j]);
    }
    const double volume = (high[0] - low[0]) * (high[1] - low[1]) * (k == 0 ? high[2] - low[2] : 1);
    const double fraction[] = {0.3, 0.4}, range[][2] = {{0.4, 0.5}, {0.5, 1}};
    assert_true(fabs(filled / volume / fraction[k] - 1) < 0.1); // finite box, finite sample
    assert_true(smallest >= range[k][0] && smallest < range[k][0] * 1.01);
    assert_true(largest <= range[k][1] && largest > range[k][1] * 0.99);
    scree_bodies_destroy(b);
  }
}

static void a_part_equals_that_part_of_the_whole(void **state) {
  (void)state;
  static const char *const text[] = {"packing: {dimension: 3, lattice: {kind: fcc, cells: [3, 4, "
                                     "5], radius: 0.7, gap: 0.1}, angular_velocity: [1, 2, 3]}",
                                     "packing: {dimension: 3, loose: {count: 120, fraction: 0.3, "
                                     "radius: [0.4, 0.5]}, replicate: [2, 1, 1]}"};
  for (int k = 0; k < 2; k++) {
    scree_bodies *whole = make(text[k], 0, 0), *part = make(text[k], 101, 57);
    assert_int_equal(whole->count, 240);
    assert_memory_equal(part->id, whole->id + 101, 57 * sizeof *part->id);
    assert_memory_equal(part->position, whole->position + 101, 57 * sizeof *part->position);
    assert_memory_equal(part->motion, whole->motion + 101, 57 * sizeof *part->motion);
    scree_bodies_destroy(whole);
    scree_bodies_destroy(part);
  }
}

static void copies_stand_one_box_apart(void **state) {
  (void)state;
  scree_bodies *b = make("packing: {dimension: 2, lattice: {kind: square, cells: [3, 2], radius: "
                         "0.5}, replicate: [2, 2]}",
                         0, 0);
  assert_int_equal(b->count, 24);
  double nearest;
  int most;
  neighbours(b, &nearest, &most);
  assert_true(fabs(nearest - 1) < 1e-12 && most == 4);
  for (scree_local i = 0; i < 24; i++) assert_int_equal(b->id[i], i);
  assert_true(b->position[6].x == 3 && b->position[6].y == 0 && b->position[12].y == 2);
  scree_bodies_destroy(b);
}

static void masses_follow_the_radius(void **state) {
  (void)state;
  assert_true(fabs(scree_body_mass(3, 0.5, 2) - 2 * 3.14159265358979 / 6) < 1e-12);
  assert_true(fabs(scree_body_mass(2, 0.5, 2) - 2 * 3.14159265358979 / 4) < 1e-12);
}

/// Write `text` to a file called `name` and read it as a packing of spheres of density 2.5.
static bool read_text(const char *name, const char *text, scree_packing *packing,
                      scree_error *error) {
  static char path[64];
  static scree_deck deck;
  snprintf(path, sizeof path, "/tmp/scree-test-%d-%s", (int)getpid(), name);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  deck = (scree_deck){.packing = {.dimension = 3, .file = path, .replicate = {1, 1, 1}},
                      .material = {.density = 2.5}};
  const bool ok = scree_packing_create(&deck, packing, error);
  unlink(path);
  return ok;
}

static void reads_csv_and_lammps(void **state) {
  (void)state;
  scree_packing p;
  scree_error error;
  assert_true(read_text(
      "a.csv",
      "\xEF\xBB\xBFradius,x, y,z,id,wz\r\n  \r\n# a remark\r\n0.5,1,2,3,9,4\r\n0.25,5,6,7,3,8\r\n",
      &p, &error));
  assert_int_equal(p.count, 2);
  assert_true(p.row[1].id == 9 && p.row[1].radius == 0.5 && p.row[1].position.z == 3 &&
              p.row[1].angular_velocity.z == 4);
  assert_true(p.row[0].id == 3 && !p.has_box);
  scree_packing_destroy(&p);
  assert_true(read_text("a.data",
                        "LAMMPS data file\n\n2 atoms\n1 atom types\n\n0 10 xlo xhi\n0 20 ylo "
                        "yhi\n0 30 zlo zhi\n0 0 0 xy xz yz\n\n"
                        "Atoms # sphere\n\n1 1 1.0 2.5 1 2 3 0 0 0\n2 1 0.5 2.5 4 5 6 0 0 0\n\n"
                        "Velocities\n\n2 0 0 0 1 2 3\n1 7 8 9 0 0 0\n",
                        &p, &error));
  assert_int_equal(p.count, 2);
  assert_true(p.row[0].radius == 0.5 && p.row[0].velocity.y == 8 &&
              p.row[1].angular_velocity.z == 3 && p.row[1].position.x == 4);
  assert_true(p.has_box && p.high.z == 30);
  scree_packing_destroy(&p);
}

static void refuses_bad_files_with_the_line(void **state) {
  (void)state;
#define ATOMS "title\n1 atoms\n\nAtoms\n\n"
  static const struct {
    const char *name, *text, *message;
  } bad[] = {
      {"b.csv", "x,y,radius\n", "columns x, y, z and radius are needed"},
      {"b.csv", "x,y,z,radius,colour\n", ":1: unknown column"},
      {"b.csv", "x,y,z,radius,x\n", ":1: a column stands twice"},
      {"b.csv", "x,y,z,radius\n1,2,3\n", ":2: fewer fields"},
      {"b.csv", "x,y,z,radius\n1,2,3,4,5\n", ":2: more fields"},
      {"b.csv", "x,y,z,radius\n1,2,3,abc\n", ":2: a field is not a number"},
      {"b.csv", "x,y,z,radius\n1,2,nan,1\n", ":2: a number is not finite"},
      {"b.csv", "x,y,z,radius\n1,2,3,1\n1,2,3,-1\n", ":3: a radius is not positive"},
      {"b.csv", "x,y,z,radius,id\n1,2,3,1,-4\n", ":2: an id is not a number from 0 to 9e15"},
      {"b.csv", "x,y,z,radius,id\n1,2,3,1,99999999999999999999\n", ":2: an id is not a number"},
      {"b.csv", "x,y,z,radius,id\n1,2,3,1,4\n5,6,7,1,4\n", "two bodies have the id 4"},
      {"b.csv", "", "holds no bodies"},
      {"b.data", "title\nAtoms # atomic\n\n1 1 0 0 0\n", ":2: expected atoms of style sphere"},
      {"b.data", ATOMS "1 1 0 0 0\n", ":6: expected an atom of style sphere"},
      {"b.data", ATOMS "1 1 1 1 0 0 0\n", ":6: the density of this atom is not material.density"},
      {"b.data", ATOMS "-5 1 1 2.5 0 0 0\n", ":6: an id is not a number"},
      {"b.data", ATOMS "1 1 1 2.5 0 0 0\n2 1 1 2.5 5 0 0\n", "1 atoms are announced, 2 are there"},
      {"b.data", ATOMS "1 1 1 2.5 0 0 0\n\nVelocities\n\n2 0 0 0 0 0 0\n",
       ":10: a velocity for an atom"},
      {"b.data", "title\n1 atoms\n5 0 0 xy xz yz\n", ":3: a tilted box"},
  };
#undef ATOMS
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    scree_packing p;
    scree_error error = {.text = ""};
    if (read_text(bad[k].name, bad[k].text, &p, &error)) fail_msg("accepted: %s", bad[k].text);
    if (!strstr(error.text, bad[k].message))
      fail_msg("'%s' is not in '%s'", bad[k].message, error.text);
  }
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lattices_have_their_neighbours),
    cmocka_unit_test(chain_is_straight_and_even),
    cmocka_unit_test(loose_bodies_do_not_touch_and_fill_the_box),
    cmocka_unit_test(a_part_equals_that_part_of_the_whole),
    cmocka_unit_test(copies_stand_one_box_apart),
    cmocka_unit_test(masses_follow_the_radius),
    cmocka_unit_test(reads_csv_and_lammps),
    cmocka_unit_test(refuses_bad_files_with_the_line),
};
SCREE_TEST_MAIN(tests)
