/// \file
/// Hubs: see scree/hub.h.
///
/// A piston of mass M and velocity V along its normal N meets body k, of mass m_k. Its contact,
/// alone, would end with the impulse
///   P_k(V) = max(0, m_k (V - V_k)),   V_k = v_k·N + g_k/dt - p_k/m_k
/// where v_k contains its present impulse p_k. The piston's own balance is M (V - V_free) + sum
/// P_k(V) = 0: increasing, convex and piecewise linear in V. Newton's method from V_free, where it
/// is not negative, goes down to the root in a finite number of steps. The sums are exact, so that
/// neither order nor ranks matter.
#include "scree/hub.h"

#include "scree/check.h"
#include "scree/exact_sum.h"
#include "scree/memory.h"
#include "shock.h"

scree_hubs *scree_hubs_create(scree_walls *walls, const scree_ranks *ranks) {
  scree_hubs *hubs = scree_alloc(1, sizeof *hubs);
  hubs->walls = walls;
  hubs->ranks = ranks;
  hubs->hub = scree_alloc((size_t)walls->count, sizeof *hubs->hub);
  for (int w = 0; w < walls->count; w++)
    if (walls->wall[w].mass > 0) hubs->hub[hubs->count++].wall = w;
  return hubs;
}

void scree_hubs_destroy(scree_hubs *hubs) {
  if (!hubs) return;
  for (int h = 0; h < hubs->count; h++) scree_free(hubs->hub[h].contact);
  scree_free(hubs->hub);
  scree_free(hubs);
}

/// Room for one more contact at the end of the list.
static scree_hub_contact *add_contact(scree_hub *hub) {
  if (hub->count == hub->room) {
    hub->room = hub->room ? 2 * hub->room : 64;
    hub->contact = scree_realloc(hub->contact, (size_t)hub->room, sizeof *hub->contact);
  }
  return &hub->contact[hub->count++];
}

void scree_hubs_restore(scree_hubs *hubs, const scree_kept_list *kept, const scree_local *moved) {
  for (int h = 0; h < hubs->count; h++) {
    scree_hub *hub = &hubs->hub[h];
    const scree_global wall = scree_wall_first_id + (scree_global)hub->wall;
    hub->count = 0;
    for (scree_local line = 0; line < kept->lines; line++) {
      const scree_kept *k = scree_kept_find(kept, moved[line], wall);
      if (k) *add_contact(hub) = (scree_hub_contact){.body = line, .impulse = k->impulse};
    }
  }
}

/// Contacts of `hub` by line: place in its list, or -1. Owned by the caller.
static int32_t *index_by_line(const scree_hub *hub, scree_local lines) {
  int32_t *index = scree_alloc((size_t)lines, sizeof *index);
  for (scree_local k = 0; k < lines; k++) index[k] = -1;
  for (int32_t k = 0; k < hub->count; k++) index[hub->contact[k].body] = k;
  return index;
}

/// A new list of contacts: every own body nearer than `margin`, with the impulse it had.
static void find_contacts(scree_hub *hub, const scree_wall *wall, const scree_bodies *b,
                          double margin, double time_step, bool with_overlap) {
  int32_t *before = index_by_line(hub, b->count);
  scree_hub found = {0};
  for (scree_local i = 0; i < b->count; i++) {
    const double gap = scree_wall_gap(wall, b->position[i], b->radius[i]);
    if (gap >= margin) continue;
    *add_contact(&found) = (scree_hub_contact){
        .body = i,
        .mass = 1 / b->motion[i].inverse_mass,
        .bias = scree_gap_bias(gap, time_step, with_overlap),
        .impulse = before[i] >= 0 ? hub->contact[before[i]].impulse : (scree_vec){0, 0, 0}};
  }
  scree_free(before);
  scree_free(hub->contact);
  hub->contact = found.contact;
  hub->count = found.count;
  hub->room = found.room;
}

static double free_velocity(const scree_hub *hub, const scree_wall *wall, double time,
                            double time_step) {
  return hub->velocity + time_step * scree_wall_force(wall, time) / wall->mass;
}

double scree_hubs_push(const scree_hubs *hubs, double time, double time_step, double lightest) {
  double fastest = 0;
  for (int h = 0; h < hubs->count; h++) {
    const scree_wall *wall = &hubs->walls->wall[hubs->hub[h].wall];
    // Hitting one body at rest, both go on together; a light hub gives it next to nothing.
    const double together =
        free_velocity(&hubs->hub[h], wall, time, time_step) * wall->mass / (wall->mass + lightest);
    fastest = fmax(fastest, together);
  }
  return fastest;
}

