/// \file
/// One time step, as a table of contents (implicit Euler, PHYSICS §1): velocities at the end of the
/// step from the forces, then positions from these velocities.
#include "scree/simulation.h"

/// v += (gravity + F/m) dt
static void apply_external_forces(scree_simulation *s) {
  const double time_step = s->deck->solver.time_step;
  const scree_vec gain = scree_vec_scale(time_step, s->deck->forces.gravity);
  scree_motion *motion = s->bodies->motion;
  for (scree_local i = 0; i < s->bodies->count; i++)
    motion[i].velocity = scree_vec_add(motion[i].velocity, gain);
  for (int f = 0; f < s->force_count; f++) {
    scree_motion *m = &motion[s->force[f].body];
    m->velocity =
        scree_vec_add(m->velocity, scree_vec_scale(time_step * m->inverse_mass, s->force[f].force));
  }
}

void scree_simulation_step(scree_simulation *s) {
  scree_timer_begin(&s->timer, SCREE_PHASE_FORCES);
  apply_external_forces(s);
  scree_timer_end(&s->timer, SCREE_PHASE_FORCES);

  scree_timer_begin(&s->timer, SCREE_PHASE_POSITIONS);
  scree_bodies_move(s->bodies, s->deck->solver.time_step);
  scree_timer_end(&s->timer, SCREE_PHASE_POSITIONS);

  s->step++;
}
