/// \file
/// partition.csv: see scree/partition_table.h.
#include "scree/partition_table.h"

#include "scree/memory.h"
#include "scree/output_dir.h"
#include "scree/table.h"

struct scree_partition_table {
  const scree_simulation *simulation; ///< borrowed
  scree_table *table;                 ///< owned
  scree_table *tiles;                 ///< owned; NULL: not wanted
  int64_t distributions;              ///< when last written
};

/// A table called `name` in `directory`, with its header.
static scree_table *start_table(const scree_simulation *s, const char *directory, const char *name,
                                const char *header, bool go_on) {
  char *path = scree_output_path(directory, name);
  scree_table *t =
      scree_table_create(path, header, s->ranks->rank == 0, go_on ? s->step - 1 : SCREE_TABLE_NEW);
  scree_free(path);
  return t;
}

scree_partition_table *scree_partition_table_create(const char *directory,
                                                    const scree_simulation *simulation,
                                                    bool go_on) {
  scree_partition_table *t = scree_alloc(1, sizeof *t);
  t->simulation = simulation;
  t->table = start_table(simulation, directory, "partition.csv",
                         "step,distribution,partitioner,edge_cut,imbalance,rank,tiles,bodies,"
                         "ghosts,contacts,neighbours,shared,messages,bytes",
                         go_on);
  if (simulation->deck->output.partition == 1)
    t->tiles = start_table(simulation, directory, "tiles.csv",
                           "step,distribution,x,y,z,width_x,width_y,width_z,rank", go_on);
  scree_partition_table_write(t, true);
  return t;
}

static void write_tiles(scree_partition_table *t) {
  const scree_simulation *s = t->simulation;
  const bool alone = s->ranks->size == 1;
  const scree_lattice *lattice = &s->tiles->lattice;
  const int32_t count = alone ? s->tiles->count : s->ownership.count;
  for (int32_t k = 0; k < count; k++) {
    int64_t at[3];
    scree_lattice_coordinates(lattice, alone ? s->tiles->key[k] : s->ownership.key[k], at);
    scree_table_put(t->tiles, "%lld,%lld", (long long)s->step, (long long)s->balance.distributions);
    scree_table_put_vec(t->tiles, (scree_vec){lattice->low.x + (double)at[0] * lattice->edge.x,
                                              lattice->low.y + (double)at[1] * lattice->edge.y,
                                              lattice->low.z + (double)at[2] * lattice->edge.z});
    scree_table_put_vec(t->tiles, lattice->edge);
    scree_table_put(t->tiles, ",%d", alone ? 0 : (int)s->ownership.owner[k]);
    scree_table_end_row(t->tiles, s->step);
  }
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
  if (t->tiles) write_tiles(t);
}

void scree_partition_table_destroy(scree_partition_table *t) {
  if (!t) return;
  scree_table_destroy(t->table);
  scree_table_destroy(t->tiles);
  scree_free(t);
}
