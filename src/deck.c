/// \file
/// Reading a deck: file, --set, checks, resolved text, all ranks. See scree/deck.h for the way of
/// the data.
#include "scree/deck.h"

#include "deck_schema.h"
#include "scree/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- file → bytes ----------------------------------------------------------

static bool too_large(const char *path, scree_error *error) {
  return scree_error_set(
      error, SCREE_EXIT_INPUT,
      "%.800s: larger than %d MiB, so hardly a deck; a packing of many bodies is "
      "described by 'lattice', not by a list",
      path, SCREE_DECK_MAX_BYTES >> 20);
}

/// Reads whatever gives bytes, pipes too, up to the limit. Owned by the caller; NULL with the error
/// set if that fails.
static char *read_all(int descriptor, const char *path, size_t *size, scree_error *error) {
  size_t capacity = 1 << 16;
  char *text = scree_alloc(capacity, 1);
  for (*size = 0;;) {
    if (*size == capacity) text = scree_realloc(text, capacity *= 2, 1);
    const ssize_t got = read(descriptor, text + *size, capacity - *size);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) return text;
    if (got > 0) *size += (size_t)got;
    if (got < 0)
      scree_error_set(error, SCREE_EXIT_INPUT, "%.800s: cannot be read: %s", path, strerror(errno));
    else if (*size > SCREE_DECK_MAX_BYTES)
      too_large(path, error);
    else
      continue;
    scree_free(text);
    return NULL;
  }
}

/// The bytes of the file, owned by the caller, or NULL with the error set.
static char *read_file(const char *path, size_t *size, scree_error *error) {
  struct stat info;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || fstat(descriptor, &info) != 0) {
    scree_error_set(error, SCREE_EXIT_INPUT, "%.800s: cannot be opened: %s%s", path,
                    strerror(errno),
                    errno == ENOENT ? "; the decks that come with Scree are runs/*/*.yaml" : "");
    if (descriptor >= 0) close(descriptor);
    return NULL;
  }
  char *text = NULL;
  if (S_ISDIR(info.st_mode))
    scree_error_set(error, SCREE_EXIT_INPUT, "%.800s: is a directory; expected a deck, a YAML file",
                    path);
  else if (info.st_size > SCREE_DECK_MAX_BYTES)
    too_large(path, error); // before reading it
  else
    text = read_all(descriptor, path, size, error);
  close(descriptor);
  return text;
}

// ---- tree → text -----------------------------------------------------------

typedef struct buffer {
  char *text; ///< owned
  size_t size, capacity;
} buffer;

static void put(buffer *b, const char *format, ...) SCREE_PRINTF(2, 3);
static void put(buffer *b, const char *format, ...) {
  for (;;) {
    if (!b->text) b->text = scree_alloc(b->capacity = 4096, 1);
    const size_t room = b->capacity - b->size;
    va_list args;
    va_start(args, format);
    const size_t length = (size_t)vsnprintf(b->text + b->size, room, format, args);
    va_end(args);
    if (length < room) {
      b->size += length;
      return;
    }
    b->capacity = 2 * b->capacity + length;
    b->text = scree_realloc(b->text, b->capacity, 1);
  }
}

