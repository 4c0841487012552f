/// \file
/// Wishes from outside: see signals.h.
#include "signals.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t asked = SCREE_WISH_NOTHING;

static void take_note(int signal_number) {
  const sig_atomic_t wish = signal_number == SIGUSR1 ? SCREE_WISH_CHECKPOINT : SCREE_WISH_STOP;
  if (wish > asked) asked = wish;
}

void scree_signals_listen(void) {
  static const int heard[] = {SIGUSR1, SIGUSR2, SIGTERM};
  struct sigaction action = {.sa_handler = take_note, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (size_t k = 0; k < sizeof heard / sizeof *heard; k++) sigaction(heard[k], &action, NULL);
}

static bool stop_file_is_there(const char *stop_file) {
  static double next;
  const double now = MPI_Wtime();
  if (now < next) return false;
  next = now + 1;
  return access(stop_file, F_OK) == 0;
}

scree_wish scree_signals_poll(const scree_ranks *ranks, const char *stop_file, double deadline) {
  double wish = asked;
  asked = SCREE_WISH_NOTHING;
  if (ranks->rank == 0 && (MPI_Wtime() > deadline || stop_file_is_there(stop_file)))
    wish = SCREE_WISH_STOP;
  scree_ranks_max(ranks, &wish, 1);
  return (scree_wish)wish;
}
