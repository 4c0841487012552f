/// \file
/// libFuzzer target for the deck reader. Any bytes must end in a deck or a message: no crash, no
/// leak, no undefined behaviour. A first line "#set a.b=c" is given as --set. A resolved deck must
/// load, and resolve to itself.
#include "scree/deck.h"
#include "scree/memory.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_resolved(char *resolved) {
  scree_error error;
  char *again;
  SCREE_CHECK(scree_deck_resolve(resolved, strlen(resolved), "resolved", NULL, 0, &again, &error),
              "a resolved deck is refused: %s\n%s", error.text, resolved);
  SCREE_CHECK(strcmp(resolved, again) == 0, "resolving twice differs:\n%s\n%s", resolved, again);
  scree_free(again);
  scree_deck_destroy(scree_deck_load(resolved));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char mark[] = "#set ";
  char assignment[200] = "", *set[] = {assignment};
  const char *text = (const char *)data;
  int set_count = 0;
  if (size > strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
    const char *end = memchr(text, '\n', size);
    const size_t length = (end ? (size_t)(end - text) : size) - strlen(mark);
    if (length < sizeof assignment) memcpy(assignment, text + strlen(mark), length);
    set_count = 1;
  }
  scree_error error = {.text = ""};
  char *resolved;
  if (scree_deck_resolve(text, size, "fuzz", set, set_count, &resolved, &error)) {
    check_resolved(resolved);
    scree_free(resolved);
  } else {
    SCREE_CHECK(error.exit_code == SCREE_EXIT_INPUT && error.text[0], "refused without a message");
  }
  SCREE_CHECK(scree_memory_now().blocks == 0, "memory is not given back");
  return 0;
}
