/// \file
/// Observables: see scree/observe.h.
#include "scree/observe.h"

#include "scree/exact_sum.h"
#include "scree/memory.h"

#include <math.h>

// ---- bodies -----------------------------------------------------------------

static void observe_bodies(const scree_bodies *b, const scree_ranks *ranks, scree_observables *o) {
  const double inertia_factor = scree_body_inertia_factor(b->dimension);
  enum { translation, rotation, x, y, z, sums };
  scree_exact sum[sums] = {0};
  for (scree_local i = 0; i < b->count; i++) {
    const scree_motion *m = &b->motion[i];
    const double mass = 1 / m->inverse_mass;
    scree_exact_add(&sum[translation], 0.5 * mass * scree_vec_dot(m->velocity, m->velocity));
    scree_exact_add(&sum[rotation], 0.5 * inertia_factor * mass * scree_vec_dot(m->spin, m->spin));
    scree_exact_add(&sum[x], mass * m->velocity.x);
    scree_exact_add(&sum[y], mass * m->velocity.y);
    scree_exact_add(&sum[z], mass * m->velocity.z);
  }
  scree_ranks_exact(ranks, sum, sums);
  o->kinetic_translation = scree_exact_value(&sum[translation]);
  o->kinetic_rotation = scree_exact_value(&sum[rotation]);
  o->momentum = (scree_vec){scree_exact_value(&sum[x]), scree_exact_value(&sum[y]),
                            scree_exact_value(&sum[z])};
}

/// Volume (area) the stress refers to: the period, or else what the bodies span.
static double span_volume(const scree_bodies *b, const scree_domain *d, const scree_ranks *ranks) {
  double end[6]; // how far bodies reach along -x, x, -y, ...
  for (int k = 0; k < 6; k++) end[k] = -HUGE_VAL;
  for (scree_local i = 0; i < b->count; i++) {
    const double x[3] = {b->position[i].x, b->position[i].y, b->position[i].z};
    for (int axis = 0; axis < 3; axis++) {
      end[2 * axis] = fmax(end[2 * axis], -(x[axis] - b->radius[i]));
      end[2 * axis + 1] = fmax(end[2 * axis + 1], x[axis] + b->radius[i]);
    }
  }
  scree_ranks_max(ranks, end, 6);
  const double period[3] = {d->size.x, d->size.y, d->size.z};
  double volume = 1;
  for (int axis = 0; axis < b->dimension; axis++)
    volume *= d->periodic[axis] ? period[axis] : end[2 * axis + 1] + end[2 * axis];
  return volume;
}

// ---- contacts ---------------------------------------------------------------

typedef struct sums {
  scree_exact *overlap, *force, *virial; ///< [1], [1], [6] in `all`
  scree_exact *wall;                     ///< normal impulse on each wall, in `all`
  scree_exact *all;                      ///< owned
  int exact_count;                       ///< in `all`
  int64_t contacts, sides, sliding;
  double overlap_max;
} sums;

/// One contact: impulse `p` along `n` between a body and another or a wall, centres (or centre and
/// surface) `branch` apart.
static void add_contact(sums *s, scree_vec n, scree_vec p, scree_vec branch, double gap,
                        double friction, int sides) {
  s->overlap_max = fmax(s->overlap_max, -gap);
  const double pn = scree_vec_dot(n, p);
  if (!(pn > 0)) return;
  s->contacts++;
  s->sides += sides;
  const scree_vec t = scree_vec_add(p, scree_vec_scale(-pn, n));
  // A sliding contact sits on the cone, up to rounding.
  s->sliding += friction > 0 && sqrt(scree_vec_dot(t, t)) >= friction * pn * (1 - 1e-9);
  scree_exact_add(s->overlap, fmax(0, -gap));
  scree_exact_add(s->force, pn);
  const double virial[6] = {p.x * branch.x,
                            p.y * branch.y,
                            p.z * branch.z,
                            0.5 * (p.x * branch.y + p.y * branch.x),
                            0.5 * (p.x * branch.z + p.z * branch.x),
                            0.5 * (p.y * branch.z + p.z * branch.y)};
  for (int k = 0; k < 6; k++) scree_exact_add(&s->virial[k], virial[k]);
}

