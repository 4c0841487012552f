/// \file
/// The door to ADIOS2: arrays of all ranks, in files or streams, step by step. Its types never cross this
/// header.
#pragma once
#include "scree/ranks.h"

/// Version of ADIOS2 this program was built with.
const char *scree_adios_library_version(void);

typedef enum {
  SCREE_ADIOS_DOUBLE,
  SCREE_ADIOS_FLOAT,
  SCREE_ADIOS_INT32,
  SCREE_ADIOS_INT64,
  SCREE_ADIOS_UINT64
} scree_adios_type;

/// This rank's rows of an array that all ranks make together: `rows` of `all`, from row `first` on, each of
/// `columns` numbers. 0 columns: one number per row.
typedef struct scree_slab {
  uint64_t all, first, rows;
  uint64_t columns;
} scree_slab;

/// This rank's slab, when each rank has `rows` rows and they come in the order of the ranks. Collective.
scree_slab scree_slab_of(const scree_ranks *ranks, uint64_t rows, uint64_t columns);

/// An open file or stream. Owned by the caller.
typedef struct scree_adios scree_adios;

/// What to write, and how.
typedef struct scree_adios_target {
  const char *path;       ///< of the file, or name of the stream
  const char *io;         ///< name by which a user's adios2.xml may set engine and parameters
  const char *engine;     ///< "BP5", "SST", ...
  const char *parameters; ///< of the engine: "Key=value,Key=value"; NULL: none
  bool append;            ///< go on with the file that is there
} scree_adios_target;

/// Open for writing. On failure returns NULL with `error`. Collective, as all that follows.
scree_adios *scree_adios_create(const scree_ranks *ranks, const scree_adios_target *target,
                                scree_error *error);
/// Text that belongs to all of the file; before the first step ends.
void scree_adios_put_text(scree_adios *file, const char *name, const char *text);
void scree_adios_begin_step(scree_adios *file);
/// Hand over an array, which must stay as it is until the step ends.
void scree_adios_put(scree_adios *file, const char *name, scree_adios_type type, scree_slab slab,
                     const void *data);
/// One number, the same on all ranks.
void scree_adios_put_number(scree_adios *file, const char *name, scree_adios_type type,
                            const void *number);
/// Returns false if the step could not be written.
bool scree_adios_end_step(scree_adios *file);
/// Returns false if something could not be written.
bool scree_adios_close(scree_adios *file);

/// Open the first step of a file for reading. On failure returns NULL with `error`.
scree_adios *scree_adios_open(const scree_ranks *ranks, const char *path, scree_error *error);
/// Go on to the next step; false: there is none.
bool scree_adios_next_step(scree_adios *file);
/// Rows of an array; false if the file has no such array of this type.
bool scree_adios_rows(scree_adios *file, const char *name, uint64_t *rows);
/// Rows of an array, as many as the slab says, into `data`. False if the array is not there, or not so
/// long, or of another type.
bool scree_adios_get(scree_adios *file, const char *name, scree_adios_type type, scree_slab slab,
                     void *data);
/// The same for an array of doubles or floats, as doubles.
bool scree_adios_get_real(scree_adios *file, const char *name, scree_slab slab, double *data);
bool scree_adios_get_number(scree_adios *file, const char *name, scree_adios_type type,
                            void *number);
/// Text of the file, owned by the caller, or NULL.
char *scree_adios_get_text(scree_adios *file, const char *name);

/// An array of the present step.
typedef struct scree_adios_array {
  const char *name, *type;
  size_t dimensions; ///< 0: a number
  uint64_t shape[2];
} scree_adios_array;

/// Call `visit` for each array, by name.
void scree_adios_each(scree_adios *file, void (*visit)(const scree_adios_array *, void *),
                      void *context);