void scree_hubs_prepare(scree_hubs *hubs, const scree_bodies *b, double time, double time_step,
                        double skin, bool with_overlap) {
  if (hubs->count == 0) return;
  double fastest = 0;
  for (scree_local i = 0; i < b->count; i++)
    fastest = fmax(fastest, scree_vec_dot(b->motion[i].velocity, b->motion[i].velocity));
  scree_ranks_max(hubs->ranks, &fastest, 1);
  for (int h = 0; h < hubs->count; h++) {
    scree_hub *hub = &hubs->hub[h];
    const scree_wall *wall = &hubs->walls->wall[hub->wall];
    hub->free_velocity = free_velocity(hub, wall, time, time_step);
    const double reach = (fmax(hub->free_velocity, 0) + sqrt(fastest)) * time_step;
    find_contacts(hub, wall, b, skin + reach, time_step, with_overlap);
  }
}

/// The body's line and the wall's, as the law wants them: the wall moves with the hub, its mass is
/// not its contacts' business.
static scree_body_1 wall_body(const scree_wall *wall, double velocity) {
  return (scree_body_1){velocity * wall->normal.x,
                        velocity * wall->normal.y,
                        velocity * wall->normal.z,
                        0,
                        0,
                        0,
                        0,
                        wall->friction};
}

static scree_contact_1 law_contact(const scree_hub_contact *c, const scree_wall *wall) {
  return (scree_contact_1){-wall->normal.x, -wall->normal.y, -wall->normal.z, c->impulse.x,
                           c->impulse.y,    c->impulse.z,    c->bias,         c->mass};
}

void scree_hubs_warm_start(scree_hubs *hubs, scree_bodies *b) {
  const scree_shock_constants constants = scree_shock_constants_for(b->dimension);
  for (int h = 0; h < hubs->count; h++) {
    const scree_wall *wall = &hubs->walls->wall[hubs->hub[h].wall];
    for (int32_t k = 0; k < hubs->hub[h].count; k++) {
      const scree_hub_contact *c = &hubs->hub[h].contact[k];
      const scree_contact_1 contact = law_contact(c, wall);
      scree_body_1 nobody = wall_body(wall, 0);
      scree_push_1((scree_body_1 *)&b->motion[c->body], &nobody, &contact, c->impulse.x,
                   c->impulse.y, c->impulse.z, &constants);
    }
  }
}

/// The velocity below which contact `c` does not push: V_k above.
static double opening_velocity(const scree_hub_contact *c, const scree_wall *wall,
                               const scree_bodies *b) {
  const double pushed = -scree_vec_dot(c->impulse, wall->normal);
  return scree_vec_dot(b->motion[c->body].velocity, wall->normal) + c->bias - pushed / c->mass;
}

static double solve_velocity(const scree_hub *hub, const scree_wall *wall, const scree_bodies *b,
                             const scree_ranks *ranks) {
  double velocity = hub->free_velocity;
  for (;;) {
    // V_free - V = sum m_k (V_free - V_k) / (M + sum m_k), over the contacts that push at V
    enum { mass, momentum, sums };
    scree_exact sum[sums] = {0};
    if (ranks->rank == 0) scree_exact_add(&sum[mass], wall->mass);
    for (int32_t k = 0; k < hub->count; k++) {
      const scree_hub_contact *c = &hub->contact[k];
      const double opens = opening_velocity(c, wall, b);
      if (velocity <= opens) continue;
      scree_exact_add(&sum[mass], c->mass);
      scree_exact_add(&sum[momentum], c->mass * (hub->free_velocity - opens));
    }
    scree_ranks_exact(ranks, sum, sums);
    const double next =
        hub->free_velocity - scree_exact_value(&sum[momentum]) / scree_exact_value(&sum[mass]);
    if (!(next < velocity)) return velocity;
    velocity = next;
  }
}

void scree_hubs_solve(scree_hubs *hubs, scree_bodies *b, scree_tally *tally) {
  const scree_shock_constants constants = scree_shock_constants_for(b->dimension);
  for (int h = 0; h < hubs->count; h++) {
    scree_hub *hub = &hubs->hub[h];
    const scree_wall *wall = &hubs->walls->wall[hub->wall];
    hub->velocity = solve_velocity(hub, wall, b, hubs->ranks);
    for (int32_t k = 0; k < hub->count; k++) {
      scree_hub_contact *c = &hub->contact[k];
      scree_body_1 surface = wall_body(wall, hub->velocity);
      scree_contact_1 contact = law_contact(c, wall);
      const double change =
          scree_shock_1((scree_body_1 *)&b->motion[c->body], &surface, &contact, &constants);
      c->impulse = (scree_vec){contact.px, contact.py, contact.pz};
      if (tally->wanted) scree_tally_count(tally, change, scree_vec_dot(c->impulse, c->impulse));
    }
  }
}

void scree_hubs_move(scree_hubs *hubs, double time_step) {
  for (int h = 0; h < hubs->count; h++) {
    const scree_hub *hub = &hubs->hub[h];
    scree_wall *wall = &hubs->walls->wall[hub->wall];
    wall->velocity = scree_vec_scale(hub->velocity, wall->normal);
    wall->position += time_step * hub->velocity;
  }
}
