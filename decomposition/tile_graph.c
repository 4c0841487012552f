/// \file
/// The graph of tiles: see scree/tile_graph.h.
#include "scree/tile_graph.h"

#include "scree/memory.h"
#include "sort.h"

#include <math.h>

int32_t scree_tile_graph_piece(const scree_tile_graph *g, int part) {
  return (int32_t)((int64_t)g->count * part / g->parts);
}

/// The piece that vertex `v` belongs to.
static int piece_of(const scree_tile_graph *g, int32_t v) {
  int part = (int)((int64_t)v * g->parts / g->count);
  while (scree_tile_graph_piece(g, part + 1) <= v) part++;
  while (scree_tile_graph_piece(g, part) > v) part--;
  return part;
}

// ---- weights ----------------------------------------------------------------

typedef struct weight {
  int64_t vertex, work, bodies;
} weight;

static int64_t contacts_of(const scree_contacts *c, int32_t tile) {
  int64_t count = 0;
  for (int32_t k = c->tile_batch[tile]; k < c->tile_batch[tile + 1]; k++)
    for (int l = 0; l < SCREE_LANES; l++) count += scree_batch_has(&c->batch[k], l);
  return count;
}

/// `vertex[t]` is the vertex of the rank's tile t.
static void gather_weights(scree_tile_graph *g, const scree_ranks *ranks, const scree_tiles *tiles,
                           const scree_contacts *contacts, const int32_t *vertex) {
  weight *mine = scree_alloc((size_t)tiles->count, sizeof *mine);
  for (int32_t t = 0; t < tiles->count; t++) {
    const int64_t bodies = tiles->start[t + 1] - tiles->start[t];
    mine[t] = (weight){vertex[t], scree_tile_work(contacts_of(contacts, t), bodies), bodies};
  }
  scree_mail all = scree_ranks_gather(ranks, mine, tiles->count, sizeof *mine);
  g->work = scree_alloc((size_t)g->count, sizeof *g->work);
  g->bodies = scree_alloc((size_t)g->count, sizeof *g->bodies);
  for (int64_t k = 0; k < all.count; k++) {
    const weight *w = &((const weight *)all.item)[k];
    g->work[w->vertex] = w->work;
    g->bodies[w->vertex] = w->bodies;
  }
  scree_mail_free(&all);
  scree_free(mine);
}

// ---- edges ------------------------------------------------------------------

typedef struct edge {
  int32_t from, to;
  int64_t weight;
} edge;

/// Vertex of each body that is held. Owned by the caller.
static int32_t *vertex_of_lines(const scree_ownership *table, const scree_tiles *tiles,
                                const scree_bodies *b, const int32_t *vertex) {
  int32_t *of = scree_alloc((size_t)b->held, sizeof *of);
  for (int32_t t = 0; t < tiles->count; t++)
    for (scree_local i = tiles->start[t]; i < tiles->start[t + 1]; i++) of[i] = vertex[t];
  for (scree_local i = b->count; i < b->held; i++)
    of[i] = scree_ownership_find(table, scree_lattice_key(&tiles->lattice, b->listed[i]));
  return of;
}

static uint64_t edge_key(int32_t from, int32_t to) {
  return (uint64_t)from << 32 | (uint32_t)to;
}

/// Contacts of the rank between two tiles, each edge once in either direction. Owned by the caller.
static edge *count_edges(const scree_bodies *b, const scree_contacts *c, const int32_t *of,
                         int64_t *count) {
  scree_sort_item *item = scree_alloc((size_t)c->count, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)c->count, sizeof *scratch);
  scree_local n = 0;
  for (int32_t k = 0; k < c->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &c->batch[k];
      if (!scree_batch_has(batch, l) || batch->j[l] >= b->held) continue;
      const int32_t from = of[batch->i[l]], to = of[batch->j[l]];
      if (from != to)
        item[n++] = (scree_sort_item){from < to ? edge_key(from, to) : edge_key(to, from), 0};
    }
  scree_sort(item, scratch, n);
  scree_local distinct = 0;
  for (scree_local k = 0; k < n; k++) distinct += k == 0 || item[k].key != item[k - 1].key;
  edge *found = scree_alloc(2 * (size_t)distinct, sizeof *found);
  *count = 0;
  for (scree_local k = 0, end; k < n; k = end) {
    for (end = k; end < n && item[end].key == item[k].key; end++) continue;
    const int32_t from = (int32_t)(item[k].key >> 32), to = (int32_t)(item[k].key & 0xffffffff);
    found[(*count)++] = (edge){from, to, end - k};
    found[(*count)++] = (edge){to, from, end - k};
  }
  scree_free(item);
  scree_free(scratch);
  return found;
}

