/// \file
/// Ghosts: see scree/ghosts.h.
#include "scree/ghosts.h"

#include "scree/memory.h"
#include "sort.h"

/// What a ghost has to know.
typedef struct copy {
  scree_global id;
  scree_motion motion;
  scree_vec position, listed;
  double radius;
  int64_t line; ///< at its owner
} copy;

typedef struct outbox {
  int64_t count, room;
  copy *copy; ///< owned
  int *to;    ///< owned
} outbox;

static void post(outbox *o, const scree_bodies *b, scree_local i, int to) {
  if (o->count == o->room) {
    o->room = o->room ? 2 * o->room : 256;
    o->copy = scree_realloc(o->copy, (size_t)o->room, sizeof *o->copy);
    o->to = scree_realloc(o->to, (size_t)o->room, sizeof *o->to);
  }
  o->to[o->count] = to;
  o->copy[o->count++] =
      (copy){b->id[i], b->motion[i], b->position[i], b->listed[i], b->radius[i], i};
}

enum { around = 27 };

static const int *step_of(int n, int by[3]) {
  by[0] = n % 3 - 1;
  by[1] = n / 3 % 3 - 1;
  by[2] = n / 9 - 1;
  return by;
}

/// Owners of the tile's neighbours, -1 where that is nobody or this rank. Returns whether there is any
/// other rank.
static bool look_around(const scree_ownership *table, uint64_t key, int rank, int owner[around]) {
  bool any = false;
  for (int n = 0; n < around; n++) {
    int by[3];
    owner[n] =
        scree_ownership_owner(table, scree_lattice_neighbour(&table->lattice, key, step_of(n, by)));
    if (owner[n] == rank) owner[n] = -1;
    any |= owner[n] >= 0;
  }
  return any;
}

/// Send body `i` to every rank that owns a tile it is near to, once.
static void post_body(outbox *o, const scree_bodies *b, scree_local i, const scree_lattice *lattice,
                      uint64_t key, double reach, const int owner[around]) {
  int side[3], sent[8], count = 0;
  scree_lattice_sides(lattice, key, b->listed[i], reach, side);
  for (int n = 0; n < 8; n++) {
    const int by[3] = {n & 1 ? side[0] : 0, n & 2 ? side[1] : 0, n & 4 ? side[2] : 0};
    const int to = owner[by[0] + 1 + 3 * (by[1] + 1) + 9 * (by[2] + 1)];
    bool twice = to < 0;
    for (int k = 0; k < count; k++) twice |= sent[k] == to;
    if (twice) continue;
    sent[count++] = to;
    post(o, b, i, to);
  }
}

static void take_in(scree_bodies *b, scree_ghosts *g, const scree_mail *mail) {
  SCREE_CHECK((int64_t)b->count + mail->count < INT32_MAX, "more than 2^31 bodies on one rank");
  const scree_local n = (scree_local)mail->count;
  scree_sort_item *item = scree_alloc((size_t)n, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)n, sizeof *scratch);
  for (scree_local k = 0; k < n; k++)
    item[k] = (scree_sort_item){((const copy *)mail->item)[k].id, k};
  scree_sort(item, scratch, n);
  scree_bodies_resize(b, b->count, b->count + n);
  for (scree_local k = 0; k < n; k++) {
    const copy *c = &((const copy *)mail->item)[item[k].value];
    const scree_local line = b->count + k;
    b->id[line] = c->id;
    b->motion[line] = c->motion;
    b->position[line] = c->position;
    b->listed[line] = c->listed;
    b->radius[line] = c->radius;
    g->owner[k] = mail->from[item[k].value];
    g->line[k] = (scree_local)c->line;
  }
  scree_free(item);
  scree_free(scratch);
}

scree_ghosts scree_ghosts_add(scree_bodies *b, const scree_tiles *tiles,
                              const scree_ownership *table, const scree_ranks *ranks,
                              double reach) {
  scree_ghosts g = {0};
  if (ranks->size == 1) return g;
  outbox o = {0};
  for (int32_t t = 0; t < tiles->count; t++) {
    int owner[around];
    if (!look_around(table, tiles->key[t], ranks->rank, owner)) continue;
    for (scree_local i = tiles->start[t]; i < tiles->start[t + 1]; i++)
      post_body(&o, b, i, &tiles->lattice, tiles->key[t], reach, owner);
  }
  scree_mail mail = scree_ranks_route(ranks, o.copy, o.to, o.count, sizeof *o.copy);
  g.count = (scree_local)mail.count;
  g.owner = scree_alloc((size_t)g.count, sizeof *g.owner);
  g.line = scree_alloc((size_t)g.count, sizeof *g.line);
  take_in(b, &g, &mail);
  scree_mail_free(&mail);
  scree_free(o.copy);
  scree_free(o.to);
  return g;
}

void scree_ghosts_free(scree_ghosts *g) {
  scree_free(g->owner);
  scree_free(g->line);
  *g = (scree_ghosts){0};
}
