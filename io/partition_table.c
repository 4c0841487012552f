/// \file
/// partition.csv: see scree/partition_table.h.
#include "scree/partition_table.h"

#include "scree/memory.h"
#include "scree/table.h"

struct scree_partition_table {
  const scree_simulation *simulation; ///< borrowed
  scree_table *table;                 ///< owned
  int64_t distributions;              ///< when last written
};

scree_partition_table *scree_partition_table_create(const char *path,
                                                    const scree_simulation *simulation) {
  scree_partition_table *t = scree_alloc(1, sizeof *t);
  t->simulation = simulation;
  t->table = scree_table_create(path, simulation->ranks->rank == 0);
  scree_table_put(t->table, "step,distribution,partitioner,edge_cut,imbalance,rank,tiles,bodies,"
                            "ghosts,contacts,neighbours,shared,messages,bytes");
  scree_table_end_row(t->table, 0);
  scree_partition_table_write(t, true);
  return t;
}

void scree_partition_table_write(scree_partition_table *t, bool always) {
  const scree_simulation *s = t->simulation;
  if (!always && t->distributions == s->balance.distributions) return;
  t->distributions = s->balance.distributions;
  const double imbalance = scree_simulation_imbalance(s);
  const scree_load mine = scree_simulation_load(s);
  scree_mail all = scree_ranks_gather(s->ranks, &mine, 1, sizeof mine);
  for (int rank = 0; rank < s->ranks->size; rank++) {
    const scree_load *l = &((const scree_load *)all.item)[rank];
    scree_table_put(t->table, "%lld,%lld,%s,%lld,%.6g,%d", (long long)s->step,
                    (long long)s->balance.distributions,
                    s->balance.by_parmetis ? "parmetis" : "morton",
                    (long long)s->balance.quality.edge_cut, imbalance, rank);
    scree_table_put(t->table, ",%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld", (long long)l->tiles,
                    (long long)l->bodies, (long long)l->ghosts, (long long)l->contacts,
                    (long long)l->neighbours, (long long)l->shared, (long long)l->halo.messages,
                    (long long)l->halo.bytes);
    scree_table_end_row(t->table, s->step);
  }
  scree_mail_free(&all);
}

void scree_partition_table_destroy(scree_partition_table *t) {
  if (!t) return;
  scree_table_destroy(t->table);
  scree_free(t);
}
