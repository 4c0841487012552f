/// \file
/// Checks a YAML tree against the table of parameters, key by key, and completes it: every number
/// in canonical form, every default written out. What is left is a resolved deck. Rules between
/// keys are in deck_rules.c.
#include "deck_schema.h"
#include "nearest.h"
#include "scree/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values ----------------------------------------------------------------

/// What stands there, short and without control characters.
static void describe(const scree_yaml *node, char *text, size_t size) {
  enum { most = 40 };
  if (node->kind == SCREE_YAML_SCALAR && node->text[0] == '\0' && !node->quoted)
    snprintf(text, size, "nothing");
  else if (node->kind == SCREE_YAML_SCALAR)
    snprintf(text, size, "%s'%.*s%s'", node->quoted ? "the text " : "", most, node->text,
             strlen(node->text) > most ? "..." : "");
  else if (node->kind == SCREE_YAML_MAPPING)
    snprintf(text, size, "a mapping");
  else
    snprintf(text, size, "a list of %d", node->count);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
}

static bool wrong(const scree_yaml *node, const scree_param *p, scree_error *error,
                  const char *hint) {
  char expected[256], got[64];
  describe(node, got, sizeof got);
  return scree_yaml_error(node, error, "expected %s%s%s%s, got %s%s%s\n  %s",
                          scree_param_expects(p, expected, sizeof expected), p->unit ? " [" : "",
                          p->unit ? p->unit : "", p->unit ? "]" : "", got, hint ? "; " : "",
                          hint ? hint : "", p->help);
}

static bool in_range(const scree_param *p, double value) {
  if (p->least == 0 && p->most == 0) return true;
  return value <= p->most && (p->above ? value > p->least : value >= p->least);
}

static void set_text(scree_yaml *node, const char *text) {
  scree_free(node->text);
  node->text = scree_strdup(text);
}

/// Shortest of the usual precisions that reads back as the same number.
static void print_real(double value, char *text, size_t size) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, size, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return;
  }
}

static bool check_real(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (node->kind != SCREE_YAML_SCALAR) return wrong(node, p, error, NULL);
  if (node->quoted) return wrong(node, p, error, "numbers stand without quotes");
  char *end;
  const double value = strtod(node->text, &end);
  const char *special = node->text + strspn(node->text, "+-.");
  if (strncasecmp(special, "nan", 3) == 0 || strncasecmp(special, "inf", 3) == 0)
    return wrong(node, p, error, "it must be finite");
  if (end == node->text || *end) return wrong(node, p, error, NULL);
  if (!isfinite(value)) return wrong(node, p, error, "it is too large for a double");
  if (value == 0 && strpbrk(node->text, "123456789"))
    return wrong(node, p, error, "it is too small for a double");
  if (!in_range(p, value)) return wrong(node, p, error, NULL);
  char text[40];
  print_real(value, text, sizeof text);
  set_text(node, text);
  return true;
}

static const double most_integer = 9e15; // exact as a double

static bool check_integer(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (node->kind != SCREE_YAML_SCALAR) return wrong(node, p, error, NULL);
  if (node->quoted) return wrong(node, p, error, "numbers stand without quotes");
  char *end;
  errno = 0;
  const long long value = strtoll(node->text, &end, 10);
  if (end == node->text || *end) {
    char hint[64];
    const double real = strtod(node->text, &end);
    const bool whole = end != node->text && !*end && real == floor(real) && fabs(real) < 1e15;
    snprintf(hint, sizeof hint, "write %.0f", real);
    return wrong(node, p, error, whole ? hint : NULL);
  }
  if (errno == ERANGE || (double)value > p->most)
    return wrong(node, p, error, p->most >= most_integer ? "it is too large" : NULL);
  if (!in_range(p, (double)value)) return wrong(node, p, error, NULL);
  char text[32];
  snprintf(text, sizeof text, "%lld", value); // decimal whatever it looked like: 010 is ten
  set_text(node, text);
  return true;
}

static bool check_choice(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (node->kind != SCREE_YAML_SCALAR) return wrong(node, p, error, NULL);
  for (const char *const *c = p->choices; *c; c++)
    if (strcmp(node->text, *c) == 0) return true;
  char hint[96];
  const char *nearest = scree_nearest(node->text, p->choices);
  snprintf(hint, sizeof hint, "did you mean '%s'?", nearest ? nearest : "");
  return wrong(node, p, error, nearest ? hint : NULL);
}

static bool check_name(scree_yaml *node, const scree_param *p, scree_error *error) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (node->kind != SCREE_YAML_SCALAR || (node->text[0] == '\0' && !p->fallback))
    return wrong(node, p, error, NULL);
  if (strspn(node->text, allowed) != strlen(node->text)) return wrong(node, p, error, NULL);
  if (strlen(node->text) > 64) return wrong(node, p, error, "at most 64 characters");
  node->quoted = true; // so that a name such as 12 stays text
  return true;
}

