/// \file
/// What the subcommands share: see cli.h.
#include "cli.h"

#include "scree/memory.h"

#include <errno.h>
#include <stdio.h>

scree_parse_result scree_cli_parse(const scree_cli *cli, const struct argp *argp, int argc,
                                   char **argv, unsigned flags, void *input) {
  // argp must never exit by itself: MPI has to be finalized, and on every rank.
  flags |= ARGP_NO_EXIT | ARGP_NO_HELP;
  if (cli->rank != 0) flags |= ARGP_NO_ERRS;
  const error_t result = argp_parse(argp, argc, argv, flags, NULL, input);
  if (result == 0) return SCREE_PARSED;
  if (result != SCREE_ARGP_HELP) return SCREE_PARSED_WRONG;
  if (cli->rank == 0)
    argp_help(argp, stdout, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC, argv[0]);
  return SCREE_PARSED_HELP;
}

int scree_cli_parse_exit(scree_parse_result result) {
  return result == SCREE_PARSED_HELP ? SCREE_EXIT_OK : SCREE_EXIT_INPUT;
}

int scree_cli_fail(const scree_cli *cli, const scree_error *error) {
  if (cli->rank == 0) fprintf(stderr, "scree: %s\n", error->text);
  return error->exit_code;
}

static error_t parse_deck(int key, char *value, struct argp_state *state) {
  scree_deck_arguments *a = state->input;
  switch (key) {
  case 's':
    a->set = scree_realloc(a->set, (size_t)a->set_count + 1, sizeof *a->set);
    a->set[a->set_count++] = value;
    return 0;
  case ARGP_KEY_ARG:
    if (a->path) {
      argp_error(state, "two decks given, '%s' and '%s'; expected one (changes go with --set)",
                 a->path, value);
      return EINVAL;
    }
    a->path = value;
    return 0;
  case ARGP_KEY_END:
    if (a->path) return 0;
    argp_error(state, "no deck given; expected a YAML file such as runs/throw/throw.yaml");
    return EINVAL;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option deck_options[] = {
    {"set", 's', "KEY=VALUE", 0,
     "Change the deck: as if KEY (a.b, list[0].c) had VALUE there; may be repeated.", 0},
    {0}};

const struct argp scree_deck_argp = {.options = deck_options, .parser = parse_deck};

void scree_deck_arguments_free(scree_deck_arguments *arguments) {
  scree_free(arguments->set);
  arguments->set = NULL;
}
