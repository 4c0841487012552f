/// \file
/// partition.csv: who had what, each time the tiles were distributed and at the end; one row per rank.
/// If the deck wants it, also tiles.csv: where each tile was and whose.
#pragma once
#include "scree/simulation.h"

typedef struct scree_partition_table scree_partition_table;

/// Start the files in `directory`, or go on with them behind the present step; rank 0 writes them. Borrows `simulation`; owned by the caller.
/// Collective, as the next one.
scree_partition_table *scree_partition_table_create(const char *directory,
                                                    const scree_simulation *simulation, bool go_on);
/// Append the present state, if tiles have been distributed since the last one, or (`always`) in any
/// case.
void scree_partition_table_write(scree_partition_table *table, bool always);
void scree_partition_table_destroy(scree_partition_table *table);
