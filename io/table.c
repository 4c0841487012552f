/// \file
/// Tables: see scree/table.h.
#include "scree/table.h"

#include "scree/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/// Bytes of the header and of the rows that stay; 0: there is no such table. A row begins with its step; the last one
/// may be cut short.
static off_t bytes_to_keep(const char *path, const char *header, int64_t keep) {
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  char *line = NULL;
  size_t room = 0;
  off_t kept = 0;
  ssize_t length = getline(&line, &room, file);
  SCREE_CHECK(length < 0 || strncmp(line, header, strlen(header)) != 0 ||
                  line[length - 1] != '\n' || (size_t)length == strlen(header) + 1,
              "%s has other columns", path);
  for (; length > 0 && line[length - 1] == '\n'; length = getline(&line, &room, file)) {
    if (kept > 0 && strtoll(line, NULL, 10) > keep) break;
    kept += length;
  }
  free(line);
  fclose(file);
  return kept;
}

scree_table *scree_table_create(const char *path, const char *header, bool writes, int64_t keep) {
  scree_table *t = scree_alloc(1, sizeof *t);
  t->path = scree_strdup(path);
  t->file = -1;
  if (!writes) return t;
  if (keep != SCREE_TABLE_NEW) t->written = bytes_to_keep(path, header, keep);
  t->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  SCREE_CHECK(t->file >= 0 && ftruncate(t->file, t->written) == 0 &&
                  lseek(t->file, 0, SEEK_END) == t->written,
              "%s cannot be written: %s", path, strerror(errno));
  if (t->written > 0) {
    t->last_step = keep;
    return t;
  }
  t->used = strlen(header);
  t->room = t->used + 1024;
  t->row = scree_alloc(t->room, 1);
  memcpy(t->row, header, t->used);
  scree_table_end_row(t, 0);
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
