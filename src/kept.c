/// \file
/// Impulses between two lists: see scree/kept.h.
#include "scree/kept.h"

#include "scree/hub.h"
#include "scree/memory.h"

#include <string.h>

/// Visits every contact that is remembered: once to count those of each line, once to write them.
typedef struct writer {
  const scree_bodies *bodies;
  scree_kept_list *list;
  int64_t *next; ///< [lines] NULL: count only
} writer;

static void visit(writer *w, scree_local line, scree_local partner, scree_vec impulse) {
  if (w->next)
    w->list->kept[w->next[line]++] = (scree_kept){scree_line_id(w->bodies, partner), impulse};
  else
    w->list->start[line + 1]++;
}

static void visit_all(writer *w, const scree_contacts *contacts, const scree_hubs *hubs) {
  for (int32_t k = 0; contacts && k < contacts->batch_count; k++)
    for (int l = 0; l < SCREE_LANES; l++) {
      const scree_batch *batch = &contacts->batch[k];
      if (scree_batch_has(batch, l))
        visit(w, batch->i[l], batch->j[l], (scree_vec){batch->px[l], batch->py[l], batch->pz[l]});
    }
  for (int h = 0; hubs && h < hubs->count; h++)
    for (int32_t k = 0; k < hubs->hub[h].count; k++) {
      const scree_hub_contact *c = &hubs->hub[h].contact[k];
      visit(w, c->body, w->bodies->held + hubs->hub[h].wall, c->impulse);
    }
}

scree_kept_list scree_kept_create(const scree_contacts *contacts, const scree_hubs *hubs,
                                  const scree_bodies *b) {
  const size_t lines = (size_t)b->count;
  scree_kept_list list = {.lines = b->count, .start = scree_alloc(lines + 1, sizeof *list.start)};
  writer w = {b, &list, NULL};
  visit_all(&w, contacts, hubs);
  for (size_t i = 0; i < lines; i++) list.start[i + 1] += list.start[i];
  list.kept = scree_alloc((size_t)list.start[lines], sizeof *list.kept);
  w.next = scree_alloc(lines, sizeof *w.next);
  memcpy(w.next, list.start, lines * sizeof *w.next);
  visit_all(&w, contacts, hubs);
  scree_free(w.next);
  return list;
}

void scree_kept_destroy(scree_kept_list *list) {
  scree_free(list->start);
  scree_free(list->kept);
}

const scree_kept *scree_kept_find(const scree_kept_list *list, scree_local line,
                                  scree_global partner) {
  for (int64_t k = list->start[line]; k < list->start[line + 1]; k++)
    if (list->kept[k].partner == partner) return &list->kept[k];
  return NULL;
}
