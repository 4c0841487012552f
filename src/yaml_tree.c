/// \file
/// YAML text → tree with positions: see scree/yaml_tree.h. The only file that knows libyaml.
#include "scree/yaml_tree.h"

#include "scree/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

// ---- nodes -----------------------------------------------------------------

static scree_yaml *new_node(scree_yaml_kind kind, const char *origin, int line, int column) {
  scree_yaml *node = scree_alloc(1, sizeof *node);
  node->kind = kind;
  node->origin = origin;
  node->line = line;
  node->column = column;
  return node;
}

void scree_yaml_destroy(scree_yaml *node) {
  if (!node) return;
  for (scree_yaml *child = node->first; child;) {
    scree_yaml *next = child->next;
    scree_yaml_destroy(child);
    child = next;
  }
  scree_free(node->key);
  scree_free(node->text);
  scree_free(node);
}

scree_yaml *scree_yaml_find(const scree_yaml *mapping, const char *key) {
  for (scree_yaml *child = mapping->first; child; child = child->next)
    if (child->key && strcmp(child->key, key) == 0) return child;
  return NULL;
}

static void attach(scree_yaml *parent, scree_yaml *child) {
  child->parent = parent;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  parent->count++;
}

scree_yaml *scree_yaml_append(scree_yaml *parent, const char *key, scree_yaml_kind kind,
                              const char *text) {
  scree_yaml *node = new_node(kind, parent->origin, parent->line, parent->column);
  if (key) node->key = scree_strdup(key);
  if (text) node->text = scree_strdup(text);
  attach(parent, node);
  return node;
}

const char *scree_yaml_path(const scree_yaml *node, char *text, size_t size) {
  text[0] = '\0';
  if (!node->parent) return text;
  scree_yaml_path(node->parent, text, size);
  const size_t used = strlen(text);
  if (node->key) {
    snprintf(text + used, size - used, "%s%s", used ? "." : "", node->key);
  } else {
    int index = 0;
    for (const scree_yaml *n = node->parent->first; n != node; n = n->next) index++;
    snprintf(text + used, size - used, "[%d]", index);
  }
  return text;
}

/// "deck.yaml:3:7: " or "--set a.b=c: ".
static void describe_place(const char *origin, int line, int column, char *text, size_t size) {
  if (line > 0)
    snprintf(text, size, "%.400s:%d:%d: ", origin, line, column);
  else
    snprintf(text, size, "%.400s: ", origin);
}

bool scree_yaml_error(const scree_yaml *node, scree_error *error, const char *format, ...) {
  char place[512], path[256], message[1024];
  describe_place(node->origin, node->line, node->column, place, sizeof place);
  scree_yaml_path(node, path, sizeof path);
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return scree_error_set(error, SCREE_EXIT_INPUT, "%s%s%s%s", place, path, path[0] ? ": " : "",
                         message);
}

// ---- parsing ---------------------------------------------------------------

typedef struct reader {
  yaml_parser_t parser;
  const char *origin;
  bool from_argument; ///< a `--set` value: positions inside it would only confuse
  scree_error *error;
} reader;

/// Error at a place in the text that has no node yet.
static bool refuse(reader *r, yaml_mark_t mark, const char *format, ...) SCREE_PRINTF(3, 4);
static bool refuse(reader *r, yaml_mark_t mark, const char *format, ...) {
  char place[512], message[512];
  describe_place(r->origin, r->from_argument ? 0 : (int)mark.line + 1, (int)mark.column + 1, place,
                 sizeof place);
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return scree_error_set(r->error, SCREE_EXIT_INPUT, "%s%s", place, message);
}

static bool next_event(reader *r, yaml_event_t *event) {
  if (yaml_parser_parse(&r->parser, event)) return true;
  const yaml_parser_t *p = &r->parser;
  SCREE_CHECK(p->error != YAML_MEMORY_ERROR, "out of memory while reading %s", r->origin);
  const char *problem = p->problem ? p->problem : "cannot be parsed";
  if (p->error == YAML_READER_ERROR)
    return scree_error_set(r->error, SCREE_EXIT_INPUT, "%.800s: not UTF-8 text: %s at byte %zu",
                           r->origin, problem, p->problem_offset);
  return refuse(r, p->problem_mark, "not valid YAML: %s%s%s", problem, p->context ? " " : "",
                p->context ? p->context : "");
}

static bool is_anchored(const yaml_event_t *e) {
  switch (e->type) {
  case YAML_SCALAR_EVENT: return e->data.scalar.anchor || e->data.scalar.tag;
  case YAML_SEQUENCE_START_EVENT:
    return e->data.sequence_start.anchor || e->data.sequence_start.tag;
  case YAML_MAPPING_START_EVENT: return e->data.mapping_start.anchor || e->data.mapping_start.tag;
  default: return e->type == YAML_ALIAS_EVENT;
  }
}

static bool is_printable(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) return false;
  return true;
}

static scree_yaml *read_node(reader *r, const yaml_event_t *event, int depth);