/// The edges of this rank's piece, from what all ranks found; parallel ones are one.
static void merge_edges(scree_tile_graph *g, const scree_mail *mail) {
  const scree_local n = (scree_local)mail->count;
  const edge *e = mail->item;
  scree_sort_item *item = scree_alloc((size_t)n, sizeof *item);
  scree_sort_item *scratch = scree_alloc((size_t)n, sizeof *scratch);
  for (scree_local k = 0; k < n; k++) item[k] = (scree_sort_item){edge_key(e[k].from, e[k].to), k};
  scree_sort(item, scratch, n);
  g->start = scree_alloc((size_t)(g->end - g->first) + 1, sizeof *g->start);
  g->neighbour = scree_alloc((size_t)n, sizeof *g->neighbour);
  g->edge_weight = scree_alloc((size_t)n, sizeof *g->edge_weight);
  int32_t edges = 0;
  for (scree_local k = 0; k < n; k++) {
    const edge *here = &e[item[k].value];
    if (k == 0 || item[k].key != item[k - 1].key) {
      g->neighbour[edges++] = here->to;
      g->start[here->from - g->first + 1]++;
    }
    g->edge_weight[edges - 1] += (int32_t)here->weight;
  }
  for (int32_t v = 0; v < g->end - g->first; v++) g->start[v + 1] += g->start[v];
  scree_free(item);
  scree_free(scratch);
}

scree_tile_graph scree_tile_graph_make(const scree_ownership *table, const scree_ranks *ranks,
                                       const scree_tiles *tiles, const scree_bodies *b,
                                       const scree_contacts *contacts) {
  scree_tile_graph g = {.count = table->count,
                        .parts = ranks->size < table->count ? ranks->size : table->count};
  if (ranks->rank < g.parts) {
    g.first = scree_tile_graph_piece(&g, ranks->rank);
    g.end = scree_tile_graph_piece(&g, ranks->rank + 1);
  }
  int32_t *vertex = scree_alloc((size_t)tiles->count, sizeof *vertex);
  for (int32_t t = 0; t < tiles->count; t++) vertex[t] = scree_ownership_find(table, tiles->key[t]);
  gather_weights(&g, ranks, tiles, contacts, vertex);
  int32_t *of = vertex_of_lines(table, tiles, b, vertex);
  int64_t count;
  edge *found = count_edges(b, contacts, of, &count);
  int *to = scree_alloc((size_t)count, sizeof *to);
  for (int64_t k = 0; k < count; k++) to[k] = piece_of(&g, found[k].from);
  scree_mail mail = scree_ranks_route(ranks, found, to, count, sizeof *found);
  merge_edges(&g, &mail);
  scree_mail_free(&mail);
  scree_free(to);
  scree_free(found);
  scree_free(of);
  scree_free(vertex);
  return g;
}

void scree_tile_graph_free(scree_tile_graph *g) {
  scree_free(g->work);
  scree_free(g->bodies);
  scree_free(g->start);
  scree_free(g->neighbour);
  scree_free(g->edge_weight);
}

// ---- quality ----------------------------------------------------------------

double scree_tile_graph_imbalance(const scree_tile_graph *g, int ranks, const int32_t *owner) {
  int64_t *work = scree_alloc((size_t)ranks, sizeof *work);
  int64_t most = 0, total = 0;
  for (int32_t v = 0; v < g->count; v++) {
    work[owner[v]] += g->work[v];
    total += g->work[v];
    if (work[owner[v]] > most) most = work[owner[v]];
  }
  scree_free(work);
  return total > 0 ? (double)most * ranks / (double)total : 1;
}

scree_quality scree_tile_graph_quality(const scree_tile_graph *g, const scree_ranks *ranks,
                                       const int32_t *owner) {
  int64_t cut = 0;
  for (int32_t v = g->first; v < g->end; v++)
    for (int32_t k = g->start[v - g->first]; k < g->start[v - g->first + 1]; k++)
      if (owner[v] != owner[g->neighbour[k]]) cut += g->edge_weight[k];
  scree_ranks_sum(ranks, &cut, 1);
  return (scree_quality){cut / 2, scree_tile_graph_imbalance(g, ranks->size, owner)};
}
