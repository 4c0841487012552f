/// \file
/// Halo: velocities of shared bodies, sent by the rank that just updated them to all others that hold
/// a copy. In one phase of a sweep a body has one writer, so nothing is added up and nothing goes
/// through the owner. Lists are made with each list of contacts; docs/parallel.md tells the rest.
#pragma once
#include "scree/contacts.h"
#include "scree/ghosts.h"
#include "scree/timer.h"

/// Phases of a sweep after which messages travel: the classes, then these.
enum {
  SCREE_HALO_HUBS = SCREE_CLASSES, ///< owners have solved the contacts of hubs
  SCREE_HALO_SWEEP,                ///< exchange `lagged`: once after all classes
  SCREE_HALO_PHASES
};

typedef enum { SCREE_EXCHANGE_EXACT, SCREE_EXCHANGE_LAGGED } scree_exchange;

/// A body held by this rank and another one. Listed by rank, then id: both sides have the same order.
typedef struct scree_share {
  scree_global id;
  scree_local line;
  int32_t slot;  ///< place among the distinct shared bodies of this rank
  int rank;      ///< the other one
  bool owns;     ///< this rank owns the body
  bool owned;    ///< the other does
  uint8_t mine;  ///< bit c: this rank updates the body in class c
  uint8_t their; ///< bit c: the other does
} scree_share;

/// Messages of one phase in one direction, in CSR form.
typedef struct scree_halo_list {
  int messages;
  int64_t *start;       ///< [messages + 1] owned, into `line`
  scree_local *line;    ///< owned, bodies that travel
  double *buffer;       ///< owned
  MPI_Request *request; ///< [messages] owned, persistent
} scree_halo_list;

/// What has been sent so far.
typedef struct scree_halo_counts {
  int64_t messages, bytes;
} scree_halo_counts;

typedef struct scree_halo {
  const scree_ranks *ranks; ///< borrowed, as the next two
  scree_bodies *bodies;
  scree_timer *timer; ///< NULL: not timed
  scree_exchange exchange;
  int neighbours; ///< ranks that share a body with this one
  int *neighbour; ///< [neighbours] owned, ascending
  int32_t shares;
  scree_share *share; ///< [shares] owned
  int32_t slots;      ///< distinct shared bodies
  scree_local *line;  ///< [slots] owned, ascending
  int32_t *slot_of;   ///< [held] owned; -1: not shared
  scree_halo_list send[SCREE_HALO_PHASES], receive[SCREE_HALO_PHASES];
  double *before; ///< [slots * fields] owned; lagged: at the start of the sweep
  double *sum;    ///< [slots * fields] owned; lagged
  scree_halo_counts counts;
} scree_halo;

/// Numbers of a body that travel: velocity and spin.
int scree_halo_fields(const scree_bodies *bodies);

/// For these contacts; puts the border tiles of `tiles` first. Borrows `bodies` and `timer`. Owned by
/// the caller. Collective.
scree_halo *scree_halo_create(const scree_ranks *ranks, scree_bodies *bodies, scree_tiles *tiles,
                              const scree_contacts *contacts, const scree_ghosts *ghosts,
                              scree_exchange exchange, scree_timer *timer);
void scree_halo_destroy(scree_halo *halo);

/// Before, in the middle of and after the work of a phase: get ready to receive; send what the border
/// tiles have updated; wait until every copy is the newest. Phases that the exchange leaves out do
/// nothing. Collective over neighbours.
void scree_halo_expect(scree_halo *halo, int phase);
void scree_halo_send(scree_halo *halo, int phase);
void scree_halo_finish(scree_halo *halo, int phase);
/// Exchange `lagged`: note the state at the start of a sweep; after it add up what ranks have changed.
void scree_halo_sweep_begin(scree_halo *halo);
void scree_halo_sweep_end(scree_halo *halo);

/// Whether copies equal what their owner has, each class has at most one writer of a body, and every
/// foreign body in a contact is shared. Collective.
bool scree_halo_is_valid(const scree_halo *halo, const scree_contacts *contacts,
                         const scree_ghosts *ghosts);
