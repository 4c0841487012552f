/// \file
/// What the subcommands share: who we are in the job, argument parsing, one message for all ranks.
#pragma once
#include "scree/check.h"

#include <argp.h>

/// The job as main.c found it.
typedef struct scree_cli {
  MPI_Comm comm;
  int rank, size;
} scree_cli;

/// A subcommand. `argv[0]` is "scree NAME". Returns the exit code. Collective.
typedef int scree_command(const scree_cli *cli, int argc, char **argv);
scree_command scree_cli_run, scree_cli_check, scree_cli_fit, scree_cli_keys, scree_cli_info,
    scree_cli_export;

/// How parsing ended.
typedef enum { SCREE_PARSED, SCREE_PARSED_HELP, SCREE_PARSED_WRONG } scree_parse_result;

/// argp on every rank with the same outcome; rank 0 alone prints help and complaints. `parser` in
/// `argp` must return SCREE_ARGP_HELP for --help (option key 'h', see SCREE_ARGP_HELP_OPTION) and
/// EINVAL after argp_error.
scree_parse_result scree_cli_parse(const scree_cli *cli, const struct argp *argp, int argc,
                                   char **argv, unsigned flags, void *input);
enum { SCREE_ARGP_HELP = -1 };
#define SCREE_ARGP_HELP_OPTION                                                                     \
  {"help", 'h', NULL, 0, "Show this help and stop.", -1},                                          \
      {"usage", 'h', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, -1}

/// The deck and its changes: arguments that several subcommands take. A child parser for argp.
typedef struct scree_deck_arguments {
  const char *path;
  char **set; ///< owned, [set_count], entries borrowed from argv
  int set_count;
} scree_deck_arguments;
extern const struct argp scree_deck_argp;
void scree_deck_arguments_free(scree_deck_arguments *arguments);

/// Print `error` once, on rank 0, and return its exit code.
int scree_cli_fail(const scree_cli *cli, const scree_error *error);
/// Exit code for a parse that did not end with SCREE_PARSED.
int scree_cli_parse_exit(scree_parse_result result);
