/// \file
/// The door to ParMETIS. Its types never cross this header.
#pragma once
#include "scree/tile_graph.h"

/// Version of ParMETIS this program was built with.
const char *scree_partition_library_version(void);

/// A new owner for each vertex of `graph`, out of ranks 0 .. graph->parts: from scratch, with the help of
/// geometry, or (`adapt`) from the present `owner` with little migration. `owner` ([count], the same on all
/// ranks) is read and written. Returns false, with `owner` as it was, if ParMETIS finds no partition.
/// Collective.
bool scree_partition(const scree_tile_graph *graph, const scree_ranks *ranks, bool adapt,
                     int32_t *owner);
