/// \file
/// Order `random` on ranks. A contact may be updated when it is first in line at both its bodies, and at
/// a shared body contacts of several ranks stand in one line. So each rank knows the ids of the others'
/// contacts at its shared bodies, lines them up with its own, updates what is ready, and hands the
/// bodies on: rounds, until all is done.
#pragma once
#include "scree/halo.h"

/// A contact of this rank (`slot` >= 0) or of another (-1) at a body it shares.
typedef struct scree_entry {
  scree_global low, high; ///< ids
  scree_local i, j;       ///< lines; -1: not a body, or none that this rank shares
  int32_t slot;           ///< 8 * batch + lane
} scree_entry;

typedef struct scree_rounds {
  scree_halo *halo; ///< borrowed
  int32_t count;
  scree_entry *entry; ///< [count] owned, by ids
  int32_t *done; ///< [halo slots] owned: contacts at a shared body that are behind us in this sweep
  int32_t *known;       ///< [halo slots] owned: and behind whoever was there last
  bool *dirty;          ///< [halo slots] owned: updated by this rank in this round
  char *buffer;         ///< owned, messages out and in
  MPI_Request *request; ///< [2 * neighbours] owned
} scree_rounds;

/// All contacts of this rank, and those of others that matter to it. With exchange `lagged` no others do.
/// Owned by the caller. Collective.
scree_rounds *scree_rounds_create(scree_halo *halo, const scree_contacts *contacts);
void scree_rounds_destroy(scree_rounds *rounds);

/// At the start of a sweep.
void scree_rounds_begin(scree_rounds *rounds);
/// Whether entry `k` may be passed now, provided that all before it at its bodies were: an own contact
/// always, a foreign one once its rank has told so.
bool scree_rounds_ready(const scree_rounds *rounds, const scree_entry *entry);
/// Pass it.
void scree_rounds_pass(scree_rounds *rounds, const scree_entry *entry);
/// Hand on the bodies that were updated in this round. `left` is how many contacts this rank still has to
/// do; returns whether any rank has one. Collective.
bool scree_rounds_exchange(scree_rounds *rounds, int64_t left);
