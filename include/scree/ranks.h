/// \file
/// The ranks of a job and what they tell each other besides the halo: maxima, counts, exact sums, items
/// sent to whoever they concern. With one rank none of these calls MPI.
#pragma once
#include "scree/check.h"
#include "scree/exact_sum.h"
#include "scree/types.h"

typedef struct scree_ranks {
  MPI_Comm comm; ///< borrowed
  int rank, size;
} scree_ranks;

/// One rank, with or without MPI.
extern const scree_ranks scree_alone;

scree_ranks scree_ranks_of(MPI_Comm comm);

/// First of `count` things that falls to `rank`, when all get about as many.
static inline uint64_t scree_ranks_share_of(const scree_ranks *ranks, uint64_t count, int rank) {
  const uint64_t size = (uint64_t)ranks->size, r = (uint64_t)rank;
  return count / size * r + count % size * r / size;
}

/// Each of `values` becomes its maximum over all ranks; the same for the other three. Collective.
void scree_ranks_max(const scree_ranks *ranks, double *values, int count);
void scree_ranks_sum(const scree_ranks *ranks, int64_t *values, int count);
void scree_ranks_exact(const scree_ranks *ranks, scree_exact *sums, int count);
/// Numbers that one rank knows: it has them, the others have zeros (all bits). Collective.
void scree_ranks_share(const scree_ranks *ranks, double *values, int count);
/// Agree on a failure that any rank may have found: that of the lowest one goes to all. Collective.
bool scree_ranks_agree(const scree_ranks *ranks, bool ok, scree_error *error);

/// Wait for the end: another rank is about to end the job with its message. Does not return.
_Noreturn void scree_ranks_wait(const scree_ranks *ranks);

/// Items that have arrived, by the rank they come from; each rank's in the order it sent them.
typedef struct scree_mail {
  int64_t count;
  void *item; ///< [count] owned
  int *from;  ///< [count] owned
} scree_mail;

/// Send item k, of `size` bytes, to rank to[k], which may be this one. Free with scree_mail_free.
/// Collective.
scree_mail scree_ranks_route(const scree_ranks *ranks, const void *item, const int *to,
                             int64_t count, size_t size);
void scree_mail_free(scree_mail *mail);

/// The items of all ranks in the order of the ranks, on every one of them; `from` is not filled.
/// Collective.
scree_mail scree_ranks_gather(const scree_ranks *ranks, const void *item, int64_t count,
                              size_t size);
