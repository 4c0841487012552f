/// \file
/// Shared by the physics tests: simulations from decks written in the test.
#pragma once
#include "scree/hash.h"
#include "scree/memory.h"
#include "scree/simulation.h"
#include "scree_test.h"

#include <math.h>
#include <string.h>

/// How much of a long test to do: all of it, or a tenth in debug and sanitizer builds, which look for mistakes in memory
/// rather than for figures and are slow.
static inline int effort(int full) {
#ifdef SCREE_DEBUG
  return full < 10 ? 1 : full / 10;
#else
  return full;
#endif
}

typedef struct world {
  scree_deck *deck;
  scree_simulation *s;
} world;

/// The world of a deck given as a format and its arguments.
static inline world begin(const char *format, ...) SCREE_PRINTF(1, 2);
static inline world begin(const char *format, ...) {
  char text[20000], *resolved;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  scree_error error;
  if (!scree_deck_resolve(text, strlen(text), "deck", NULL, 0, &resolved, &error))
    fail_msg("%s", error.text);
  world w = {.deck = scree_deck_load(resolved)};
  scree_free(resolved);
  w.s = scree_simulation_create(w.deck, &scree_alone, &error);
  if (!w.s) fail_msg("%s", error.text);
  return w;
}

static inline void end(world w) {
  scree_simulation_destroy(w.s);
  scree_deck_destroy(w.deck);
}

static inline void steps(world w, int count) {
  for (int i = 0; i < count; i++) scree_simulation_step(w.s);
}

/// Line of the body `id`.
static inline scree_local line(world w, scree_global id) {
  for (scree_local i = 0; i < w.s->bodies->count; i++)
    if (w.s->bodies->id[i] == id) return i;
  fail_msg("no body %d", (int)id);
  return -1;
}

static inline scree_motion *motion(world w, scree_global id) {
  return &w.s->bodies->motion[line(w, id)];
}

static inline scree_vec position(world w, scree_global id) {
  return w.s->bodies->position[line(w, id)];
}

static inline void assert_near(double measured, double expected, double tolerance) {
  if (!(fabs(measured - expected) <= tolerance))
    fail_msg("measured %.17g, expected %.17g, off by %g, allowed %g", measured, expected,
             measured - expected, tolerance);
}
