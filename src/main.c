/// \file
/// The program: MPI in and out, the table of subcommands, the balance of memory at the end.
#include "cli.h"
#include "nearest.h"
#include "scree/memory.h"
#include "scree/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct subcommand {
  const char *name;
  const char *summary;
  scree_command *run;
} subcommand;

static const subcommand subcommands[] = {
    {"run", "run a deck", scree_cli_run},
    {"check", "validate a deck; print it with all defaults, its size, memory and time",
     scree_cli_check},
    {"fit", "fit a damped sine to a column of a series", scree_cli_fit},
    {"keys", "list every key a deck may have", scree_cli_keys},
    {"info", "tell what is in a field file or checkpoint", scree_cli_info},
    {"export", "export a field file to VTP or a LAMMPS dump", scree_cli_export},
};
enum { subcommand_count = sizeof subcommands / sizeof subcommands[0] };

typedef struct top_arguments {
  bool version;
  int command; ///< index of the subcommand in argv, 0: none
} top_arguments;

static error_t parse_top(int key, char *value, struct argp_state *state) {
  (void)value;
  top_arguments *a = state->input;
  switch (key) {
  case 'h': return SCREE_ARGP_HELP;
  case 'V': a->version = true; return 0;
  case ARGP_KEY_ARG:
    a->command = state->next - 1;
    state->next = state->argc; // the rest is the subcommand's
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option top_options[] = {
    SCREE_ARGP_HELP_OPTION,
    {"version", 'V', NULL, 0, "Show version, revision, compiler and libraries.", -1},
    {0}};

/// Help with the subcommands listed from their table.
static struct argp top_argp(char *doc, size_t size) {
  snprintf(doc, size, "Contact dynamics of very large granular packings.\vCommands:\n");
  for (int i = 0; i < subcommand_count; i++) {
    const size_t used = strlen(doc);
    snprintf(doc + used, size - used, "  %-7s %s\n", subcommands[i].name, subcommands[i].summary);
  }
  const size_t used = strlen(doc);
  snprintf(doc + used, size - used,
           "\n'scree COMMAND --help' tells more. Exit codes: 0 done, 1 failure, 2 bad input, 3 "
           "stopped on request.");
  return (struct argp){
      .options = top_options, .parser = parse_top, .args_doc = "COMMAND [ARGUMENT...]", .doc = doc};
}

static int unknown_command(const scree_cli *cli, const char *name) {
  const char *names[subcommand_count + 1] = {0};
  for (int i = 0; i < subcommand_count; i++) names[i] = subcommands[i].name;
  const char *nearest = scree_nearest(name, names);
  scree_error error;
  if (nearest)
    scree_error_set(&error, SCREE_EXIT_INPUT, "unknown command '%s'; did you mean '%s'?", name,
                    nearest);
  else
    scree_error_set(&error, SCREE_EXIT_INPUT, "unknown command '%s'; 'scree --help' lists them",
                    name);
  return scree_cli_fail(cli, &error);
}

static int dispatch(const scree_cli *cli, int argc, char **argv) {
  top_arguments a = {0};
  char program[] = "scree", doc[1024];
  const struct argp argp = top_argp(doc, sizeof doc);
  argv[0] = program;
  const scree_parse_result parsed = scree_cli_parse(cli, &argp, argc, argv, ARGP_IN_ORDER, &a);
  if (parsed != SCREE_PARSED) return scree_cli_parse_exit(parsed);
  if (a.version) {
    char text[2048];
    scree_provenance_text(text, sizeof text);
    if (cli->rank == 0) puts(text);
    return SCREE_EXIT_OK;
  }
  if (a.command == 0) {
    if (cli->rank == 0) fputs("scree: no command given; 'scree --help' lists them\n", stderr);
    return SCREE_EXIT_INPUT;
  }
  for (int i = 0; i < subcommand_count; i++) {
    if (strcmp(argv[a.command], subcommands[i].name) != 0) continue;
    char name[32];
    snprintf(name, sizeof name, "scree %s", subcommands[i].name);
    argv[a.command] = name;
    return subcommands[i].run(cli, argc - a.command, argv + a.command);
  }
  return unknown_command(cli, argv[a.command]);
}

/// Every create has its destroy; a block that is left is a mistake, and said.
static int check_memory_balance(const scree_cli *cli, int exit_code) {
  const scree_memory_use left = scree_memory_now();
  if (left.blocks == 0) return exit_code;
  fprintf(stderr,
          "scree: error: rank %d ends with %lld blocks (%lld bytes) of memory not given back\n",
          cli->rank, (long long)left.blocks, (long long)left.bytes);
  return exit_code ? exit_code : SCREE_EXIT_FAILURE;
}

static bool started_by_launcher(void) {
  return getenv("PMIX_RANK") || getenv("OMPI_COMM_WORLD_RANK");
}

static pid_t launcher; ///< whose child we are, when started by one

/// The kernel sends the signal when the thread ends that started us, and a launcher may start its ranks from threads.
static void end_without_launcher(int signal) {
  (void)signal;
  if (getppid() != launcher) _exit(SCREE_EXIT_FAILURE);
}

/// A launcher that is killed cannot end its ranks; they end by themselves. One that was gone before this is called is
/// found out by check_company.
static void end_with_launcher(void) {
  launcher = getppid();
  const struct sigaction action = {.sa_handler = end_without_launcher, .sa_flags = SA_RESTART};
  sigaction(SIGRTMAX, &action, NULL);
  prctl(PR_SET_PDEATHSIG, SIGRTMAX);
  end_without_launcher(SIGRTMAX);
}

/// Open MPI starts a rank alone when its launcher cannot be reached any more: each would run the whole deck into the same
/// directory.
static void check_company(const scree_cli *cli) {
  const char *size = getenv("OMPI_COMM_WORLD_SIZE");
  SCREE_CHECK(!size || atoi(size) == cli->size,
              "started as one of %s ranks, but MPI knows of %d: the launcher is gone", size,
              cli->size);
}

/// What the environment may lack or have too much of, before MPI looks at it.
static void settle_environment(void) {
  // A closed standard stream would be the next file MPI opens, and our messages would go there.
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream) abort();
  // A full disk or a limit on file sizes is an error to report, a closed pipe no reason to end a long run.
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  // Options may stand behind arguments, whatever POSIX says.
  unsetenv("POSIXLY_CORRECT");
  // MPI does not start without a home.
  setenv("HOME", "/tmp", 0);
  // A crash is to end the rank at once: Open MPI would first print its stack, from within a broken heap, and may hang there.
  setenv("OMPI_MCA_opal_signal", "", 0);
  setenv("UCX_ERROR_SIGNALS", "", 0); // so would UCX
  // Alone, without mpirun, there is nobody to share memory with; Open MPI 5.0 would leave a file in /dev/shm each time.
  if (!started_by_launcher()) setenv("OMPI_MCA_btl", "self", 1);
}

int main(int argc, char **argv) {
  settle_environment();
  if (started_by_launcher()) end_with_launcher();
  MPI_Init(&argc, &argv);
  scree_cli cli = {.comm = MPI_COMM_WORLD};
  MPI_Comm_rank(cli.comm, &cli.rank);
  MPI_Comm_size(cli.comm, &cli.size);
  check_company(&cli);
  int exit_code = dispatch(&cli, argc, argv);
  errno = 0;
  if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE && exit_code == SCREE_EXIT_OK) {
    fprintf(stderr, "scree: error: standard output cannot be written: %s\n",
            errno ? strerror(errno) : "some of it is lost");
    exit_code = SCREE_EXIT_FAILURE;
  }
  exit_code = check_memory_balance(&cli, exit_code);
  MPI_Finalize();
  return exit_code;
}
