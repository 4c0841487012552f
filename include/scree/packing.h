/// \file
/// Packings: where the bodies are at the start, as a function of their number alone, so that any
/// rank can make any of them.
#pragma once
#include "scree/bodies.h"
#include "scree/deck.h"

/// One body of a packing.
typedef struct scree_packing_body {
  scree_global id;
  scree_vec position;
  double radius;
  scree_vec velocity, angular_velocity;
} scree_packing_body;

typedef struct scree_packing {
  const scree_deck *deck; ///< borrowed
  uint64_t count;         ///< bodies
  uint64_t base_count;    ///< of one copy
  uint64_t id_stride;     ///< between ids of two copies
  bool has_box;           ///< `low` and `high` bound one copy (and its period)
  scree_vec low, high;
  int64_t cells[3];        ///< loose: the grid the bodies sit in
  scree_packing_body *row; ///< owned; bodies of a list or file, by id
} scree_packing;

/// Look at the packing of `deck` (borrowed), reading its file if it has one. On failure returns
/// false with `error`, without a place.
bool scree_packing_create(const scree_deck *deck, scree_packing *packing, scree_error *error);
void scree_packing_destroy(scree_packing *packing);

/// Body number `k`, 0 <= k < count; ids ascend with k.
scree_packing_body scree_packing_get(const scree_packing *packing, uint64_t k);
/// Whether a body has this id.
bool scree_packing_has(const scree_packing *packing, scree_global id);
/// Make bodies [first, first + count), with `extra` lines of motion behind them. Owned by the
/// caller.
scree_bodies *scree_packing_bodies(const scree_packing *packing, uint64_t first, scree_local count,
                                   int extra);

/// Fill rows and box of `packing`, whose deck is set, from the deck's file (packing_file.c). On failure returns false with `error`.
bool scree_packing_read(scree_packing *packing, scree_error *error);