static bool check_flag(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (node->kind == SCREE_YAML_SCALAR && !node->quoted &&
      (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
    return true;
  return wrong(node, p, error, "each of them true or false");
}

static bool check_text(scree_yaml *node, const scree_param *p, scree_error *error) {
  const bool may_be_empty = p->fallback && strcmp(p->fallback, "\"\"") == 0;
  if (node->kind != SCREE_YAML_SCALAR || (node->text[0] == '\0' && !may_be_empty))
    return wrong(node, p, error, NULL);
  for (const char *c = node->text; *c; c++)
    if ((unsigned char)*c < ' ') return wrong(node, p, error, "it holds a control character");
  node->quoted = true;
  return true;
}

/// Two numbers.
static bool check_pair(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (node->kind != SCREE_YAML_SEQUENCE || node->count != 2) return wrong(node, p, error, NULL);
  scree_param entry = *p;
  entry.type = SCREE_PARAM_REAL;
  return check_real(node->first, &entry, error) && check_real(node->last, &entry, error);
}

static bool check_range(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (!check_pair(node, p, error)) return false;
  if (strtod(node->first->text, NULL) <= strtod(node->last->text, NULL)) return true;
  return wrong(node, p, error, "the first must not be larger than the second");
}

static bool check_pairs(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (node->kind != SCREE_YAML_SEQUENCE) return wrong(node, p, error, NULL);
  for (scree_yaml *child = node->first; child; child = child->next)
    if (!check_pair(child, p, error)) return false;
  return true;
}

/// Two or three entries that pass `check`. Whether two are enough is decided when the dimension is
/// known.
static bool check_triple(scree_yaml *node, const scree_param *p, scree_error *error,
                         bool (*check)(scree_yaml *, const scree_param *, scree_error *)) {
  if (node->kind != SCREE_YAML_SEQUENCE || node->count < 2 || node->count > 3)
    return wrong(node, p, error, NULL);
  scree_param entry = *p;
  if (p->type == SCREE_PARAM_VECTOR) entry.type = SCREE_PARAM_REAL;
  if (p->type == SCREE_PARAM_CELLS) entry.type = SCREE_PARAM_INTEGER;
  for (scree_yaml *child = node->first; child; child = child->next)
    if (!check(child, &entry, error)) return false;
  return true;
}

static bool check_list(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (node->kind != SCREE_YAML_SEQUENCE || (node->count == 0 && !p->fallback))
    return wrong(node, p, error, NULL);
  for (scree_yaml *child = node->first; child; child = child->next) {
    if (p->type == SCREE_PARAM_NAMES) {
      const scree_param entry = {.type = SCREE_PARAM_NAME, .help = p->help};
      if (!check_name(child, &entry, error)) return false;
    } else if (child->kind != SCREE_YAML_MAPPING) {
      const scree_param entry = {.type = SCREE_PARAM_SECTION, .help = p->help};
      return wrong(child, &entry, error, NULL);
    } else if (!scree_deck_check(child, p->keys, error)) {
      return false;
    }
  }
  return true;
}

static bool check_value(scree_yaml *node, const scree_param *p, scree_error *error) {
  switch (p->type) {
  case SCREE_PARAM_REAL: return check_real(node, p, error);
  case SCREE_PARAM_INTEGER: return check_integer(node, p, error);
  case SCREE_PARAM_CHOICE: return check_choice(node, p, error);
  case SCREE_PARAM_NAME: return check_name(node, p, error);
  case SCREE_PARAM_VECTOR: return check_triple(node, p, error, check_real);
  case SCREE_PARAM_CELLS: return check_triple(node, p, error, check_integer);
  case SCREE_PARAM_FLAGS: return check_triple(node, p, error, check_flag);
  case SCREE_PARAM_TEXT: return check_text(node, p, error);
  case SCREE_PARAM_RANGE: return check_range(node, p, error);
  case SCREE_PARAM_PAIRS: return check_pairs(node, p, error);
  case SCREE_PARAM_NAMES:
  case SCREE_PARAM_SECTIONS: return check_list(node, p, error);
  case SCREE_PARAM_SECTION:
    if (node->kind != SCREE_YAML_MAPPING) return wrong(node, p, error, NULL);
    return scree_deck_check(node, p->keys, error);
  }
  return false;
}

// ---- sections --------------------------------------------------------------

/// Looks for `key` anywhere in the table below `keys`: a right key in the wrong section.
static const char *find_elsewhere(const char *key, const scree_param *keys, const char *section) {
  for (const scree_param *p = keys; p->key; p++) {
    if (section && strcmp(p->key, key) == 0) return section;
    if (p->keys) {
      const char *found = find_elsewhere(key, p->keys, p->key);
      if (found) return found;
    }
  }
  return NULL;
}

static bool unknown_key(const scree_yaml *node, const scree_param *keys, scree_error *error) {
  const char *known[64];
  char list[512] = "";
  int count = 0;
  for (const scree_param *p = keys; p->key; p++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", p->key);
    known[count++] = p->key;
  }
  known[count] = NULL;
  const char *nearest = scree_nearest(node->key, known);
  if (nearest)
    return scree_yaml_error(node, error, "unknown key; did you mean '%s'?\n  known here: %s",
                            nearest, list);
  const char *elsewhere = find_elsewhere(node->key, scree_deck_keys, NULL);
  if (elsewhere)
    return scree_yaml_error(node, error, "unknown key here; it belongs into '%s'\n  known here: %s",
                            elsewhere, list);
  return scree_yaml_error(node, error, "unknown key\n  known here: %s", list);
}

static const scree_param *find_param(const scree_param *keys, const char *key) {
  for (; keys->key; keys++)
    if (strcmp(keys->key, key) == 0) return keys;
  return NULL;
}

/// Of the keys marked one_of exactly one must be there.
static bool check_one_of(const scree_yaml *node, const scree_param *keys, scree_error *error) {
  const scree_yaml *chosen = NULL;
  char names[256] = "";
  bool any = false;
  for (const scree_param *p = keys; p->key; p++) {
    if (!p->one_of) continue;
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", any ? ", " : "", p->key);
    any = true;
    const scree_yaml *found = scree_yaml_find(node, p->key);
    if (found && chosen)
      return scree_yaml_error(found, error,
                              "only one of the keys it shares its place with may be "
                              "given, and '%s' is there already",
                              chosen->key);
    if (found) chosen = found;
  }
  if (any && !chosen)
    return scree_yaml_error(node, error, "one of these keys is needed: %s", names);
  return true;
}

/// A default is YAML text in the table; take it into the tree as if the user had written it.
static bool add_default(scree_yaml *node, const scree_param *p, scree_error *error) {
  scree_yaml *value = scree_yaml_parse(p->fallback, strlen(p->fallback), "default", error);
  SCREE_CHECK(value, "the table's default for '%s' is not YAML", p->key);
  scree_yaml *child = scree_yaml_append(node, p->key, value->kind, value->text);
  child->quoted = value->quoted;
  for (const scree_yaml *entry = value->first; entry; entry = entry->next)
    scree_yaml_append(child, NULL, entry->kind, entry->text);
  scree_yaml_destroy(value);
  return check_value(child, p, error);
}

static bool add_missing(scree_yaml *node, const scree_param *p, scree_error *error) {
  if (p->one_of || p->optional) return true;
  if (p->fallback) return add_default(node, p, error);
  if (p->type == SCREE_PARAM_SECTION) {
    // A section without required keys may be left out as a whole; otherwise the message names the
    // first of them.
    scree_yaml *section = scree_yaml_append(node, p->key, SCREE_YAML_MAPPING, NULL);
    return scree_deck_check(section, p->keys, error);
  }
  char expected[256];
  return scree_yaml_error(node, error, "'%s' is missing; expected %s%s%s%s\n  %s: %s", p->key,
                          scree_param_expects(p, expected, sizeof expected), p->unit ? " [" : "",
                          p->unit ? p->unit : "", p->unit ? "]" : "", p->key, p->help);
}

bool scree_deck_check(scree_yaml *node, const scree_param *keys, scree_error *error) {
  for (scree_yaml *child = node->first; child; child = child->next) {
    const scree_param *p = find_param(keys, child->key);
    if (!p) return unknown_key(child, keys, error);
    if (!check_value(child, p, error)) return false;
  }
  if (!check_one_of(node, keys, error)) return false;
  for (const scree_param *p = keys; p->key; p++)
    if (!scree_yaml_find(node, p->key) && !add_missing(node, p, error)) return false;
  return true;
}

// ---- vectors ---------------------------------------------------------------

static bool complete_vector(scree_yaml *node, const scree_param *p, int dimension,
                            scree_error *error) {
  if (node->count == 3) return true;
  if (dimension == 3)
    return scree_yaml_error(node, error, "expected three components, as packing.dimension is 3");
  const char *third = p->type == SCREE_PARAM_CELLS   ? "1"
                      : p->type == SCREE_PARAM_FLAGS ? "false"
                                                     : "0";
  scree_yaml_append(node, NULL, SCREE_YAML_SCALAR, third);
  return true;
}

bool scree_deck_complete_vectors(scree_yaml *node, const scree_param *keys, int dimension,
                                 scree_error *error) {
  for (const scree_param *p = keys; p->key; p++) {
    scree_yaml *child = scree_yaml_find(node, p->key);
    if (!child) continue;
    bool ok = true;
    if (p->type == SCREE_PARAM_VECTOR || p->type == SCREE_PARAM_CELLS ||
        p->type == SCREE_PARAM_FLAGS)
      ok = complete_vector(child, p, dimension, error);
    else if (p->type == SCREE_PARAM_SECTION)
      ok = scree_deck_complete_vectors(child, p->keys, dimension, error);
    else if (p->type == SCREE_PARAM_SECTIONS)
      for (scree_yaml *entry = child->first; ok && entry; entry = entry->next)
        ok = scree_deck_complete_vectors(entry, p->keys, dimension, error);
    if (!ok) return false;
  }
  return true;
}
