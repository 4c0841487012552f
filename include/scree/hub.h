/// \file
/// Hubs: walls of finite mass driven by a force. A hub touches thousands of bodies, so it is not
/// swept like other contacts: at the end of each sweep its velocity is solved exactly, given all
/// else (theory §3; see hub.c).
#pragma once
#include "scree/contacts.h"
#include "scree/ranks.h"
#include "scree/stop.h"

/// One contact of a hub.
typedef struct scree_hub_contact {
  scree_local body;
  double mass;       ///< m_n: that of the body
  double bias;       ///< g+/dt
  scree_vec impulse; ///< on the hub
} scree_hub_contact;

typedef struct scree_hub {
  int wall;             ///< index in scree_walls
  double free_velocity; ///< along the normal, at the end of the step if nothing touched it
  double velocity;      ///< solved
  int32_t count, room;
  scree_hub_contact *contact; ///< [count] owned
} scree_hub;

typedef struct scree_hubs {
  int count;
  scree_hub *hub;           ///< [count] owned
  scree_walls *walls;       ///< borrowed
  const scree_ranks *ranks; ///< borrowed
} scree_hubs;

/// The force-driven walls of `walls` (borrowed), without contacts yet. Every rank has all hubs, and of
/// their contacts those with its own bodies. Owned by the caller.
scree_hubs *scree_hubs_create(scree_walls *walls, const scree_ranks *ranks);
void scree_hubs_destroy(scree_hubs *hubs);

/// The contacts after a rebuild: of the bodies on lines 0 .. kept->lines, which `kept` knows by
/// moved[line], with the impulses they had.
void scree_hubs_restore(scree_hubs *hubs, const scree_kept_list *kept, const scree_local *moved);
/// The velocity each hub would reach without contacts at the end of the step to `time`, and every
/// body it could meet in this step, with the impulse it had before. Hubs may be fast, so this is
/// done anew in each step. Collective.
void scree_hubs_prepare(scree_hubs *hubs, const scree_bodies *bodies, double time, double time_step,
                        double skin, bool with_overlap);
/// The largest velocity a hub could give a body of mass `lightest` in the step to `time`.
double scree_hubs_push(const scree_hubs *hubs, double time, double time_step, double lightest);
/// Give the bodies the impulses of the step before.
void scree_hubs_warm_start(scree_hubs *hubs, scree_bodies *bodies);
/// Solve every hub and its contacts, given all else. Collective.
void scree_hubs_solve(scree_hubs *hubs, scree_bodies *bodies, scree_tally *tally);
/// Velocities of the walls and their positions after the step.
void scree_hubs_move(scree_hubs *hubs, double time_step);
