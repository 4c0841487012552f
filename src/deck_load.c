/// \file
/// Resolved text → scree_deck, by libcyaml with a schema made from the table of parameters. The
/// only file that knows libcyaml. By now the text has been checked, so any complaint is a mistake
/// in Scree.
#include "deck_schema.h"
#include "scree/deck.h"
#include "scree/memory.h"

#include <cyaml/cyaml.h>
#include <stdio.h>
#include <string.h>

static const cyaml_schema_value_t real_entry = {CYAML_VALUE_FLOAT(CYAML_FLAG_DEFAULT, double)};
static const cyaml_schema_value_t integer_entry = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int64_t)};
static const cyaml_schema_value_t flag_entry = {CYAML_VALUE_BOOL(CYAML_FLAG_DEFAULT, bool)};
static const cyaml_schema_value_t pair_entry = {
    CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_DEFAULT, double, &real_entry, 2)};
static const cyaml_schema_value_t name_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

/// Everything the schema is made of, so that it can be freed in one go.
typedef struct arena {
  void *block[64];
  int count;
} arena;

static void *take(arena *a, size_t count, size_t size) {
  SCREE_CHECK(a->count < (int)(sizeof a->block / sizeof a->block[0]),
              "the deck schema has grown: enlarge the arena");
  return a->block[a->count++] = scree_alloc(count, size);
}

static const cyaml_schema_field_t *make_fields(arena *a, const scree_param *keys);

static cyaml_schema_value_t section_value(arena *a, const scree_param *p, int flags) {
  return (cyaml_schema_value_t){.type = CYAML_MAPPING,
                                .flags = (enum cyaml_flag)flags,
                                .data_size = (uint32_t)p->size,
                                .mapping = {.fields = make_fields(a, p->keys)}};
}

static cyaml_schema_value_t choice_value(arena *a, const scree_param *p) {
  uint32_t count = 0;
  while (p->choices[count]) count++;
  cyaml_strval_t *strings = take(a, count, sizeof *strings);
  for (uint32_t i = 0; i < count; i++) strings[i] = (cyaml_strval_t){p->choices[i], i};
  return (cyaml_schema_value_t){.type = CYAML_ENUM,
                                .flags = CYAML_FLAG_STRICT,
                                .data_size =
                                    sizeof(scree_lattice_kind), // all our enums have this size
                                .enumeration = {.strings = strings, .count = count}};
}

static cyaml_schema_value_t list_value(const cyaml_schema_value_t *entry) {
  // The size of one entry: a pointer in a list of names, the whole pair in a list of pairs.
  size_t size = entry->data_size;
  if (entry->type == CYAML_STRING) size = sizeof(char *);
  if (entry->type == CYAML_SEQUENCE_FIXED) size *= entry->sequence.max;
  return (cyaml_schema_value_t){.type = CYAML_SEQUENCE,
                                .flags = CYAML_FLAG_POINTER,
                                .data_size = (uint32_t)size,
                                .sequence = {.entry = entry, .min = 0, .max = CYAML_UNLIMITED}};
}

static cyaml_schema_value_t fixed_value(const cyaml_schema_value_t *entry, uint32_t count) {
  return (cyaml_schema_value_t){.type = CYAML_SEQUENCE_FIXED,
                                .flags = CYAML_FLAG_DEFAULT,
                                .data_size = entry->data_size,
                                .sequence = {.entry = entry, .min = count, .max = count}};
}

static cyaml_schema_value_t sections_value(arena *a, const scree_param *p) {
  cyaml_schema_value_t *entry = take(a, 1, sizeof *entry);
  *entry = section_value(a, p, CYAML_FLAG_DEFAULT);
  return list_value(entry);
}

