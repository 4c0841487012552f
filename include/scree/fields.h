/// \file
/// Fields of all bodies over time, through ADIOS2: into a file, to a stream, or both, with one schema
/// (docs/output.md).
#pragma once
#include "scree/simulation.h"

typedef struct scree_fields scree_fields;

/// Open what the deck asks for: the file in `directory`, which goes on behind the present step if `go_on`, and
/// the stream. `deck` is the resolved text. NULL if it asks for nothing. On failure NULL with `error`. Borrows
/// `simulation`; owned by the caller. Collective, as all that follows.
scree_fields *scree_fields_create(const scree_simulation *simulation, const char *directory,
                                  const char *deck, bool go_on, scree_error *error);
/// Write the present state, if it is a step to write. A failure ends the job with a message, or (if the deck
/// says so) is told by returning false, once; nothing more is written then.
bool scree_fields_write(scree_fields *fields, const scree_observables *observables);
/// Whether the present step is one to write.
bool scree_fields_due(const scree_fields *fields);
/// Readers of the stream learn that it has ended. NULL is allowed.
void scree_fields_destroy(scree_fields *fields);