/// Reads one key (already in `event`) of `mapping`. Returns it, owned, or NULL with the error set.
static char *read_key(reader *r, const scree_yaml *mapping, const yaml_event_t *event) {
  if (is_anchored(event) || event->type != YAML_SCALAR_EVENT) {
    refuse(r, event->start_mark, "a key must be a plain word");
    return NULL;
  }
  const char *key = (const char *)event->data.scalar.value;
  if (strlen(key) != event->data.scalar.length || !is_printable(key)) {
    refuse(r, event->start_mark, "a key must be a plain word");
    return NULL;
  }
  const scree_yaml *twin = scree_yaml_find(mapping, key);
  if (twin && r->from_argument) {
    refuse(r, event->start_mark, "%.100s: duplicate key", key);
    return NULL;
  }
  if (twin) {
    refuse(r, event->start_mark, "%.100s: duplicate key; it stands already in line %d", key,
           twin->line);
    return NULL;
  }
  if (mapping->count == SCREE_YAML_MAX_KEYS) {
    refuse(r, event->start_mark, "more than %d keys in one mapping", SCREE_YAML_MAX_KEYS);
    return NULL;
  }
  return scree_strdup(key);
}

/// Reads the children of `node` up to its end event.
static bool read_children(reader *r, scree_yaml *node, int depth) {
  const bool mapping = node->kind == SCREE_YAML_MAPPING;
  for (;;) {
    yaml_event_t event;
    if (!next_event(r, &event)) return false;
    if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
      yaml_event_delete(&event);
      return true;
    }
    char *key = NULL;
    const yaml_mark_t mark = event.start_mark;
    if (mapping) {
      key = read_key(r, node, &event);
      yaml_event_delete(&event);
      if (!key || !next_event(r, &event)) {
        scree_free(key);
        return false;
      }
    }
    scree_yaml *child = read_node(r, &event, depth + 1);
    yaml_event_delete(&event);
    if (!child) {
      scree_free(key);
      return false;
    }
    child->key = key;
    // What a user looks for is the key, not the value after it.
    if (mapping && !r->from_argument) {
      child->line = (int)mark.line + 1;
      child->column = (int)mark.column + 1;
    }
    attach(node, child);
  }
}

/// Builds the node that starts with `event` (borrowed). NULL with the error set if it cannot be
/// taken.
static scree_yaml *read_node(reader *r, const yaml_event_t *event, int depth) {
  const yaml_mark_t mark = event->start_mark;
  if (is_anchored(event)) {
    refuse(r, mark,
           "anchors, aliases and tags (&, *, !) are not used in decks; write the value out");
    return NULL;
  }
  if (depth > SCREE_YAML_MAX_DEPTH) {
    refuse(r, mark, "nested more than %d levels deep", SCREE_YAML_MAX_DEPTH);
    return NULL;
  }
  const scree_yaml_kind kind = event->type == YAML_SCALAR_EVENT           ? SCREE_YAML_SCALAR
                               : event->type == YAML_SEQUENCE_START_EVENT ? SCREE_YAML_SEQUENCE
                                                                          : SCREE_YAML_MAPPING;
  scree_yaml *node =
      new_node(kind, r->origin, r->from_argument ? 0 : (int)mark.line + 1, (int)mark.column + 1);
  if (kind == SCREE_YAML_SCALAR) {
    const char *text = (const char *)event->data.scalar.value;
    if (strlen(text) != event->data.scalar.length) {
      refuse(r, mark, "a value holds a zero byte");
      scree_yaml_destroy(node);
      return NULL;
    }
    node->text = scree_strdup(text);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  } else if (!read_children(r, node, depth)) {
    scree_yaml_destroy(node);
    return NULL;
  }
  return node;
}

/// The one document of the stream, or NULL with the error set.
static scree_yaml *read_document(reader *r) {
  scree_yaml *root = NULL;
  for (;;) {
    yaml_event_t event;
    if (!next_event(r, &event)) break;
    const yaml_event_type_t type = event.type;
    if (type == YAML_DOCUMENT_START_EVENT && root) {
      refuse(r, event.start_mark, "a second document starts here; a deck is one document");
      yaml_event_delete(&event);
      break;
    }
    const bool structural = type == YAML_STREAM_START_EVENT || type == YAML_STREAM_END_EVENT ||
                            type == YAML_DOCUMENT_START_EVENT || type == YAML_DOCUMENT_END_EVENT;
    if (!structural) root = read_node(r, &event, 0);
    yaml_event_delete(&event);
    if (!structural && !root) return NULL;
    if (type == YAML_STREAM_END_EVENT) {
      if (!root) scree_error_set(r->error, SCREE_EXIT_INPUT, "%.800s: is empty", r->origin);
      return root;
    }
  }
  scree_yaml_destroy(root);
  return NULL;
}

