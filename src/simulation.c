/// \file
/// Builds a simulation from a deck and takes it apart. The step itself is in step.c.
#include "scree/simulation.h"

#include "scree/memory.h"
#include "scree/packing.h"

/// Forces on bodies this rank holds, in the order of the deck.
static void create_forces(scree_simulation *s) {
  const scree_deck_forces *forces = &s->deck->forces;
  scree_name_index names = scree_name_index_create(s->deck);
  s->force = scree_alloc(forces->constant_count, sizeof *s->force);
  for (uint32_t i = 0; i < forces->constant_count; i++) {
    const scree_name_entry *entry = scree_name_index_find(&names, forces->constant[i].body);
    const scree_local body = scree_bodies_find(s->bodies, entry->id);
    if (body >= 0) s->force[s->force_count++] = (scree_force){body, forces->constant[i].force};
  }
  scree_name_index_destroy(&names);
}

scree_simulation *scree_simulation_create(const scree_deck *deck, scree_local count) {
  scree_simulation *s = scree_alloc(1, sizeof *s);
  s->deck = deck;
  scree_timer_init(&s->timer);
  scree_timer_begin(&s->timer, SCREE_PHASE_SETUP);
  s->bodies = scree_packing_create(deck, 0, count);
  create_forces(s);
  scree_timer_end(&s->timer, SCREE_PHASE_SETUP);
  return s;
}

void scree_simulation_destroy(scree_simulation *s) {
  if (!s) return;
  scree_bodies_destroy(s->bodies);
  scree_free(s->force);
  scree_free(s);
}

double scree_simulation_time(const scree_simulation *s) {
  return (double)s->step * s->deck->solver.time_step;
}

scree_observables scree_simulation_observe(scree_simulation *s) {
  scree_timer_begin(&s->timer, SCREE_PHASE_OBSERVE);
  const scree_observables o = scree_observe(s->bodies);
  scree_timer_end(&s->timer, SCREE_PHASE_OBSERVE);
  return o;
}
