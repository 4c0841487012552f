/// \file
/// The only file that knows ParMETIS: see scree/partition.h.
#include "scree/partition.h"

#include "scree/memory.h"

#include <parmetis.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *scree_partition_library_version(void) {
  return TEXT(PARMETIS_MAJOR_VERSION) "." TEXT(PARMETIS_MINOR_VERSION) "." TEXT(
      PARMETIS_SUBMINOR_VERSION);
}

/// The graph as ParMETIS wants it. All owned by the caller.
typedef struct problem {
  idx_t *distribution; ///< [parts + 1] first vertex of each piece
  idx_t *start, *neighbour, *edge_weight;
  idx_t *work, *size;
  real_t *place;  ///< [vertices] along the Morton curve
  real_t *target; ///< [parts] share of each
  idx_t *part;    ///< [vertices] in and out
} problem;

static idx_t *copy(const int32_t *from, int64_t count) {
  idx_t *to = scree_alloc((size_t)count, sizeof *to);
  for (int64_t k = 0; k < count; k++) to[k] = from[k];
  return to;
}

/// Weights are divided by this, so that their sum stays far below 2^31.
static int64_t weight_unit(const scree_tile_graph *g) {
  int64_t total = 0;
  for (int32_t v = 0; v < g->count; v++) total += g->work[v];
  return total / (1 << 28) + 1;
}

static problem make_problem(const scree_tile_graph *g, const int32_t *owner) {
  const int32_t n = g->end - g->first;
  const int64_t unit = weight_unit(g);
  problem p = {.distribution = scree_alloc((size_t)g->parts + 1, sizeof *p.distribution),
               .start = copy(g->start, n + 1),
               .neighbour = copy(g->neighbour, g->start[n]),
               .edge_weight = copy(g->edge_weight, g->start[n]),
               .work = scree_alloc((size_t)n, sizeof *p.work),
               .size = scree_alloc((size_t)n, sizeof *p.size),
               .place = scree_alloc((size_t)n, sizeof *p.place),
               .target = scree_alloc((size_t)g->parts, sizeof *p.target),
               .part = copy(owner + g->first, n)};
  for (int k = 0; k <= g->parts; k++) p.distribution[k] = scree_tile_graph_piece(g, k);
  for (int k = 0; k < g->parts; k++) p.target[k] = (real_t)1 / (real_t)g->parts;
  for (int32_t v = 0; v < n; v++) {
    p.work[v] = (idx_t)((g->work[g->first + v] + unit - 1) / unit);
    p.size[v] = (idx_t)g->bodies[g->first + v];
    // ParMETIS would sort tiles along a curve through space. They are: it gets their place on ours. (Given the
    // coordinates it reads and writes beyond its arrays when many are equal, as in a flat packing.)
    p.place[v] = (real_t)(g->first + v);
  }
  return p;
}

static void free_problem(problem *p) {
  scree_free(p->distribution);
  scree_free(p->start);
  scree_free(p->neighbour);
  scree_free(p->edge_weight);
  scree_free(p->work);
  scree_free(p->size);
  scree_free(p->place);
  scree_free(p->target);
  scree_free(p->part);
}

static bool solve(problem *p, int parts, bool adapt, MPI_Comm comm) {
  idx_t weights = 3, first = 0, constraints = 1, dimensions = 1, count = parts, cut = 0;
  real_t tolerance = (real_t)1.01;
  // Moving a body once costs about as much as a contact across a border costs in a hundred sweeps.
  real_t cut_per_move = (real_t)100;
  idx_t options[4] = {1, 0, 1, PARMETIS_PSR_UNCOUPLED};
  const int result =
      adapt ? ParMETIS_V3_AdaptiveRepart(p->distribution, p->start, p->neighbour, p->work, p->size,
                                         p->edge_weight, &weights, &first, &constraints, &count,
                                         p->target, &tolerance, &cut_per_move, options, &cut,
                                         p->part, &comm)
            : ParMETIS_V3_PartGeomKway(p->distribution, p->start, p->neighbour, p->work,
                                       p->edge_weight, &weights, &first, &dimensions, p->place,
                                       &constraints, &count, p->target, &tolerance, options, &cut,
                                       p->part, &comm);
  return result == METIS_OK;
}

/// A vertex and the rank it goes to.
typedef struct decision {
  int32_t vertex, owner;
} decision;

bool scree_partition(const scree_tile_graph *g, const scree_ranks *ranks, bool adapt,
                     int32_t *owner) {
  if (g->parts < 2) return false;
  // Every rank that takes part must have vertices.
  const bool takes_part = ranks->rank < g->parts;
  MPI_Comm comm;
  SCREE_MPI(MPI_Comm_split(ranks->comm, takes_part ? 0 : MPI_UNDEFINED, ranks->rank, &comm));
  int64_t failed = 0;
  decision *mine = scree_alloc((size_t)(g->end - g->first), sizeof *mine);
  if (takes_part) {
    problem p = make_problem(g, owner);
    failed = !solve(&p, g->parts, adapt, comm);
    for (int32_t v = g->first; v < g->end; v++) {
      mine[v - g->first] = (decision){v, p.part[v - g->first]};
      failed += p.part[v - g->first] < 0 || p.part[v - g->first] >= g->parts;
    }
    free_problem(&p);
    SCREE_MPI(MPI_Comm_free(&comm));
  }
  scree_ranks_sum(ranks, &failed, 1);
  scree_mail all = scree_ranks_gather(ranks, mine, g->end - g->first, sizeof *mine);
  for (int64_t k = 0; failed == 0 && k < all.count; k++) {
    const decision *d = &((const decision *)all.item)[k];
    owner[d->vertex] = d->owner;
  }
  scree_mail_free(&all);
  scree_free(mine);
  return failed == 0;
}