static scree_yaml *parse(const char *text, size_t size, const char *origin, bool from_argument,
                         scree_error *error) {
  reader r = {.origin = origin, .from_argument = from_argument, .error = error};
  SCREE_CHECK(yaml_parser_initialize(&r.parser), "out of memory while reading %s", origin);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
  scree_yaml *root = read_document(&r);
  yaml_parser_delete(&r.parser);
  return root;
}

/// Decks have no use for directives, and libyaml takes a time quadratic in their number.
static bool has_directive(const char *text, size_t size) {
  for (const char *at = text, *end = text + size; at && at < end; at++) {
    if (*at == '%') return true;
    at = memchr(at, '\n', (size_t)(end - at));
    if (!at) return false;
  }
  return false;
}

scree_yaml *scree_yaml_parse(const char *text, size_t size, const char *origin,
                             scree_error *error) {
  if (has_directive(text, size)) {
    scree_error_set(error, SCREE_EXIT_INPUT,
                    "%.800s: a line starts with %%: directives are not used in decks", origin);
    return NULL;
  }
  return parse(text, size, origin, false, error);
}

// ---- --set -----------------------------------------------------------------

/// Replace `old` in its parent by `fresh`, which takes over key and place in the list.
static void replace(scree_yaml *old, scree_yaml *fresh) {
  scree_yaml *parent = old->parent;
  fresh->key = old->key;
  old->key = NULL;
  fresh->parent = parent;
  fresh->next = old->next;
  scree_yaml **link = &parent->first;
  while (*link != old) link = &(*link)->next;
  *link = fresh;
  if (parent->last == old) parent->last = fresh;
  scree_yaml_destroy(old);
}

/// Take one step of a path, "key" or "[index]", off `*path`. False if it is neither.
static bool next_step(const char **path, char *key, size_t size, long *index) {
  const char *p = *path;
  *index = -1;
  if (*p == '[') {
    const size_t digits = strspn(p + 1, "0123456789");
    if (digits == 0 || digits > 9 || p[1 + digits] != ']') return false;
    *index = strtol(p + 1, NULL, 10);
    p += digits + 2;
  } else {
    const size_t length = strcspn(p, ".[");
    if (length == 0 || length >= size) return false;
    memcpy(key, p, length);
    key[length] = '\0';
    p += length;
  }
  if (*p == '.') {
    p++;
    if (*p == '\0') return false;
  } else if (*p != '\0' && *p != '[') {
    return false;
  }
  *path = p;
  return true;
}

/// The node a step leads to, made if it is a missing key. NULL with the error set if there is no
/// way.
static scree_yaml *take_step(scree_yaml *node, const char *key, long index, const char *argument,
                             scree_error *error) {
  char path[256];
  const char *where = scree_yaml_path(node, path, sizeof path)[0] ? path : "the deck";
  if (index >= 0) {
    if (node->kind != SCREE_YAML_SEQUENCE || index >= node->count) {
      scree_error_set(error, SCREE_EXIT_INPUT, "%.200s: %s has no entry [%ld]", argument, where,
                      index);
      return NULL;
    }
    scree_yaml *child = node->first;
    while (index-- > 0) child = child->next;
    return child;
  }
  if (node->kind != SCREE_YAML_MAPPING) {
    scree_error_set(error, SCREE_EXIT_INPUT, "%.200s: %s is not a mapping, so it has no key '%s'%s",
                    argument, where, key,
                    node->kind == SCREE_YAML_SEQUENCE ? "; entries are written [0], [1], ..." : "");
    return NULL;
  }
  scree_yaml *child = scree_yaml_find(node, key);
  if (child) return child;
  child = scree_yaml_append(node, key, SCREE_YAML_MAPPING, NULL);
  child->origin = argument;
  child->line = 0;
  return child;
}

bool scree_yaml_set(scree_yaml *root, const char *argument, const char *assignment,
                    scree_error *error) {
  const char *equals = strchr(assignment, '=');
  char path[256];
  if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof path)
    return scree_error_set(error, SCREE_EXIT_INPUT,
                           "%.200s: expected KEY=VALUE, such as solver.time_step=0.01", argument);
  memcpy(path, assignment, (size_t)(equals - assignment));
  path[equals - assignment] = '\0';

  scree_yaml *value = parse(equals + 1, strlen(equals + 1), argument, true, error);
  if (!value) {
    if (equals[1] == '\0')
      scree_error_set(error, SCREE_EXIT_INPUT, "%.200s: no value after '='", argument);
    return false;
  }
  scree_yaml *node = root;
  for (const char *rest = path; *rest;) {
    char key[128];
    long index;
    if (!next_step(&rest, key, sizeof key, &index)) {
      scree_yaml_destroy(value);
      return scree_error_set(error, SCREE_EXIT_INPUT,
                             "%.200s: '%.100s' is not a key path, such as a.b or list[0].key",
                             argument, path);
    }
    node = take_step(node, key, index, argument, error);
    if (!node) {
      scree_yaml_destroy(value);
      return false;
    }
  }
  replace(node, value);
  return true;
}
