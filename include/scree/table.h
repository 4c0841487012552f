/// \file
/// A table of comma-separated values that grows row by row. A row is written and flushed as a whole:
/// whatever ends a run, the file ends with a whole row. Numbers have all their digits, so equal files mean
/// equal bits.
#pragma once
#include "scree/check.h"
#include "scree/types.h"

typedef struct scree_table scree_table;

/// Rows of a table that is there already and goes on: those of steps up to this one stay.
enum { SCREE_TABLE_NEW = -1 };

/// Start the file at `path`, or go on with it: rows up to step `keep` stay, if its header is `header`.
/// With `writes` false nothing is ever written: for the ranks that take part in making a row, but not in
/// writing it. Owned by the caller.
scree_table *scree_table_create(const char *path, const char *header, bool writes, int64_t keep);
/// Append text to the row being put together; numbers and vectors come behind a comma.
void scree_table_put(scree_table *table, const char *format, ...) SCREE_PRINTF(2, 3);
void scree_table_put_number(scree_table *table, double number);
void scree_table_put_vec(scree_table *table, scree_vec vec);
/// Write the row, which belongs to `step`; ends the job with a message if that cannot be done.
void scree_table_end_row(scree_table *table, int64_t step);
/// Close the file; everything is on disk afterwards.
void scree_table_destroy(scree_table *table);
