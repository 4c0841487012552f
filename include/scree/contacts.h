/// \file
/// Candidate contacts: every pair of bodies, or body and wall, that may touch before the next
/// rebuild, in batches of eight that share no particle. Impulses live here; kept.h carries them over
/// a rebuild.
#pragma once
#include "scree/bodies.h"
#include "scree/kept.h"
#include "scree/tiles.h"
#include "scree/walls.h"

enum { SCREE_LANES = 8 };

/// Eight contacts as structure of arrays. `i` has the lower id; `j` may be a wall. Lanes without a
/// contact have mass 0 and both bodies are the dummy behind the walls.
typedef struct scree_batch {
  scree_local i[SCREE_LANES], j[SCREE_LANES]; ///< lines in scree_bodies.motion
  union {
    struct {
      double nx[SCREE_LANES], ny[SCREE_LANES], nz[SCREE_LANES]; ///< normal from i to j
      double px[SCREE_LANES], py[SCREE_LANES], pz[SCREE_LANES]; ///< impulse on j
      double bias[SCREE_LANES];                                 ///< see scree_gap_bias
      double mass[SCREE_LANES];                                 ///< m_n
    };
    double row[8][SCREE_LANES]; ///< all of these
  };
} scree_batch;

/// Whether lane `l` holds a contact.
static inline bool scree_batch_has(const scree_batch *batch, int l) {
  return batch->mass[l] > 0;
}

/// The velocity that just closes the gap in one step; an overlap is kept (g+), or pushed out (g).
static inline double scree_gap_bias(double gap, double time_step, bool with_overlap) {
  return (gap > 0 || with_overlap ? gap : 0) / time_step;
}

_Static_assert(sizeof(scree_batch) % 64 == 0, "a batch is whole cache lines");

typedef struct scree_contacts {
  int64_t count;        ///< candidates in batches
  int32_t batch_count;  ///< of all tiles
  scree_batch *batch;   ///< [batch_count] owned, tile by tile
  int32_t *tile_batch;  ///< [tiles + 1] owned, first batch of each tile
  int32_t most_batches; ///< in one tile
} scree_contacts;

/// All candidates of the rank's own tiles that are nearer than `skin` where bodies and walls are listed, packed into batches tile by tile, with impulses from `kept`;
/// `moved[k]` is the line body k had when they were kept. `key` enters the random order of packing.
/// Adds to `*missed` the pairs that overlap and were not in the list before. Walls driven by a
/// force are left out (see hub.h). Owned by the caller.
scree_contacts *scree_contacts_create(const scree_bodies *bodies, const scree_domain *domain,
                                      const scree_walls *walls, const scree_tiles *tiles,
                                      double skin, const scree_kept_list *kept,
                                      const scree_local *moved, uint64_t seed, uint64_t key,
                                      int64_t *missed);
void scree_contacts_destroy(scree_contacts *contacts);

/// Normals and gaps at the current positions. `with_overlap`: overlaps are pushed out (law g), else
/// they stay (g+).
void scree_contacts_prepare(scree_contacts *contacts, const scree_bodies *bodies,
                            const scree_domain *domain, const scree_walls *walls, double time_step,
                            bool with_overlap);

/// Gap of lane `l` of a batch at the current positions, and the normal from i to j.
double scree_contacts_gap(const scree_batch *batch, int l, const scree_bodies *bodies,
                          const scree_domain *domain, const scree_walls *walls, scree_vec *normal);
/// Id of a line of motion: a body's, or a wall's.
scree_global scree_line_id(const scree_bodies *bodies, scree_local line);
