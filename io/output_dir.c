/// \file
/// The output directory: see scree/output_dir.h.
#include "scree/output_dir.h"

#include "scree/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Everything a run writes.
static const char *const result[] = {"log.txt", "deck.resolved.yaml", "series.csv", NULL};

char *scree_output_path(const char *directory, const char *name) {
  const size_t size = strlen(directory) + strlen(name) + 2;
  char *path = scree_alloc(size, 1);
  snprintf(path, size, "%s/%s", directory, name);
  return path;
}

static bool refuse(const char *directory, scree_error *error, int reason) {
  const char *hint = reason == ENOENT    ? "; make its parent directory first"
                     : reason == ENOTDIR ? "; expected a directory"
                                         : "; choose another with --out DIR";
  return scree_error_set(error, SCREE_EXIT_INPUT, "output directory %s cannot be written: %s%s",
                         directory, strerror(reason), hint);
}

/// The first result of an earlier run in the directory, or NULL.
static const char *find_result(const char *directory) {
  for (const char *const *name = result; *name; name++) {
    char *path = scree_output_path(directory, *name);
    struct stat info;
    const bool there = lstat(path, &info) == 0;
    scree_free(path);
    if (there) return *name;
  }
  return NULL;
}

static void remove_results(const char *directory) {
  for (const char *const *name = result; *name; name++) {
    char *path = scree_output_path(directory, *name);
    unlink(path); // a failure shows when the file is written anew
    scree_free(path);
  }
}

static bool write_deck(const char *directory, const char *resolved_deck, scree_error *error) {
  char *path = scree_output_path(directory, "deck.resolved.yaml");
  FILE *file = fopen(path, "w");
  bool ok = file && fputs(resolved_deck, file) >= 0;
  int reason = errno;
  if (file && fclose(file) != 0) {
    ok = false;
    reason = errno;
  }
  if (file && !ok) unlink(path);
  scree_free(path);
  return ok || refuse(directory, error, reason);
}

bool scree_output_dir_prepare(const char *directory, bool force, const char *resolved_deck,
                              scree_error *error) {
  const bool made = mkdir(directory, 0777) == 0;
  struct stat info;
  if (!made) {
    const int reason = errno;
    if (reason != EEXIST) return refuse(directory, error, reason);
    if (stat(directory, &info) != 0) return refuse(directory, error, errno);
    if (!S_ISDIR(info.st_mode)) return refuse(directory, error, ENOTDIR);
    if (access(directory, W_OK | X_OK) != 0) return refuse(directory, error, errno);
    const char *old = find_result(directory);
    if (old && !force)
      return scree_error_set(
          error, SCREE_EXIT_INPUT,
          "output directory %s holds results of an earlier run (%s); choose another with "
          "--out DIR, or overwrite them with --force",
          directory, old);
    if (old) remove_results(directory);
  }
  if (write_deck(directory, resolved_deck, error)) return true;
  if (made) rmdir(directory);
  return false;
}
