/// \file
/// One time step, as a table of contents (implicit Euler, theory §1): velocities at the end of the
/// step from external and contact forces, then positions from these velocities.
#include "scree/simulation.h"

#include <math.h>

/// v += (gravity + F/m) dt
static void apply_external_forces(scree_simulation *s) {
  const double time_step = s->deck->solver.time_step;
  const scree_vec gain = scree_vec_scale(time_step, s->deck->forces.gravity);
  scree_motion *motion = s->bodies->motion;
  for (scree_local i = 0; i < s->bodies->count; i++)
    motion[i].velocity = scree_vec_add(motion[i].velocity, gain);
  for (int f = 0; f < s->force_count; f++) {
    scree_motion *m = &motion[scree_lookup_line(s->named, s->force[f].body)];
    m->velocity =
        scree_vec_add(m->velocity, scree_vec_scale(time_step * m->inverse_mass, s->force[f].force));
  }
}

/// Speed of the walls that move along their normal by themselves.
static double wall_speed(const scree_simulation *s) {
  double fastest = 0;
  for (int w = 0; w < s->scene.walls.count; w++) {
    const scree_wall *wall = &s->scene.walls.wall[w];
    if (wall->mass == 0) fastest = fmax(fastest, fabs(scree_vec_dot(wall->velocity, wall->normal)));
  }
  return fastest;
}

/// The list must hold every pair that could touch in this step. Two bodies come nearer by at most
/// the sum of their ways since the list was made, this step included; a body and a moving wall
/// likewise.
static void keep_list_complete(scree_simulation *s) {
  const scree_bodies *b = s->bodies;
  const double time_step = s->deck->solver.time_step;
  double way = 0, speed = 0, relative = 0; // squares
  for (scree_local i = 0; i < b->count; i++) {
    const scree_vec step = scree_vec_scale(time_step, b->motion[i].velocity);
    const scree_vec from = scree_vec_scale(-1, s->listed_at[i]);
    const scree_vec total = scree_vec_add(scree_vec_add(b->position[i], from), step);
    const double square = scree_vec_dot(step, step);
    way = fmax(way, scree_vec_dot(total, total));
    speed = fmax(speed, square);
    relative = fmax(relative, square / (b->radius[i] * b->radius[i]));
  }
  s->fastest = sqrt(relative);
  SCREE_CHECK(s->fastest <= 2,
              "at step %lld a body moves %.3g radii in one step; the time step must be so small "
              "that it moves less than "
              "its diameter",
              (long long)s->step, s->fastest);
  const double wall_step = wall_speed(s) * time_step;
  const double used = sqrt(way) + fmax(sqrt(way), s->wall_travel + wall_step);
  if (used <= s->list_skin) return;
  // Fast bodies need a wider list than the deck asks for.
  const double needed = sqrt(speed) + fmax(sqrt(speed), wall_step);
  scree_simulation_rebuild(s, fmax(s->scene.skin, 1.5 * needed));
}

static void prepare_contacts(scree_simulation *s) {
  const scree_deck_solver *solver = &s->deck->solver;
  const bool with_overlap = solver->law == 1;
  const double end =
      (double)(s->step + 1) * solver->time_step; // forces are those of the end of the step
  scree_contacts_prepare(s->contacts, s->bodies, &s->scene.domain, &s->scene.walls,
                         solver->time_step, with_overlap);
  scree_hubs_prepare(s->hubs, s->bodies, end, solver->time_step, s->scene.skin, with_overlap);
}

static void solve_contacts(scree_simulation *s) {
  s->solved = scree_sweeper_solve(s->sweeper, s->step);
  s->counts.sweeps += s->solved.sweeps;
  s->counts.updates += s->solved.sweeps * s->contacts->count;
  s->counts.unconverged += !s->solved.converged;
}

static void move(scree_simulation *s) {
  const double time_step = s->deck->solver.time_step;
  scree_bodies_move(s->bodies, time_step);
  for (int w = 0; w < s->scene.walls.count; w++) {
    scree_wall *wall = &s->scene.walls.wall[w];
    if (wall->mass == 0) wall->position += time_step * scree_vec_dot(wall->velocity, wall->normal);
  }
  s->wall_travel += wall_speed(s) * time_step;
  scree_hubs_move(s->hubs, time_step);
}

void scree_simulation_step(scree_simulation *s) {
  scree_timer_begin(&s->timer, SCREE_PHASE_FORCES);
  apply_external_forces(s);
  scree_timer_end(&s->timer, SCREE_PHASE_FORCES);

  scree_timer_begin(&s->timer, SCREE_PHASE_REBUILD);
  keep_list_complete(s);
  scree_timer_end(&s->timer, SCREE_PHASE_REBUILD);

  scree_timer_begin(&s->timer, SCREE_PHASE_PREPARE);
  prepare_contacts(s);
  scree_timer_end(&s->timer, SCREE_PHASE_PREPARE);

  scree_timer_begin(&s->timer, SCREE_PHASE_SWEEPS);
  solve_contacts(s);
  scree_timer_end(&s->timer, SCREE_PHASE_SWEEPS);

  scree_timer_begin(&s->timer, SCREE_PHASE_POSITIONS);
  move(s);
  scree_timer_end(&s->timer, SCREE_PHASE_POSITIONS);

  s->step++;
}
