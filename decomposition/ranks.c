/// \file
/// What ranks tell each other: see scree/ranks.h.
#include "scree/ranks.h"

#include "scree/memory.h"
#include "tags.h"

#include <string.h>

const scree_ranks scree_alone = {.comm = MPI_COMM_NULL, .rank = 0, .size = 1};

scree_ranks scree_ranks_of(MPI_Comm comm) {
  scree_ranks r = {.comm = comm};
  SCREE_MPI(MPI_Comm_rank(comm, &r.rank));
  SCREE_MPI(MPI_Comm_size(comm, &r.size));
  return r;
}

// ---- one number for all -----------------------------------------------------

void scree_ranks_max(const scree_ranks *r, double *values, int count) {
  if (r->size > 1)
    SCREE_MPI(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, r->comm));
}

void scree_ranks_sum(const scree_ranks *r, int64_t *values, int count) {
  if (r->size > 1)
    SCREE_MPI(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, r->comm));
}

void scree_ranks_exact(const scree_ranks *r, scree_exact *sums, int count) {
  if (r->size == 1) return;
  // Carried digits have 32 bits: 2^31 ranks may add theirs before one overflows.
  for (int k = 0; k < count; k++) scree_exact_carry(&sums[k]);
  _Static_assert(sizeof *sums % sizeof(int64_t) == 0, "an exact sum is integers only");
  scree_ranks_sum(r, (int64_t *)sums, count * (int)(sizeof *sums / sizeof(int64_t)));
  for (int k = 0; k < count; k++) scree_exact_carry(&sums[k]);
}

void scree_ranks_share(const scree_ranks *r, double *values, int count) {
  if (r->size > 1)
    SCREE_MPI(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_BOR, r->comm));
}

bool scree_ranks_agree(const scree_ranks *r, bool ok, scree_error *error) {
  if (r->size == 1) return ok;
  int first = ok ? r->size : r->rank;
  SCREE_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, r->comm));
  if (first == r->size) return true;
  SCREE_MPI(MPI_Bcast(error, sizeof *error, MPI_BYTE, first, r->comm));
  return false;
}

_Noreturn void scree_ranks_wait(const scree_ranks *r) {
  for (;;) MPI_Barrier(r->comm);
}

// ---- items ------------------------------------------------------------------

/// How many go to or come from each rank, and where they begin.
typedef struct piles {
  int *count;     ///< [size]
  int64_t *start; ///< [size + 1]
} piles;

static piles make_piles(int size) {
  return (piles){scree_alloc((size_t)size, sizeof(int)),
                 scree_alloc((size_t)size + 1, sizeof(int64_t))};
}

static void free_piles(piles *p) {
  scree_free(p->count);
  scree_free(p->start);
}

static void add_up(piles *p, int size) {
  for (int r = 0; r < size; r++) p->start[r + 1] = p->start[r] + p->count[r];
}

/// Copy items into the order of where they go.
static char *sort_by_rank(const scree_ranks *r, const char *item, const int *to, int64_t count,
                          size_t size, piles *out) {
  for (int64_t k = 0; k < count; k++) out->count[to[k]]++;
  add_up(out, r->size);
  char *sorted = scree_alloc((size_t)count, size);
  int64_t *next = scree_alloc((size_t)r->size, sizeof *next);
  memcpy(next, out->start, (size_t)r->size * sizeof *next);
  for (int64_t k = 0; k < count; k++)
    memcpy(sorted + (size_t)next[to[k]]++ * size, item + (size_t)k * size, size);
  scree_free(next);
  return sorted;
}

/// Only ranks that have something for each other exchange messages.
static void exchange(const scree_ranks *r, const char *sorted, const piles *out, char *arrived,
                     const piles *in, size_t size) {
  MPI_Datatype type;
  SCREE_MPI(MPI_Type_contiguous((int)size, MPI_BYTE, &type));
  SCREE_MPI(MPI_Type_commit(&type));
  MPI_Request *request = scree_alloc(2 * (size_t)r->size, sizeof(MPI_Request));
  int requests = 0;
  for (int k = 0; k < r->size; k++)
    if (in->count[k] > 0 && k != r->rank)
      SCREE_MPI(MPI_Irecv(arrived + (size_t)in->start[k] * size, in->count[k], type, k,
                          SCREE_TAG_ROUTE, r->comm, &request[requests++]));
  for (int k = 0; k < r->size; k++)
    if (out->count[k] > 0 && k != r->rank)
      SCREE_MPI(MPI_Isend(sorted + (size_t)out->start[k] * size, out->count[k], type, k,
                          SCREE_TAG_ROUTE, r->comm, &request[requests++]));
  SCREE_MPI(MPI_Waitall(requests, request, MPI_STATUSES_IGNORE));
  scree_free(request);
  SCREE_MPI(MPI_Type_free(&type));
}

scree_mail scree_ranks_route(const scree_ranks *r, const void *item, const int *to, int64_t count,
                             size_t size) {
  piles out = make_piles(r->size), in = make_piles(r->size);
  char *sorted = sort_by_rank(r, item, to, count, size, &out);
  if (r->size > 1)
    SCREE_MPI(MPI_Alltoall(out.count, 1, MPI_INT, in.count, 1, MPI_INT, r->comm));
  else
    in.count[0] = out.count[0];
  add_up(&in, r->size);
  scree_mail mail = {.count = in.start[r->size]};
  mail.item = scree_alloc((size_t)mail.count, size);
  mail.from = scree_alloc((size_t)mail.count, sizeof *mail.from);
  memcpy((char *)mail.item + (size_t)in.start[r->rank] * size,
         sorted + (size_t)out.start[r->rank] * size, (size_t)out.count[r->rank] * size);
  if (r->size > 1) exchange(r, sorted, &out, mail.item, &in, size);
  for (int k = 0; k < r->size; k++)
    for (int64_t m = in.start[k]; m < in.start[k + 1]; m++) mail.from[m] = k;
  scree_free(sorted);
  free_piles(&out);
  free_piles(&in);
  return mail;
}

scree_mail scree_ranks_gather(const scree_ranks *r, const void *item, int64_t count, size_t size) {
  piles in = make_piles(r->size);
  in.count[r->rank] = (int)count;
  if (r->size > 1)
    SCREE_MPI(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.count, 1, MPI_INT, r->comm));
  add_up(&in, r->size);
  scree_mail mail = {.count = in.start[r->size]};
  SCREE_CHECK(mail.count < INT32_MAX, "%lld items are too many to gather", (long long)mail.count);
  mail.item = scree_alloc((size_t)mail.count, size);
  if (count > 0)
    memcpy((char *)mail.item + (size_t)in.start[r->rank] * size, item, (size_t)count * size);
  if (r->size > 1) {
    int *start = scree_alloc((size_t)r->size, sizeof *start);
    for (int k = 0; k < r->size; k++) start[k] = (int)in.start[k];
    MPI_Datatype type;
    SCREE_MPI(MPI_Type_contiguous((int)size, MPI_BYTE, &type));
    SCREE_MPI(MPI_Type_commit(&type));
    SCREE_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mail.item, in.count, start, type,
                             r->comm));
    SCREE_MPI(MPI_Type_free(&type));
    scree_free(start);
  }
  free_piles(&in);
  return mail;
}

void scree_mail_free(scree_mail *mail) {
  scree_free(mail->item);
  scree_free(mail->from);
}
