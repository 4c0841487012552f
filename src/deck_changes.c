/// \file
/// Changes of a deck on restart: see scree/deck_changes.h.
#include "scree/deck_changes.h"

#include "scree/memory.h"
#include "scree/yaml_tree.h"

#include <stdio.h>
#include <string.h>

typedef struct comparison {
  char *changes; ///< owned, lines
  size_t used;
  scree_error *error;
} comparison;

/// Whether the key at `path` may change.
static bool may_change(const char *path) {
  static const char *const free_keys[] = {"run.steps", "output", "forces", "decomposition"};
  for (size_t k = 0; k < sizeof free_keys / sizeof *free_keys; k++) {
    const size_t length = strlen(free_keys[k]);
    if (strncmp(path, free_keys[k], length) == 0 &&
        (path[length] == '\0' || path[length] == '.' || path[length] == '['))
      return true;
  }
  // walls[2].force and walls[2].force_shape
  const char *member = strncmp(path, "walls[", 6) == 0 ? strchr(path, ']') : NULL;
  return member && strncmp(member, "].force", 7) == 0;
}

/// A scalar as it is, anything else by its kind.
static const char *show(const scree_yaml *node) {
  if (!node) return "absent";
  if (node->kind == SCREE_YAML_SCALAR) return node->text;
  return node->kind == SCREE_YAML_SEQUENCE ? "a list" : "a mapping";
}

static bool report(comparison *c, const scree_yaml *node, const scree_yaml *before,
                   const scree_yaml *now) {
  char path[512];
  scree_yaml_path(node, path, sizeof path);
  if (!may_change(path))
    return scree_error_set(
        c->error, SCREE_EXIT_INPUT,
        "%s: was %.200s when the checkpoint was written, and is %.200s; only run.steps, "
        "output, forces and decomposition may change on restart",
        path, show(before), show(now));
  const size_t room = c->used + strlen(path) + strlen(show(before)) + strlen(show(now)) + 16;
  c->changes = scree_realloc(c->changes, room, 1);
  c->used += (size_t)snprintf(c->changes + c->used, room - c->used, "%s: %s, now %s\n", path,
                              show(before), show(now));
  return true;
}

static bool compare(comparison *c, const scree_yaml *before, const scree_yaml *now);

static bool compare_mappings(comparison *c, const scree_yaml *before, const scree_yaml *now) {
  for (const scree_yaml *n = now->first; n; n = n->next) {
    const scree_yaml *b = scree_yaml_find(before, n->key);
    if (!(b ? compare(c, b, n) : report(c, n, NULL, n))) return false;
  }
  for (const scree_yaml *b = before->first; b; b = b->next)
    if (!scree_yaml_find(now, b->key) && !report(c, b, b, NULL)) return false;
  return true;
}

static bool compare_sequences(comparison *c, const scree_yaml *before, const scree_yaml *now) {
  const scree_yaml *b = before->first, *n = now->first;
  for (; b && n; b = b->next, n = n->next)
    if (!compare(c, b, n)) return false;
  return !b && !n ? true : report(c, n ? n : b, b, n);
}

static bool compare(comparison *c, const scree_yaml *before, const scree_yaml *now) {
  if (before->kind != now->kind) return report(c, now, before, now);
  switch (now->kind) {
  case SCREE_YAML_MAPPING: return compare_mappings(c, before, now);
  case SCREE_YAML_SEQUENCE: return compare_sequences(c, before, now);
  default: return strcmp(before->text, now->text) == 0 || report(c, now, before, now);
  }
}

bool scree_deck_changes(const char *before, const char *now, char **changes, scree_error *error) {
  comparison c = {.changes = scree_strdup(""), .error = error};
  scree_yaml *a = scree_yaml_parse(before, strlen(before), "the checkpoint's deck", error);
  scree_yaml *b = a ? scree_yaml_parse(now, strlen(now), "deck", error) : NULL;
  const bool ok = a && b && compare(&c, a, b);
  scree_yaml_destroy(a);
  scree_yaml_destroy(b);
  *changes = ok ? c.changes : NULL;
  if (!ok) scree_free(c.changes);
  return ok;
}
