/// \file
/// Seals: see scree/seal.h. The seal is a text file with a line per file, "checksum size name", in the order of
/// the names, and in the last line the checksum of the lines before.
#include "scree/seal.h"

#include "scree/memory.h"
#include "scree/output_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char seal_name[] = "scree.seal";

/// Checksum and size of an open file, which is brought to the disk on the way. False: cannot be read.
static bool sum_file(int file, bool sync, XXH64_hash_t *sum, long long *size) {
  enum { piece = 1 << 20 };
  XXH3_state_t *state = XXH3_createState();
  SCREE_CHECK(state && XXH3_64bits_reset(state) == XXH_OK, "xxHash cannot start");
  char *buffer = scree_alloc(piece, 1);
  ssize_t got;
  *size = 0;
  while ((got = read(file, buffer, piece)) > 0) {
    XXH3_64bits_update(state, buffer, (size_t)got);
    *size += got;
  }
  *sum = XXH3_64bits_digest(state);
  scree_free(buffer);
  XXH3_freeState(state);
  return got == 0 && (!sync || fsync(file) == 0);
}

static int is_sealed(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, seal_name) != 0;
}

/// What the seal of `directory` must say. Owned by the caller; NULL with errno: a file cannot be read.
static char *describe(const char *directory, bool sync) {
  struct dirent **entry = NULL;
  const int count = scandir(directory, &entry, is_sealed, alphasort);
  if (count < 0) return NULL;
  size_t used = 0, room = 64;
  char *text = scree_alloc(room, 1);
  bool ok = true;
  for (int k = 0; k < count; k++) {
    char *path = scree_output_path(directory, entry[k]->d_name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    XXH64_hash_t sum = 0;
    long long size = 0;
    ok = ok && file >= 0 && sum_file(file, sync, &sum, &size);
    const int reason = errno;
    if (file >= 0) close(file);
    room += strlen(entry[k]->d_name) + 64;
    text = scree_realloc(text, room, 1);
    used += (size_t)snprintf(text + used, room - used, "%016llx %lld %s\n", (unsigned long long)sum,
                             size, entry[k]->d_name);
    scree_free(path);
    free(entry[k]);
    errno = reason;
  }
  free(entry);
  snprintf(text + used, room - used, "%016llx seal\n", (unsigned long long)XXH3_64bits(text, used));
  if (ok) return text;
  scree_free(text);
  return NULL;
}

/// Bring the names in a directory to the disk.
static bool sync_directory(const char *directory) {
  const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool ok = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  return ok;
}

bool scree_seal_write(const char *directory, scree_error *error) {
  char *path = scree_output_path(directory, seal_name), *text = describe(directory, true);
  FILE *file = text ? fopen(path, "w") : NULL;
  bool ok = file && fputs(text, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
  const int reason = errno;
  if (file) ok = fclose(file) == 0 && ok;
  ok = ok && sync_directory(directory);
  if (!ok)
    scree_error_set(error, SCREE_EXIT_FAILURE, "%.800s cannot be written: %s", directory,
                    strerror(reason));
  scree_free(path);
  scree_free(text);
  return ok;
}

/// Name of the first file that differs between two seals, into `name`.
static void first_difference(const char *there, const char *here, char *name, size_t size) {
  while (*there && *here) {
    const size_t a = strcspn(there, "\n"), b = strcspn(here, "\n");
    if (a != b || strncmp(there, here, a) != 0) break;
    there += a + (there[a] == '\n');
    here += b + (here[b] == '\n');
  }
  const char *line = *here ? here : there;
  const char *last = line;
  for (const char *c = line; *c && *c != '\n'; c++)
    if (*c == ' ') last = c + 1;
  snprintf(name, size, "%.*s", (int)strcspn(last, "\n"), last);
}

bool scree_seal_check(const char *directory, scree_error *error) {
  struct stat info;
  if (stat(directory, &info) != 0)
    return scree_error_set(error, SCREE_EXIT_INPUT, "%.800s cannot be read: %s", directory,
                           strerror(errno));
  char *path = scree_output_path(directory, seal_name);
  FILE *file = S_ISDIR(info.st_mode) ? fopen(path, "r") : NULL;
  scree_free(path);
  if (!file)
    return scree_error_set(
        error, SCREE_EXIT_INPUT,
        "%.800s is no checkpoint of Scree, or was never completed: it has no file %s", directory,
        seal_name);
  enum { longest = 1 << 16 };
  char *there = scree_alloc(longest, 1), *here = describe(directory, false), name[256] = "";
  there[fread(there, 1, longest - 1, file)] = '\0';
  fclose(file);
  const bool ok = here && strcmp(there, here) == 0;
  if (!ok) {
    first_difference(there, here ? here : "", name, sizeof name);
    scree_error_set(error, SCREE_EXIT_INPUT,
                    "%.800s is damaged: %s is not what was written; take an earlier checkpoint",
                    directory, name);
  }
  scree_free(there);
  scree_free(here);
  return ok;
}