static void add_batches(sums *s, const scree_bodies *b, const scree_domain *d,
                        const scree_walls *walls, const scree_contacts *c) {
  for (int32_t k = 0; k < c->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &c->batch[k];
      if (!scree_batch_has(batch, l)) continue;
      const scree_local i = batch->i[l], j = batch->j[l];
      const scree_vec p = {batch->px[l], batch->py[l], batch->pz[l]};
      // The law used the normal of the start of the step; the gap is that of its end.
      const scree_vec n = {batch->nx[l], batch->ny[l], batch->nz[l]};
      scree_vec now;
      const double gap = scree_contacts_gap(batch, l, b, d, walls, &now);
      const bool wall = j >= b->held;
      const double apart = b->radius[i] + (wall ? 0 : b->radius[j]);
      add_contact(s, n, p, scree_vec_scale(apart, n), gap, b->motion[j].friction, wall ? 1 : 2);
      if (wall) scree_exact_add(&s->wall[j - b->held], scree_vec_dot(n, p));
    }
}

static void add_hubs(sums *s, const scree_bodies *b, const scree_hubs *hubs) {
  for (int h = 0; h < hubs->count; h++) {
    const scree_wall *wall = &hubs->walls->wall[hubs->hub[h].wall];
    const scree_vec n = scree_vec_scale(-1, wall->normal);
    for (int32_t k = 0; k < hubs->hub[h].count; k++) {
      const scree_hub_contact *c = &hubs->hub[h].contact[k];
      const double gap = scree_wall_gap(wall, b->position[c->body], b->radius[c->body]);
      add_contact(s, n, c->impulse, scree_vec_scale(b->radius[c->body], n), gap, wall->friction, 1);
      scree_exact_add(&s->wall[hubs->hub[h].wall], scree_vec_dot(n, c->impulse));
    }
  }
}

static sums make_sums(int walls) {
  sums s = {.exact_count = 8 + walls};
  s.all = scree_alloc((size_t)s.exact_count, sizeof *s.all);
  s.overlap = &s.all[0];
  s.force = &s.all[1];
  s.virial = &s.all[2];
  s.wall = &s.all[8];
  return s;
}

static void add_ranks(sums *s, const scree_ranks *ranks) {
  int64_t count[3] = {s->contacts, s->sides, s->sliding};
  scree_ranks_exact(ranks, s->all, s->exact_count);
  scree_ranks_sum(ranks, count, 3);
  scree_ranks_max(ranks, &s->overlap_max, 1);
  s->contacts = count[0];
  s->sides = count[1];
  s->sliding = count[2];
}

scree_observables scree_observe(const scree_bodies *b, const scree_domain *d, scree_walls *walls,
                                const scree_contacts *contacts, const scree_hubs *hubs,
                                const scree_ranks *ranks, double time_step) {
  scree_observables o = {0};
  observe_bodies(b, ranks, &o);
  int64_t bodies = b->count;
  scree_ranks_sum(ranks, &bodies, 1);
  sums s = make_sums(walls->count);
  add_batches(&s, b, d, walls, contacts);
  add_hubs(&s, b, hubs);
  add_ranks(&s, ranks);
  for (int w = 0; w < walls->count; w++)
    walls->wall[w].contact_force = scree_exact_value(&s.wall[w]) / time_step;

  const double pushing = s.contacts > 0 ? (double)s.contacts : 1;
  const double volume = span_volume(b, d, ranks);
  o.contacts = s.contacts;
  o.coordination = (double)s.sides / (double)bodies;
  o.overlap_mean = scree_exact_value(s.overlap) / pushing;
  o.overlap_max = s.overlap_max;
  o.force_mean = scree_exact_value(s.force) / pushing / time_step;
  o.sliding = (double)s.sliding / pushing;
  for (int k = 0; k < 6; k++) o.stress[k] = scree_exact_value(&s.virial[k]) / time_step / volume;
  scree_free(s.all);
  return o;
}
