/// \file
/// Packing generators, keyed by global id: see scree/packing.h.
#include "scree/packing.h"

#include <math.h>

static void chain_body(const scree_deck_chain *c, scree_global id, scree_vec *position,
                       double *radius) {
  const double length = sqrt(scree_vec_dot(c->direction, c->direction));
  const double spacing = 2 * c->radius + c->gap;
  *position =
      scree_vec_add(c->origin, scree_vec_scale((double)id * spacing / length, c->direction));
  *radius = c->radius;
}

/// Place of body `id` in units of the nearest-neighbour distance, before scaling.
static scree_vec lattice_site(const scree_deck_lattice *l, scree_global id) {
  static const scree_vec fcc_base[4] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  const scree_global per_cell = l->kind == SCREE_LATTICE_FCC ? 4 : 1;
  const scree_global cell = id / per_cell;
  const scree_global nx = (scree_global)l->cells[0], ny = (scree_global)l->cells[1];
  const scree_vec corner = {(double)(cell % nx), (double)(cell / nx % ny),
                            (double)(cell / nx / ny)};
  switch (l->kind) {
  case SCREE_LATTICE_HEXAGONAL:
    return (scree_vec){corner.x + 0.5 * (double)(cell / nx % 2), corner.y * sqrt(0.75), 0};
  case SCREE_LATTICE_FCC:
    return scree_vec_scale(sqrt(2), scree_vec_add(corner, fcc_base[id % 4]));
  case SCREE_LATTICE_SQUARE:
  case SCREE_LATTICE_CUBIC:
    break;
  }
  return corner;
}

static void lattice_body(const scree_deck_lattice *l, scree_global id, scree_vec *position,
                         double *radius) {
  const double spacing = 2 * l->radius + l->gap;
  *position = scree_vec_add(l->origin, scree_vec_scale(spacing, lattice_site(l, id)));
  *radius = l->radius;
}

/// Fill body `i` of `b`, whose id is `id`.
static void make_body(const scree_deck *deck, scree_global id, scree_bodies *b, scree_local i) {
  const scree_deck_packing *p = &deck->packing;
  scree_vec velocity = p->velocity, angular_velocity = p->angular_velocity;
  if (p->chain) {
    chain_body(p->chain, id, &b->position[i], &b->radius[i]);
  } else if (p->lattice) {
    lattice_body(p->lattice, id, &b->position[i], &b->radius[i]);
  } else {
    const scree_deck_body *body = &p->list[id];
    b->position[i] = body->position;
    b->radius[i] = body->radius;
    velocity = scree_vec_add(velocity, body->velocity);
    angular_velocity = scree_vec_add(angular_velocity, body->angular_velocity);
  }
  b->id[i] = id;
  b->orientation[i] = (scree_turn){.w = b->dimension == 2 ? 0 : 1};
  b->motion[i] = (scree_motion){
      .velocity = velocity,
      .inverse_mass = 1 / scree_body_mass(b->dimension, b->radius[i], deck->material.density),
      .spin = scree_vec_scale(b->radius[i], angular_velocity),
  };
}

scree_bodies *scree_packing_create(const scree_deck *deck, scree_global first, scree_local count) {
  scree_bodies *bodies = scree_bodies_create((int)deck->packing.dimension, count);
  for (scree_local i = 0; i < count; i++) make_body(deck, first + (scree_global)i, bodies, i);
  return bodies;
}