/// A scalar, or a list of scalars on one line.
static void put_flow(buffer *b, const scree_yaml *node) {
  if (node->kind == SCREE_YAML_SCALAR && !node->quoted) {
    put(b, "%s", node->text);
    return;
  }
  if (node->kind == SCREE_YAML_SCALAR) {
    put(b, "\"");
    for (const char *c = node->text; *c; c++) put(b, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    put(b, "\"");
    return;
  }
  put(b, "[");
  for (const scree_yaml *entry = node->first; entry; entry = entry->next) {
    if (entry != node->first) put(b, ", ");
    put_flow(b, entry);
  }
  put(b, "]");
}

/// The keys of a checked mapping in the order of the table, each on its line after `indent` spaces;
/// the first line's indent is already there when the mapping is an entry of a list.
static void put_section(buffer *b, const scree_yaml *node, const scree_param *keys, int indent,
                        bool in_list) {
  bool first = in_list;
  for (const scree_param *p = keys; p->key; p++) {
    const scree_yaml *child = scree_yaml_find(node, p->key);
    if (!child) continue; // one of several, and another was chosen
    put(b, "%*s%s:", first ? 0 : indent, "", p->key);
    first = false;
    if (p->type == SCREE_PARAM_SECTION) {
      put(b, "\n");
      put_section(b, child, p->keys, indent + 2, false);
    } else if (p->type == SCREE_PARAM_SECTIONS && child->count > 0) {
      put(b, "\n");
      for (const scree_yaml *entry = child->first; entry; entry = entry->next) {
        put(b, "%*s- ", indent + 2, "");
        put_section(b, entry, p->keys, indent + 4, true);
      }
    } else {
      put(b, " ");
      put_flow(b, child);
      if (p->unit && !in_list) put(b, "  # [%s]", p->unit);
      put(b, "\n");
    }
  }
}

// ---- the whole way ---------------------------------------------------------

static const char set_option[] = "--set "; // messages quote the whole argument

static bool apply_set(scree_yaml *root, char **argument, int count, scree_error *error) {
  for (int i = 0; i < count; i++)
    if (!scree_yaml_set(root, argument[i], argument[i] + strlen(set_option), error)) return false;
  return true;
}

static bool resolve(scree_yaml *root, const char *origin, char **argument, int count,
                    char **resolved, scree_error *error) {
  if (root->kind != SCREE_YAML_MAPPING)
    return scree_error_set(error, SCREE_EXIT_INPUT,
                           "%.800s:%d:%d: expected sections such as 'packing:', got %s", origin,
                           root->line, root->column,
                           root->kind == SCREE_YAML_SCALAR ? "plain text" : "a list");
  if (!apply_set(root, argument, count, error)) return false;
  if (!scree_deck_check(root, scree_deck_keys, error)) return false;
  const int dimension = atoi(scree_yaml_find(scree_yaml_find(root, "packing"), "dimension")->text);
  if (!scree_deck_complete_vectors(root, scree_deck_keys, dimension, error)) return false;
  buffer b = {0};
  put_section(&b, root, scree_deck_keys, 0, false);
  scree_deck *deck = scree_deck_load(b.text);
  const bool ok = scree_deck_check_rules(deck, root, error);
  scree_deck_destroy(deck);
  if (ok)
    *resolved = b.text;
  else
    scree_free(b.text);
  return ok;
}

bool scree_deck_resolve(const char *text, size_t size, const char *origin, char *const *set,
                        int set_count, char **resolved, scree_error *error) {
  scree_yaml *root = scree_yaml_parse(text, size, origin, error);
  if (!root) return false;
  // Nodes borrow these for their messages, so they live as long as the tree.
  char **argument = scree_alloc((size_t)set_count, sizeof *argument);
  for (int i = 0; i < set_count; i++) {
    const size_t length = strlen(set_option) + strlen(set[i]) + 1;
    argument[i] = scree_alloc(length, 1);
    snprintf(argument[i], length, "%s%s", set_option, set[i]);
  }
  const bool ok = resolve(root, origin, argument, set_count, resolved, error);
  for (int i = 0; i < set_count; i++) scree_free(argument[i]);
  scree_free(argument);
  scree_yaml_destroy(root);
  return ok;
}

bool scree_deck_read(const char *path, char *const *set, int set_count, char **resolved,
                     scree_error *error) {
  size_t size;
  char *text = read_file(path, &size, error);
  if (!text) return false;
  const bool ok = scree_deck_resolve(text, size, path, set, set_count, resolved, error);
  scree_free(text);
  return ok;
}

bool scree_deck_read_all(const char *path, char *const *set, int set_count, MPI_Comm comm,
                         char **resolved, scree_error *error) {
  int rank, length = 0;
  SCREE_MPI(MPI_Comm_rank(comm, &rank));
  bool ok = true;
  if (rank == 0) ok = scree_deck_read(path, set, set_count, resolved, error);
  if (!scree_error_agree(ok, error, comm)) return false;
  if (rank == 0) length = (int)strlen(*resolved) + 1;
  SCREE_MPI(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
  if (rank != 0) *resolved = scree_alloc((size_t)length, 1);
  SCREE_MPI(MPI_Bcast(*resolved, length, MPI_CHAR, 0, comm));
  return true;
}

// ---- what a deck says ------------------------------------------------------

static int by_name(const void *a, const void *b) {
  const scree_name_entry *left = a, *right = b;
  const int order = strcmp(left->name, right->name);
  return order ? order : (left->declared > right->declared) - (left->declared < right->declared);
}

scree_name_index scree_name_index_create(const scree_deck *deck) {
  const scree_deck_packing *p = &deck->packing;
  scree_name_index index = {
      .entry = scree_alloc((size_t)p->names_count + p->list_count, sizeof *index.entry)};
  for (uint32_t i = 0; i < p->names_count; i++)
    index.entry[index.count++] = (scree_name_entry){p->names[i].name, p->names[i].id, i};
  for (uint32_t i = 0; i < p->list_count; i++)
    if (p->list[i].name[0])
      index.entry[index.count++] = (scree_name_entry){
          p->list[i].name, p->list[i].id ? *p->list[i].id : i, p->names_count + i};
  qsort(index.entry, index.count, sizeof *index.entry, by_name);
  return index;
}

void scree_name_index_destroy(scree_name_index *index) {
  scree_free(index->entry);
  index->entry = NULL;
}

static int name_against_entry(const void *name, const void *entry) {
  return strcmp(name, ((const scree_name_entry *)entry)->name);
}

const scree_name_entry *scree_name_index_find(const scree_name_index *index, const char *name) {
  return bsearch(name, index->entry, index->count, sizeof *index->entry, name_against_entry);
}
