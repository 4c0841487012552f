/// \file
/// Impulses on their way from one list of contacts to the next, and from rank to rank: each stands with
/// the lower id of its pair.
#pragma once
#include "scree/types.h"

/// A contact that is remembered.
typedef struct scree_kept {
  scree_global partner; ///< the higher id; a wall's for a contact with a wall or a hub
  scree_vec impulse;
} scree_kept;

/// Contacts remembered by the line of their lower id, in CSR form.
typedef struct scree_kept_list {
  scree_local lines;
  int64_t *start;   ///< [lines + 1] owned
  scree_kept *kept; ///< owned
} scree_kept_list;

struct scree_bodies;
struct scree_contacts;
struct scree_hubs;

/// Remember every contact of `contacts` and of `hubs` (NULL: none).
scree_kept_list scree_kept_create(const struct scree_contacts *contacts,
                                  const struct scree_hubs *hubs, const struct scree_bodies *bodies);
void scree_kept_destroy(scree_kept_list *list);
/// The contact of line `line` with `partner`, or NULL.
const scree_kept *scree_kept_find(const scree_kept_list *list, scree_local line,
                                  scree_global partner);