static cyaml_schema_value_t make_value(arena *a, const scree_param *p) {
  switch (p->type) {
  case SCREE_PARAM_REAL: return real_entry;
  case SCREE_PARAM_INTEGER: return integer_entry;
  case SCREE_PARAM_CHOICE: return choice_value(a, p);
  case SCREE_PARAM_NAME:
  case SCREE_PARAM_TEXT: return name_entry;
  case SCREE_PARAM_NAMES: return list_value(&name_entry);
  case SCREE_PARAM_VECTOR: return fixed_value(&real_entry, 3);
  case SCREE_PARAM_CELLS: return fixed_value(&integer_entry, 3);
  case SCREE_PARAM_FLAGS: return fixed_value(&flag_entry, 3);
  case SCREE_PARAM_RANGE: return fixed_value(&real_entry, 2);
  case SCREE_PARAM_PAIRS: return list_value(&pair_entry);
  case SCREE_PARAM_SECTION: return section_value(a, p, CYAML_FLAG_DEFAULT);
  case SCREE_PARAM_SECTIONS: return sections_value(a, p);
  }
  SCREE_FAIL("no such type of key");
}

static const cyaml_schema_field_t *make_fields(arena *a, const scree_param *keys) {
  size_t count = 0;
  while (keys[count].key) count++;
  cyaml_schema_field_t *fields = take(a, count + 1, sizeof *fields);
  for (size_t i = 0; i < count; i++) {
    const scree_param *p = &keys[i];
    const bool list = p->type == SCREE_PARAM_NAMES || p->type == SCREE_PARAM_PAIRS ||
                      p->type == SCREE_PARAM_SECTIONS;
    fields[i] = (cyaml_schema_field_t){.key = p->key,
                                       .data_offset = (uint32_t)p->offset,
                                       .count_offset = (uint32_t)p->count_offset,
                                       .count_size = list ? sizeof(uint32_t) : 0,
                                       .value = make_value(a, p)};
    if (p->one_of || p->optional) {
      const int flags = fields[i].value.flags | CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL;
      fields[i].value.flags = (enum cyaml_flag)flags;
    }
  }
  return fields;
}

static cyaml_schema_value_t make_schema(arena *a) {
  const scree_param root = {.keys = scree_deck_keys, .size = sizeof(scree_deck)};
  return section_value(a, &root, CYAML_FLAG_POINTER);
}

static void drop_schema(arena *a) {
  while (a->count > 0) scree_free(a->block[--a->count]);
}

static void keep_message(cyaml_log_t level, void *context, const char *format, va_list args)
    SCREE_PRINTF(3, 0);
static void keep_message(cyaml_log_t level, void *context, const char *format, va_list args) {
  (void)level;
  char *text = context;
  const size_t used = strlen(text), size = 512;
  vsnprintf(text + used, size - used, format, args);
}

static cyaml_config_t make_config(char *message) {
  return (cyaml_config_t){.log_fn = keep_message,
                          .log_ctx = message,
                          .mem_fn = cyaml_mem,
                          .log_level = CYAML_LOG_WARNING,
                          .flags = CYAML_CFG_NO_ALIAS};
}

scree_deck *scree_deck_load(const char *resolved) {
  arena a = {.count = 0};
  char message[512] = "";
  const cyaml_schema_value_t schema = make_schema(&a);
  const cyaml_config_t config = make_config(message);
  scree_deck *deck = NULL;
  const cyaml_err_t failed = cyaml_load_data((const uint8_t *)resolved, strlen(resolved), &config,
                                             &schema, (cyaml_data_t **)&deck, NULL);
  SCREE_CHECK(!failed, "the resolved deck cannot be loaded: %s: %s", cyaml_strerror(failed),
              message);
  drop_schema(&a);
  return deck;
}

void scree_deck_destroy(scree_deck *deck) {
  if (!deck) return;
  arena a = {.count = 0};
  char message[512] = "";
  const cyaml_schema_value_t schema = make_schema(&a);
  const cyaml_config_t config = make_config(message);
  const cyaml_err_t failed = cyaml_free(&config, &schema, deck, 0);
  SCREE_CHECK(!failed, "the deck cannot be freed: %s: %s", cyaml_strerror(failed), message);
  drop_schema(&a);
}
