/// \file
/// series.csv: one row of named columns per recorded step.
#pragma once
#include "scree/simulation.h"

typedef struct scree_series scree_series;

/// Start the file at `path`, with columns as the deck asks, or go on with it behind the present step; rank 0 writes it. Borrows `simulation`;
/// owned by the caller. Collective, as the next one.
scree_series *scree_series_create(const char *path, const scree_simulation *simulation, bool go_on);
/// Append the current state; ends the job with a message if it cannot be written or is no longer
/// finite.
void scree_series_write(scree_series *series, const scree_observables *observables);
/// Close the file; everything is on disk afterwards.
void scree_series_destroy(scree_series *series);
