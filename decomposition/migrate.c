/// \file
/// Migration: see scree/migrate.h. Two messages to each rank that gets something: bodies, and the
/// contacts of these bodies in the same order.
#include "scree/migrate.h"

#include "scree/memory.h"

#include <string.h>

/// All there is to know of a body.
typedef struct traveller {
  scree_global id;
  scree_motion motion;
  scree_vec position, listed;
  scree_turn orientation;
  double radius;
  int64_t kept; ///< contacts that come with it
} traveller;

static traveller pack(const scree_bodies *b, scree_local i, int64_t kept) {
  return (traveller){b->id[i],     b->motion[i], b->position[i], b->listed[i], b->orientation[i],
                     b->radius[i], kept};
}

static void unpack(scree_bodies *b, scree_local i, const traveller *t) {
  b->id[i] = t->id;
  b->motion[i] = t->motion;
  b->position[i] = t->position;
  b->listed[i] = t->listed;
  b->orientation[i] = t->orientation;
  b->radius[i] = t->radius;
}

static int64_t kept_of(const scree_kept_list *kept, scree_local line) {
  return kept->start[line + 1] - kept->start[line];
}

/// What leaves, with where it goes. All owned by the caller.
typedef struct luggage {
  scree_local bodies;
  int64_t contacts;
  traveller *body;
  scree_kept *contact;
  int *body_to, *contact_to;
} luggage;

static luggage pack_leavers(const scree_bodies *b, const scree_kept_list *kept, const int *owner,
                            int rank) {
  luggage l = {0};
  for (scree_local i = 0; i < b->count; i++)
    if (owner[i] != rank) {
      l.bodies++;
      l.contacts += kept_of(kept, i);
    }
  l.body = scree_alloc((size_t)l.bodies, sizeof *l.body);
  l.body_to = scree_alloc((size_t)l.bodies, sizeof *l.body_to);
  l.contact = scree_alloc((size_t)l.contacts, sizeof *l.contact);
  l.contact_to = scree_alloc((size_t)l.contacts, sizeof *l.contact_to);
  scree_local n = 0;
  int64_t m = 0;
  for (scree_local i = 0; i < b->count; i++) {
    if (owner[i] == rank) continue;
    l.body_to[n] = owner[i];
    l.body[n++] = pack(b, i, kept_of(kept, i));
    for (int64_t k = kept->start[i]; k < kept->start[i + 1]; k++) {
      l.contact_to[m] = owner[i];
      l.contact[m++] = kept->kept[k];
    }
  }
  return l;
}

static void free_luggage(luggage *l) {
  scree_free(l->body);
  scree_free(l->contact);
  scree_free(l->body_to);
  scree_free(l->contact_to);
}

/// Those who stay, without gaps. Returns their number.
static scree_local close_ranks(scree_bodies *b, scree_kept_list *kept, const int *owner, int rank) {
  scree_local stay = 0;
  int64_t end = 0;
  for (scree_local i = 0; i < b->count; i++) {
    if (owner[i] != rank) continue;
    const traveller t = pack(b, i, kept_of(kept, i));
    const int64_t from = kept->start[i]; // `start` is overwritten behind i only
    unpack(b, stay, &t);
    memmove(kept->kept + end, kept->kept + from, (size_t)t.kept * sizeof *kept->kept);
    kept->start[stay++] = end;
    end += t.kept;
  }
  kept->start[stay] = end;
  return stay;
}

/// Bodies and contacts that arrived, behind the first `stay`.
static void take_in(scree_bodies *b, scree_kept_list *kept, scree_local stay,
                    const scree_mail *bodies, const scree_mail *contacts) {
  SCREE_CHECK(stay + bodies->count < INT32_MAX, "more than 2^31 bodies on one rank");
  const scree_local count = stay + (scree_local)bodies->count;
  const int64_t kept_before = kept->start[stay];
  b->held = stay; // what must survive if the arrays grow
  scree_bodies_resize(b, count, count);
  kept->start = scree_realloc(kept->start, (size_t)count + 1, sizeof *kept->start);
  kept->kept =
      scree_realloc(kept->kept, (size_t)(kept_before + contacts->count), sizeof *kept->kept);
  for (scree_local k = 0; k < (scree_local)bodies->count; k++) {
    const traveller *t = &((const traveller *)bodies->item)[k];
    unpack(b, stay + k, t);
    kept->start[stay + k + 1] = kept->start[stay + k] + t->kept;
  }
  if (contacts->count > 0)
    memcpy(kept->kept + kept_before, contacts->item, (size_t)contacts->count * sizeof *kept->kept);
  SCREE_CHECK(kept->start[count] == kept_before + contacts->count,
              "%lld contacts came with bodies that have %lld", (long long)contacts->count,
              (long long)(kept->start[count] - kept_before));
  kept->lines = count;
}

int64_t scree_migrate(scree_bodies *b, scree_kept_list *kept, const int *owner,
                      const scree_ranks *ranks) {
  if (ranks->size == 1) return 0;
  luggage out = pack_leavers(b, kept, owner, ranks->rank);
  // Bodies, contacts before and after, and how many moved: nothing may get lost.
  int64_t total[5] = {b->count, kept->start[b->count], 0, 0, out.bodies};
  scree_mail bodies = scree_ranks_route(ranks, out.body, out.body_to, out.bodies, sizeof *out.body);
  scree_mail contacts =
      scree_ranks_route(ranks, out.contact, out.contact_to, out.contacts, sizeof *out.contact);
  const scree_local stay = close_ranks(b, kept, owner, ranks->rank);
  take_in(b, kept, stay, &bodies, &contacts);
  total[2] = b->count;
  total[3] = kept->start[b->count];
  scree_ranks_sum(ranks, total, 5);
  SCREE_CHECK(total[0] == total[2] && total[1] == total[3],
              "migration lost something: %lld bodies became %lld, %lld contacts %lld",
              (long long)total[0], (long long)total[2], (long long)total[1], (long long)total[3]);
  scree_mail_free(&bodies);
  scree_mail_free(&contacts);
  free_luggage(&out);
  return total[4];
}
