/// \file
/// scree keys: the table of parameters for people; with --markdown it is docs/input.md.
#include "cli.h"
#include "deck_schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static error_t parse_keys(int key, char *value, struct argp_state *state) {
  (void)value;
  switch (key) {
  case 'h': return SCREE_ARGP_HELP;
  case 'm': *(bool *)state->input = true; return 0;
  case ARGP_KEY_ARG: argp_error(state, "no argument expected, got '%s'", value); return EINVAL;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option keys_options[] = {
    {"markdown", 'm', NULL, 0, "The reference page docs/input.md.", 0},
    SCREE_ARGP_HELP_OPTION,
    {0}};

static const struct argp keys_argp = {
    .options = keys_options, .parser = parse_keys, .doc = "List every key a deck may have."};

static const char *default_text(const scree_param *p) {
  if (p->one_of) return "one of these";
  if (p->type == SCREE_PARAM_SECTION) return "";
  if (p->optional) return "see there";
  if (!p->fallback) return "required";
  return strcmp(p->fallback, "\"\"") == 0 ? "none" : p->fallback;
}

/// "a.b", with "[]" behind a list, for the keys below `p`.
static void join(const char *path, const scree_param *p, char *text, size_t size) {
  snprintf(text, size, "%s%s%s%s", path, path[0] ? "." : "", p->key,
           p->type == SCREE_PARAM_SECTIONS ? "[]" : "");
}

static void print_plain(const scree_param *keys, const char *path) {
  for (const scree_param *p = keys; p->key; p++) {
    char name[128], expected[256];
    join(path, p, name, sizeof name);
    if (p->type != SCREE_PARAM_SECTION)
      printf("%-34s %s%s%s%s (%s)\n    %s\n", name,
             scree_param_expects(p, expected, sizeof expected), p->unit ? " [" : "",
             p->unit ? p->unit : "", p->unit ? "]" : "", default_text(p), p->help);
    if (p->keys) print_plain(p->keys, name);
  }
}

static void print_markdown(const scree_param *keys, const char *path, const char *help) {
  if (path[0]) printf("\n## `%s`\n\n%s\n", path, help);
  printf("\n| key | expects | unit | default | meaning |\n|---|---|---|---|---|\n");
  for (const scree_param *p = keys; p->key; p++) {
    char expected[256];
    printf("| `%s` | %s | %s | %s | %s |\n", p->key,
           scree_param_expects(p, expected, sizeof expected), p->unit ? p->unit : "",
           default_text(p), p->help);
  }
  for (const scree_param *p = keys; p->key; p++) {
    char name[128];
    join(path, p, name, sizeof name);
    if (p->keys) print_markdown(p->keys, name, p->help);
  }
}

static const char introduction[] =
    "# The deck: every key\n"
    "\n"
    "This page is made by `scree keys --markdown` from the table in `src/deck_schema.c`; a test "
    "fails when the two\n"
    "differ. A deck is one YAML file, at most 16 MiB, in UTF-8. Unknown and duplicate keys are "
    "errors; anchors,\n"
    "aliases and tags are not used. Scree has no units of its own: use any consistent set; the "
    "column *unit* tells the\n"
    "dimension. Vectors may leave out z in two dimensions.\n"
    "\n"
    "On the command line `--set KEY=VALUE` changes a key for one run, with the same checks: `--set "
    "run.steps=10`,\n"
    "`--set 'forces.gravity=[0, 0, -1]'`, `--set 'forces.constant[0].body=tip'`. `scree check "
    "DECK` prints a deck with\n"
    "all its defaults.\n";

int scree_cli_keys(const scree_cli *cli, int argc, char **argv) {
  bool markdown = false;
  const scree_parse_result parsed = scree_cli_parse(cli, &keys_argp, argc, argv, 0, &markdown);
  if (parsed != SCREE_PARSED) return scree_cli_parse_exit(parsed);
  if (cli->rank != 0) return SCREE_EXIT_OK;
  if (markdown) {
    fputs(introduction, stdout);
    print_markdown(scree_deck_keys, "", "");
  } else {
    print_plain(scree_deck_keys, "");
  }
  return SCREE_EXIT_OK;
}
