/// \file
/// The form of the table in deck_schema.c and what is read off it.
#pragma once
#include "scree/yaml_tree.h"

#include <stddef.h>

typedef enum {
  SCREE_PARAM_REAL,     ///< double
  SCREE_PARAM_INTEGER,  ///< int64_t (or uint64_t with a lower bound of 0)
  SCREE_PARAM_CHOICE,   ///< enum, one of `choices`
  SCREE_PARAM_NAME,     ///< char *: letters, digits, '_', '-', '.'
  SCREE_PARAM_TEXT,     ///< char *: any text
  SCREE_PARAM_NAMES,    ///< char **, list of names
  SCREE_PARAM_VECTOR,   ///< scree_vec, two or three numbers
  SCREE_PARAM_CELLS,    ///< int64_t[3], two or three integers
  SCREE_PARAM_FLAGS,    ///< bool[3], two or three of true and false
  SCREE_PARAM_RANGE,    ///< double[2]
  SCREE_PARAM_PAIRS,    ///< double (*)[2], list of pairs of numbers
  SCREE_PARAM_SECTION,  ///< struct described by `keys`
  SCREE_PARAM_SECTIONS, ///< array of structs described by `keys`
} scree_param_type;

/// One key of the deck. A table ends with an entry without `key`. The member of a key that may be
/// absent (`optional`, `one_of`) is a pointer, NULL when it is.
typedef struct scree_param {
  const char *key;
  scree_param_type type;
  size_t offset;                  ///< of the member in the struct of the enclosing section
  size_t count_offset;            ///< of the uint32_t that counts a list
  size_t size;                    ///< of one struct (sections only)
  const struct scree_param *keys; ///< sections only
  const char *const *choices;     ///< names in the order of the enum, ended by NULL
  const char *fallback; ///< default as YAML; NULL: required (unless one_of, optional or a section)
  bool one_of;          ///< of the keys marked so in a section exactly one must stand there
  bool optional;        ///< may be absent
  bool above;           ///< `least` itself is not allowed
  double least, most;   ///< range; both 0: any
  const char *unit;     ///< dimension, NULL: none
  const char *help;
} scree_param;

/// The root of the table.
extern const scree_param scree_deck_keys[];

/// What a value of `p` must look like, "a number > 0", into `text`.
const char *scree_param_expects(const scree_param *p, char *text, size_t size);

/// Check `node` (a mapping) against `keys`, write numbers in canonical form, add defaults. See
/// deck_check.c.
bool scree_deck_check(scree_yaml *node, const scree_param *keys, scree_error *error);
/// In two dimensions vectors may leave out their third component: write it, or complain in three
/// dimensions.
bool scree_deck_complete_vectors(scree_yaml *node, const scree_param *keys, int dimension,
                                 scree_error *error);
/// What no single key can tell: rules between keys. `root` gives the places for messages. See
/// deck_rules.c.
struct scree_deck;
bool scree_deck_check_rules(const struct scree_deck *deck, const scree_yaml *root,
                            scree_error *error);
