/// \file
/// The output directory: see scree/output_dir.h.
#include "scree/output_dir.h"

#include "scree/deck_changes.h"
#include "scree/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Everything a run writes. The deck comes first: it is what claims a directory.
static const char *const result[] = {"deck.resolved.yaml", "log.txt",   "series.csv",
                                     "partition.csv",      "tiles.csv", NULL};
/// And directories.
static const char *const trees[] = {"fields.bp", "checkpoint.bp", "checkpoint.previous.bp",
                                    "checkpoint.partial.bp", NULL};

char *scree_output_path(const char *directory, const char *name) {
  const size_t size = strlen(directory) + strlen(name) + 2;
  char *path = scree_alloc(size, 1);
  snprintf(path, size, "%s/%s", directory, name);
  return path;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at) {
  (void)info, (void)kind, (void)at;
  return remove(path);
}

bool scree_output_remove(const char *path) {
  return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT;
}

static bool refuse(const char *directory, scree_error *error, int reason) {
  const bool machine =
      reason == ENOSPC || reason == EDQUOT || reason == EIO || reason == EMFILE || reason == ENFILE;
  const char *hint = reason == ENOENT    ? "; make its parent directory first"
                     : reason == ENOTDIR ? "; expected a directory"
                     : machine           ? ""
                                         : "; choose another with --out DIR";
  return scree_error_set(error, machine ? SCREE_EXIT_FAILURE : SCREE_EXIT_INPUT,
                         "output directory %.800s cannot be written: %s%s", directory,
                         strerror(reason), hint);
}

static bool has_results(const char *directory, scree_error *error, const char *name) {
  return scree_error_set(
      error, SCREE_EXIT_INPUT,
      "output directory %.800s holds results of an earlier run (%s); choose another "
      "with --out DIR, or overwrite them with --force",
      directory, name);
}

/// Results of an earlier run are refused without `force`; what is not a file cannot be overwritten even with it.
static bool check_results(const char *directory, bool force, scree_error *error) {
  for (const char *const *name = result; *name; name++) {
    char *path = scree_output_path(directory, *name);
    struct stat info;
    const bool there = lstat(path, &info) == 0;
    scree_free(path);
    if (!there) continue;
    if (!force) return has_results(directory, error, *name);
    if (S_ISDIR(info.st_mode))
      return scree_error_set(error, SCREE_EXIT_INPUT,
                             "%.800s/%s is a directory and cannot be overwritten", directory,
                             *name);
  }
  for (const char *const *name = trees; *name && !force; name++) {
    char *path = scree_output_path(directory, *name);
    const bool there = access(path, F_OK) == 0;
    scree_free(path);
    if (there) return has_results(directory, error, *name);
  }
  return true;
}

/// The deck under a temporary name, owned by the caller; NULL with `error` if it cannot be written.
static char *write_deck(const char *directory, const char *resolved_deck, scree_error *error) {
  char *path = scree_output_path(directory, ".deck.XXXXXX");
  const int descriptor = mkstemp(path);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  bool ok = file && fchmod(descriptor, 0644) == 0 && fputs(resolved_deck, file) >= 0;
  int reason = errno;
  if (file && fclose(file) != 0) {
    ok = false;
    reason = errno;
  }
  if (ok) return path;
  if (descriptor >= 0) unlink(path);
  scree_free(path);
  refuse(directory, error, reason);
  return NULL;
}

/// Give the deck its name. Without `force` the name must be free: of two runs that start at once, one gets the directory.
static bool claim(const char *directory, const char *temporary, bool force, scree_error *error) {
  char *path = scree_output_path(directory, result[0]);
  if (force)
    for (int list = 0; list < 2; list++)
      for (const char *const *name = list ? trees : result; *name; name++) {
        char *old = scree_output_path(directory, *name);
        scree_output_remove(old); // a failure shows when the file is written anew
        scree_free(old);
      }
  const bool ok = link(temporary, path) == 0;
  const int reason = errno;
  unlink(temporary);
  scree_free(path);
  if (ok) return true;
  return reason == EEXIST ? has_results(directory, error, result[0])
                          : refuse(directory, error, reason);
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
    if (!check_results(directory, force, error)) return false;
  }
  char *temporary = write_deck(directory, resolved_deck, error);
  const bool ok = temporary && claim(directory, temporary, force, error);
  scree_free(temporary);
  if (!ok && made) rmdir(directory);
  return ok;
}

/// The deck of the results in `directory`, owned by the caller; NULL: there are none.
static char *read_deck(const char *directory) {
  char *path = scree_output_path(directory, result[0]);
  FILE *file = fopen(path, "r");
  scree_free(path);
  if (!file) return NULL;
  size_t used = 0, room = 1 << 16;
  char *text = scree_alloc(room, 1);
  for (size_t got; (got = fread(text + used, 1, room - used - 1, file)) > 0;) {
    used += got;
    if (room - used < 2) text = scree_realloc(text, room *= 2, 1);
  }
  text[used] = '\0';
  fclose(file);
  return text;
}

bool scree_output_dir_continue(const char *directory, bool force, const char *resolved_deck,
                               scree_error *error) {
  char *there = read_deck(directory), *changes = NULL;
  if (!there || force) {
    scree_free(there);
    return scree_output_dir_prepare(directory, force, resolved_deck, error);
  }
  scree_error reason;
  bool ok = scree_deck_changes(there, resolved_deck, &changes, &reason);
  scree_free(there);
  scree_free(changes);
  if (!ok)
    return scree_error_set(
        error, SCREE_EXIT_INPUT,
        "output directory %.800s holds results of another run (%.400s); choose another "
        "with --out DIR",
        directory, reason.text);
  char *temporary = write_deck(directory, resolved_deck, error);
  char *path = scree_output_path(directory, result[0]);
  ok = temporary != NULL;
  if (ok && rename(temporary, path) != 0) {
    const int failed = errno;
    unlink(temporary);
    ok = refuse(directory, error, failed);
  }
  scree_free(temporary);
  scree_free(path);
  return ok;
}
