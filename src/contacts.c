/// \file
/// Candidate contacts from rebuild to rebuild: see scree/contacts.h. How they are packed into
/// batches is in schedule.c.
#include "scree/contacts.h"

#include "grid.h"
#include "random.h"
#include "schedule.h"
#include "scree/check.h"
#include "scree/memory.h"

#include <math.h>

scree_global scree_line_id(const scree_bodies *b, scree_local line) {
  return line < b->held ? b->id[line] : scree_wall_first_id + (scree_global)(line - b->held);
}

// ---- candidates of one tile -------------------------------------------------

/// Everything a rebuild looks at.
typedef struct sources {
  const scree_bodies *bodies;
  const scree_domain *domain;
  const scree_walls *walls;
  const scree_pairs *pairs;
  const scree_kept_list *kept;
  const scree_local *moved;
  double skin;
  uint64_t seed, key;
  int64_t missed;
} sources;

static scree_candidate make_candidate(sources *s, scree_local i, scree_local j, bool overlaps) {
  const scree_global partner = scree_line_id(s->bodies, j);
  uint64_t word[4];
  scree_random(s->seed, SCREE_RANDOM_PACK, s->key, s->bodies->id[i], partner, 0, word);
  scree_candidate c = {.i = i, .j = j, .order = word[0]};
  const scree_kept *kept = scree_kept_find(s->kept, s->moved[i], partner);
  if (kept)
    c.impulse = kept->impulse;
  else
    s->missed += overlaps;
  return c;
}

/// Candidates of one body, appended at `count`. The list is grown by the caller.
static int32_t add_body(sources *s, scree_local i, scree_candidate *list, int32_t count) {
  const scree_bodies *b = s->bodies;
  for (int64_t k = s->pairs->start[i]; k < s->pairs->start[i + 1]; k++) {
    const scree_local j = s->pairs->partner[k];
    const scree_vec d = scree_domain_between(s->domain, b->listed[i], b->listed[j]);
    const double touch = b->radius[i] + b->radius[j];
    list[count++] = make_candidate(s, i, j, scree_vec_dot(d, d) < touch * touch);
  }
  for (int w = 0; w < s->walls->count; w++) {
    const scree_wall *wall = &s->walls->wall[w];
    const double gap = scree_vec_dot(wall->normal, b->listed[i]) - wall->listed - b->radius[i];
    if (wall->mass == 0 && gap < s->skin)
      list[count++] = make_candidate(s, i, b->held + w, gap < 0);
  }
  return count;
}

/// The most candidates any tile can have.
static int64_t most_candidates(const sources *s, const scree_tiles *tiles) {
  int64_t most = 0;
  for (int32_t t = 0; t < tiles->count; t++) {
    const scree_local first = tiles->start[t], end = tiles->start[t + 1];
    const int64_t here =
        s->pairs->start[end] - s->pairs->start[first] + (int64_t)(end - first) * s->walls->count;
    if (here > most) most = here;
  }
  return most;
}

scree_contacts *scree_contacts_create(const scree_bodies *b, const scree_domain *domain,
                                      const scree_walls *walls, const scree_tiles *tiles,
                                      double skin, const scree_kept_list *kept,
                                      const scree_local *moved, uint64_t seed, uint64_t key,
                                      int64_t *missed) {
  scree_pairs pairs = scree_grid_pairs(b, domain, skin);
  SCREE_CHECK(pairs.start[b->count] + (int64_t)b->count * walls->count < INT32_MAX,
              "more than 2^31 contacts on one rank: use more ranks");
  sources s = {b, domain, walls, &pairs, kept, moved, skin, seed, key, 0};
  const int64_t most = most_candidates(&s, tiles);
  scree_candidate *list = scree_alloc((size_t)most, sizeof *list);
  scree_scheduler *scheduler = scree_scheduler_create(b, walls->count, (int32_t)most);
  scree_contacts *c = scree_alloc(1, sizeof *c);
  c->tile_batch = scree_alloc((size_t)tiles->count + 1, sizeof *c->tile_batch);
  for (int32_t t = 0; t < tiles->count; t++) {
    int32_t count = 0;
    for (scree_local i = tiles->start[t]; i < tiles->start[t + 1]; i++)
      count = add_body(&s, i, list, count);
    c->count += count;
    scree_scheduler_pack(scheduler, list, count, c);
    c->tile_batch[t + 1] = c->batch_count;
    const int32_t here = c->batch_count - c->tile_batch[t];
    if (here > c->most_batches) c->most_batches = here;
  }
  *missed += s.missed;
  scree_scheduler_destroy(scheduler);
  scree_free(list);
  scree_pairs_destroy(&pairs);
  return c;
}

void scree_contacts_destroy(scree_contacts *c) {
  if (!c) return;
  scree_free(c->batch);
  scree_free(c->tile_batch);
  scree_free(c);
}

// ---- geometry ---------------------------------------------------------------

double scree_contacts_gap(const scree_batch *batch, int l, const scree_bodies *b,
                          const scree_domain *domain, const scree_walls *walls, scree_vec *normal) {
  const scree_local i = batch->i[l], j = batch->j[l];
  if (j >= b->held) {
    const scree_wall *wall = &walls->wall[j - b->held];
    *normal = scree_vec_scale(-1, wall->normal);
    return scree_wall_gap(wall, b->position[i], b->radius[i]);
  }
  const scree_vec d = scree_domain_between(domain, b->position[i], b->position[j]);
  const double distance = sqrt(scree_vec_dot(d, d));
  // Two centres in one place have no normal; any will do to part them.
  *normal = distance > 0 ? scree_vec_scale(1 / distance, d) : (scree_vec){1, 0, 0};
  return distance - b->radius[i] - b->radius[j];
}

void scree_contacts_prepare(scree_contacts *c, const scree_bodies *b, const scree_domain *domain,
                            const scree_walls *walls, double time_step, bool with_overlap) {
  for (int32_t k = 0; k < c->batch_count; k++) {
    scree_batch *batch = &c->batch[k];
    for (int l = 0; l < SCREE_LANES; l++) {
      if (!scree_batch_has(batch, l)) continue;
      scree_vec n;
      const double gap = scree_contacts_gap(batch, l, b, domain, walls, &n);
      batch->nx[l] = n.x;
      batch->ny[l] = n.y;
      batch->nz[l] = n.z;
      batch->bias[l] = scree_gap_bias(gap, time_step, with_overlap);
    }
  }
}
