/// \file
/// Tables: see scree/table.h.
#include "scree/table.h"

#include "scree/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct scree_table {
  char *path;    ///< owned
  int file;      ///< descriptor; -1: does not write
  off_t written; ///< bytes of whole rows
  char *row;     ///< owned, the row being put together
  size_t used, room;
  int64_t last_step; ///< last row on disk, for messages
};

scree_table *scree_table_create(const char *path, bool writes) {
  scree_table *t = scree_alloc(1, sizeof *t);
  t->path = scree_strdup(path);
  t->file = -1;
  if (!writes) return t;
  t->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  SCREE_CHECK(t->file >= 0, "%s cannot be written: %s", path, strerror(errno));
  return t;
}

void scree_table_put(scree_table *t, const char *format, ...) {
  enum { longest = 256 }; // names are at most 64 characters, numbers 24
  if (t->file < 0) return;
  if (t->room - t->used < longest) t->row = scree_realloc(t->row, t->room += t->room + longest, 1);
  va_list args;
  va_start(args, format);
  t->used += (size_t)vsnprintf(t->row + t->used, t->room - t->used, format, args);
  va_end(args);
}

void scree_table_put_number(scree_table *t, double x) {
  scree_table_put(t, ",%.17g", x);
}

void scree_table_put_vec(scree_table *t, scree_vec v) {
  scree_table_put_number(t, v.x);
  scree_table_put_number(t, v.y);
  scree_table_put_number(t, v.z);
}

/// In one piece; if that fails, what part of it was written is taken back.
void scree_table_end_row(scree_table *t, int64_t step) {
  if (t->file < 0) return;
  scree_table_put(t, "\n");
  for (size_t done = 0; done < t->used;) {
    const ssize_t got = write(t->file, t->row + done, t->used - done);
    if (got < 0 && errno == EINTR) continue;
    if (got >= 0) {
      done += (size_t)got;
      continue;
    }
    const int reason = errno;
    const bool cut = ftruncate(t->file, t->written) == 0;
    SCREE_FAIL("%s cannot be written: %s; its rows up to step %lld are kept%s", t->path,
               strerror(reason), (long long)t->last_step, cut ? "" : ", and a part of the next");
  }
  t->written += (off_t)t->used;
  t->used = 0;
  t->last_step = step;
}

void scree_table_destroy(scree_table *t) {
  if (!t) return;
  SCREE_CHECK(t->file < 0 || close(t->file) == 0, "%s cannot be written: %s", t->path,
              strerror(errno));
  scree_free(t->row);
  scree_free(t->path);
  scree_free(t);
}
