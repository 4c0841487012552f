/// \file
/// Which rank owns which tile: see scree/ownership.h.
#include "scree/ownership.h"

#include "scree/memory.h"
#include "sort.h"

#include <string.h>

void scree_ownership_free(scree_ownership *t) {
  scree_free(t->key);
  scree_free(t->owner);
  *t = (scree_ownership){0};
}

int32_t scree_ownership_find(const scree_ownership *t, uint64_t key) {
  int32_t low = 0, high = t->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (t->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < t->count && t->key[low] == key ? low : -1;
}

int scree_ownership_owner(const scree_ownership *t, uint64_t key) {
  const int32_t k = scree_ownership_find(t, key);
  return k < 0 ? -1 : t->owner[k];
}

void scree_ownership_cut(int32_t count, const int64_t *weight, int parts, int32_t *owner) {
  int64_t total = 0, passed = 0;
  for (int32_t k = 0; k < count; k++) total += weight[k];
  int part = 0;
  for (int32_t k = 0; k < count; k++) {
    // The next piece begins where half of this tile is past its beginning, or where there are only as many
    // tiles left as pieces.
    while (part + 1 < parts && k > 0 && owner[k - 1] == part &&
           ((2 * passed + weight[k]) * parts > 2 * total * (part + 1) || count - k < parts - part))
      part++;
    owner[k] = part;
    passed += weight[k];
  }
}

// ---- the table --------------------------------------------------------------

/// Bodies that one rank has in a tile.
typedef struct claim {
  uint64_t key;
  int64_t bodies;
  int64_t rank;
} claim;

/// The rank's bodies by tile. Both arrays are owned by the caller.
static claim *make_claims(const scree_lattice *lattice, const scree_bodies *b, int rank,
                          scree_sort_item **sorted, int64_t *count) {
  scree_sort_item *item = scree_alloc((size_t)b->count, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)b->count, sizeof *scratch);
  for (scree_local i = 0; i < b->count; i++)
    item[i] = (scree_sort_item){scree_lattice_key(lattice, b->listed[i]), i};
  scree_sort(item, scratch, b->count);
  scree_free(scratch);
  *count = 0;
  for (scree_local i = 0; i < b->count; i++) *count += i == 0 || item[i].key != item[i - 1].key;
  claim *claims = scree_alloc((size_t)*count, sizeof *claims);
  for (scree_local i = 0, c = -1; i < b->count; i++) {
    if (i == 0 || item[i].key != item[i - 1].key) claims[++c] = (claim){item[i].key, 0, rank};
    claims[c].bodies++;
  }
  *sorted = item;
  return claims;
}

/// Owner of the tile with these claims: the one it had, else whoever claims most.
static int32_t choose_owner(const scree_ownership *before, const claim *claims, int64_t count) {
  const int owner = scree_ownership_owner(before, claims[0].key);
  if (owner >= 0) return owner;
  int64_t most = 0;
  for (int64_t k = 1; k < count; k++)
    if (claims[k].bodies > claims[most].bodies) most = k;
  return (int32_t)claims[most].rank;
}

/// The table of all claims, which come by rank.
static scree_ownership merge_claims(const scree_ownership *before, const scree_ranks *ranks,
                                    const scree_lattice *lattice, const scree_mail *all) {
  const scree_local n = (scree_local)all->count;
  scree_sort_item *item = scree_alloc((size_t)n, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)n, sizeof *scratch);
  claim *sorted = scree_alloc((size_t)n, sizeof *sorted);
  for (scree_local k = 0; k < n; k++)
    item[k] = (scree_sort_item){((const claim *)all->item)[k].key, k};
  scree_sort(item, scratch, n);
  for (scree_local k = 0; k < n; k++) sorted[k] = ((const claim *)all->item)[item[k].value];
  scree_ownership t = {.lattice = *lattice};
  t.key = scree_alloc((size_t)n, sizeof *t.key);
  t.owner = scree_alloc((size_t)n, sizeof *t.owner);
  int64_t *weight = scree_alloc((size_t)n, sizeof *weight);
  for (scree_local k = 0, end; k < n; k = end) {
    for (end = k; end < n && sorted[end].key == sorted[k].key; end++)
      weight[t.count] += sorted[end].bodies;
    t.owner[t.count] = choose_owner(before, &sorted[k], end - k);
    t.key[t.count++] = sorted[k].key;
  }
  if (before->count == 0) scree_ownership_cut(t.count, weight, ranks->size, t.owner);
  scree_free(weight);
  scree_free(sorted);
  scree_free(scratch);
  scree_free(item);
  return t;
}

int *scree_ownership_update(scree_ownership *table, const scree_ranks *ranks,
                            const scree_lattice *lattice, const scree_bodies *b) {
  scree_sort_item *sorted;
  int64_t count;
  claim *claims = make_claims(lattice, b, ranks->rank, &sorted, &count);
  scree_mail all = scree_ranks_gather(ranks, claims, count, sizeof *claims);
  // On another lattice the old names mean nothing.
  scree_ownership before = *table;
  if (!scree_lattice_same(&table->lattice, lattice)) scree_ownership_free(&before);
  *table = merge_claims(&before, ranks, lattice, &all);
  scree_ownership_free(&before);
  scree_mail_free(&all);
  int *owner = scree_alloc((size_t)b->count, sizeof *owner);
  for (scree_local i = 0; i < b->count; i++)
    owner[sorted[i].value] = i > 0 && sorted[i].key == sorted[i - 1].key
                                 ? owner[sorted[i - 1].value]
                                 : scree_ownership_owner(table, sorted[i].key);
  scree_free(claims);
  scree_free(sorted);
  return owner;
}

bool scree_ownership_is_valid(const scree_ownership *t, const scree_ranks *ranks,
                              const scree_tiles *tiles) {
  int64_t wrong = 0;
  int32_t mine = 0;
  for (int32_t k = 0; k < t->count; k++) {
    wrong += k > 0 && t->key[k] <= t->key[k - 1];
    wrong += t->owner[k] < 0 || t->owner[k] >= ranks->size;
    mine += t->owner[k] == ranks->rank;
  }
  wrong += mine != tiles->count;
  for (int32_t k = 0; k < tiles->count; k++)
    wrong += scree_ownership_owner(t, tiles->key[k]) != ranks->rank;
  // The same sum of all entries everywhere, or the tables differ.
  int64_t sum[2] = {t->count, 0};
  for (int32_t k = 0; k < t->count; k++)
    sum[1] += (int64_t)(t->key[k] % 1000003) * (t->owner[k] + 1) % 1000003;
  int64_t all[3] = {sum[0], sum[1], wrong};
  scree_ranks_sum(ranks, all, 3);
  return all[2] == 0 && all[0] == sum[0] * ranks->size && all[1] == sum[1] * ranks->size;
}
