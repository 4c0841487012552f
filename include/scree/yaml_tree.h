/// \file
/// YAML text as a tree in which every node still knows where it stands, so that an error can point
/// there and `--set` can replace a node. It knows nothing of what the keys mean: that is the deck
/// schema's business.
///
/// The YAML that decks may use is a subset: no anchors and aliases, no tags, no duplicate keys, one
/// document, bounded size and depth. What falls outside gets a message.
#pragma once
#include "scree/check.h"

typedef enum { SCREE_YAML_SCALAR, SCREE_YAML_SEQUENCE, SCREE_YAML_MAPPING } scree_yaml_kind;

typedef struct scree_yaml {
  scree_yaml_kind kind;
  char *key;                 ///< owned; key in the enclosing mapping, else NULL
  char *text;                ///< owned; scalars only
  bool quoted;               ///< scalar written in quotes (then it is text, never a number)
  const char *origin;        ///< borrowed; file name or the `--set` argument
  int line, column;          ///< from 1; line 0: not from a file
  int count;                 ///< children
  struct scree_yaml *parent; ///< borrowed
  struct scree_yaml *first, *last, *next; ///< children (owned), next sibling
} scree_yaml;

enum { SCREE_YAML_MAX_DEPTH = 32, SCREE_YAML_MAX_KEYS = 64 };

/// Parse `size` bytes of `text`; `origin` (borrowed, outlives the tree) names them in messages. On
/// success the tree is owned by the caller; on failure returns NULL with `error` filled.
scree_yaml *scree_yaml_parse(const char *text, size_t size, const char *origin, scree_error *error);
void scree_yaml_destroy(scree_yaml *node);

/// Child of a mapping by key, or NULL.
scree_yaml *scree_yaml_find(const scree_yaml *mapping, const char *key);
/// New nodes at the end of `parent` (owned by it); `key` is NULL in a sequence, `text` is NULL
/// unless scalar.
scree_yaml *scree_yaml_append(scree_yaml *parent, const char *key, scree_yaml_kind kind,
                              const char *text);

/// Apply the assignment "a.b[2].c=VALUE": VALUE is YAML and replaces or adds the node. Messages call it
/// `argument`, which the new nodes borrow.
bool scree_yaml_set(scree_yaml *root, const char *argument, const char *assignment,
                    scree_error *error);

/// The node's path, "a.b[2].c", into `text`; empty for the root.
const char *scree_yaml_path(const scree_yaml *node, char *text, size_t size);
/// Fill `error` with "origin:line:column: path: message" and exit code 2; returns false.
bool scree_yaml_error(const scree_yaml *node, scree_error *error, const char *format, ...)
    SCREE_PRINTF(3, 4);
