/// \file
/// One time step, as a table of contents (implicit Euler, theory §1): velocities at the end of the
/// step from external and contact forces, then positions from these velocities.
#include "scree/simulation.h"

#include <math.h>

/// v += (gravity + F/m) dt, for ghosts too
static void apply_external_forces(scree_simulation *s) {
  const double time_step = s->deck->solver.time_step;
  const scree_vec gain = scree_vec_scale(time_step, s->deck->forces.gravity);
  scree_motion *motion = s->bodies->motion;
  for (scree_local i = 0; i < s->bodies->held; i++)
    motion[i].velocity = scree_vec_add(motion[i].velocity, gain);
  for (int f = 0; f < s->force_count; f++) {
    const scree_local line = scree_lookup_line(s->named, s->force[f].body);
    if (line < 0) continue; // other ranks' business
    const scree_vec change =
        scree_vec_scale(time_step * motion[line].inverse_mass, s->force[f].force);
    motion[line].velocity = scree_vec_add(motion[line].velocity, change);
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

static double end_of_step(const scree_simulation *s) {
  return (double)(s->step + 1) * s->deck->solver.time_step;
}

/// Largest squares of what bodies do, on all ranks.
typedef struct motion_bounds {
  double way;      ///< since the list was made, with `ahead` more time at their present velocity
  double step;     ///< in one step
  double relative; ///< in one step, over the radius
} motion_bounds;

static motion_bounds measure_motion(const scree_simulation *s, double ahead) {
  const scree_bodies *b = s->bodies;
  motion_bounds m = {0, 0, 0};
  const double time_step = s->deck->solver.time_step;
  for (scree_local i = 0; i < b->count; i++) {
    const scree_vec v = b->motion[i].velocity;
    const scree_vec from = scree_vec_add(b->position[i], scree_vec_scale(-1, b->listed[i]));
    const scree_vec total = scree_vec_add(from, scree_vec_scale(ahead, v));
    const double square = scree_vec_dot(v, v) * time_step * time_step;
    SCREE_CHECK(isfinite(square + scree_vec_dot(total, total)),
                "at step %lld the motion of body %llu is no longer a finite number",
                (long long)s->step, (unsigned long long)b->id[i]);
    m.way = fmax(m.way, scree_vec_dot(total, total));
    m.step = fmax(m.step, square);
    m.relative = fmax(m.relative, square / (b->radius[i] * b->radius[i]));
  }
  double all[3] = {m.way, m.step, m.relative};
  scree_ranks_max(s->ranks, all, 3);
  return (motion_bounds){all[0], all[1], all[2]};
}

static void check_speed(scree_simulation *s, double relative) {
  s->fastest = sqrt(relative);
  SCREE_CHECK(s->fastest <= 2,
              "at step %lld a body moves %.3g radii in one step; the time step must be so small "
              "that it moves less than its diameter",
              (long long)s->step, s->fastest);
}

/// The list must hold every pair that could touch in this step. Two bodies come nearer by at most
/// the sum of their ways since the list was made, this step included; a body and a moving wall
/// likewise. A wall or piston may give a body its own velocity. All of this is measured over all ranks:
/// when a list is made is part of the result.
static void keep_list_complete(scree_simulation *s) {
  const double time_step = s->deck->solver.time_step;
  const motion_bounds now = measure_motion(s, 0), ahead = measure_motion(s, time_step);
  check_speed(s, ahead.relative);
  const double wall_step = wall_speed(s) * time_step;
  const double pushed =
      time_step * scree_hubs_push(s->hubs, end_of_step(s), time_step, s->scene.smallest_mass);
  const double given = fmax(wall_step, pushed);
  const double way = fmax(sqrt(ahead.way), sqrt(now.way) + given);
  if (way + fmax(way, s->wall_travel + wall_step) <= s->list_skin) {
    if (scree_balance_due(&s->balance, s->step)) scree_simulation_rebalance(s);
    return;
  }
  // Fast bodies need a wider list than the deck asks for.
  const double needed = 2 * fmax(sqrt(ahead.step), given);
  scree_simulation_rebuild(s, fmax(s->scene.skin, 1.5 * needed));
}

/// Normals and gaps of the contacts in the list.
static void prepare_normals(scree_simulation *s) {
  scree_contacts_prepare(s->contacts, s->bodies, &s->scene.domain, &s->scene.walls,
                         s->deck->solver.time_step, s->deck->solver.law == 1);
}

/// Contacts may have made bodies faster than the forecast. Then pairs may have been missed: a new list counts them now.
static void look_back(scree_simulation *s) {
  if (2 * sqrt(measure_motion(s, 0).way) <= s->list_skin) return;
  scree_simulation_rebuild(s, s->scene.skin);
  prepare_normals(s); // for the observables
}

static void prepare_contacts(scree_simulation *s) {
  const scree_deck_solver *solver = &s->deck->solver;
  prepare_normals(s);
  scree_hubs_prepare(s->hubs, s->bodies, end_of_step(s), solver->time_step, s->scene.skin,
                     solver->law == 1);
}

static void solve_contacts(scree_simulation *s) {
  s->solved = scree_sweeper_solve(s->sweeper, s->step);
  s->counts.sweeps += s->solved.sweeps;
  s->counts.updates += s->solved.sweeps * s->contacts->count;
  s->counts.rounds += s->solved.rounds;
  if (s->solved.most_rounds > s->counts.most_rounds) s->counts.most_rounds = s->solved.most_rounds;
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

  scree_timer_begin(&s->timer, SCREE_PHASE_REBUILD);
  look_back(s);
  scree_timer_end(&s->timer, SCREE_PHASE_REBUILD);
}
