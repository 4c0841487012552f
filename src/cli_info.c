/// \file
/// scree info FILE: what is in a field file or checkpoint, for which steps, who wrote it.
#include "cli.h"
#include "scree/adios.h"
#include "scree/memory.h"
#include "scree/seal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct info_arguments {
  const char *path;
  bool deck;
} info_arguments;

static error_t parse_info(int key, char *value, struct argp_state *state) {
  info_arguments *a = state->input;
  switch (key) {
  case 'h': return SCREE_ARGP_HELP;
  case 'd': a->deck = true; return 0;
  case ARGP_KEY_ARG:
    if (a->path) {
      argp_error(state, "one file at a time; '%s' is one too many", value);
      return EINVAL;
    }
    a->path = value;
    return 0;
  case ARGP_KEY_END:
    if (a->path) return 0;
    argp_error(state, "which FILE? A fields.bp or checkpoint.bp is expected");
    return EINVAL;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option info_options[] = {
    {"deck", 'd', NULL, 0, "Print the deck it was written with, and nothing else.", 0},
    SCREE_ARGP_HELP_OPTION,
    {0}};

static const struct argp info_argp = {.options = info_options,
                                      .parser = parse_info,
                                      .args_doc = "FILE",
                                      .doc = "Tell what is in a field file or checkpoint.\v"
                                             "Schema, who wrote it, steps and times, arrays with "
                                             "their shapes. Exit code 2 if it cannot be "
                                             "read, or is a checkpoint whose checksums are wrong."};

static void print_array(const scree_adios_array *array, void *context) {
  (void)context;
  char shape[64] = "scalar";
  if (array->dimensions == 1)
    snprintf(shape, sizeof shape, "%llu", (unsigned long long)array->shape[0]);
  if (array->dimensions == 2)
    snprintf(shape, sizeof shape, "%llu x %llu", (unsigned long long)array->shape[0],
             (unsigned long long)array->shape[1]);
  printf("  %-32s %-10s %s\n", array->name, array->type, shape);
}

/// Steps of the file and their span; ends at the last one.
static void print_steps(scree_adios *file) {
  int64_t first = 0, last = 0, count = 0, step;
  double from = 0, to = 0, time;
  do {
    if (!scree_adios_get_number(file, "step", SCREE_ADIOS_INT64, &step)) break;
    if (!scree_adios_get_number(file, "time", SCREE_ADIOS_DOUBLE, &time)) time = 0;
    if (count++ == 0) {
      first = step;
      from = time;
    }
    last = step;
    to = time;
  } while (scree_adios_next_step(file));
  printf("states     %lld, from step %lld to %lld", (long long)count, (long long)first,
         (long long)last);
  if (to > 0) printf(", time %g to %g", from, to);
  puts("");
}

static bool show(const info_arguments *a, scree_error *error) {
  char *seal = NULL;
  const size_t length = strlen(a->path) + sizeof "/scree.seal";
  seal = scree_alloc(length, 1);
  snprintf(seal, length, "%s/scree.seal", a->path);
  const bool sealed = access(seal, F_OK) == 0;
  scree_free(seal);
  if (sealed && !scree_seal_check(a->path, error)) return false;
  scree_adios *file = scree_adios_open(&scree_alone, a->path, error);
  if (!file) return false;
  char *schema = scree_adios_get_text(file, "schema"), *deck = scree_adios_get_text(file, "deck"),
       *provenance = scree_adios_get_text(file, "provenance");
  const bool ours = schema && strncmp(schema, "scree ", 6) == 0;
  if (!ours) {
    scree_error_set(error, SCREE_EXIT_INPUT,
                    "%.800s was not written by Scree: it has no schema of it", a->path);
  } else if (a->deck) {
    fputs(deck ? deck : "", stdout);
  } else {
    printf("file       %s\nschema     %s%s\n", a->path, schema, sealed ? ", seal intact" : "");
    if (provenance) printf("written by %s\n", provenance);
    puts("arrays, first state");
    scree_adios_each(file, print_array, NULL);
    print_steps(file);
  }
  scree_free(schema);
  scree_free(deck);
  scree_free(provenance);
  scree_adios_close(file);
  return ours;
}

int scree_cli_info(const scree_cli *cli, int argc, char **argv) {
  info_arguments a = {0};
  const scree_parse_result parsed = scree_cli_parse(cli, &info_argp, argc, argv, 0, &a);
  if (parsed != SCREE_PARSED) return scree_cli_parse_exit(parsed);
  scree_error error;
  bool ok = cli->rank != 0 || show(&a, &error);
  ok = scree_error_agree(ok, &error, cli->comm);
  return ok ? SCREE_EXIT_OK : scree_cli_fail(cli, &error);
}
